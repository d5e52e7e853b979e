#include "web/me.h"

#include <utility>

#include <boost/algorithm/string/predicate.hpp>
#include <fmt/core.h>

#include "base/steady_clock.h"
#include "base/text.h"
#include "web/http/limits.h"

namespace laurel::web {

namespace {

Failure failure_of(unsigned status, const Refusal& refusal) {
  return {status, std::string(refusal.text())};
}

// Why the server does not say which player a token belongs to.
Failure not_identified(const Refusal& refusal) {
  switch (refusal.code()) {
    case Code::unknown:
    case Code::out_of_range: return {401, "unknown: the server knows no such token"};
    case Code::unsupported:
      return {503,
              "unsupported: this gateway has no gateway's token, so that it cannot ask whose a "
              "player's token is"};
    default: return failure_of(503, refusal);
  }
}

}  // namespace

std::optional<std::string_view> bearer_token(std::string_view authorization) {
  constexpr std::string_view kScheme = "Bearer ";
  if (!boost::algorithm::istarts_with(authorization, kScheme)) return std::nullopt;
  authorization.remove_prefix(kScheme.size());
  while (authorization.starts_with(' ')) authorization.remove_prefix(1);
  if (authorization.empty()) return std::nullopt;
  return authorization;
}

std::optional<Failure> not_served(const Feed& feed, std::string_view board) {
  switch (feed.knows(board)) {
    case Feed::Known::here: return std::nullopt;
    case Feed::Known::not_yet:
      return Failure{
          503, fmt::format("unavailable: of board '{}' nothing is known yet", escaped(board))};
    case Feed::Known::unknown: break;
  }
  return Failure{404, fmt::format("unknown: no board is called '{}'", escaped(board))};
}

void Me::find(std::string_view token, const std::string& board, bool for_stream, OnFound on_found) {
  const Question question{std::string(token), board, for_stream, std::move(on_found)};
  const auto known = grants_.player_of(token, steady_now());
  if (for_stream && known) return identified(question, *known);
  ask(question, 1);
}

// A token that was given a moment ago may reach the server's thread after the first question. It is
// there before a question that is sent after the answer.
void Me::ask(const Question& question, unsigned more) {
  const Status asked = feed_.channel().ask_player(
      question.token, [this, question, more](const Result<std::string>& player) {
        if (player) return identified(question, *player);
        if (player.refusal().code() == Code::unknown && more > 0) return ask(question, more - 1);
        question.on_found(not_identified(player.refusal()));
      });
  if (!asked) question.on_found(not_identified(asked.refusal()));
}

void Me::identified(const Question& question, const std::string& player) {
  const auto& [token, board, for_stream, on_found] = question;
  if (!for_stream) {
    if (const auto failure = not_served(feed_, board)) return on_found(*failure);
  }
  const Result<Topic*> topic = feed_.around(board, player);
  if (!topic) return on_found(failure_of(503, topic.refusal()));
  if (for_stream) return on_found(Found{*topic, grants_.let_in(token, player)});
  const Time now = steady_now();
  Waiting waiting{board, player, now + kAnswerWithin, on_found};
  if (!is_answered(waiting, now)) waiting_.push_back(std::move(waiting));
}

bool Me::is_answered(const Waiting& waiting, Time now) {
  const Result<Topic*> topic = feed_.around(waiting.board, waiting.player);
  if (!topic) {
    waiting.on_found(failure_of(503, topic.refusal()));
  } else if ((*topic)->is_here()) {
    waiting.on_found(Found{*topic, nullptr});
  } else if ((*topic)->state() || now >= waiting.until) {
    waiting.on_found(not_served(feed_, waiting.board)
                         .value_or(Failure{503,
                                           "unavailable: the server has not said yet who is "
                                           "around the player"}));
  } else {
    return false;
  }
  return true;
}

void Me::tick(Time now) {
  std::erase_if(waiting_, [&](const Waiting& waiting) { return is_answered(waiting, now); });
}

}  // namespace laurel::web
