// Compares ours with every peer in one run, against the goals: servers of Redis's kind in processes
// of their own, a skiplist with a dictionary in this one, LMDB, and the memory latency of the
// machine.
// tests/bench/compare builds and runs it; README.md explains its output.
//
//   bench_compare [--quick] [--members=N] [--parts=1234] [--peer PATH]... [DIRECTORY]
//
//   1  one board: ours, the skiplist and the servers
//   2  many boards, shards, threads
//   3  Lua
//   4  loading from a disk and writing to it
//   --quick    a hundred thousand and a million members instead of one and ten million
//   --members  only that size
//   --peer     a server in place of Debian's Redis, such as another version, or Valkey; several may
//              be given (redis_server.h)
//
// Files and Redis's socket are made in the directory, by default the system's temporary one.

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/comparison/comparison_table.h"
#include "bench/comparison/disk_boards.h"
#include "bench/comparison/lua_calls.h"
#include "bench/comparison/many_boards.h"
#include "bench/comparison/one_board.h"
#include "bench/peers/redis_server.h"

namespace laurel {

namespace {

constexpr std::size_t kRounds = 9;

struct Choice {
  std::vector<std::uint64_t> sizes = {1'000'000, 10'000'000};
  std::string parts = "1234";
  std::vector<std::string> peers;
  std::string directory = std::filesystem::temp_directory_path();

  bool has(char part) const { return parts.find(part) != std::string::npos; }
};

std::string processor() {
  std::ifstream facts("/proc/cpuinfo");
  for (std::string line; std::getline(facts, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "an unknown processor";
}

void print_machine(const std::vector<std::string>& servers) {
  std::printf("%s, %u cores, %ld MiB of L3; g++ %s; %s; load %.1f\n", processor().c_str(),
              std::thread::hardware_concurrency(), ::sysconf(_SC_LEVEL3_CACHE_SIZE) >> 20,
              __VERSION__, fmt::format("{}", fmt::join(servers, ", ")).c_str(), load_average());
}

// The servers that are compared: none if Debian's Redis, with its tools, is not installed.
RedisServers start_servers(const Choice& choice, const std::string& directory) {
  RedisServers servers;
  for (const std::string& program :
       choice.peers.empty() ? std::vector<std::string>{"redis-server"} : choice.peers) {
    auto server = RedisServer::start(program, directory, fmt::format("{}.sock", servers.size()));
    if (server) servers.push_back(std::move(server));
  }
  return servers;
}

void compare(const Choice& choice) {
  const Scratch scratch(choice.directory);
  const std::string directory = scratch.path("");
  const RedisServers servers = start_servers(choice, directory);
  std::vector<std::string> names;
  for (const auto& server : servers) names.push_back(server->version());
  ComparisonTable table(names);
  if (servers.empty()) table.miss("Redis: module/cmake/install-packages bench");
  print_machine(names);
  if (choice.has('1')) {
    for (const std::uint64_t members : choice.sizes) {
      compare_one_board(table, servers, members, kRounds);
    }
  }
  if (choice.has('2')) compare_many_boards(table, servers, 1'000'000, kRounds);
  if (choice.has('3')) compare_lua_calls(table, directory, 1'000'000, kRounds);
  if (choice.has('4')) compare_disk_boards(table, directory, choice.sizes.back(), kRounds);
  table.miss("live: 4,000 clients at 20 Hz are bench_live's");
  table.miss("Nakama, lua-zset: one peer of a kind is enough to compare by");
  table.finish();
}

}  // namespace

}  // namespace laurel

int main(int argc, char** argv) {
  laurel::Choice choice;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::string value = word.substr(word.find('=') + 1);
    if (word == "--quick") {
      choice.sizes = {100'000, 1'000'000};
    } else if (word.starts_with("--members=")) {
      choice.sizes = {std::stoull(value)};
    } else if (word.starts_with("--parts=")) {
      choice.parts = value;
    } else if (word == "--peer" && i + 1 < argc) {
      choice.peers.emplace_back(argv[++i]);
    } else if (word.starts_with("--peer=")) {
      choice.peers.push_back(value);
    } else if (word.starts_with("--")) {
      std::fprintf(stderr,
                   "usage: bench_compare [--quick] [--members=N] [--parts=1234] [--peer PATH]... "
                   "[DIRECTORY]\n");
      return 2;
    } else {
      choice.directory = word;
    }
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    laurel::compare(choice);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bench_compare: %s\n", failure.what());
    return 1;
  }
}
