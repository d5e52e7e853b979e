// redis_fixture.h - Redis servers for a test: on free ports of the loopback, in a folder that is
// deleted with them. They end with the process that started them, even if it crashes.
//
//   one        one server.
//   pair       a server, and a replica that is in sync.
//   cluster    six servers: three masters, each with a replica that is in sync.
//   program    redis-server, or the program that LAUREL_REDIS_SERVER names: another version, or
//              Valkey.
//   TLS        on one port, and no port without it; also between servers.
//   failure    throws.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "certificates.h"

namespace laurel {

struct ServerTls {
  CertificateFiles own;  // of the servers
  std::string ca;
  std::optional<CertificateFiles> client;  // of clients; nothing: none is wanted of them
};

struct RedisSetup {
  std::string password = {};
  std::optional<ServerTls> tls = {};
  std::string host = "127.0.0.1";  // under which clients know them; a cluster announces it
};

class RedisServers {
 public:
  // Null if the server's program or redis-tools are not installed; a message says so once.
  static std::unique_ptr<RedisServers> one(const RedisSetup& setup = {});
  static std::unique_ptr<RedisServers> pair(const RedisSetup& setup = {});
  static std::unique_ptr<RedisServers> cluster(const RedisSetup& setup = {});
  ~RedisServers();
  RedisServers(const RedisServers&) = delete;
  RedisServers& operator=(const RedisServers&) = delete;

  // "redis://127.0.0.1:..." with all the servers, without a password; or rediss:// with the options
  // that it needs.
  std::string url() const { return scheme() + hosts() + options(); }
  std::string scheme() const { return setup_.tls ? "rediss://" : "redis://"; }
  std::string hosts() const;
  std::string options() const;
  std::size_t count() const { return servers_.size(); }
  std::uint16_t port(std::size_t server) const { return servers_[server].port; }
  void signal(std::size_t server, int signal) const;
  // Restarts a killed server with what it had on disk.
  void start(std::size_t server);
  // Makes one server the replica of another, and waits until it is in sync. Not in a cluster.
  void replicate(std::size_t replica, std::size_t master) const;
  // The output of redis-cli for a command to this server.
  std::string ask(std::size_t server, const std::string& command) const;
  // The same with -c, which follows a cluster's redirections.
  std::string ask_cluster(const std::string& command) const;
  // The server that has the key's slot.
  std::size_t master_of(const std::string& key) const;
  // The replica of that master.
  std::size_t replica_of(std::size_t master) const;
  // Waits until the master's replica has what the master has now.
  void wait_in_step(std::size_t master) const;
  // Waits until the server's answer to the command contains `part`.
  void wait_until(std::size_t server, const std::string& command, const std::string& part) const;

 private:
  struct Server {
    std::uint16_t port = 0;
    pid_t process = -1;
  };

  RedisServers(std::string folder, RedisSetup setup)
      : folder_(std::move(folder)), setup_(std::move(setup)) {}
  void add(bool in_cluster);
  std::string cli() const;
  void wait_for(const std::string& what, const std::string& command) const;

  std::string folder_;
  RedisSetup setup_;
  bool in_cluster_ = false;
  std::vector<Server> servers_;
};

}  // namespace laurel
