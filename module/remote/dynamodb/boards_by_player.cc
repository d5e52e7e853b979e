// All boards of a player, found by the pointers under the player's key.
#include <algorithm>
#include <map>
#include <set>

#include "base/checks.h"
#include "remote/dynamodb/boards.h"
#include "remote/request/spec_codec.h"

namespace laurel::dynamodb {

namespace {

constexpr std::size_t kBoardsAtOnce = 16;  // boards read concurrently

// LEADERBOARD#<board>#SEASON_2 -> the board's name
std::string board_of_base(std::string_view base) {
  base.remove_prefix(kLeaderboard.size());
  return bytes_of_key(base.substr(0, base.find('#')));
}

}  // namespace

Json Boards::pointers_query(std::string_view player) {
  Json query;
  query["KeyConditionExpression"] = "PK = :pk AND begins_with(SK, :board)";
  query["ExpressionAttributeValues"] = {{":pk", text_value(player_key(player))},
                                        {":board", text_value(kLeaderboard)}};
  query["ConsistentRead"] = true;
  return query;
}

Task<Result<std::map<std::string, std::set<std::string>>>> Boards::bases_of(std::string player,
                                                                            Time deadline) {
  std::map<std::string, std::set<std::string>> bases;
  const Client::VisitPage add = [&](const Json& page) {
    for (const Json& item : items_of(page)) {
      std::string base = text_at(item, "SK").value_or(std::string(kLeaderboard));
      if (is_copy_base(base)) continue;  // a copy of a season, not a board
      bases[board_of_base(base)].insert(std::move(base));
    }
  };
  Json query = pointers_query(player);
  query["ProjectionExpression"] = "SK";
  const Status read = co_await client_.query_all(std::move(query), deadline, add);
  if (!read) co_return read.refusal();
  co_return std::move(bases);
}

// Nothing if all pointers belong to ended seasons.
Task<Result<std::optional<Registry::ScoreOf>>> Boards::score_on(const SentRequest& sent,
                                                                std::string board,
                                                                std::set<std::string> bases,
                                                                std::string player) {
  using ScoreOf = Registry::ScoreOf;
  const Result<Record> record = co_await read_record(board, sent.deadline);
  if (!record) co_return record.refusal();
  if (!record->exists) co_return std::optional<ScoreOf>();
  const Result<Spec> spec = spec_of(record->spec, "");
  if (!spec || !keys_are_padded(*spec)) co_return std::optional<ScoreOf>();
  const SentRequest asked{.id = 0,
                          .target = {board, std::make_shared<const Spec>(*spec), 0},
                          .what = request::Get{player},
                          .now = sent.now,
                          .deadline = sent.deadline};
  const Result<Scope> scope = co_await this->scope(asked);
  if (!scope) co_return scope.refusal();
  if (!bases.contains(scope->base)) co_return std::optional<ScoreOf>();
  const Result<Value> found = co_await read(*scope, std::get<request::Get>(asked.what));
  if (!found) co_return found.refusal();
  const auto& listed = std::get<Listed>(*found);
  if (listed.entries.empty()) co_return std::optional<ScoreOf>();
  const Entry& entry = listed.entries.front();
  co_return std::optional<ScoreOf>(ScoreOf{.board = board,
                                           .season = scope->record.season,
                                           .score = entry.score,
                                           .rank = entry.rank,
                                           .at = entry.at});
}

Task<Result<Value>> Boards::answer(const SentRequest& sent, const request::ScoresOf& request) {
  using ScoreOf = Registry::ScoreOf;
  const std::string& player = request.player;
  std::vector<ScoreOf> scores;
  if (!check_player(player)) co_return Value(std::move(scores));
  const auto bases = co_await bases_of(player, sent.deadline);
  if (!bases) co_return bases.refusal();
  for (auto next = bases->begin(); next != bases->end();) {
    std::vector<Task<Result<std::optional<ScoreOf>>>> tasks;
    for (; next != bases->end() && tasks.size() < kBoardsAtOnce; ++next) {
      tasks.push_back(score_on(sent, next->first, next->second, player));
    }
    const std::vector<Result<std::optional<ScoreOf>>> answers = co_await all(tasks);
    for (const Result<std::optional<ScoreOf>>& answer : answers) {
      // A board that was dropped meanwhile is skipped.
      if (!answer && answer.refusal().code() != Code::unknown) co_return answer.refusal();
      if (answer && *answer) scores.push_back(**answer);
    }
  }
  co_return Value(std::move(scores));
}

}  // namespace laurel::dynamodb
