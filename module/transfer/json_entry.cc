#include "transfer/json_entry.h"

#include <algorithm>

#include "base/limits.h"
#include "board/validate.h"
#include "engine/rolling/activity_codec.h"
#include "engine/row_codec.h"

namespace laurel {

namespace {

void add_moment(Json& entry, Time at, const std::optional<std::string_view>& data) {
  entry["at"] = at;
  if (data) entry["data"] = json_text(*data);
}

// The key that boards with this form hold for the score.
Result<ScoreKey> key_of(const ScoreForm& form, double score) {
  if (const std::optional<ScoreKey> key = form.key(score)) return *key;
  return Refusal(Code::bad_data, "the score {} is out of range for this board", score);
}

// The members that an entry and activity share.
struct Who {
  std::string player;
  Time at = 0;
  std::optional<std::string> data;
};

Result<Who> read_who(JsonObject& object) {
  Who who{.player = object.text("player"),
          .at = object.integer("at"),
          .data = object.optional_text("data")};
  if (const Status whole = object.status(); !whole) return whole.refusal();
  Submission submission{.player = who.player, .at = seconds_from_time(who.at)};
  if (who.data) submission.data = *who.data;
  if (const Status valid = check_submission(submission); !valid) {
    return Refusal(Code::bad_data, "{}", valid.refusal().text());
  }
  return who;
}

std::optional<std::string_view> view(const std::optional<std::string>& data) {
  return data ? std::optional<std::string_view>(*data) : std::nullopt;
}

Result<ReadEntry> read_score(const ScoreForm& form, JsonObject object) {
  const double score = object.number("score");
  const Result<Who> who = read_who(object);
  if (!who) return who.refusal();
  const Result<ScoreKey> key = key_of(form, score);
  if (!key) return key.refusal();
  return ReadEntry{who->player, pack_row({who->player, *key, who->at, view(who->data)})};
}

Result<ReadEntry> read_activity(const Spec& spec, const ScoreForm& form, JsonObject object) {
  const Json& listed = object.member("amounts");
  const Result<Who> who = read_who(object);
  if (!who) return who.refusal();
  std::vector<Amount> amounts;
  for (const Json& pair : listed) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_integer() ||
        !pair[1].is_number()) {
      return Refusal(Code::bad_data, "activity: 'amounts' takes pairs of bucket and amount");
    }
    const Result<ScoreKey> key = key_of(form, pair[1].get<double>());
    if (!key) return key.refusal();
    amounts.push_back({pair[0].get<Bucket>(), *key});
  }
  const auto later = [](const Amount& a, const Amount& b) { return a.bucket >= b.bucket; };
  if (amounts.empty() ||
      std::adjacent_find(amounts.begin(), amounts.end(), later) != amounts.end() ||
      amounts.back().bucket - amounts.front().bucket >= spec.window.buckets) {
    return Refusal(Code::bad_data,
                   "activity: 'amounts' takes 1 to {} buckets of one window, the oldest first",
                   spec.window.buckets);
  }
  return ReadEntry{who->player, pack_activity(who->at, amounts, view(who->data))};
}

}  // namespace

Json json_entry(const Spec& spec, std::string_view player, std::string_view packed) {
  const ScoreForm form(spec.order, spec.decimals);
  Json entry{{"player", json_text(player)}};
  if (spec.engine != EngineKind::rolling) {
    const EngineRow row = unpack_row(packed);
    entry["score"] = form.score(row.score);
    add_moment(entry, row.at, row.data);
    return entry;
  }
  const PackedActivity activity = unpack_activity(packed);
  Json amounts = Json::array();
  for (const Amount& amount : activity.amounts) {
    amounts.push_back(Json::array({amount.bucket, form.score(amount.amount)}));
  }
  entry["amounts"] = std::move(amounts);
  add_moment(entry, activity.at, activity.data);
  return entry;
}

Result<ReadEntry> read_entry(const Spec& spec, const Json& value) {
  const ScoreForm form(spec.order, spec.decimals);
  if (spec.engine == EngineKind::rolling) {
    return read_activity(spec, form, JsonObject("activity", value));
  }
  return read_score(form, JsonObject("entry", value));
}

}  // namespace laurel
