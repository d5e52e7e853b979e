// The word `stats`: what the file holds.
#include <algorithm>
#include <array>
#include <chrono>
#include <map>

#include "base/bytes.h"
#include "base/time.h"
#include "profile/table.h"
#include "tool/json_values.h"
#include "tool/progress_bar.h"
#include "tool/source.h"
#include "tool/words.h"
#include "transfer/csv.h"

namespace laurel::tool {

namespace {

using ColumnKind = Column::Kind;

enum class RowKind : std::uint8_t {
  boards,
  entries,
  seasons,
  results,
  players,
  sessions,
  registry,
  garbage
};
constexpr std::array kKindWords = {"boards",  "entries",  "past seasons", "kept of results",
                                   "players", "sessions", "registry",     "not used"};

struct Size {
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;

  void add(std::size_t more) {
    ++rows;
    bytes += more;
  }
};

struct Owner {
  RowKind kind = RowKind::garbage;
  std::size_t board = 0;
};

using Owners = std::map<SpaceNumber, Owner>;

// A board visits its own space, that of its entries, one for each past season, and the others.
void add_spaces(const Board& board, std::size_t number, Owners& owners) {
  const std::size_t seasons = board.seasons().size();  // with the running one
  std::size_t visited = 0;
  board.each_space([&](SpaceNumber first, SpaceNumber count) {
    RowKind kind = RowKind::results;
    if (visited == 0) {
      kind = RowKind::boards;
    } else if (visited == 1) {
      kind = RowKind::entries;
    } else if (visited <= seasons) {
      kind = RowKind::seasons;
    }
    ++visited;
    for (SpaceNumber space = first; space < first + count; ++space) owners[space] = {kind, number};
  });
}

RowKind kind_of_player_row(std::string_view key) {
  const bool of_session = key.find(table::kSessions) != std::string_view::npos;
  return of_session ? RowKind::sessions : RowKind::players;
}

Json json_size(const char* field, Json name, const Size& size) {
  return {{field, std::move(name)}, {"rows", size.rows}, {"bytes", size.bytes}};
}

std::string age_text(Time age) {
  const Time seconds = std::max<Time>(age, 0) / kSecond;
  if (seconds < 120) return std::to_string(seconds) + " s";
  if (seconds < 7200) return std::to_string(seconds / 60) + " min";
  if (seconds < 172'800) return std::to_string(seconds / 3600) + " h";
  return std::to_string(seconds / 86'400) + " days";
}

}  // namespace

Result<Answer> show_stats(const std::string& directory) {
  Result<Source> source = Source::open(directory);
  if (!source) return source.refusal();
  const ReadOnlyStore& store = source->store();
  std::vector<const Board*> boards;
  Owners owners;
  for (const std::string& name : source->registry().names()) {
    const std::optional<BoardHandle> handle = source->registry().find(name);
    if (!handle) continue;
    // As it was committed: a season that is due has not ended in it.
    boards.push_back(source->registry().peek(*handle));
    add_spaces(*boards.back(), boards.size() - 1, owners);
  }
  std::vector<Size> of_boards(boards.size());
  std::array<Size, kKindWords.size()> of_kinds{};
  const std::uint64_t all = store.facts().entries;
  std::uint64_t rows = 0;
  const std::unique_ptr<Cursor> row = store.committed();
  for (bool stands = row->seek(""); stands; stands = row->next()) {
    if (++rows % 65'536 == 0) ProgressBar::tell("counting", rows, all);
    const std::string_view key = row->key();
    Owner owner{.kind = RowKind::registry};
    if (const std::optional<SpaceNumber> space = Space::number_of(key)) {
      if (*space == kPlayersSpace) {
        owner.kind = kind_of_player_row(key.substr(Space::kPrefixBytes));
      } else if (*space != kCatalogueSpace) {
        const auto known = owners.find(*space);
        owner = known == owners.end() ? Owner{} : known->second;
        if (known != owners.end()) of_boards[owner.board].add(key.size() + row->value().size());
      }
    }
    of_kinds[static_cast<std::size_t>(owner.kind)].add(key.size() + row->value().size());
  }

  const FileFacts& facts = store.facts();
  const std::uint64_t used_to = facts.pages * facts.page_bytes;
  const std::uint64_t behind = store.file_bytes() > used_to ? store.file_bytes() - used_to : 0;
  Answer answer;
  answer.json = {{"file_bytes", store.file_bytes()},
                 {"free_bytes", facts.pages_free * facts.page_bytes + behind},
                 {"last_write", json_time(store.last_write())},
                 {"boards", Json::array()},
                 {"kinds", Json::array()}};
  for (std::size_t i = 0; i < boards.size(); ++i) {
    answer.json["boards"].push_back(json_size("board", json_text(boards[i]->name()), of_boards[i]));
  }
  for (std::size_t i = 0; i < of_kinds.size(); ++i) {
    if (of_kinds[i].rows > 0) {
      answer.json["kinds"].push_back(json_size("kind", kKindWords[i], of_kinds[i]));
    }
  }
  const Json facts_rows = {
      {{"field", "file"}, {"value", std::to_string(store.file_bytes()) + " bytes"}},
      {{"field", "free pages"},
       {"value",
        std::to_string(facts.pages_free) + " of " + std::to_string(facts.page_bytes) + " bytes"}},
      {{"field", "rows"}, {"value", facts.entries}},
      {{"field", "last write"},
       {"value", age_text(source->registry().now() - store.last_write()) + " ago"}}};
  answer.tables = {{.columns = {{"field", "field"}, {"value", "value"}},
                    .rows = facts_rows,
                    .has_header = false},
                   {.columns = {{"kind", "kind"},
                                {"rows", "rows", ColumnKind::number},
                                {"bytes", "bytes", ColumnKind::number}},
                    .rows = answer.json["kinds"]},
                   {.columns = {{"board", "board"},
                                {"rows", "rows", ColumnKind::number},
                                {"bytes", "bytes", ColumnKind::number}},
                    .rows = answer.json["boards"]}};
  answer.csv.emplace_back("board,rows,bytes");
  for (std::size_t i = 0; i < boards.size(); ++i) {
    answer.csv.push_back(csv_text(boards[i]->name()) + ',' + std::to_string(of_boards[i].rows) +
                         ',' + std::to_string(of_boards[i].bytes));
  }
  return answer;
}

}  // namespace laurel::tool
