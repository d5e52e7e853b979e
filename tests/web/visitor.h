// visitor.h - a client of the gateway: a TCP connection with its bytes as they are, and what HTTP,
// event streams and WebSockets make of them. All waits end after ten seconds.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace laurel::test {

using Json = nlohmann::json;

// Waits until the condition holds; false if it does not within ten seconds.
bool holds_soon(const std::function<bool()>& condition);

struct Response {
  int status = 0;
  std::map<std::string, std::string> fields;  // names in lower case
  std::string body;

  std::string field(const std::string& name) const {
    const auto found = fields.find(name);
    return found == fields.end() ? "" : found->second;
  }
  Json json() const { return Json::parse(body); }
  std::string error() const { return json()["error"]; }
};

struct Event {
  std::string id, event, data;
  Json json() const { return Json::parse(data); }
};

struct Frame {
  unsigned opcode = 0;
  std::string payload;
  Json json() const { return Json::parse(payload); }
};

class Visitor {
 public:
  explicit Visitor(std::uint16_t port, const std::string& from = "127.0.0.1",
                   int receive_buffer = 0);
  ~Visitor();
  Visitor(Visitor&& from) noexcept;
  Visitor& operator=(Visitor&&) = delete;

  std::uint16_t own_port() const;
  void send(std::string_view bytes);
  // GET with more lines of a header, each with its CRLF.
  void get(std::string_view target, std::string_view fields = {}, std::string_view method = "GET");

  Response response(bool has_body = true);
  Response head();  // of a stream
  // The next event; comments and retry are noted.
  Event event();
  // Whether an event comes within the time.
  bool has_event(int milliseconds);
  Frame frame();
  // Whether the gateway ends the connection.
  bool is_closed();
  void close();

  int comments = 0;
  int retry = 0;  // in milliseconds; 0: not told
  std::string unread() const { return bytes_; }

 private:
  bool read(int milliseconds);
  std::string take_until(std::string_view end);
  std::string take(std::size_t size);
  std::optional<Event> take_event();

  int socket_;
  std::string bytes_;
};

// One request and its answer.
Response get(std::uint16_t port, std::string_view target, std::string_view fields = {},
             std::string_view method = "GET");

}  // namespace laurel::test
