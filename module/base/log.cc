#include "base/log.h"

#include <array>
#include <cstdio>

#include "base/limits.h"

namespace laurel {

std::string_view word(Level level) {
  constexpr std::array<std::string_view, 4> kWords = {"debug", "info", "warn", "error"};
  return kWords[static_cast<std::size_t>(level)];
}

void log_to_stderr(Level level, std::string_view line) {
  const std::string text = fmt::format("laurel: {}: {}\n", word(level), line);
  std::fwrite(text.data(), 1, text.size(), stderr);  // one write, so that lines are not mixed
}

void Log::write(Level level, std::string_view line) const {
  if (sink_) sink_(level, line.substr(0, kLogLineBytesMax));
}

}  // namespace laurel
