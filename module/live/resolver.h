// resolver.h - a host's address, without waiting for it.
//
// Numbers are answered at once. A name is looked up by the system, which may take many seconds, on
// a thread that lives no longer than that and touches nothing but its own answer: who asked may be
// gone by then.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace laurel {

class Resolver {
 public:
  enum class Found : std::uint8_t { not_yet, nothing, address };

  // Begins to look up an IPv4 address.
  explicit Resolver(const std::string& host);

  Found poll() const;
  // REQUIRES: poll() said address. Network byte order.
  std::uint32_t address() const;

 private:
  struct Answer;
  std::shared_ptr<Answer> answer_;
};

}  // namespace laurel
