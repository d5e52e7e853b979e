// redis_fixture.h - Redis servers of a test's own: on free ports of the loopback, in a folder that
// goes with them. They end with the process that started them, however that ends.
//
//   one        a server.
//   pair       a server, and a replica that is in step.
//   cluster    six servers: three masters, each with a replica that is in step.
//   failure    throws.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace laurel {

class RedisServers {
 public:
  // Null, and says so once, where Debian's redis-server and redis-tools are not installed.
  static std::unique_ptr<RedisServers> one(const std::string& password = {});
  static std::unique_ptr<RedisServers> pair();
  static std::unique_ptr<RedisServers> cluster();
  ~RedisServers();
  RedisServers(const RedisServers&) = delete;
  RedisServers& operator=(const RedisServers&) = delete;

  // redis://127.0.0.1:... of all of them, without a password.
  std::string url() const;
  std::size_t count() const { return servers_.size(); }
  std::uint16_t port(std::size_t server) const { return servers_[server].port; }
  void signal(std::size_t server, int signal) const;
  // Starts a killed one again, with what it had on its disk.
  void start(std::size_t server);
  // Makes one the replica of another, and waits until it is in step. Not in a cluster.
  void replicate(std::size_t replica, std::size_t master) const;
  // What redis-cli says, asked of a server.
  std::string ask(std::size_t server, const std::string& command) const;
  // Likewise with -c, which follows a cluster's redirections.
  std::string ask_cluster(const std::string& command) const;
  // The server whose port has the key's slot.
  std::size_t master_of(const std::string& key) const;
  // The one whose master it is.
  std::size_t replica_of(std::size_t master) const;
  // Until the master's replica has what the master has now.
  void wait_in_step(std::size_t master) const;
  // Until the server answers the command with something that has `part` in it.
  void wait_until(std::size_t server, const std::string& command, const std::string& part) const;

 private:
  struct Server {
    std::uint16_t port = 0;
    pid_t process = -1;
  };

  explicit RedisServers(std::string folder) : folder_(std::move(folder)) {}
  void add(bool in_cluster, const std::string& password);
  void wait_for(const std::string& what, const std::string& command) const;

  std::string folder_;
  std::string password_;
  bool in_cluster_ = false;
  std::vector<Server> servers_;
};

}  // namespace laurel
