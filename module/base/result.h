// result.h - how calls report errors.
//
// The library reports three kinds of errors, each in one way:
//   a bug in the caller   assert: it stops the process with the reason
//   an expected "no"      std::optional or bool
//   a refused request     Result: a code word for programs and a sentence for people
//
// The code words are stable: they are the same in C++, C, Lua, logs and documents.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "base/limits.h"

namespace laurel {

enum class Code : std::uint8_t {
  invalid,  // a configuration that can never work: in scripts it is raised, not returned
  not_finite,
  bad_player,
  bad_data,
  out_of_range,
  outside_window,
  not_joined,
  banned,
  rejected,
  taken,
  closed,
  unknown,
  unsupported,
  unavailable,
  exhausted,  // the player has no attempts left
  full,       // the board takes no more players
};

// The code's word, as in scripts, logs and documents.
std::string_view word(Code code);

// An error: "out_of_range: the sum 1e+309 is larger than any number".
// The text is stored inline, cut at kRefusalBytesMax. A Refusal owns no memory, so a Lua error
// (longjmp) may skip its destructor.
class [[nodiscard]] Refusal {
 public:
  Refusal(Code code, std::string_view message);
  // Copies only the used part of the text.
  Refusal(const Refusal& other) : code_(other.code_), size_(other.size_) {
    std::copy_n(other.text_.data(), size_ + 1, text_.data());
  }
  Refusal& operator=(const Refusal& other) {
    code_ = other.code_;
    size_ = other.size_;
    if (this != &other) std::copy_n(other.text_.data(), size_ + 1, text_.data());
    return *this;
  }
  ~Refusal() = default;

  template <typename... Args>
  Refusal(Code code, fmt::format_string<Args...> format, Args&&... args)
      : Refusal(code, FormatTag{}, format, fmt::make_format_args(args...)) {}

  Code code() const { return code_; }
  // "word: sentence", with a terminating zero byte.
  const char* c_str() const { return text_.data(); }
  std::string_view text() const { return {text_.data(), size_}; }
  // The part for people, without the word.
  std::string_view message() const;

 private:
  struct FormatTag {};
  Refusal(Code code, FormatTag, fmt::string_view format, fmt::format_args args);

  Code code_;
  std::uint16_t size_ = 0;
  std::array<char, kRefusalBytesMax + 1> text_;  // deliberately not zeroed
};

// Either a value or a refusal.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::in_place_index<0>, std::move(value)) {}        // NOLINT: implicit
  Result(const Refusal& refusal) : value_(std::in_place_index<1>, refusal) {}  // NOLINT: implicit

  explicit operator bool() const { return value_.index() == 0; }
  T& operator*() { return *get(); }
  const T& operator*() const { return *get(); }
  T* operator->() { return get(); }
  const T* operator->() const { return get(); }

  // REQUIRES: this is a refusal.
  const Refusal& refusal() const {
    assert(value_.index() == 1 && "asked a success for its refusal");
    return *std::get_if<1>(&value_);
  }

 private:
  T* get() {
    assert(value_.index() == 0 && "asked a refusal for its value");
    return std::get_if<0>(&value_);
  }
  const T* get() const { return const_cast<Result*>(this)->get(); }

  std::variant<T, Refusal> value_;
};

// The value of a call that returns nothing but success.
struct Done {};
using Status = Result<Done>;

}  // namespace laurel
