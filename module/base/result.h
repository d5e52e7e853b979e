// result.h - how a call says no.
//
// Three kinds of wrong, three answers, and nothing else in the library:
//   a bug in the caller   assert, stops with the reason
//   an expected "no"      std::optional or bool
//   the world's "no"      Result: a word that programs compare and a sentence for people
//
// The words are a promise: they appear unchanged in C++, C, Lua, logs and documents.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/core.h>

#include "base/limits.h"

namespace laurel {

enum class Code : std::uint8_t {
  invalid,  // a configuration that can never work: scripts see it raised, not refused
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
};

// The code's word, as scripts, logs and documents spell it.
std::string_view word(Code code);

// A "no": "out_of_range: the sum 1e+309 is larger than any number".
// Holds its text inside, cut at kRefusalBytesMax: it owns no memory, so that any unwinder may drop
// it, a Lua error's included.
class [[nodiscard]] Refusal {
 public:
  Refusal(Code code, std::string_view sentence);
  // The text as far as it goes, so that a Result which is none costs nothing of it to copy.
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
  // Word and sentence; ends in a zero byte.
  const char* c_str() const { return text_.data(); }
  std::string_view text() const { return {text_.data(), size_}; }
  // The part for people, without the word.
  std::string_view sentence() const;

 private:
  struct FormatTag {};
  Refusal(Code code, FormatTag, fmt::string_view format, fmt::format_args args);

  Code code_;
  std::uint16_t size_ = 0;
  std::array<char, kRefusalBytesMax + 1> text_;  // deliberately not zeroed
};

// Either a value or the refusal of it. By hand and not a std::variant, whose tables of functions
// cost the compiler a quarter of its time.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : has_value_(true), value_(std::move(value)) {}           // NOLINT: implicit
  Result(const Refusal& refusal) : has_value_(false), refusal_(refusal) {}  // NOLINT: implicit
  Result(const Result& other) requires std::is_copy_constructible_v<T>
      : has_value_(other.has_value_) {
    construct(other);
  }
  Result(Result&& other) noexcept(std::is_nothrow_move_constructible_v<T>)
      : has_value_(other.has_value_) {
    construct(std::move(other));
  }
  Result& operator=(const Result& other) requires std::is_copy_constructible_v<T> {
    return *this = Result(other);
  }
  Result& operator=(Result&& other) noexcept(std::is_nothrow_move_constructible_v<T>) {
    if (this == &other) return *this;
    destroy();
    has_value_ = other.has_value_;
    construct(std::move(other));
    return *this;
  }
  ~Result() { destroy(); }

  explicit operator bool() const { return has_value_; }
  T& operator*() { return *get(); }
  const T& operator*() const { return *get(); }
  T* operator->() { return get(); }
  const T* operator->() const { return get(); }

  // REQUIRES: this is a refusal.
  const Refusal& refusal() const {
    assert(!has_value_ && "asked a success for its refusal");
    return refusal_;
  }

 private:
  T* get() {
    assert(has_value_ && "asked a refusal for its value");
    return &value_;
  }
  const T* get() const { return const_cast<Result*>(this)->get(); }

  template <typename From>
  void construct(From&& other) {
    if (has_value_) {
      std::construct_at(&value_, std::forward<From>(other).value_);
    } else {
      std::construct_at(&refusal_, other.refusal_);
    }
  }
  void destroy() {
    if (has_value_) std::destroy_at(&value_);  // a refusal owns nothing
  }

  bool has_value_;
  union {
    T value_;
    Refusal refusal_;
  };
};

// The value of a call that has nothing to say but that it worked.
struct Done {};
using Status = Result<Done>;

}  // namespace laurel
