// connection.h - one socket to one server: commands go out one after the other, replies come back
// in their order.
//
//   connect   does not wait, but for the name of a host that is no address: the resolver takes its
//             time.
//   send      into a buffer, which goes out when the socket takes it.
//   events    whoever owns the connection polls fd() for events() and calls on_events().
//   errors    a connection that failed stays failed: error() says why, and it is thrown away.
//   threads   one.
//   limits    kRedisBufferMax bytes wait to go out.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "remote/redis/reply.h"
#include "remote/redis/url.h"

namespace laurel::redis {

using Words = std::vector<std::string>;

class Connection {
 public:
  // Begins to connect.
  explicit Connection(const Address& address);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int fd() const { return fd_; }
  short events() const;
  // Reads and writes what the socket has and takes; appends whole replies.
  void on_events(short events, std::vector<Reply>& replies);

  // Whether there is room for more.
  bool takes_more() const { return out_.size() - sent_ < kBufferMax; }
  // A command: `first` and then `words`.
  void send(const Words& words) { send({}, words); }
  void send(std::initializer_list<std::string_view> first, const Words& words);

  bool connected() const { return connected_; }
  bool failed() const { return !error_.empty(); }
  const std::string& error() const { return error_; }
  void fail(std::string_view why);

 private:
  struct Reader;

  static const std::size_t kBufferMax;

  void append(char mark, std::size_t number);
  void finish_connecting();
  void write_some();
  void read_some(std::vector<Reply>& replies);

  int fd_ = -1;
  bool connected_ = false;
  std::string error_;
  std::string out_;
  std::size_t sent_ = 0;
  std::unique_ptr<Reader> reader_;
};

}  // namespace laurel::redis
