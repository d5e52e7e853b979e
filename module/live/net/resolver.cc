#include "live/net/resolver.h"

#include <arpa/inet.h>
#include <atomic>
#include <cassert>
#include <netdb.h>
#include <netinet/in.h>
#include <system_error>
#include <thread>

namespace laurel {

std::optional<std::uint32_t> numeric_address(const std::string& text) {
  in_addr address{};
  if (inet_pton(AF_INET, text.c_str(), &address) != 1) return std::nullopt;
  return address.s_addr;
}

struct Resolver::Answer {
  std::atomic<Found> found{Found::not_yet};  // set last, after `address`
  std::uint32_t address = 0;
};

namespace {

std::optional<std::uint32_t> look_up(const std::string& host) {
  addrinfo wanted{};
  wanted.ai_family = AF_INET;  // ENet supports only IPv4
  wanted.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), nullptr, &wanted, &found) != 0 || found == nullptr) {
    return std::nullopt;
  }
  const auto address = reinterpret_cast<const sockaddr_in*>(found->ai_addr)->sin_addr.s_addr;
  freeaddrinfo(found);
  return address;
}

}  // namespace

Resolver::Resolver(const std::string& host) : answer_(std::make_shared<Answer>()) {
  const auto answer = [](Answer& to, std::optional<std::uint32_t> address) {
    to.address = address.value_or(0);
    to.found.store(address ? Found::address : Found::nothing, std::memory_order_release);
  };
  if (const std::optional<std::uint32_t> numeric = numeric_address(host)) {
    answer(*answer_, numeric);
    return;
  }
  try {
    std::thread([shared = answer_, host, answer] { answer(*shared, look_up(host)); }).detach();
  } catch (const std::system_error&) {  // no thread available; the next attempt may get one
    answer(*answer_, std::nullopt);
  }
}

Resolver::Found Resolver::poll() const { return answer_->found.load(std::memory_order_acquire); }

std::uint32_t Resolver::address() const {
  assert(poll() == Found::address);
  return answer_->address;
}

}  // namespace laurel
