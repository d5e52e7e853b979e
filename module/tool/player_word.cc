// The word `player`.
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "tool/json_values.h"
#include "tool/source.h"
#include "tool/words.h"
#include "transfer/csv.h"

namespace laurel::tool {

namespace {

using Kind = Column::Kind;

constexpr std::size_t kSessionsShown = 10;

// The player's entries on all boards.
std::vector<std::string> csv_of(Registry& registry, std::string_view player) {
  std::vector<ScoreColumns::Ptr> columns;
  std::vector<const Board*> boards;
  for (const std::string& name : registry.names()) {
    const std::optional<BoardHandle> handle = registry.find(name);
    const Board* const board = handle ? registry.get(*handle) : nullptr;
    if (board == nullptr || board->lists_groups() || !board->position(player)) continue;
    boards.push_back(board);
    columns.push_back(board->columns());
  }
  const CsvEntries csv(columns);
  const std::string name(registry.names_of_players().find(player));
  std::vector<std::string> lines = {csv.header()};
  for (const Board* board : boards) {
    const std::optional<std::size_t> position = board->position(player);
    const std::optional<Entry> entry = board->get(player);
    if (!position || !entry) continue;
    lines.push_back(csv.row({.board = board->name(),
                             .season = board->season().number,
                             .position = *position + 1,
                             .name = name,
                             .columns = board->columns().get()},
                            *entry));
  }
  return lines;
}

Table table_of_profile(const Json& profile) {
  Json rows = Json::array();
  for (const auto& [field, value] : profile.items()) {
    if (value.is_array()) continue;  // other tables
    const bool is_time = field.ends_with("_at");
    const auto time = is_time ? time_from_seconds(value.get<double>()) : std::nullopt;
    rows.push_back({{"field", field}, {"value", time ? Json(iso_time(*time)) : value}});
  }
  return {.columns = {{"field", "field"}, {"value", "value"}},
          .rows = std::move(rows),
          .has_header = false};
}

}  // namespace

Result<Answer> show_player(const std::string& directory, const WantedPlayer& wanted) {
  Result<Source> source = Source::open(directory);
  if (!source) return source.refusal();
  Registry& registry = source->registry();
  const std::optional<Profile> profile = wanted.id.empty()
                                             ? registry.profiles().by_email(wanted.email)
                                             : registry.profiles().get(wanted.id);
  if (!profile && wanted.id.empty()) {
    return Refusal(Code::unknown, "no player has the email \"{}\"", escaped(wanted.email, 64));
  }
  const std::string id(profile ? profile->id : std::string_view(wanted.id));
  Answer answer;
  answer.json = profile ? json_profile(*profile) : Json{{"id", json_text(id)}};
  Json& boards = answer.json["boards"] = Json::array();
  for (const Registry::ScoreOf& score : registry.scores_of(id)) boards.push_back(json_score(score));
  Json& sessions = answer.json["sessions"] = Json::array();
  for (const Session& session : registry.sessions().of_player(id, kSessionsShown)) {
    sessions.push_back(json_session(session));
  }
  if (!profile && answer.json["boards"].empty() && answer.json["sessions"].empty()) {
    return Refusal(Code::unknown, "there is no player \"{}\"", escaped(id, 64));
  }
  answer.tables.push_back(table_of_profile(answer.json));
  if (!answer.json["boards"].empty()) {
    answer.tables.push_back({.columns = {{"board", "board"},
                                         {"season", "season", Kind::number},
                                         {"rank", "rank", Kind::number},
                                         {"score", "score", Kind::score},
                                         {"at", "at", Kind::time}},
                             .rows = answer.json["boards"]});
  }
  if (!answer.json["sessions"].empty()) {
    answer.tables.push_back({.columns = {{"session", "id"},
                                         {"game", "game"},
                                         {"score", "score", Kind::score},
                                         {"seconds", "seconds", Kind::number},
                                         {"at", "at", Kind::time},
                                         {"data", "data"}},
                             .rows = answer.json["sessions"]});
  }
  answer.csv = csv_of(registry, id);
  return answer;
}

}  // namespace laurel::tool
