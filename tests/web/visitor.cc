#include "web/visitor.h"

#include <arpa/inet.h>
#include <chrono>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "base/steady_clock.h"

namespace laurel::test {

namespace {

constexpr int kPatience = 10'000;  // milliseconds

sockaddr_in address_of(const std::string& host, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  ::inet_pton(AF_INET, host.c_str(), &address.sin_addr);
  return address;
}

}  // namespace

bool holds_soon(const std::function<bool()>& condition) {
  for (const Time end = steady_now() + kPatience * kMillisecond; steady_now() < end;) {
    if (condition()) return true;
    ::poll(nullptr, 0, 2);  // between two looks
  }
  return condition();
}

Visitor::Visitor(std::uint16_t port, const std::string& from, int receive_buffer)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  if (receive_buffer > 0) {
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  }
  const sockaddr_in own = address_of(from, 0);
  REQUIRE(::bind(socket_, reinterpret_cast<const sockaddr*>(&own), sizeof own) == 0);
  const sockaddr_in to = address_of("127.0.0.1", port);
  REQUIRE(::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0);
}

Visitor::~Visitor() { close(); }

Visitor::Visitor(Visitor&& from) noexcept
    : comments(from.comments),
      retry(from.retry),
      socket_(std::exchange(from.socket_, -1)),
      bytes_(std::move(from.bytes_)) {}

void Visitor::close() {
  if (socket_ >= 0) ::close(std::exchange(socket_, -1));
}

std::uint16_t Visitor::own_port() const {
  sockaddr_in own{};
  socklen_t size = sizeof own;
  REQUIRE(::getsockname(socket_, reinterpret_cast<sockaddr*>(&own), &size) == 0);
  return ntohs(own.sin_port);
}

void Visitor::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;  // what the gateway answers says why
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void Visitor::get(std::string_view target, std::string_view fields, std::string_view method) {
  send(fmt::format("{} {} HTTP/1.1\r\nHost: boards.example\r\n{}\r\n", method, target, fields));
}

bool Visitor::read(int milliseconds) {
  pollfd waited{socket_, POLLIN, 0};
  if (::poll(&waited, 1, milliseconds) <= 0) return false;
  char bytes[65'536];
  const ssize_t size = ::recv(socket_, bytes, sizeof bytes, 0);
  if (size <= 0) return false;
  bytes_.append(bytes, static_cast<std::size_t>(size));
  return true;
}

std::string Visitor::take(std::size_t size) {
  while (bytes_.size() < size) {
    if (!read(kPatience)) break;
  }
  REQUIRE_MESSAGE(bytes_.size() >= size, bytes_);
  std::string taken = bytes_.substr(0, size);
  bytes_.erase(0, size);
  return taken;
}

std::string Visitor::take_until(std::string_view end) {
  while (bytes_.find(end) == std::string::npos) {
    if (!read(kPatience)) break;
  }
  const std::size_t at = bytes_.find(end);
  REQUIRE_MESSAGE(at != std::string::npos, bytes_);
  return take(at + end.size());
}

Response Visitor::head() {
  const std::string text = take_until("\r\n\r\n");
  Response response;
  REQUIRE(text.starts_with("HTTP/1.1 "));
  response.status = std::stoi(text.substr(9, 3));
  std::size_t at = text.find("\r\n") + 2;
  while (at + 2 < text.size()) {
    const std::size_t end = text.find("\r\n", at), colon = text.find(": ", at);
    std::string name = text.substr(at, colon - at);
    for (char& c : name) c = static_cast<char>(std::tolower(c));
    response.fields[name] = text.substr(colon + 2, end - colon - 2);
    at = end + 2;
  }
  return response;
}

Response Visitor::response(bool has_body) {
  Response response = head();
  const std::string length = response.field("content-length");
  if (has_body && !length.empty()) response.body = take(std::stoul(length));
  return response;
}

std::optional<Event> Visitor::take_event() {
  while (true) {
    const std::size_t end = bytes_.find("\n\n");
    if (end == std::string::npos) return std::nullopt;
    const std::string block = take(end + 2);
    Event event;
    std::size_t at = 0;
    while (at < block.size() - 1) {
      const std::size_t line_end = block.find('\n', at);
      const std::string line = block.substr(at, line_end - at);
      at = line_end + 1;
      if (line.starts_with(":")) ++comments;
      if (line.starts_with("retry: ")) retry = std::stoi(line.substr(7));
      if (line.starts_with("id: ")) event.id = line.substr(4);
      if (line.starts_with("event: ")) event.event = line.substr(7);
      if (line.starts_with("data: ")) event.data = line.substr(6);
    }
    if (!event.data.empty()) return event;
  }
}

Event Visitor::event() {
  while (true) {
    if (auto event = take_event()) return *event;
    if (!read(kPatience)) FAIL("no event came; unread: " << bytes_);
  }
}

bool Visitor::has_event(int milliseconds) {
  for (const Time end = steady_now() + milliseconds * kMillisecond; steady_now() < end;) {
    if (take_event()) return true;
    read(static_cast<int>((end - steady_now()) / kMillisecond) + 1);
  }
  return false;
}

Frame Visitor::frame() {
  const std::string head = take(2);
  CHECK((static_cast<unsigned char>(head[0]) & 0x80) != 0);
  CHECK((static_cast<unsigned char>(head[1]) & 0x80) == 0);
  std::size_t size = static_cast<unsigned char>(head[1]);
  const std::size_t more = size == 126 ? 2 : size == 127 ? 8 : 0;
  if (more > 0) size = 0;
  for (const char c : take(more)) size = size << 8 | static_cast<unsigned char>(c);
  return {static_cast<unsigned char>(head[0]) & 0x0fU, take(size)};
}

bool Visitor::is_closed() {
  for (const Time end = steady_now() + kPatience * kMillisecond; steady_now() < end;) {
    pollfd waited{socket_, POLLIN, 0};
    if (::poll(&waited, 1, kPatience) <= 0) return false;
    if (!read(0)) return true;
  }
  return false;
}

Response get(std::uint16_t port, std::string_view target, std::string_view fields,
             std::string_view method) {
  Visitor visitor(port);
  visitor.get(target, fields, method);
  return visitor.response(method != "HEAD");
}

}  // namespace laurel::test
