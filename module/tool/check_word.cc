// The word `check`: compares what the file holds with itself. The pages, the order of keys and the
// checksums of rows are checked when the directory is opened.
#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/text.h"
#include "board/standings/entry_cursor.h"
#include "engine/padded/padded_keys.h"
#include "engine/row_codec.h"
#include "profile/table.h"
#include "tool/json_values.h"
#include "tool/progress_bar.h"
#include "tool/source.h"
#include "tool/words.h"
#include "transfer/csv.h"

namespace laurel::tool {

namespace {

constexpr std::size_t kFindingsShown = 1000;
// Lookups of players on one board whose engine is not a tree in memory.
constexpr std::size_t kLookupsMax = 20'000;

struct Findings {
  Json list = Json::array();
  std::uint64_t count = 0;

  void add(Json board, Json row, std::string what) {
    if (++count > kFindingsShown) return;
    list.push_back(
        {{"board", std::move(board)}, {"row", std::move(row)}, {"what", std::move(what)}});
  }
};

Answer answer_of(const Findings& findings, std::uint64_t rows) {
  Answer answer;
  answer.json = {{"ok", findings.count == 0}, {"rows", rows}, {"findings", findings.list}};
  if (findings.count == 0) {
    answer.notes.push_back(fmt::format("{} rows, nothing found", rows));
  } else {
    answer.tables.push_back(
        {.columns = {{"board", "board"}, {"row", "row"}, {"what", "what"}}, .rows = findings.list});
    answer.problems.push_back(
        fmt::format("bad_data: {} findings, the first: {}", findings.count,
                    escaped(findings.list[0]["what"].get<std::string>(), 400)));
  }
  answer.csv.emplace_back("board,row,what");
  for (const Json& each : findings.list) {
    std::string line;
    for (const char* field : {"board", "row", "what"}) {
      const std::optional<std::string> text = text_of(each[field]);
      line += (field[0] == 'b' ? "" : ",") + (text ? csv_text(*text) : "");
    }
    answer.csv.push_back(std::move(line));
  }
  return answer;
}

// ---- the order of one board or past season, made again

struct Seen {
  ScoreKey score = 0;
  Time at = 0;
  std::string player;
  Rank rank;
};

// Whether a is before b, by the rules of the board and nothing else.
bool is_before(const Seen& a, const Seen& b, Ties ties) {
  if (a.score != b.score) return a.score < b.score;
  if (ties == Ties::player_desc) return a.player > b.player;
  if (ties == Ties::earliest && a.at != b.at) return a.at < b.at;
  if (ties == Ties::latest && a.at != b.at) return a.at > b.at;
  return a.player < b.player;
}

// The rank of the entries from `first` to before `behind`, which have equal scores and are group
// number `group`.
Rank rank_anew(Ranking ranking, std::size_t i, std::size_t first, std::size_t behind,
               std::size_t group) {
  switch (ranking) {
    case Ranking::competition: return Rank(first + 1);
    case Ranking::modified: return Rank(behind);
    case Ranking::dense: return Rank(group + 1);
    case Ranking::ordinal: return Rank(i + 1);
    case Ranking::fractional: return Rank::mean(first + 1, behind);
  }
  return {};
}

class OrderCheck {
 public:
  OrderCheck(std::string_view board, std::uint64_t season, const Spec& spec,
             const Standings& standings, Findings& findings)
      : board_(board), season_(season), spec_(spec), standings_(standings), findings_(findings) {}

  void run() {
    if (!read()) return;
    if (seen_.size() != standings_.size()) {
      find(nullptr, fmt::format("{} entries are in order, and the size is {}", seen_.size(),
                                standings_.size()));
    }
    check_order();
    check_ranks();
    check_lookups();
  }

 private:
  void find(const std::string* player, const std::string& what) {
    findings_.add(json_text(board_), player == nullptr ? Json(nullptr) : json_text(*player),
                  fmt::format("season {}: {}", season_, what));
  }

  bool read() {
    const ScoreForm form(spec_.order, spec_.decimals);
    EntryCursor cursor(standings_, 0);
    for (;;) {
      Entries one;
      if (const Status read = cursor.next(one); !read) {
        find(nullptr, std::string(read.refusal().text()));
        return false;
      }
      if (one.empty()) return true;
      const Entry& entry = one.front();
      const std::string player(entry.player);
      const std::optional<ScoreKey> key = form.key(entry.score);
      if (!key || (spec_.columns && !spec_.columns->is_whole(entry.score))) {
        find(&player, "the score is none of this board");
      }
      seen_.push_back({key.value_or(0), entry.at, player, entry.rank});
      if (seen_.size() % 65'536 == 0) {
        ProgressBar::tell("checking orders", seen_.size(), standings_.size());
      }
    }
  }

  void check_order() {
    for (std::size_t i = 1; i < seen_.size(); ++i) {
      if (is_before(seen_[i - 1], seen_[i], spec_.ties)) continue;
      find(&seen_[i].player, fmt::format("position {} belongs before the one above", i + 1));
    }
  }

  void check_ranks() {
    std::size_t group = 0;
    for (std::size_t first = 0; first < seen_.size(); ++group) {
      std::size_t behind = first;
      while (behind < seen_.size() && seen_[behind].score == seen_[first].score) ++behind;
      for (std::size_t i = first; i < behind; ++i) {
        const Rank rank = rank_anew(spec_.ranking, i, first, behind, group);
        if (rank == seen_[i].rank) continue;
        find(&seen_[i].player,
             fmt::format("the rank is {}, and should be {}", static_cast<double>(seen_[i].rank),
                         static_cast<double>(rank)));
      }
      first = behind;
    }
  }

  // Each player is found where the order has them.
  void check_lookups() {
    while (!standings_.prepare_ranks(kLookupsMax)) {
    }
    const std::size_t step =
        spec_.engine == EngineKind::ranked ? 1 : seen_.size() / kLookupsMax + 1;
    for (std::size_t i = 0; i < seen_.size(); i += step) {
      const Seen& seen = seen_[i];
      const std::optional<std::size_t> position = standings_.position(seen.player);
      const std::optional<Entry> entry = standings_.get(seen.player);
      if (!position || *position != i) {
        find(&seen.player, fmt::format("is at position {}, and is not found there", i + 1));
      } else if (!entry || entry->rank != seen.rank || entry->at != seen.at) {
        find(&seen.player, "the entry that is found differs from the one in order");
      }
    }
  }

  std::string_view board_;
  std::uint64_t season_;
  const Spec& spec_;
  const Standings& standings_;
  Findings& findings_;
  std::vector<Seen> seen_;
};

// ---- rows and indexes

class RowCheck {
 public:
  RowCheck(Source& source, Findings& findings) : source_(source), findings_(findings) {}

  void run() {
    check_players();
    check_known_tops();
    for (const std::string& name : source_.registry().names()) {
      const std::optional<BoardHandle> handle = source_.registry().find(name);
      if (handle) check_board(*source_.registry().peek(*handle));
    }
  }

 private:
  Space space(SpaceNumber number) { return Space(source_.store(), number); }

  std::uint64_t each_row(SpaceNumber number, std::string_view prefix,
                         const std::function<void(std::string_view, std::string_view)>& visit) {
    std::uint64_t rows = 0;
    const std::unique_ptr<Cursor> row = space(number).cursor();
    for (bool on = row->seek(prefix); on && row->key().starts_with(prefix); on = row->next()) {
      ++rows;
      if (visit) visit(row->key().substr(prefix.size()), row->value());
    }
    return rows;
  }

  void check_players() {
    Registry& registry = source_.registry();
    const Space players = space(kPlayersSpace);
    std::uint64_t emails = 0;
    registry.profiles().each([&](const Profile& profile) {
      if (!profile.email) return;
      ++emails;
      const auto found = players.get(table::email_key(*profile.email));
      if (found && *found == profile.id) return;
      findings_.add(nullptr, json_text(profile.id), "the player is not found by the email");
    });
    std::uint64_t sessions = 0;
    registry.sessions().each([&](const Session& session) {
      ++sessions;
      const auto by_id = players.get(table::session_key(session.id));
      const auto in_game = players.get(table::sessions_in_game(session.game).append(session.id));
      const auto of_player =
          players.get(table::sessions_of_player(session.player).append(session.id));
      if (by_id == session.player && in_game == session.player && of_player) return;
      findings_.add(nullptr, json_text(session.id), "the session is missing in an index");
    });
    agree("emails", emails, each_row(kPlayersSpace, "EMAIL#", {}));
    agree("sessions by id", sessions, each_row(kPlayersSpace, table::kSessions, {}));
    agree("sessions by game", sessions, each_row(kPlayersSpace, "GAME#", {}));
  }

  void check_known_tops() {
    source_.registry().known_tops().each([&](std::string_view board, std::string_view row) {
      if (unpack_known_top(row)) return;
      findings_.add(json_text(board), nullptr,
                    "the last known top of the remote board cannot be "
                    "read");
    });
  }

  void agree(const char* what, std::uint64_t wanted, std::uint64_t found) {
    if (wanted == found) return;
    findings_.add(nullptr, nullptr,
                  fmt::format("{}: {} rows, and there should be {}", what, found, wanted));
  }

  // The second visit of each_space() is that of the running season; past seasons follow.
  void check_board(const Board& board) {
    std::vector<const Spec*> specs = {nullptr, &board.spec()};
    for (const std::uint64_t season : board.seasons()) {
      if (const ArchivedSeason* past = board.archived(season)) specs.push_back(&past->spec());
    }
    std::size_t visited = 0;
    board.each_space([&](SpaceNumber first, SpaceNumber count) {
      const Spec* const spec = visited < specs.size() ? specs[visited] : nullptr;
      ++visited;
      if (spec == nullptr) return;
      const EngineKind kind = spec->engine == EngineKind::sharded ? spec->of : spec->engine;
      for (SpaceNumber number = first; number < first + count; ++number) {
        if (kind == EngineKind::ranked || kind == EngineKind::capped ||
            kind == EngineKind::groups) {
          check_rows(board, number);
        }
        if (kind == EngineKind::padded) check_padded(board, *spec, number);
      }
    });
  }

  void check_rows(const Board& board, SpaceNumber number) {
    each_row(number, "", [&](std::string_view player, std::string_view row) {
      if (read_row(row)) return;
      findings_.add(json_text(board.name()), json_text(player), "the row cannot be read");
    });
  }

  void check_padded(const Board& board, const Spec& spec, SpaceNumber number) {
    const bool any_score = !spec.columns && !spec.decimals;
    const PaddedKeys keys = any_score ? PaddedKeys::of_any_score(spec) : PaddedKeys(spec);
    const Space rows = space(number);
    const std::uint64_t by_score =
        each_row(number, "SCORE#", [&](std::string_view rest, std::string_view row) {
          const std::string key = "SCORE#" + std::string(rest);
          const std::string player(keys.player(key));
          const auto other = rows.get("PLAYER#" + player);
          if (!read_row(row)) {
            findings_.add(json_text(board.name()), json_text(player), "the row cannot be read");
          } else if (!other || *other != row) {
            findings_.add(json_text(board.name()), json_text(player),
                          "the rows by score and by player differ");
          } else if (keys.key([&] {
                       EngineRow entry = *read_row(row);
                       entry.player = player;
                       return entry;
                     }()) != key) {
            findings_.add(json_text(board.name()), json_text(player), "the key has another score");
          }
        });
    const std::uint64_t by_player = each_row(number, "PLAYER#", {});
    if (by_score == by_player) return;
    findings_.add(json_text(board.name()), nullptr,
                  fmt::format("{} rows by score, {} by player", by_score, by_player));
  }

  Source& source_;
  Findings& findings_;
};

}  // namespace

Result<Answer> check(const std::string& directory) {
  Findings findings;
  Result<Source> source = Source::open(directory);
  if (!source) {
    if (source.refusal().code() != Code::bad_data) return source.refusal();
    findings.add(nullptr, nullptr, std::string(source.refusal().message()));
    return answer_of(findings, 0);
  }
  const FileFacts facts = source->store().facts();
  RowCheck(*source, findings).run();
  for (const std::string& name : source->registry().names()) {
    const std::optional<BoardHandle> handle = source->registry().find(name);
    if (!handle) continue;
    const Board& board = *source->registry().peek(*handle);
    for (const std::uint64_t season : board.seasons()) {
      const ArchivedSeason* const past = board.archived(season);
      if (past != nullptr) {
        OrderCheck(name, season, past->spec(), *past, findings).run();
      } else {
        OrderCheck(name, season, board.spec(), board, findings).run();
      }
    }
  }
  Answer answer = answer_of(findings, facts.entries);
  answer.notes.push_back(fmt::format(
      "Compared, as transaction {} left them: pages, keys and the checksum of each row; "
      "emails, sessions and padded rows with their indexes; the order, the ranks and the "
      "lookups of each board and past season with an order that the check made itself.",
      facts.transaction));
  answer.notes.emplace_back(
      "Not found: an old copy of the whole file, or of its newest meta page; a result that was "
      "never "
      "written; what a remote keeps.");
  return answer;
}

}  // namespace laurel::tool
