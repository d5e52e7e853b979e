// stub_server.h - an HTTP server on loopback that answers as a test wants: it may throttle, fail,
// be slow or hang up.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace laurel {

struct StubCall {
  std::string operation;  // "Query"
  std::string head;       // request line and headers
  std::string body;
};

struct StubAnswer {
  int status = 200;
  std::string body = "{}";
  bool hangs_up = false;  // without an answer
  bool silent = false;    // no answer, the connection stays open
};

class StubServer {
 public:
  // The handler is called on the server's threads, one call at a time.
  using Handler = std::function<StubAnswer(const StubCall& call, std::size_t number)>;

  explicit StubServer(Handler handler);
  ~StubServer();

  std::string endpoint() const;
  std::string url() const { return "dynamodb://eu-west-1/table?endpoint=" + endpoint(); }
  std::size_t connections() const { return connections_; }
  std::vector<StubCall> calls() const;

 private:
  void listen();
  void serve(int socket);

  Handler handler_;
  int socket_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> stop_ = false;
  std::atomic<std::size_t> connections_ = 0;
  mutable std::mutex mutex_;
  std::vector<StubCall> calls_;
  std::vector<int> open_;
  std::vector<std::thread> threads_;
  std::thread listener_;
};

}  // namespace laurel
