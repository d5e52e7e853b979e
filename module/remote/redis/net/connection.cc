#include "remote/redis/net/connection.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <hiredis/hiredis.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/core.h>

#include "base/text.h"
#include "remote/limits.h"
#include "remote/redis/net/reply_scanner.h"

namespace laurel::redis {

const std::size_t Connection::kBufferMax = kRedisBufferMax;

namespace {

Reply reply_of(const redisReply& from) {
  Reply reply;
  switch (from.type) {
    case REDIS_REPLY_STATUS:
    case REDIS_REPLY_STRING:
      reply.kind = Reply::Kind::text;
      reply.text.assign(from.str, from.len);
      break;
    case REDIS_REPLY_ERROR:
      reply.kind = Reply::Kind::error;
      reply.text = escaped({from.str, from.len}, kRedisErrorBytesMax);
      break;
    case REDIS_REPLY_INTEGER:
      reply.kind = Reply::Kind::integer;
      reply.integer = from.integer;
      break;
    case REDIS_REPLY_ARRAY:
      reply.kind = Reply::Kind::list;
      reply.list.reserve(from.elements);
      for (std::size_t i = 0; i < from.elements; ++i) {
        reply.list.push_back(reply_of(*from.element[i]));
      }
      break;
    default: break;
  }
  return reply;
}

int open_socket(const addrinfo& at) {
  const int fd = ::socket(at.ai_family, at.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  if (::connect(fd, at.ai_addr, at.ai_addrlen) == 0 || errno == EINPROGRESS) return fd;
  const int error = errno;
  ::close(fd);
  errno = error;
  return -1;
}

}  // namespace

struct Connection::Reader {
  Reader() : reader(redisReaderCreate()) {}
  ~Reader() { redisReaderFree(reader); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  ReplyScanner scanner;
  redisReader* reader;
};

Connection::Connection(const Address& address, const TlsClient* tls)
    : address_(address), client_(tls), reader_(std::make_unique<Reader>()) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(address.port);
  if (const int error = ::getaddrinfo(address.host.c_str(), port.c_str(), &hints, &found)) {
    fail(::gai_strerror(error));
    return;
  }
  int error = 0;
  for (const addrinfo* at = found; at != nullptr && fd_ < 0; at = at->ai_next) {
    fd_ = open_socket(*at);
    if (fd_ < 0) error = errno;
  }
  ::freeaddrinfo(found);
  if (fd_ < 0) fail(std::strerror(error));
}

Connection::~Connection() {
  tls_.reset();  // its last bytes are for the socket
  if (fd_ >= 0) ::close(fd_);
}

void Connection::fail(std::string_view why) {
  if (failed()) return;
  error_ = why.empty() ? "the connection failed" : why;
  connected_ = false;
}

short Connection::events() const {
  bool writes = !connected_ || sent_ < out_.size();
  if (tls_) {
    const bool has_more = connected_ && sent_ < out_.size() && !tls_->write_waits();
    writes = tls_->wants_write() || has_more;
  }
  return static_cast<short>(POLLIN | (writes ? POLLOUT : 0));
}

void Connection::append(char mark, std::size_t number) {
  char digits[20];
  char* const end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
  out_ += mark;
  out_.append(digits, end);
  out_ += "\r\n";
}

void Connection::send(std::initializer_list<std::string_view> first, const Words& words) {
  const auto add = [this](std::string_view word) {
    append('$', word.size());
    out_ += word;
    out_ += "\r\n";
  };
  append('*', first.size() + words.size());
  for (const std::string_view word : first) add(word);
  for (const std::string& word : words) add(word);
}

void Connection::on_events(short events, std::vector<Reply>& replies) {
  if (failed()) return;
  const bool is_lost = (events & (POLLERR | POLLHUP)) != 0;
  if (!connected_ && !tls_ && (is_lost || (events & POLLOUT) != 0)) finish_connecting();
  if (in_handshake()) {
    connected_ = tls_->handshake();
    if (tls_->failed()) return fail(tls_->error());
  }
  if (!connected_) return;
  const bool may_read = (events & POLLIN) != 0 || (tls_ && tls_->wants_write());
  if (is_lost || may_read) read_some(replies);
  if (!failed()) write_some();
}

void Connection::finish_connecting() {
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  if (error != 0) return fail(std::strerror(error));
  if (client_ != nullptr) {
    tls_ = std::make_unique<TlsSession>(*client_, fd_, address_.host);
  } else {
    connected_ = true;
  }
}

// Without TLS. 0: the server has closed.
void Connection::fail_socket(int error) {
  const bool is_closed = error == 0 || error == ECONNRESET || error == EPIPE;
  if (is_closed && !has_answered_) {
    return fail(
        "the server closed the connection without an answer: if it wants TLS, its URL is "
        "rediss://");
  }
  fail(error == 0 ? "the server closed the connection" : std::strerror(error));
}

std::size_t Connection::transmit(std::string_view bytes) {
  if (tls_) {
    const std::size_t went = tls_->write(bytes);
    if (tls_->failed()) fail(tls_->error());
    return went;
  }
  for (;;) {
    const ssize_t wrote = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (wrote >= 0) return static_cast<std::size_t>(wrote);
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) fail_socket(errno);
    return 0;
  }
}

std::size_t Connection::receive(std::span<char> into) {
  if (tls_) {
    const std::size_t came = tls_->read(into);
    if (tls_->failed()) fail(tls_->error());
    return came;
  }
  for (;;) {
    const ssize_t got = ::recv(fd_, into.data(), into.size(), 0);
    if (got > 0) return static_cast<std::size_t>(got);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) fail_socket(0);
    if (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK) fail_socket(errno);
    return 0;
  }
}

void Connection::write_some() {
  while (sent_ < out_.size()) {
    const std::size_t wrote = transmit(std::string_view(out_).substr(sent_));
    if (wrote == 0) break;
    sent_ += wrote;
  }
  if (sent_ == out_.size()) {
    out_.clear();
    sent_ = 0;
  } else if (sent_ > out_.size() / 2) {
    out_.erase(0, sent_);
    sent_ = 0;
  }
}

void Connection::read_some(std::vector<Reply>& replies) {
  std::array<char, 65'536> part;
  static_assert(sizeof part >= kTlsRecordBytesMax);
  for (int reads = 0; reads < kRedisReadsMax; ++reads) {
    const std::size_t got = receive(part);
    if (got == 0) return;
    has_answered_ = true;
    const std::string_view bytes(part.data(), got);
    if (const std::string why = reader_->scanner.scan(bytes); !why.empty()) return fail(why);
    redisReaderFeed(reader_->reader, bytes.data(), bytes.size());
    for (;;) {
      void* found = nullptr;
      if (redisReaderGetReply(reader_->reader, &found) != REDIS_OK) {
        return fail("its answer is not in Redis's protocol");
      }
      if (found == nullptr) break;
      replies.push_back(reply_of(*static_cast<const redisReply*>(found)));
      freeReplyObject(found);
    }
    if (!tls_ && bytes.size() < part.size()) return;  // TLS brings one record at a time
  }
}

}  // namespace laurel::redis
