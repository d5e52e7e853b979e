// credentials.h - what a client sends to be admitted: its token, or the word of the last welcome
// (the pass) with the token's secret.
//
//   choice   after a welcome the pass is used until it is refused. While attempts get no answer,
//            every kTokenEvery-th attempt uses the token: the server may have lost the pass, and
//            may not reply when it drops a connect.
//   source   returns the token's text, or fails while it is not available yet. A text that is not a
//            token counts as no token.
//   threads  none.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "live/auth/token.h"

namespace laurel {

// Returns the token's text, empty if no token is needed; or why it is not available yet.
using TokenSource = std::function<Result<std::string>()>;

class Credentials {
 public:
  // fetches: whether the source may return a different token at the next call
  Credentials(TokenSource source, bool fetches) : source_(std::move(source)), fetches_(fetches) {}

  // Chooses what the next attempt uses. Without a token the word is 0, and secret() is empty.
  // Fails as the source does.
  Result<std::uint32_t> word();
  std::string secret() const;
  // What the current attempt uses; nullopt: no token.
  const std::optional<Token>& shown() const { return shown_; }
  // Whether the token may be a gateway's: it is one, or it is not known yet.
  bool may_be_gateway() const;

  // The attempt succeeded; `word` is for the next connection.
  void welcomed(std::uint32_t word);
  // The attempt failed without an answer.
  void failed();
  // The server refused the attempt. Returns whether another attempt may succeed.
  bool refused();
  // The attempt was refused, but not by a server that has proven who it is: what was used is kept,
  // and the next attempt uses the other. Returns whether that was not refused before.
  bool refused_by_stranger();
  // Whether the current attempt makes an encrypted connection.
  bool is_sealed() const { return shown_ && shown_->server; }

 private:
  static constexpr int kTokenEvery = 4;
  bool shows_pass() const { return pass_ && silent_ % kTokenEvery != kTokenEvery - 1; }

  TokenSource source_;
  bool fetches_;
  int silent_ = 0;              // consecutive attempts without an answer, modulo kTokenEvery
  std::optional<Token> pass_;   // of the last welcome
  std::optional<Token> shown_;  // used in the current attempt
};

}  // namespace laurel
