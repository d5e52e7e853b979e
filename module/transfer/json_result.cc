#include "transfer/json_result.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/checks.h"
#include "base/limits.h"
#include "transfer/json_entry.h"

namespace laurel {

namespace {

constexpr std::array<std::string_view, 4> kByWords = {"submit", "add", "set", "join"};

void add_held(Json& value, Json score, Time at, const std::optional<std::string>& data) {
  value["score"] = std::move(score);
  value["at"] = at;
  if (data) value["data"] = json_text(*data);
}

// The members that a result and what was held before it share.
HeldState read_held(const Spec& spec, JsonObject& object,
                    std::optional<ColumnValues>* differences) {
  HeldState held{.at = object.integer("at"), .data = object.optional_text("data")};
  const Result<ScoreKey> score = read_score(spec, object.member("score"), differences);
  if (!score) object.fail("score", "a score of this board");
  if (!check_moment(seconds_from_time(held.at))) object.fail("at", "a time within +-2^33 s");
  if (held.data && held.data->size() > kDataBytesMax) object.fail("data", "a shorter text");
  if (score) held.score = *score;
  return held;
}

}  // namespace

Json json_result(const Spec& spec, std::string_view player, const KeptResult& result) {
  Json value{{"player", json_text(player)}, {"by", kByWords[static_cast<std::size_t>(result.by)]}};
  add_held(value,
           result.differences ? json_values(*result.differences) : json_score(spec, result.score),
           result.at, result.data);
  if (!result.rule_version.empty()) value["rule_version"] = json_text(result.rule_version);
  if (result.before) {
    Json before = Json::object();
    add_held(before, json_score(spec, result.before->score), result.before->at,
             result.before->data);
    value["before"] = std::move(before);
  }
  return value;
}

Result<ReadResult> read_result(const Spec& spec, const Json& value) {
  JsonObject object("result", value);
  ReadResult read{.player = object.text("player"), .result = {}};
  if (!check_player(read.player)) object.fail("player", "a player's id");
  const std::string by = object.text("by");
  const auto word = std::ranges::find(kByWords, by);
  if (word == kByWords.end()) {
    object.fail("by", "\"submit\", \"add\", \"set\" or \"join\"");
  } else {
    read.result.by = static_cast<ResultBy>(word - kByWords.begin());
  }
  HeldState handed_in = read_held(spec, object, &read.result.differences);
  read.result.score = handed_in.score;
  read.result.at = handed_in.at;
  read.result.data = std::move(handed_in.data);
  read.result.rule_version = object.optional_text("rule_version").value_or("");
  if (read.result.rule_version.size() > kRuleVersionBytesMax) {
    object.fail("rule_version", "a shorter text");
  }
  if (object.has("before")) {
    JsonObject before("before", object.member("before"));
    read.result.before = read_held(spec, before, nullptr);
    if (const Status whole = before.status(); !whole) return whole.refusal();
  }
  if (const Status whole = object.status(); !whole) return whole.refusal();
  return read;
}

}  // namespace laurel
