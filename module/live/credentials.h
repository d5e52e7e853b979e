// credentials.h - what a client shows to be let in: the token that it was given, and the word of
// the last welcome.
//
//   turns    after a welcome its word is shown, until it is refused. Where attempts come to nothing
//            without an answer, each kTokenEvery-th shows the token: the server may have forgotten
//            the one, still know the other, and have no time to say so.
//   source   gives the token's text, now or later; a text that is no token is shown as none.
//   threads  none.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "live/token.h"

namespace laurel {

// The token's text, empty where none is needed; or why it is not there yet.
using TokenSource = std::function<Result<std::string>()>;

class Credentials {
 public:
  // fetches: whether the source may give another token than the last time
  Credentials(TokenSource source, bool fetches) : source_(std::move(source)), fetches_(fetches) {}

  // For the next attempt; the word is 0, and secret() empty, without a token.
  // Fails as the source does.
  Result<std::uint32_t> word();
  std::string secret() const;

  // The attempt led in; the word is for the next.
  void welcomed(std::uint32_t word);
  // It came to nothing.
  void failed();
  // The server refused it; whether there is still something to try.
  bool refused();

 private:
  static constexpr int kTokenEvery = 4;
  bool shows_pass() const { return pass_ && silent_ % kTokenEvery != kTokenEvery - 1; }

  TokenSource source_;
  bool fetches_;
  int silent_ = 0;              // attempts in a row that came to nothing
  std::optional<Token> pass_;   // of the last welcome
  std::optional<Token> shown_;  // in the current attempt
};

}  // namespace laurel
