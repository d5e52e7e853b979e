#include "transfer/import_csv.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"
#include "transfer/csv_reader.h"
#include "transfer/shown_values.h"
#include "transfer/transfer.h"

namespace laurel {

namespace {

constexpr std::string_view kScore = "score";
constexpr std::string_view kScoreOf = "score.";
constexpr std::size_t kNameBytesShown = 64;

Refusal bad_map(std::string_view what) {
  return {Code::invalid,
          "{}; it takes player=COLUMN,score=COLUMN, and at, data and name as well: for example "
          "player=steamid,score=time",
          what};
}

Refusal refused_at(std::size_t line, const Refusal& refusal) {
  return {refusal.code(), "line {}: {}", line, refusal.message()};
}

// Finds the columns of the map in the header.
class Header {
 public:
  explicit Header(const CsvReader::Cells& cells) {
    for (const auto& cell : cells) names_.push_back(cell.value_or(""));
  }

  Result<std::size_t> find(const std::string& name) const {
    const auto found = std::ranges::find(names_, name);
    if (found == names_.end()) {
      std::string known;
      for (const std::string& each : names_) known += (known.empty() ? "" : ", ") + each;
      return Refusal(Code::bad_data, "the table has no column \"{}\"; it has {}",
                     escaped(name, kNameBytesShown), escaped(known, 200));
    }
    return static_cast<std::size_t>(found - names_.begin());
  }
  std::size_t size() const { return names_.size(); }

 private:
  std::vector<std::string> names_;
};

}  // namespace

Result<CsvMap> read_csv_map(std::string_view text) {
  CsvMap map;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    const std::size_t sign = part.find('=');
    const std::string_view what = part.substr(0, sign);
    const std::string column(sign == std::string_view::npos ? "" : part.substr(sign + 1));
    if (column.empty()) {
      return bad_map(fmt::format("\"{}\" names no column", escaped(part, kNameBytesShown)));
    }
    std::string* named = nullptr;
    if (what == "player") named = &map.player;
    if (what == "at") named = &map.at;
    if (what == "data") named = &map.data;
    if (what == "name") named = &map.name;
    const bool is_score = what == kScore || (what.starts_with(kScoreOf) && what != kScoreOf);
    if (named == nullptr && !is_score) {
      return bad_map(fmt::format("\"{}\" is not known", escaped(what, kNameBytesShown)));
    }
    const bool again =
        named != nullptr
            ? !named->empty()
            : std::ranges::any_of(map.scores, [&](const auto& each) { return each.first == what; });
    if (again) return bad_map(fmt::format("\"{}\" is there twice", escaped(what, kNameBytesShown)));
    if (named != nullptr) *named = column;
    if (is_score) map.scores.emplace_back(what, column);
  }
  if (map.player.empty()) return bad_map("\"player\" is missing");
  if (map.scores.empty()) return bad_map("\"score\" is missing");
  const bool has_whole =
      std::ranges::any_of(map.scores, [](const auto& each) { return each.first == kScore; });
  if (has_whole && map.scores.size() > 1) return bad_map("it is \"score\", or one for each column");
  return map;
}

Result<CsvResults> CsvResults::read(const std::string& file, const CsvMap& map) {
  CsvReader in(file);
  const std::optional<CsvReader::Cells> first = in.next();
  if (!first) {
    if (const Status status = in.status(); !status) return status.refusal();
    return Refusal(Code::bad_data, "the file has no lines");
  }
  const Header header(*first);
  CsvResults results;
  std::vector<std::size_t> scores;
  for (const auto& [what, column] : map.scores) {
    const Result<std::size_t> place = header.find(column);
    if (!place) return place.refusal();
    scores.push_back(*place);
    results.scores_.emplace_back(what == kScore ? "" : what.substr(kScoreOf.size()));
  }
  const Result<std::size_t> player = header.find(map.player);
  if (!player) return player.refusal();
  struct Optional {
    const std::string& column;
    std::optional<std::string> Row::*value;
    std::size_t place = 0;
  };
  std::vector<Optional> optionals;
  for (Optional each : {Optional{map.at, &Row::at}, Optional{map.data, &Row::data},
                        Optional{map.name, &Row::name}}) {
    if (each.column.empty()) continue;
    const Result<std::size_t> place = header.find(each.column);
    if (!place) return place.refusal();
    each.place = *place;
    optionals.push_back(each);
  }
  while (std::optional<CsvReader::Cells> cells = in.next()) {
    if (cells->size() != header.size()) {
      return Refusal(Code::bad_data, "line {}: it has {} cells; the header has {}", in.line(),
                     cells->size(), header.size());
    }
    Row row;
    row.line = in.line();
    row.player = (*cells)[*player].value_or("");
    for (const std::size_t place : scores) row.scores.push_back((*cells)[place].value_or(""));
    for (const Optional& each : optionals) row.*each.value = std::move((*cells)[each.place]);
    results.rows_.push_back(std::move(row));
  }
  if (const Status status = in.status(); !status) return status.refusal();
  return results;
}

// Which cell of a row has each column of the board; empty if one cell has the whole score.
Result<std::vector<std::size_t>> CsvResults::order_of(const Board& board) const {
  std::vector<std::size_t> order;
  if (scores_.front().empty()) return order;
  const ScoreColumns::Ptr& columns = board.columns();
  if (!columns || columns->size() != scores_.size()) {
    return Refusal(Code::invalid, "board \"{}\" takes {}", escaped(board.name(), kNameBytesShown),
                   columns ? "a score of each of its columns" : "one score");
  }
  for (std::size_t i = 0; i < columns->size(); ++i) {
    const auto found = std::ranges::find(scores_, (*columns)[i].name);
    if (found == scores_.end()) {
      return Refusal(Code::invalid, "board \"{}\" has a column \"{}\": score.{} is missing",
                     escaped(board.name(), kNameBytesShown), (*columns)[i].name,
                     (*columns)[i].name);
    }
    order.push_back(static_cast<std::size_t>(found - scores_.begin()));
  }
  return order;
}

Status CsvResults::submit(Registry& registry, Board& board, const Row& row,
                          std::span<const std::size_t> order) {
  std::string score = row.scores.front();
  for (std::size_t i = 0; i < order.size(); ++i) {
    score = i == 0 ? row.scores[order[0]] : score + "," + row.scores[order[i]];
  }
  Submission submission{.player = row.player};
  ColumnValues values{};
  if (Status read = read_shown_score(score, board.columns().get(), submission, values); !read) {
    return read;
  }
  if (row.at) {
    const Result<double> at = read_moment(*row.at);
    if (!at) return at.refusal();
    submission.at = *at;
  }
  if (row.data) submission.data = *row.data;
  const Result<Outcome> outcome = board.submit(WriteMode::submit, submission);
  if (!outcome) return outcome.refusal();
  if (!row.name || row.name->empty()) return Done{};
  return registry.profiles().save({.id = row.player, .name = *row.name, .email = {}},
                                  registry.now());
}

Status CsvResults::submit(Registry& registry, BoardHandle handle) const {
  Board* board = registry.get(handle);
  const Result<std::vector<std::size_t>> order = order_of(*board);
  if (!order) return order.refusal();
  for (const Row& row : rows_) {
    if (row.line % kLinesBetweenLooks == 0) {
      if (Status room = registry.make_room(); !room) return room;
    }
    if (const Status done = submit(registry, *board, row, *order); !done) {
      return refused_at(row.line, done.refusal());
    }
  }
  return registry.make_room();
}

}  // namespace laurel
