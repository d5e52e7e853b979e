#include "remote/dynamodb/board_metadata.h"

#include <algorithm>
#include <charconv>

#include "board/spec/schedule.h"
#include "remote/dynamodb/keys.h"
#include "remote/request/spec_codec.h"

namespace laurel::dynamodb {

namespace {

constexpr const char* kSpec = "spec";
constexpr const char* kHeard = "heard";

Json season_value(const PastSeason& season) {
  Json map;
  map["number"] = number_value(static_cast<std::int64_t>(season.number));
  map["startsAt"] = number_value(season.started);
  map["endsAt"] = number_value(season.ended);
  map["clears"] = number_value(static_cast<std::int64_t>(season.clears));
  map["ranking"] = text_value(word(season.ranking));
  return Json{{"M", std::move(map)}};
}

std::uint64_t count_at(const Json& item, const char* attribute) {
  return static_cast<std::uint64_t>(
      std::max<std::int64_t>(integer_at(item, attribute).value_or(0), 0));
}

std::string generation_key(std::string_view board, std::uint64_t generation) {
  std::string key = home_key(board);
  if (generation > 0) key += fmt::format("#CREATED_{}", generation);
  return key;
}

std::string season_key(std::string key, std::uint64_t clears, std::uint64_t season) {
  if (clears > 0) key += fmt::format("#CLEARED_{}", clears);
  if (season > 1) key += fmt::format("#SEASON_{}", season);
  return key;
}

}  // namespace

Json pairs_value(const SpecText& pairs) {
  Json list = Json::array();
  for (const auto& [first, second] : pairs) {
    list.push_back({{"L", Json::array({text_value(first), any_text_value(second)})}});
  }
  return Json{{"L", std::move(list)}};
}

SpecText pairs_at(const Json& item, const char* attribute) {
  SpecText pairs;
  const Json* list = list_at(item, attribute);
  if (list == nullptr) return pairs;
  for (const Json& pair : *list) {
    const Json* both = member(pair, "L");
    if (both == nullptr || !both->is_array() || both->size() != 2) continue;
    const Json named{{"first", (*both)[0]}, {"second", (*both)[1]}};
    pairs.emplace_back(text_at(named, "first").value_or(""),
                       any_text_at(named, "second").value_or(""));
  }
  return pairs;
}

std::string home_key(std::string_view board) { return "LEADERBOARD#" + key_text(board, true); }

Record Record::read(const Json* metadata, const Json* dropped) {
  Record record;
  if (metadata == nullptr) {
    if (dropped != nullptr) record.generation = count_at(*dropped, "generation");
    return record;
  }
  const Json& item = *metadata;
  record.exists = true;
  record.generation = count_at(item, "generation");
  record.version = count_at(item, "version");
  record.revision = count_at(item, "revision");
  record.spec = pairs_at(item, kSpec);
  record.epoch = text_at(item, "epoch").value_or("");
  record.season = count_at(item, "season");
  record.clears = count_at(item, "clears");
  record.created = integer_at(item, "createdAt").value_or(0);
  record.started = integer_at(item, "startsAt").value_or(0);
  record.due = integer_at(item, "endsAt");
  record.counting = count_at(item, "counting");
  record.written = truth_at(item, "written");
  record.odd_ids = truth_at(item, "oddIds");
  for (const auto& [text, name] : pairs_at(item, kHeard)) {
    if (const auto hearing = hearing_of(text)) record.hearings.emplace(name, *hearing);
  }
  if (const Json* seasons = list_at(item, "seasons")) {
    for (const Json& value : *seasons) {
      const Json* season = member(value, "M");
      if (season == nullptr) continue;
      record.past.push_back({.number = count_at(*season, "number"),
                             .started = integer_at(*season, "startsAt").value_or(0),
                             .ended = integer_at(*season, "endsAt").value_or(0),
                             .clears = count_at(*season, "clears"),
                             .ranking = ranking_from_word(text_at(*season, "ranking").value_or(""))
                                            .value_or(Ranking::competition)});
    }
  }
  return record;
}

Json Record::item(std::string_view board) const {
  Json item = item_key(home_key(board), "METADATA");
  item["type"] = text_value("LEADERBOARD");
  item["partition"] = text_value(base(board));
  item["generation"] = number_value(static_cast<std::int64_t>(generation));
  item["version"] = number_value(static_cast<std::int64_t>(version));
  item["revision"] = number_value(static_cast<std::int64_t>(revision));
  item[kSpec] = pairs_value(spec);
  item["epoch"] = text_value(epoch);
  item["season"] = number_value(static_cast<std::int64_t>(season));
  item["clears"] = number_value(static_cast<std::int64_t>(clears));
  item["createdAt"] = number_value(created);
  item["startsAt"] = number_value(started);
  if (due) item["endsAt"] = number_value(*due);
  if (counting > 0) item["counting"] = number_value(static_cast<std::int64_t>(counting));
  item["written"] = truth_value(written);
  if (odd_ids) item["oddIds"] = truth_value(true);
  if (!hearings.empty()) {
    SpecText heard;
    for (const auto& [name, hearing] : hearings) heard.emplace_back(text_of(hearing), name);
    item[kHeard] = pairs_value(heard);
  }
  Json seasons = Json::array();
  for (const PastSeason& each : past) seasons.push_back(season_value(each));
  item["seasons"] = Json{{"L", std::move(seasons)}};
  return item;
}

std::string Record::token() const { return fmt::format("{}-{}-{}", epoch, season, clears); }

std::string Record::keep(std::string_view board) const { return generation_key(board, generation); }

std::string Record::base(std::string_view board) const {
  return season_key(keep(board), clears, season);
}

std::string Record::base_of(std::string_view board, const PastSeason& of) const {
  return season_key(keep(board), of.clears, of.number);
}

const PastSeason* Record::find(std::uint64_t number) const {
  const auto found = std::find_if(
      past.begin(), past.end(), [number](const PastSeason& each) { return each.number == number; });
  return found == past.end() ? nullptr : &*found;
}

std::optional<std::string> Record::field(std::string_view name) const {
  for (const auto& [field, value] : spec) {
    if (field == name) return value;
  }
  return std::nullopt;
}

PastSeason Record::running(Time ended) const {
  return {
      .number = season,
      .started = started,
      .ended = ended,
      .clears = clears,
      .ranking = ranking_from_word(field("ranking").value_or("")).value_or(Ranking::competition)};
}

void Record::trim(std::vector<PastSeason>& gone) {
  std::size_t kept = 1;
  const std::string text = field("archive").value_or("1");
  std::from_chars(text.data(), text.data() + text.size(), kept);
  kept = seasons_to_keep(kept, hearings, season - 1);
  while (past.size() > kept) {
    gone.push_back(past.back());
    past.pop_back();
  }
}

void Record::end_season(Time ended, Time next_started, std::vector<PastSeason>& gone) {
  past.insert(past.begin(), running(ended));
  ++season;
  started = next_started;
  written = false;
  trim(gone);
}

Result<bool> Record::present(Time now, std::vector<PastSeason>& gone) {
  if (!due || now < *due) return false;
  const Result<Spec> read = spec_of(spec, "");
  if (!read) {
    return Refusal(Code::unavailable, "the board's spec in DynamoDB cannot be read here: {}",
                   read.refusal().message());
  }
  const std::optional<Schedule> schedule = reset_schedule(*read);
  if (!schedule) {
    due.reset();
    return true;
  }
  const Time was_due = *due;
  due = schedule->next(now);
  const Time next_started = schedule->last(now).value_or(was_due);
  if (written) {
    end_season(was_due, next_started, gone);
  } else {
    started = next_started;
    ++counting;  // grants end with the period
  }
  return true;
}

Status Record::take_spec(const SpecText& text, Time now, std::vector<PastSeason>& gone) {
  const Result<Spec> before = spec_of(spec, "");
  const Result<Spec> after = spec_of(text, "");
  if (!after) return after.refusal();
  const bool other_schedule = !before || !same_resets(*before, *after);
  spec = text;
  if (before && before->attempts != 0 && after->attempts == 0) ++counting;
  if (other_schedule) {
    const std::optional<Schedule> schedule = reset_schedule(*after);
    due = schedule ? schedule->next(now) : std::nullopt;
  }
  if (after->duration && (other_schedule || before->duration != after->duration)) {
    started = start_of_season(*after, now);
  }
  trim(gone);
  return Done{};
}

}  // namespace laurel::dynamodb
