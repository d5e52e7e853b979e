// redis_server.h - a peer in a process of its own: Debian's redis-server, or another server that
// takes the same options and commands, such as Valkey. It has a unix socket in a directory of ours,
// no port and no disk. It ends with the process that started it, also if that process is killed.
//
//   program   a name or a path; a script may end with an exec of the server and the options it
//             gets. Debian's redis-cli and redis-benchmark speak with all of them.
//   key       the caller names the key of each sorted set.
//   members   numbers of 12 digits, as redis-benchmark writes them, from 0 on.
//   scores    whole numbers below the number of members, as redis-benchmark draws them.
//   failure   throws.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace laurel {

class RedisServer {
 public:
  // The socket has that name in the directory. Null if Debian's Redis is not installed. Throws if
  // the program does not answer.
  static std::unique_ptr<RedisServer> start(const std::string& program,
                                            const std::string& directory, const std::string& name);
  ~RedisServer();
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  // "Redis 7.0.15", "Valkey 9.1.2"
  std::string version() const;
  // Adds this many members with random scores to the set, by scripts in the server.
  void fill(const std::string& key, std::uint64_t members) const;
  // Adds them to each of this many sets, with keys b000000000000 and so on.
  void fill_boards(std::uint64_t boards, std::uint64_t members_each) const;
  // Nanoseconds a command, as measured by redis-benchmark with one connection and 64 commands in
  // flight; every __rand_int__ in the command is a number below `members`.
  double run(const std::string& command, std::uint64_t members, std::uint64_t requests) const;
  // All memory that the server has allocated.
  std::uint64_t bytes() const;
  // Drops every key.
  void flush() const;

 private:
  RedisServer(pid_t process, std::string socket) : process_(process), socket_(std::move(socket)) {}
  std::string ask(const std::string& command) const;

  pid_t process_;
  std::string socket_;
};

using RedisServers = std::vector<std::unique_ptr<RedisServer>>;

}  // namespace laurel
