// log.h - log lines for the operator. The host chooses their destination.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include <fmt/core.h>

namespace laurel {

enum class Level : std::uint8_t { debug, info, warn, error };

std::string_view word(Level level);

// Called on the game thread only. The library's own threads queue their lines until the next tick.
using LogSink = std::function<void(Level level, std::string_view line)>;

// Writes "laurel: warn: line" to standard error.
void log_to_stderr(Level level, std::string_view line);

// Formats lines for a sink. Lines are cut at kLogLineBytesMax.
class Log {
 public:
  Log() : sink_(log_to_stderr) {}
  explicit Log(LogSink sink) : sink_(std::move(sink)) {}

  void write(Level level, std::string_view line) const;

  template <typename... Args>
  void debug(fmt::format_string<Args...> format, Args&&... args) const {
    write(Level::debug, fmt::format(format, std::forward<Args>(args)...));
  }
  template <typename... Args>
  void info(fmt::format_string<Args...> format, Args&&... args) const {
    write(Level::info, fmt::format(format, std::forward<Args>(args)...));
  }
  template <typename... Args>
  void warn(fmt::format_string<Args...> format, Args&&... args) const {
    write(Level::warn, fmt::format(format, std::forward<Args>(args)...));
  }
  template <typename... Args>
  void error(fmt::format_string<Args...> format, Args&&... args) const {
    write(Level::error, fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  LogSink sink_;
};

}  // namespace laurel
