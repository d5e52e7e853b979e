// connection.h - one socket to one server. Commands are pipelined; replies come in their order.
//
//   connect   does not block, except to resolve a host name.
//   send      into a buffer, which is written when the socket is ready.
//   events    the owner polls fd() for events() and calls on_events().
//   errors    a failed connection stays failed. error() gives the reason; the owner discards it.
//   threads   one.
//   limits    takes_more() is false while kRedisBufferMax bytes or more wait to be sent. Answers
//             have the limits of reply_scanner.h.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "remote/redis/net/reply.h"
#include "remote/redis/net/url.h"

namespace laurel::redis {

using Words = std::vector<std::string>;

class Connection {
 public:
  // Starts to connect.
  explicit Connection(const Address& address);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int fd() const { return fd_; }
  short events() const;
  // Reads and writes as far as the socket is ready. Appends complete replies.
  void on_events(short events, std::vector<Reply>& replies);

  // Whether the send buffer has room.
  bool takes_more() const { return out_.size() - sent_ < kBufferMax; }
  // Sends a command: `first` and then `words`.
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
