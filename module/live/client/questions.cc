#include "live/client/questions.h"

#include <algorithm>

#include "live/limits.h"

namespace laurel {

Status Questions::ask(std::string_view token, OnPlayer on_player) {
  if (token.empty() || token.size() > kLiveTokenTextBytesMax) {
    return Refusal(Code::out_of_range, "a token of {} bytes; it takes 1 to {}", token.size(),
                   kLiveTokenTextBytesMax);
  }
  if (questions_.size() >= kLiveQuestionsMax) {
    return Refusal(Code::unavailable, "{} questions are not answered yet, the most allowed",
                   kLiveQuestionsMax);
  }
  if (++last_number_ == 0) ++last_number_;
  questions_.push_back(
      {last_number_, std::string(token), std::move(on_player), std::nullopt, false});
  return Done{};
}

std::optional<AskPlayer> Questions::next() const {
  const auto question = std::find_if(questions_.begin(), questions_.end(),
                                     [](const Question& each) { return !each.sent; });
  if (question == questions_.end()) return std::nullopt;
  return AskPlayer{question->number, question->token};
}

void Questions::sent() {
  const auto question = std::find_if(questions_.begin(), questions_.end(),
                                     [](const Question& each) { return !each.sent; });
  question->sent = true;
}

void Questions::lose() {
  for (Question& question : questions_) question.sent = false;
}

template <typename Due>
void Questions::answer_those(Due due, const Result<std::string>& result) {
  std::erase_if(questions_, [&](Question& question) {
    if (!due(question)) return false;
    answers_.emplace_back(std::move(question.on_player), result);
    return true;
  });
}

void Questions::answer(const PlayerIs& answer) {
  const Result<std::string> result =
      answer.player.empty()
          ? Result<std::string>(Refusal(Code::unknown, "the server knows no such token"))
          : Result<std::string>(std::string(answer.player));
  answer_those([&](const Question& each) { return each.sent && each.number == answer.question; },
               result);
}

void Questions::refuse_next(const Refusal& refusal) {
  const std::optional<AskPlayer> question = next();
  if (!question) return;
  answer_those([&](const Question& each) { return each.number == question->question; }, refusal);
}

void Questions::answer_all(const Refusal& refusal) {
  answer_those([](const Question&) { return true; }, refusal);
}

void Questions::expire(Time now) {
  for (Question& question : questions_) {
    if (!question.asked_at) question.asked_at = now;
  }
  // They are in the order in which they were asked.
  if (questions_.empty() || now - *questions_.front().asked_at < kLiveAnswerWithin) return;
  answer_those([now](const Question& each) { return now - *each.asked_at >= kLiveAnswerWithin; },
               Refusal(Code::unavailable, "the server did not answer within {} s",
                       kLiveAnswerWithin / kSecond));
}

void Questions::clear() {
  questions_.clear();
  answers_.clear();
}

}  // namespace laurel
