#include "redis_fixture.h"

#include <arpa/inet.h>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <fmt/core.h>

namespace laurel {

namespace {

constexpr int kLooksMax = 1500;  // 10 ms apart

std::string output_of(const std::string& command) {
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no shell for: " + command);
  std::string text;
  std::array<char, 4096> part;
  for (std::size_t got = 0; (got = std::fread(part.data(), 1, part.size(), pipe)) > 0;) {
    text.append(part.data(), got);
  }
  ::pclose(pipe);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

bool is_free(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  const bool free = ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(fd);
  return free;
}

// A port that is free, together with that of the cluster bus. Concurrent test processes start their
// search at different ports.
std::uint16_t free_port() {
  static std::uint16_t next = static_cast<std::uint16_t>(20'000 + ::getpid() % 1000 * 20);
  for (int looks = 0; looks < 10'000; ++looks) {
    const std::uint16_t port = next++;
    if (next >= 50'000) next = 20'000;
    if (is_free(port) && is_free(static_cast<std::uint16_t>(port + 10'000))) return port;
  }
  throw std::runtime_error("no free port");
}

std::string server_program() {
  const char* const named = std::getenv("LAUREL_REDIS_SERVER");
  return named == nullptr ? "redis-server" : named;
}

bool is_installed() {
  for (const std::string& program : {server_program(), std::string("redis-cli")}) {
    if (std::system(fmt::format("command -v {} >/dev/null", program).c_str()) == 0) continue;
    static const int kSaid = std::puts("SKIPPED: redis-server or redis-tools is not installed");
    (void)kSaid;
    return false;
  }
  return true;
}

std::string new_folder() {
  std::string folder = (std::filesystem::temp_directory_path() / "laurel-redis-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no folder " + folder);
  return folder;
}

// In the child: becomes the server, which is killed when its parent ends.
[[noreturn]] void become_server(const std::vector<std::string>& words, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (int fd = 0; fd <= 2; ++fd) ::dup2(nowhere, fd);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  ::_exit(1);
}

}  // namespace

std::unique_ptr<RedisServers> RedisServers::one(const RedisSetup& setup) {
  if (!is_installed()) return nullptr;
  std::unique_ptr<RedisServers> servers(new RedisServers(new_folder(), setup));
  servers->add(false);
  servers->wait_for("PONG", "PING");
  return servers;
}

std::unique_ptr<RedisServers> RedisServers::pair(const RedisSetup& setup) {
  if (!is_installed()) return nullptr;
  std::unique_ptr<RedisServers> servers(new RedisServers(new_folder(), setup));
  for (int i = 0; i < 2; ++i) servers->add(false);
  servers->wait_for("PONG", "PING");
  servers->replicate(1, 0);
  return servers;
}

std::unique_ptr<RedisServers> RedisServers::cluster(const RedisSetup& setup) {
  if (!is_installed()) return nullptr;
  std::unique_ptr<RedisServers> servers(new RedisServers(new_folder(), setup));
  std::string nodes;
  for (int i = 0; i < 6; ++i) {
    servers->add(true);
    nodes += fmt::format(" 127.0.0.1:{}", servers->servers_.back().port);
  }
  servers->wait_for("PONG", "PING");
  output_of(servers->cli() + " --cluster create" + nodes +
            " --cluster-replicas 1 --cluster-yes >/dev/null 2>&1");
  // `create` and cluster_state report success before the replicas are in sync.
  for (std::size_t i = 0; i < servers->count(); ++i) {
    for (int look = 0;; ++look) {
      const std::string role = servers->ask(i, "INFO replication");
      const bool in_step = role.find("connected_slaves:1") != std::string::npos ||
                           role.find("master_link_status:up") != std::string::npos;
      const bool ok = servers->ask(i, "CLUSTER INFO").find("cluster_state:ok") != std::string::npos;
      if (in_step && ok) break;
      if (look == kLooksMax) throw std::runtime_error("the cluster does not come up: " + role);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  for (std::size_t i = 0; i < servers->count(); ++i) {
    if (servers->ask(i, "ROLE").starts_with("master")) servers->wait_in_step(i);
  }
  return servers;
}

void RedisServers::add(bool in_cluster) {
  in_cluster_ = in_cluster;
  servers_.push_back({free_port(), -1});
  start(servers_.size() - 1);
}

void RedisServers::start(std::size_t number) {
  Server& server = servers_[number];
  const std::string folder = fmt::format("{}/{}", folder_, server.port);
  std::filesystem::create_directories(folder);
  std::vector<std::string> words = {server_program(),
                                    "--port",
                                    setup_.tls ? "0" : std::to_string(server.port),
                                    "--bind",
                                    "127.0.0.1",
                                    "-::1",  // if the machine has it
                                    "--dir",
                                    folder,
                                    "--save",
                                    "",
                                    "--appendonly",
                                    "yes",
                                    "--appendfsync",
                                    "no",
                                    "--repl-diskless-sync-delay",
                                    "0"};
  if (in_cluster_) {
    words.insert(words.end(), {"--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf",
                               "--cluster-node-timeout", "1500"});
    if (setup_.host != "127.0.0.1") {
      words.insert(words.end(), {"--cluster-announce-hostname", setup_.host,
                                 "--cluster-preferred-endpoint-type", "hostname"});
    }
  }
  if (!setup_.password.empty()) words.insert(words.end(), {"--requirepass", setup_.password});
  if (setup_.tls) {
    const ServerTls& tls = *setup_.tls;
    words.insert(words.end(),
                 {"--tls-port", std::to_string(server.port), "--tls-cert-file", tls.own.cert,
                  "--tls-key-file", tls.own.key, "--tls-ca-cert-file", tls.ca, "--tls-auth-clients",
                  tls.client ? "yes" : "no", "--tls-replication", "yes", "--tls-cluster", "yes"});
  }
  const pid_t parent = ::getpid();
  server.process = ::fork();
  if (server.process < 0) throw std::runtime_error("no process for redis-server");
  if (server.process == 0) become_server(words, parent);
}

void RedisServers::wait_for(const std::string& what, const std::string& command) const {
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    for (int look = 0; ask(i, command) != what; ++look) {
      if (look == kLooksMax) throw std::runtime_error("redis-server does not answer");
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
}

void RedisServers::wait_until(std::size_t server, const std::string& command,
                              const std::string& part) const {
  for (int look = 0; ask(server, command).find(part) == std::string::npos; ++look) {
    if (look == kLooksMax) {
      throw std::runtime_error(command + " does not answer " + part + ": " + ask(server, command));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

void RedisServers::replicate(std::size_t replica, std::size_t master) const {
  ask(replica, fmt::format("REPLICAOF 127.0.0.1 {}", port(master)));
  wait_until(replica, "INFO replication", "master_link_status:up");
  ask(master, "SET step 1");  // there must be something to be in sync with
  wait_in_step(master);
}

// The replica's link is up before the master calls the replica online, and only later does the
// replica report its offset.
void RedisServers::wait_in_step(std::size_t master) const {
  const auto number_after = [](const std::string& text, const std::string& word) {
    const std::size_t at = text.find(word);
    return at == std::string::npos ? -1LL : std::atoll(text.c_str() + at + word.size());
  };
  const long long offset = number_after(ask(master, "INFO replication"), "master_repl_offset:");
  for (int look = 0; look < kLooksMax; ++look) {
    const std::string info = ask(master, "INFO replication");
    const bool is_online = info.find("state=online") != std::string::npos;
    if (is_online && number_after(info, ",offset=") >= offset) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  throw std::runtime_error("the replica does not come into step");
}

RedisServers::~RedisServers() {
  for (const Server& server : servers_) {
    if (server.process <= 0) continue;
    ::kill(server.process, SIGKILL);
    ::waitpid(server.process, nullptr, 0);
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string RedisServers::hosts() const {
  std::string hosts;
  for (const Server& server : servers_) {
    if (&server != servers_.data()) hosts += ',';
    hosts += fmt::format("{}:{}", setup_.host, server.port);
  }
  return hosts;
}

std::string RedisServers::options() const {
  if (!setup_.tls) return {};
  std::string options = "?ca=" + setup_.tls->ca;
  if (const auto& client = setup_.tls->client) {
    options += fmt::format("&cert={}&key={}", client->cert, client->key);
  }
  return options;
}

// The servers' certificates may be wrong ones.
std::string RedisServers::cli() const {
  std::string words = "redis-cli";
  if (!setup_.password.empty()) words += fmt::format(" --no-auth-warning -a '{}'", setup_.password);
  if (!setup_.tls) return words;
  words += fmt::format(" --tls --insecure --cacert {}", setup_.tls->ca);
  if (const auto& client = setup_.tls->client) {
    words += fmt::format(" --cert {} --key {}", client->cert, client->key);
  }
  return words;
}

void RedisServers::signal(std::size_t number, int signal) const {
  const pid_t process = servers_[number].process;
  ::kill(process, signal);
  if (signal == SIGKILL) ::waitpid(process, nullptr, 0);
}

std::string RedisServers::ask(std::size_t server, const std::string& command) const {
  return output_of(fmt::format("{} -p {} {} 2>&1", cli(), servers_[server].port, command));
}

std::string RedisServers::ask_cluster(const std::string& command) const {
  return output_of(fmt::format("{} -c -p {} {} 2>&1", cli(), servers_[0].port, command));
}

std::size_t RedisServers::master_of(const std::string& key) const {
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    const std::string answer = ask(i, "GET '" + key + "'");
    if (answer.find("MOVED") == std::string::npos && answer.find("refused") == std::string::npos) {
      return i;
    }
  }
  throw std::runtime_error("nobody has the slot of " + key);
}

std::size_t RedisServers::replica_of(std::size_t master) const {
  const std::string line = fmt::format("master_port:{}\r", port(master));
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    if (ask(i, "INFO replication").find(line) != std::string::npos) return i;
  }
  throw std::runtime_error(fmt::format("the server at port {} has no replica", port(master)));
}

}  // namespace laurel
