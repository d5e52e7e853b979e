// redis_server.h - the peer in a process of its own: Debian's redis-server, on a unix socket in a
// directory of ours, without a port and without a disk. It ends with the process that started it,
// however that ends.
//
//   key       every sorted set lies under one that the caller names.
//   members   numbers of 12 digits, as redis-benchmark writes them, from 0 on.
//   scores    whole numbers below the number of members, as it draws them.
//   failure   throws.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <sys/types.h>

namespace laurel {

class RedisServer {
 public:
  // Null where it is not installed.
  static std::unique_ptr<RedisServer> start(const std::string& directory);
  ~RedisServer();
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  std::string version() const;
  // Gives the set these members, with random scores, by a script in the server.
  void fill(const std::string& key, std::uint64_t members) const;
  // Likewise so many sets, under b000000000000 and so on.
  void fill_boards(std::uint64_t boards, std::uint64_t members_each) const;
  // What redis-benchmark finds a command to take, in nanoseconds: of one connection, with 64
  // commands on their way; every __rand_int__ in it is a number below `members`.
  double run(const std::string& command, std::uint64_t members, std::uint64_t requests) const;
  // All that it has allocated.
  std::uint64_t bytes() const;
  // Drops every key.
  void flush() const;

 private:
  RedisServer(pid_t process, std::string socket) : process_(process), socket_(std::move(socket)) {}
  std::string ask(const std::string& command) const;

  pid_t process_;
  std::string socket_;
};

}  // namespace laurel
