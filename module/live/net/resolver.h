// resolver.h - looks up a host's address without blocking.
//
// A numeric address is available at once. A separate thread looks a name up, which may take many
// seconds. The thread uses only its own shared answer, so the Resolver may be destroyed before it
// ends.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace laurel {

// Returns an IPv4 address in network byte order, or nullopt if the text is not dotted decimal.
std::optional<std::uint32_t> numeric_address(const std::string& text);

class Resolver {
 public:
  enum class Found : std::uint8_t { not_yet, nothing, address };

  // Begins to look up the host's IPv4 address.
  explicit Resolver(const std::string& host);

  Found poll() const;
  // Network byte order. REQUIRES: poll() == Found::address.
  std::uint32_t address() const;

 private:
  struct Answer;
  std::shared_ptr<Answer> answer_;
};

}  // namespace laurel
