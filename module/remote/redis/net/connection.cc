#include "remote/redis/net/connection.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <hiredis/hiredis.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>

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

Connection::Connection(const Address& address) : reader_(std::make_unique<Reader>()) {
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
  if (fd_ >= 0) ::close(fd_);
}

void Connection::fail(std::string_view why) {
  if (failed()) return;
  error_ = why.empty() ? "the connection failed" : why;
  connected_ = false;
}

short Connection::events() const {
  const bool writes = !connected_ || sent_ < out_.size();
  return static_cast<short>(POLLIN | (writes ? POLLOUT : 0));
}

void Connection::append(char mark, std::size_t number) {
  const fmt::format_int digits(number);
  out_ += mark;
  out_.append(digits.data(), digits.size());
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
  if (!connected_ && (events & (POLLOUT | POLLERR | POLLHUP)) != 0) finish_connecting();
  if (!connected_) return;
  if ((events & (POLLIN | POLLERR | POLLHUP)) != 0) read_some(replies);
  if (!failed()) write_some();
}

void Connection::finish_connecting() {
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  if (error != 0) return fail(std::strerror(error));
  connected_ = true;
}

void Connection::write_some() {
  while (sent_ < out_.size()) {
    const ssize_t wrote = ::send(fd_, out_.data() + sent_, out_.size() - sent_, MSG_NOSIGNAL);
    if (wrote < 0) {
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) fail(std::strerror(errno));
      break;
    }
    sent_ += static_cast<std::size_t>(wrote);
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
  for (int reads = 0; reads < kRedisReadsMax; ++reads) {
    const ssize_t got = ::recv(fd_, part.data(), part.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (got < 0) return fail(std::strerror(errno));
    if (got == 0) return fail("the server closed the connection");
    const std::string_view bytes(part.data(), static_cast<std::size_t>(got));
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
    if (bytes.size() < part.size()) return;
  }
}

}  // namespace laurel::redis
