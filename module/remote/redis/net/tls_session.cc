#include "remote/redis/net/tls_session.h"

#include <cassert>
#include <cerrno>
#include <cstring>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <fmt/core.h>

#include "remote/limits.h"
#include "remote/redis/net/tls_certificate.h"
#include "remote/redis/net/tls_library.h"

namespace laurel::redis {

// The socket as OpenSSL sees it. Its own form of one would raise SIGPIPE in the host.
struct TlsSocket {
  static TlsSession& session(BIO* bio) { return *static_cast<TlsSession*>(BIO_get_data(bio)); }

  static bool may_pass(int error) {
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
  }

  static int read(BIO* bio, char* into, int size) {
    TlsSession& session = TlsSocket::session(bio);
    BIO_clear_retry_flags(bio);
    const ssize_t got = ::recv(session.fd_, into, static_cast<std::size_t>(size), 0);
    if (got == 0) session.ended_ = true;
    if (got < 0 && may_pass(errno)) BIO_set_retry_read(bio);
    if (got < 0 && !may_pass(errno)) session.socket_error_ = errno;
    return static_cast<int>(got);
  }

  static int write(BIO* bio, const char* bytes, int size) {
    TlsSession& session = TlsSocket::session(bio);
    BIO_clear_retry_flags(bio);
    const ssize_t wrote = ::send(session.fd_, bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
    // After a write that failed OpenSSL would read no more, and what the server said before it
    // closed would be lost. So it is told to write again; look() knows better.
    if (wrote < 0) BIO_set_retry_write(bio);
    if (wrote < 0 && !may_pass(errno)) session.socket_error_ = errno;
    return static_cast<int>(wrote);
  }

  static long control(BIO* bio, int command, long, void*) {
    if (command == BIO_CTRL_FLUSH) return 1;
    if (command == BIO_CTRL_EOF) return session(bio).ended_ ? 1 : 0;
    return 0;
  }

  // Made once, and never freed: sessions of all threads use it.
  static BIO_METHOD* method() {
    static BIO_METHOD* const kMethod = [] {
      BIO_METHOD* const made =
          BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "laurel's socket");
      BIO_meth_set_read(made, read);
      BIO_meth_set_write(made, write);
      BIO_meth_set_ctrl(made, control);
      return made;
    }();
    return kMethod;
  }

  // Called for each certificate of the server's chain.
  static int check(int is_good, X509_STORE_CTX* verifying) {
    if (is_good == 1) return 1;
    auto* const ssl = static_cast<SSL*>(
        X509_STORE_CTX_get_ex_data(verifying, SSL_get_ex_data_X509_STORE_CTX_idx()));
    TlsSession& session = TlsSocket::session(SSL_get_rbio(ssl));
    session.untrusted_ =
        wrong_certificate(*verifying, session.expected_, session.client_.options());
    return 0;
  }
};

namespace {

std::string name_to_expect(const TlsOptions& options, std::string_view host) {
  if (!options.name.empty()) return options.name;
  return std::string(host.substr(0, host.find('%')));  // an address of IPv6 may have a zone
}

// What the server says of us in its last message, or what OpenSSL says of its bytes.
std::string tls_words(unsigned long error, bool has_own, bool is_first) {
  switch (ERR_GET_REASON(error)) {
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
    case SSL_R_DATA_LENGTH_TOO_LONG:
    case SSL_R_HTTP_REQUEST:
      if (!is_first) break;
      return "its answer is not TLS: is this its port for redis://, without TLS?";
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
    case SSL_R_UNSUPPORTED_PROTOCOL: return "it speaks no version of TLS since 1.2";
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
      return "it wants a certificate of us: name one with ?cert= and its &key=";
    case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
      return has_own ? "it refuses the TLS handshake, or our certificate"
                     : "it refuses the TLS handshake: it may want a certificate of us, which "
                       "?cert= and &key= name";
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA: return "it does not trust who signed our certificate";
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED: return "it says that our certificate has expired";
    case SSL_R_TLSV1_ALERT_DECRYPT_ERROR:  // it is signed by another key than that of its authority
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN: return "it refuses our certificate";
    default: break;
  }
  const char* const words = ERR_reason_error_string(error);
  return fmt::format("TLS failed: {}", words == nullptr ? "for an unknown reason" : words);
}

}  // namespace

TlsSession::TlsSession(const TlsClient& client, int fd, std::string_view host)
    : client_(client), expected_(name_to_expect(client.options(), host)), fd_(fd) {
  const TlsUse use;
  if (!use) {
    error_ = "the process ends";
    return;
  }
  ERR_clear_error();
  ssl_ = SSL_new(client.context());
  BIO* const socket = BIO_new(TlsSocket::method());
  if (ssl_ == nullptr || socket == nullptr) {
    BIO_free(socket);
    error_ = "there is no memory for TLS";
    return;
  }
  BIO_set_data(socket, this);
  BIO_set_init(socket, 1);
  SSL_set_bio(ssl_, socket, socket);
  SSL_set_verify(ssl_, SSL_VERIFY_PEER, TlsSocket::check);
  SSL_set_max_cert_list(ssl_, kTlsChainBytesMax);
  X509_VERIFY_PARAM* const rules = SSL_get0_param(ssl_);
  X509_VERIFY_PARAM_set_hostflags(rules, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  if (X509_VERIFY_PARAM_set1_ip_asc(rules, expected_.c_str()) != 1) {
    const bool is_checked = SSL_set1_host(ssl_, expected_.c_str()) == 1;
    SSL_set_tlsext_host_name(ssl_, expected_.c_str());
    if (!is_checked) error_ = "its name cannot be compared with that of a certificate";
  }
  SSL_set_connect_state(ssl_);
}

TlsSession::~TlsSession() {
  const TlsUse use;
  if (!use || ssl_ == nullptr) return;
  ERR_clear_error();
  if (done_ && !failed()) SSL_shutdown(ssl_);
  ERR_clear_error();
  SSL_free(ssl_);
}

bool TlsSession::handshake() {
  const TlsUse use;
  if (!use || failed()) return false;
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_);
  look(result, false);
  done_ = result == 1;
  return done_;
}

std::size_t TlsSession::read(std::span<char> into) {
  assert(done_ && "a read before the handshake");
  const TlsUse use;
  if (!use || failed()) return 0;
  ERR_clear_error();
  std::size_t came = 0;
  look(SSL_read_ex(ssl_, into.data(), into.size(), &came), false);
  if (came > 0) write_waits_ = false;
  return came;
}

std::size_t TlsSession::write(std::string_view bytes) {
  assert(done_ && "a write before the handshake");
  const TlsUse use;
  if (!use || failed()) return 0;
  ERR_clear_error();
  std::size_t went = 0;
  look(SSL_write_ex(ssl_, bytes.data(), bytes.size(), &went), true);
  if (socket_error_ != 0) {
    // What the server said before it closed, such as that it refuses our certificate, says more.
    char last = 0;
    std::size_t came = 0;
    const int result = SSL_read_ex(ssl_, &last, 1, &came);
    const bool has_said = result != 1 && SSL_get_error(ssl_, result) == SSL_ERROR_SSL;
    if (has_said && !ended_) error_ = reason(SSL_ERROR_SSL);
  }
  return went;
}

void TlsSession::look(int result, bool is_write) {
  int kind = result == 1 ? SSL_ERROR_NONE : SSL_get_error(ssl_, result);
  if (kind != SSL_ERROR_NONE && socket_error_ != 0) kind = SSL_ERROR_SYSCALL;
  if (is_write) {
    write_waits_ = kind == SSL_ERROR_WANT_READ;
  } else {
    wants_write_ = kind == SSL_ERROR_WANT_WRITE;
  }
  if (kind == SSL_ERROR_NONE || kind == SSL_ERROR_WANT_READ || kind == SSL_ERROR_WANT_WRITE) return;
  error_ = reason(kind);
}

std::string TlsSession::reason(int kind) {
  if (!untrusted_.empty()) return untrusted_;
  const unsigned long error = ERR_peek_error();
  const bool has_ended = kind == SSL_ERROR_ZERO_RETURN || ended_;
  if (has_ended) {
    return done_ ? "the server closed the connection"
                 : "the server closed the connection in the TLS handshake";
  }
  if (kind == SSL_ERROR_SSL && error != 0) {
    return tls_words(error, !client_.options().cert.empty(), !done_);
  }
  return socket_error_ != 0 ? std::strerror(socket_error_) : "the connection failed";
}

}  // namespace laurel::redis
