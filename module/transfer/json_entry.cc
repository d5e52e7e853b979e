#include "transfer/json_entry.h"

#include <algorithm>

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

Result<ColumnValues> read_values(const ScoreColumns& columns, const Json& value) {
  if (!value.is_array() || value.size() != columns.size()) {
    return Refusal(Code::bad_data, "'score' takes an array of {} numbers, one for each column",
                   columns.size());
  }
  ColumnValues values{.values = {}, .count = columns.size()};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!value[i].is_number()) {
      return Refusal(Code::bad_data, "'score': column '{}' takes a number", columns[i].name);
    }
    values.values[i] = value[i].get<double>();
  }
  return values;
}

Result<ReadEntry> read_scored(const Spec& spec, JsonObject object) {
  const Json& score = object.member("score");
  if (!spec.columns && !score.is_number()) object.fail("score", "a number");
  const Result<Who> who = read_who(object);
  if (!who) return who.refusal();
  const Result<ScoreKey> key = read_score(spec, score, nullptr);
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

Json json_values(const ColumnValues& values) {
  Json array = Json::array();
  for (const double value : values.all()) array.push_back(value);
  return array;
}

Json json_score(const Spec& spec, ScoreKey score) {
  const double number = ScoreForm(spec.order, spec.decimals).score(score);
  return spec.columns ? json_values(spec.columns->values(number)) : Json(number);
}

Result<ScoreKey> read_score(const Spec& spec, const Json& value,
                            std::optional<ColumnValues>* differences) {
  const ScoreForm form(spec.order, spec.decimals);
  if (!spec.columns) {
    if (value.is_number()) return key_of(form, value.get<double>());
    return Refusal(Code::bad_data, "'score' takes a number");
  }
  const Result<ColumnValues> values = read_values(*spec.columns, value);
  if (!values) return values.refusal();
  const Result<double> whole = spec.columns->number(*values);
  if (whole) return key_of(form, *whole);
  if (differences == nullptr) {
    return Refusal(Code::bad_data, "'score': {}", whole.refusal().message());
  }
  Result<ColumnValues> rounded = spec.columns->differences(*values);
  if (!rounded) return Refusal(Code::bad_data, "'score': {}", rounded.refusal().message());
  *differences = *rounded;
  return ScoreKey{0};
}

Json json_entry(const Spec& spec, std::string_view player, std::string_view packed) {
  Json entry{{"player", json_text(player)}};
  if (spec.engine != EngineKind::rolling) {
    const EngineRow row = unpack_row(packed);
    entry["score"] = json_score(spec, row.score);
    add_moment(entry, row.at, row.data);
    return entry;
  }
  const ScoreForm form(spec.order, spec.decimals);
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
  if (spec.engine == EngineKind::rolling) {
    const ScoreForm form(spec.order, spec.decimals);
    return read_activity(spec, form, JsonObject("activity", value));
  }
  return read_scored(spec, JsonObject("entry", value));
}

}  // namespace laurel
