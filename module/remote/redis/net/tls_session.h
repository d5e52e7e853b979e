// tls_session.h - TLS on one connection to a server, over a socket of Connection.
//
//   bytes     handshake() until it is done, and then read() and write(), each when poll says that
//             the socket is ready. None of them blocks or raises SIGPIPE. A read into room for
//             kTlsRecordBytesMax leaves nothing inside that poll would not tell of.
//   wants     a handshake or a read may have to write first, and a write to read: wants_write() and
//             write_waits().
//   name      the server's certificate must be of the name or the address under which we reach it:
//             the host of the URL, or that which a cluster announces. If the URL has a `name`, it
//             is that of all servers. "*.example.org" is the name of a host one label below. The
//             name is sent to the server as well, if it is not an address (SNI).
//   wrong     a server whose certificate does not pass gets no byte of ours but the handshake's: no
//             password, no command. error() is a sentence about the server:
//               its certificate has expired on 2026-01-31 12:00 UTC
//               its certificate is of another name: it has "b.example", not "a.example"
//               its certificate is not signed by an authority that this machine trusts; name the
//               authority with ?ca=
//   end       the destructor says that nothing follows, and does not wait for an answer. A server
//             that ends without saying so has ended: an answer of Redis says how long it is, so
//             that no part of one counts as whole.
//   limits    of a server: kTlsChainBytesMax for its certificates. Names in an error are escaped,
//             and kTlsNamesShown of them are shown.
//   threads   one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "remote/redis/net/tls_client.h"

struct ssl_st;  // OpenSSL's SSL

namespace laurel::redis {

class TlsSession {
 public:
  // Both outlive it: the client, and the socket, which is connected and does not block. `host` is
  // the name or the address under which the server is reached.
  TlsSession(const TlsClient& client, int fd, std::string_view host);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  // Returns true when it is done.
  bool handshake();
  // How many bytes came or went; 0: none now, or it has failed. REQUIRES: handshake() is done
  std::size_t read(std::span<char> into);
  // The bytes that it does not take must be offered again, and more may follow them.
  std::size_t write(std::string_view bytes);

  // The last handshake() or read() waits until the socket can be written.
  bool wants_write() const { return wants_write_; }
  // The last write() waits until something was read.
  bool write_waits() const { return write_waits_; }
  bool failed() const { return !error_.empty(); }
  const std::string& error() const { return error_; }

 private:
  friend struct TlsSocket;  // gives OpenSSL the socket

  // After a call that returned `result`: what it waits for, or why it failed.
  void look(int result, bool is_write);
  std::string reason(int kind);

  const TlsClient& client_;
  const std::string expected_;  // the name that its certificate must have
  const int fd_;
  ssl_st* ssl_ = nullptr;
  bool done_ = false;
  bool wants_write_ = false;
  bool write_waits_ = false;
  bool ended_ = false;     // the socket, by the server
  int socket_error_ = 0;   // of the socket, as errno
  std::string untrusted_;  // why its certificate does not pass
  std::string error_;
};

}  // namespace laurel::redis
