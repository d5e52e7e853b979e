#include "tool/json_values.h"

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "board/spec/cohort_form.h"
#include "board/spec/segment_names.h"
#include "board/spec/spec_change.h"

namespace laurel::tool {

namespace {

constexpr double kWholeMax = 9007199254740992.0;  // 2^53

Json json_columns(const ScoreColumns& columns) {
  Json list = Json::array();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const ScoreColumn& column = columns[i];
    list.push_back({{"name", json_text(column.name)},
                    {"order", std::string(word(column.order))},
                    {"decimals", column.decimals},
                    {"min", json_number(column.min)},
                    {"max", json_number(column.max)}});
  }
  return list;
}

Json json_field(const FieldValue& value) {
  if (const auto* text = std::get_if<std::string_view>(&value)) return json_text(*text);
  if (const auto* number = std::get_if<double>(&value)) return json_number(*number);
  return std::get<bool>(value);
}

Json json_names(const std::vector<std::string>& names) {
  Json list = Json::array();
  for (const std::string& name : names) list.push_back(json_text(name));
  return list;
}

Json json_cohorts(const Spec& spec) {
  const CohortForm form = cohorts_of(spec);
  if (form.by.empty()) return form.size;
  return {{"size", form.size}, {"by", json_text(form.by)}};
}

void add_spec(Json& info, const Spec& spec) {
  constexpr std::string_view kWindow = "window.";
  each_field(spec, [&](std::string_view field, const FieldValue& value) {
    if (field == "columns") {
      info["columns"] = json_columns(*spec.columns);
    } else if (field == "segments") {
      if (const auto names = parse_segments(spec.segments)) info["segments"] = json_names(*names);
    } else if (field == "cohorts") {
      info["cohorts"] = json_cohorts(spec);
    } else if (field.starts_with(kWindow)) {
      info["window"][std::string(field.substr(kWindow.size()))] = json_field(value);
    } else {
      info[std::string(field)] = json_field(value);
    }
  });
}

void add_time(Json& value, const char* field, const std::optional<Time>& time) {
  if (time) value[field] = json_time(*time);
}

struct EntryFields {
  std::string_view player;
  std::string_view name;  // empty: none
  std::optional<std::string_view> data;
  Json score;
  Rank rank;
  std::optional<Time> at;
  std::optional<double> rank_change;
};

Json json_entry(EntryFields entry) {
  Json value{{"player", json_text(entry.player)}};
  if (!entry.name.empty()) value["name"] = json_text(entry.name);
  value["score"] = std::move(entry.score);
  value["rank"] = json_number(static_cast<double>(entry.rank));
  add_time(value, "at", entry.at);
  if (entry.data) value["data"] = json_text(*entry.data);
  if (entry.rank_change) value["rank_change"] = json_number(*entry.rank_change);
  return value;
}

}  // namespace

Json json_number(double number) {
  if (number == std::floor(number) && std::abs(number) <= kWholeMax) {
    return static_cast<std::int64_t>(number);
  }
  return number;
}

Json json_time(Time time) { return json_number(seconds_from_time(time)); }

Json json_score_of(double score, const ScoreColumns* columns) {
  if (columns == nullptr) return json_number(score);
  Json list = Json::array();
  const ColumnValues values = columns->values(score);
  for (const double value : values.all()) list.push_back(json_number(value));
  return list;
}

Json json_entry_of(const Standings& standings, const Entry& entry, std::string_view name) {
  return json_entry({.player = entry.player,
                     .name = name,
                     .data = entry.data,
                     .score = json_score_of(entry.score, standings.columns().get()),
                     .rank = entry.rank,
                     .at = entry.at,
                     .rank_change = standings.rank_change(entry)});
}

Json json_entries_of(const Window& window) {
  Json list = Json::array();
  for (const WindowEntry& entry : window.entries) {
    list.push_back(json_entry({.player = entry.player,
                               .name = entry.name ? *entry.name : std::string_view(),
                               .data = entry.data,
                               .score = json_score_of(entry.score, window.columns.get()),
                               .rank = entry.rank,
                               .at = entry.at,
                               .rank_change = entry.rank_change}));
  }
  return list;
}

Json json_profile(const Profile& profile) {
  Json value{{"id", json_text(profile.id)}};
  if (profile.name) value["name"] = json_text(*profile.name);
  if (profile.email) value["email"] = json_text(*profile.email);
  value["lifetime_score"] = json_number(profile.lifetime_score);
  value["games_played"] = profile.games_played;
  value["created_at"] = json_time(profile.created_at);
  value["updated_at"] = json_time(profile.updated_at);
  return value;
}

Json json_session(const Session& session) {
  Json value{{"id", json_text(session.id)},
             {"player", json_text(session.player)},
             {"game", json_text(session.game)},
             {"score", json_number(session.score)},
             {"seconds", json_number(session.seconds)},
             {"at", json_time(session.at)}};
  if (session.data) value["data"] = json_text(*session.data);
  return value;
}

Json json_score(const Registry::ScoreOf& score) {
  return {{"board", json_text(score.board)},
          {"season", score.season},
          {"score", json_score_of(score.score, score.columns.get())},
          {"rank", json_number(static_cast<double>(score.rank))},
          {"at", json_time(score.at)}};
}

Json json_info(const Board& board, const ArchivedSeason* past, const Standings& part,
               std::string_view name) {
  Json info{{"name", json_text(name)}};
  add_spec(info, past == nullptr ? board.spec() : past->spec());
  const Season& season = past == nullptr ? board.season() : past->season();
  info["season"] = season.number;
  info["size"] = part.size();
  info["created"] = json_time(board.created());
  info["started"] = json_time(season.started);
  add_time(info, "ended", season.ended);
  if (past != nullptr) return info;
  add_time(info, "resets_at", board.resets_at());
  add_time(info, "closes_at", board.closes_at());
  return info;
}

Json json_info(const Board& board) { return json_info(board, nullptr, board, board.name()); }

}  // namespace laurel::tool
