// Words that read one board, or the list of boards.
#include <algorithm>
#include <limits>

#include <fmt/core.h>

#include "base/text.h"
#include "tool/entry_table.h"
#include "tool/json_values.h"
#include "tool/known_top.h"
#include "tool/points_to_pass.h"
#include "tool/source.h"
#include "tool/words.h"
#include "transfer/csv.h"

namespace laurel::tool {

namespace {

using Kind = Column::Kind;

std::size_t count_of(std::int64_t n) { return n < 1 ? 0 : static_cast<std::size_t>(n); }

// Entries as an answer. The first is at that position, from 0 on, on the board.
Answer list(Source& source, const Source::Chosen& chosen, const Entries& entries,
            std::size_t first) {
  const Standings& standings = chosen.standings();
  const ScoreColumns::Ptr& columns = standings.columns();
  const CsvEntries csv({&columns, 1});
  Answer answer;
  answer.json = Json::array();
  answer.csv.push_back(csv.header());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    const std::string name(
        standings.lists_groups() ? "" : source.registry().names_of_players().find(entry.player));
    answer.json.push_back(json_entry_of(standings, entry, name));
    answer.csv.push_back(csv.row({.board = chosen.name,
                                  .season = chosen.season(),
                                  .position = first + i + 1,
                                  .name = name,
                                  .columns = columns.get()},
                                 entry));
  }
  answer.tables.push_back(entry_table(answer.json));
  return answer;
}

Refusal not_ranked(std::string_view board, std::string_view player) {
  return {Code::unknown, "player \"{}\" is not ranked on board \"{}\"", escaped(player, 64),
          escaped(board, 64)};
}

// "211th", "2.5"
std::string ordinal(double rank) {
  if (rank != static_cast<double>(static_cast<std::uint64_t>(rank))) return shown(rank);
  const auto number = static_cast<std::uint64_t>(rank);
  const std::uint64_t last = number % 10;
  const bool teen = number % 100 / 10 == 1;
  const char* ending = "th";
  if (!teen && last == 1) ending = "st";
  if (!teen && last == 2) ending = "nd";
  if (!teen && last == 3) ending = "rd";
  return std::to_string(number) + ending;
}

// A table of names and values.
class Facts {
 public:
  void add(std::string_view name, Json value) {
    if (!value.is_null()) rows_.push_back({{"field", std::string(name)}, {"value", value}});
  }
  void add_time(std::string_view name, const Json& value) {
    const auto time = value.is_number() ? time_from_seconds(value.get<double>()) : std::nullopt;
    if (time) add(name, iso_time(*time));
  }
  Table table() && {
    return {.columns = {{"field", "field"}, {"value", "value"}},
            .rows = std::move(rows_),
            .has_header = false};
  }

 private:
  Json rows_ = Json::array();
};

bool is_time(std::string_view field) {
  return field == "created" || field == "started" || field == "ended" || field == "resets_at" ||
         field == "closes_at" || field == "opens" || field == "closes";
}

}  // namespace

Result<Answer> show_boards(const std::string& directory) {
  Result<Source> source = Source::open(directory);
  if (!source) return source.refusal();
  Answer answer;
  answer.json = Json::array();
  for (const std::string& name : source->registry().names()) {
    const Result<Board*> board = source->board(name);
    if (!board) return board.refusal();
    Json info = json_info(**board);
    info["players"] = info["size"];
    answer.json.push_back(std::move(info));
  }
  answer.tables.push_back({.columns = {{"name", "name"},
                                       {"engine", "engine"},
                                       {"order", "order"},
                                       {"players", "players", Kind::number},
                                       {"season", "season", Kind::number},
                                       {"ends at", "resets_at", Kind::time}},
                           .rows = answer.json});
  return answer;
}

Result<Answer> show_info(const std::string& directory, const std::string& board,
                         std::optional<std::uint64_t> season) {
  Result<Source> source = Source::open(directory);
  if (!source) return source.refusal();
  const Result<Source::Chosen> chosen = source->choose(board, season);
  if (!chosen) return chosen.refusal();
  Answer answer;
  answer.json = json_info(*chosen->board, chosen->past, chosen->standings(), chosen->name);
  Facts facts;
  for (const auto& [field, value] : answer.json.items()) {
    if (is_time(field)) {
      facts.add_time(field, value);
    } else {
      facts.add(field, value.is_object() && !text_of(value) ? Json(value.dump()) : value);
    }
  }
  answer.tables.push_back(std::move(facts).table());
  return answer;
}

Result<Answer> show_top(const std::string& directory, const std::string& board, std::int64_t n,
                        std::int64_t from, std::optional<std::uint64_t> season) {
  Result<Source> source = Source::open(directory);
  if (!source) return source.refusal();
  const Result<Source::Chosen> chosen = source->choose(board, season);
  const std::size_t first = from < 1 ? 0 : static_cast<std::size_t>(from) - 1;
  if (!chosen && source->is_remote(board)) {
    return show_known_top(*source, board, first, count_of(n), season);
  }
  if (!chosen) return chosen.refusal();
  const Standings& standings = chosen->standings();
  Entries entries;
  standings.read(first, std::min(count_of(n), standings.size()), entries);
  return list(*source, *chosen, entries, first);
}

Result<Answer> show_around(const std::string& directory, const std::string& board,
                           const std::string& player, std::int64_t n,
                           std::optional<std::uint64_t> season) {
  Result<Source> source = Source::open(directory);
  if (!source) return source.refusal();
  const Result<Source::Chosen> chosen = source->choose(board, season);
  if (!chosen) return chosen.refusal();
  const Standings& standings = chosen->standings();
  Entries entries;
  standings.around(player, std::min(count_of(n), standings.size()), entries);
  if (entries.empty()) return not_ranked(board, player);
  const std::string first_player(entries.front().player);
  const std::optional<std::size_t> first = standings.position(first_player);
  return list(*source, *chosen, entries, first.value_or(0));
}

Result<Answer> show_rank(const std::string& directory, const std::string& board,
                         const std::string& player, std::optional<std::uint64_t> season) {
  Result<Source> source = Source::open(directory);
  if (!source) return source.refusal();
  const Result<Source::Chosen> chosen = source->choose(board, season);
  if (!chosen) return chosen.refusal();
  const Standings& standings = chosen->standings();
  const std::optional<std::size_t> position = standings.position(player);
  if (!position) return not_ranked(board, player);
  Entries entries;
  const std::size_t above = *position == 0 ? 0 : 1;
  standings.read(*position - above, above + 1, entries);
  if (entries.size() != above + 1) return not_ranked(board, player);
  const Entry& entry = entries[above];

  Answer answer;
  answer.json = {{"rank", json_number(static_cast<double>(entry.rank))},
                 {"size", standings.size()},
                 {"score", json_score_of(entry.score, standings.columns().get())}};
  Facts facts;
  facts.add("rank",
            fmt::format("{} of {}", ordinal(static_cast<double>(entry.rank)), standings.size()));
  facts.add("score", answer.json["score"]);
  if (const std::optional<double> percentile = standings.percentile(player)) {
    answer.json["percentile"] = json_number(*percentile);
    facts.add("percentile", fmt::format("{:.2f}", *percentile));
  }
  if (above == 1) {
    const Entry& next = entries[0];
    const std::string name(
        standings.lists_groups() ? "" : source->registry().names_of_players().find(next.player));
    Json to_pass = points_to_pass(chosen->spec(), entry, next);
    answer.json["next"] = json_entry_of(standings, next, name);
    facts.add("next", answer.json["next"]["player"]);
    if (!name.empty()) facts.add("next's name", json_text(name));
    facts.add("next's score", answer.json["next"]["score"]);
    facts.add("to pass", to_pass);
    if (!to_pass.is_null()) answer.json["to_pass"] = std::move(to_pass);
  }
  answer.tables.push_back(std::move(facts).table());
  const ScoreColumns::Ptr& columns = standings.columns();
  const CsvEntries csv({&columns, 1});
  answer.csv = {csv.header(),
                csv.row({.board = board,
                         .season = chosen->season(),
                         .position = *position + 1,
                         .name = standings.lists_groups()
                                     ? ""
                                     : source->registry().names_of_players().find(player),
                         .columns = columns.get()},
                        entry)};
  return answer;
}

}  // namespace laurel::tool
