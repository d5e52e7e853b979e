// connection.h - one socket to one server. Commands are pipelined; replies come in their order.
//
//   connect   does not block, except to resolve a host name.
//   send      into a buffer, which is written when the socket is ready.
//   TLS       if it is given a TlsClient. What is sent waits until the server's certificate has
//             passed (tls_session.h).
//   events    the owner polls fd() for events() and calls on_events().
//   errors    a failed connection stays failed. error() gives the reason; the owner discards it.
//   threads   one.
//   limits    takes_more() is false while kRedisBufferMax bytes or more wait to be sent. Answers
//             have the limits of reply_scanner.h.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "remote/redis/net/reply.h"
#include "remote/redis/net/tls_client.h"
#include "remote/redis/net/tls_session.h"
#include "remote/redis/net/url.h"

namespace laurel::redis {

using Words = std::vector<std::string>;

class Connection {
 public:
  // Starts to connect. `tls` outlives it; null: without TLS.
  Connection(const Address& address, const TlsClient* tls);
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
  // It has reached the server, and the TLS handshake is not done.
  bool in_handshake() const { return tls_ != nullptr && !connected_ && !failed(); }
  bool failed() const { return !error_.empty(); }
  const std::string& error() const { return error_; }
  void fail(std::string_view why);

 private:
  struct Reader;

  static const std::size_t kBufferMax;

  void append(char mark, std::size_t number);
  void finish_connecting();
  void fail_socket(int error);
  void write_some();
  void read_some(std::vector<Reply>& replies);
  // How many bytes came or went; 0: none now, or it has failed.
  std::size_t receive(std::span<char> into);
  std::size_t transmit(std::string_view bytes);

  const Address address_;
  const TlsClient* const client_;
  int fd_ = -1;
  bool connected_ = false;  // and the TLS handshake is done
  bool has_answered_ = false;
  std::string error_;
  std::string out_;
  std::size_t sent_ = 0;
  std::unique_ptr<Reader> reader_;
  std::unique_ptr<TlsSession> tls_;  // once the server is reached
};

}  // namespace laurel::redis
