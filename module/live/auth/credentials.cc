#include "live/auth/credentials.h"

namespace laurel {

Result<std::uint32_t> Credentials::word() {
  if (shows_pass()) {
    shown_ = pass_;
  } else {
    const Result<std::string> text = source_();
    if (!text) return text.refusal();
    shown_ = token_of(*text);
  }
  return shown_ ? shown_->word : 0;
}

std::string Credentials::secret() const {
  return shown_ ? std::string(shown_->secret.begin(), shown_->secret.end()) : std::string();
}

bool Credentials::may_be_gateway() const {
  if (fetches_) return true;
  const Result<std::string> text = source_();
  const std::optional<Token> token = text ? token_of(*text) : std::nullopt;
  return token && token->gateway;
}

void Credentials::welcomed(std::uint32_t word) {
  pass_.reset();
  if (shown_ && word != 0) {
    pass_ = shown_;
    pass_->word = word;
  }
  silent_ = 0;
}

void Credentials::failed() { silent_ = (silent_ + 1) % kTokenEvery; }

bool Credentials::refused_by_stranger() {
  const bool was_pass = shows_pass();
  silent_ = was_pass ? kTokenEvery - 1 : 0;
  return was_pass || fetches_;
}

bool Credentials::refused() {
  const bool was_pass = shows_pass();
  if (was_pass) pass_.reset();
  silent_ = 0;
  return was_pass || pass_ || fetches_;
}

}  // namespace laurel
