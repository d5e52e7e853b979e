// request.h - requests to a remote board, and their answers: the calls of board.h as values that
// own all their data, so that they can cross threads.
//
//   request  one call with its arguments. Each names the type of its answer. A request that a
//            remote does not handle does not compile.
//   writes   kWrites of each request says whether it changes the remote. The outcome of a write is
//            unknown if it was sent and not answered.
//   value    the answer of a successful call. Its type depends on the request.
//   times    Unix time in microseconds, except `at` of a submission, which is in seconds as given.
//   ranks    1-based, in the board's ranking mode. Positions are 0-based.
//   exact    an answer is exact for some moment between request and answer. A request that an
//            engine cannot answer exactly is `unsupported`.
//
// Requests about players and sessions are in player_request.h, those about copies of past seasons
// in archive_request.h, those about the ends of seasons in season_end_request.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "board/results/attempts.h"
#include "board/seasons/seasons.h"
#include "board/spec/keep_policy.h"
#include "board/spec/score_bounds.h"
#include "board/standings/change.h"
#include "board/standings/standings.h"
#include "rank/tree/ranking.h"
#include "registry/registry.h"
#include "remote/request/archive_request.h"
#include "remote/request/player_request.h"
#include "remote/request/season_end_request.h"

namespace laurel {

template <typename Form, typename Forms>
inline constexpr bool kIsOneOf = false;
template <typename Form, typename... Forms>
inline constexpr bool kIsOneOf<Form, std::variant<Forms...>> = (std::is_same_v<Form, Forms> || ...);

// A variant whose copy, move and destruction are compiled once, in request.cc, and not in every
// file that passes it on.
template <typename Forms>
class OneOf : public Forms {
 public:
  template <typename Form>
  requires kIsOneOf<std::remove_cvref_t<Form>, Forms> OneOf(Form&& form)  // NOLINT: implicit
      : Forms(std::in_place_type<std::remove_cvref_t<Form>>, std::forward<Form>(form)) {}
  OneOf();
  OneOf(const OneOf& other) requires std::is_copy_constructible_v<Forms>;
  OneOf(OneOf&& other) noexcept;
  OneOf& operator=(const OneOf& other) requires std::is_copy_constructible_v<Forms>;
  OneOf& operator=(OneOf&& other) noexcept;
  ~OneOf();
};

// A submission that owns its strings.
struct OwnedSubmission {
  std::string player;
  double score = 0;  // for `add` the difference
  std::optional<std::string> data = {};
  std::optional<double> at = {};       // Unix seconds; nothing: the remote's own time
  std::optional<std::string> id = {};  // of the result: it counts once
  // On a board with columns: values that are not a whole score, in place of `score`.
  std::optional<ColumnValues> columns = {};

  // Its views are valid as long as this is.
  Submission view() const;
};
OwnedSubmission own(const Submission& submission);
// What a submission adds to each column. Fails as ScoreColumns::differences, and with out_of_range
// if its score is not a whole score of the columns.
Result<ColumnValues> differences_of(const ScoreColumns& columns, const OwnedSubmission& what);
// The whole score that a submission sets. Fails with not_finite and out_of_range.
Result<double> whole_score_of(const ScoreColumns& columns, const OwnedSubmission& what);

// The entry that a rule saw when it judged. `score` is empty if the player has no entry.
struct HeldEntry {
  std::optional<double> score;
  Time at = 0;
  std::optional<std::string> data;
  bool repeats = false;  // the board has accepted the id that was asked for

  friend bool operator==(const HeldEntry&, const HeldEntry&) = default;
};

// Identifies one post of one server, so that it is applied once and after the posts before it.
//   number  goes up with every post of the server, over all of its boards and lanes.
//   before  the number of the previous post in its lane; 0: all earlier posts are done.
//   lane    the players of one shard. Posts of a lane are applied in order.
struct PostNumber {
  std::uint64_t server = 0;
  std::uint64_t number = 0;
  std::uint64_t before = 0;
};

// A spec as text: its fields by name in the order of the manual, numbers as shortest decimals.
using SpecText = std::vector<std::pair<std::string, std::string>>;

namespace request {

// ---- the board itself

// Reads the stored spec. Answer: KeptSpec; `exists` is false if the board does not exist.
struct ReadSpec {
  static constexpr bool kWrites = false;
};
// Writes a spec if the stored revision is still `revision` (0: the board must not exist). Answer:
// bool, false if the revision is another.
struct WriteSpec {
  static constexpr bool kWrites = true;
  SpecText spec;
  std::uint64_t revision = 0;
};
// Deletes the board with its seasons, joins and bans. Answer: bool, whether it existed.
struct Drop {
  static constexpr bool kWrites = true;
};

// ---- writing

// One score. Answer: Written.
struct Write {
  static constexpr bool kWrites = true;
  WriteMode how = WriteMode::submit;
  OwnedSubmission what;
  bool report = false;  // whether to answer with ranks and the number of players passed
  std::optional<HeldEntry> expected =
      {};  // if another entry is held, answers `stale` and writes nothing
  std::optional<PostNumber> post =
      {};  // applied exactly once; if it was applied before, the answer is `again`
};
// Several scores, applied in order and independently of each other. Answer: WrittenAll.
struct WriteAll {
  static constexpr bool kWrites = true;
  std::vector<OwnedSubmission> what;
};
// Answer: bool.
struct Remove {
  static constexpr bool kWrites = true;
  std::string player;
};
// Answer: std::uint64_t.
struct Clear {
  static constexpr bool kWrites = true;
};
// Answer: Written; `changed` says whether the player is new on the board.
struct Join {
  static constexpr bool kWrites = true;
  OwnedSubmission what;
  bool with_score = false;
  WriteMode how = WriteMode::submit;  // for the score
  std::optional<HeldEntry> expected = std::nullopt;
};
// Answer: bool.
struct Leave {
  static constexpr bool kWrites = true;
  std::string player;
};
// Answer: bool.
struct Ban {
  static constexpr bool kWrites = true;
  std::string player;
  std::optional<PostNumber> post = std::nullopt;
};
// Answer: bool.
struct Unban {
  static constexpr bool kWrites = true;
  std::string player;
  std::optional<PostNumber> post = std::nullopt;
};
// Answer: std::vector<std::string>, sorted by bytes.
struct Banned {
  static constexpr bool kWrites = false;
};
// Removes all data of a player on this board. Answer: std::uint64_t, the entries removed.
struct Forget {
  static constexpr bool kWrites = true;
  std::string player;
  std::optional<PostNumber> post = std::nullopt;
};
// Gives a player more attempts in the running season, or fewer if `more` is negative. Answer:
// std::uint64_t, how many are left.
struct Grant {
  static constexpr bool kWrites = true;
  std::string player;
  std::int64_t more = 0;
};
// Answer: std::uint64_t, the number of the season that ended.
struct Reset {
  static constexpr bool kWrites = true;
};

// ---- reading

// Answer: std::uint64_t.
struct Size {
  static constexpr bool kWrites = false;
};
// Answer: Listed, with at most one entry.
struct Get {
  static constexpr bool kWrites = false;
  std::string player;
};
// The entry that a rule sees; hidden entries are left out. With an id also whether the board has
// accepted a result with it. Answer: HeldEntry.
struct Held {
  static constexpr bool kWrites = false;
  std::string player;
  std::optional<std::string> id = std::nullopt;
};
// Answer: std::optional<Standing>.
struct Rank {
  static constexpr bool kWrites = false;
  std::string player;
  std::optional<Ranking> ranking;
};
// Answer: Rank.
struct RankOf {
  static constexpr bool kWrites = false;
  double score = 0;
};
// Answer: Listed. Together with size it makes a window.
struct Page {
  static constexpr bool kWrites = false;
  std::size_t first = 0;
  std::size_t n = 0;
};
// Answer: Listed, worst first.
struct Bottom {
  static constexpr bool kWrites = false;
  std::size_t n = 0;
};
// Reads the first n once, without following. Answer: Listed, `certain` as for top_once.
struct TopOnce {
  static constexpr bool kWrites = false;
  std::size_t n = 0;
  double confidence = 0;
};
// The player with n entries above and n below; with n = 0 only the player. Answer: Listed.
struct Around {
  static constexpr bool kWrites = false;
  std::string player;
  std::size_t n = 0;
};
// Answer: Listed.
struct Between {
  static constexpr bool kWrites = false;
  ScoreRange range;
  std::size_t limit = 0;
};
// Answer: std::uint64_t.
struct Count {
  static constexpr bool kWrites = false;
  ScoreRange range;
};
// Answer: std::optional<double>.
struct Percentile {
  static constexpr bool kWrites = false;
  std::string player;
};
// Answer: std::optional<double>.
struct ScoreAtPercentile {
  static constexpr bool kWrites = false;
  double percentile = 0;
};
// Answer: Listed.
struct TopPercent {
  static constexpr bool kWrites = false;
  double percent = 0;
};
// Answer: Listed, with the `rank` of a newcomer.
struct AroundScore {
  static constexpr bool kWrites = false;
  double score = 0;
  std::size_t n = 0;
};
// Answer: Listed, with `overall`.
struct Among {
  static constexpr bool kWrites = false;
  std::vector<std::string> players;
};
// How many results of the player the running season took. Answer: std::optional<AttemptsOf>,
// nothing if the board has no `attempts`.
struct Attempts {
  static constexpr bool kWrites = false;
  std::string player;
};
// Answer: std::optional<std::string>, padded.
struct Key {
  static constexpr bool kWrites = false;
  std::string player;
};

// ---- seasons

// Answer: SeasonFacts of the season that the request names.
struct ReadSeason {
  static constexpr bool kWrites = false;
};
// Answer: std::vector<std::uint64_t>, newest first, which is the running one.
struct Seasons {
  static constexpr bool kWrites = false;
};

}  // namespace request

// All requests to boards.
using BoardForms =
    std::variant<request::ReadSpec, request::WriteSpec, request::Drop, request::Write,
                 request::WriteAll, request::Remove, request::Clear, request::Join, request::Leave,
                 request::Ban, request::Unban, request::Banned, request::Forget, request::Reset,
                 request::Size, request::Get, request::Held, request::Rank, request::RankOf,
                 request::Page, request::Bottom, request::TopOnce, request::Around,
                 request::Between, request::Count, request::Percentile, request::ScoreAtPercentile,
                 request::TopPercent, request::AroundScore, request::Among, request::Key,
                 request::ReadSeason, request::Seasons, request::Grant, request::Attempts>;

// Whether a request is about players and sessions, not a board.
template <typename What>
inline constexpr bool kIsOfPlayers = kIsOneOf<What, PlayerForms>;

template <typename A, typename B, typename C, typename D>
struct FormsOf;
template <typename... A, typename... B, typename... C, typename... D>
struct FormsOf<std::variant<A...>, std::variant<B...>, std::variant<C...>, std::variant<D...>> {
  using All = std::variant<A..., B..., C..., D...>;
};
using RequestForms = FormsOf<BoardForms, PlayerForms, CopyForms, SeasonEndForms>::All;
using Request = OneOf<RequestForms>;

bool writes(const Request& what);
bool is_of_players(const Request& what);

struct KeptSpec {
  bool exists = false;
  SpecText spec;
  std::uint64_t revision = 0;  // goes up with every change of the spec; from 1
  // Only for a board in a remote that takes no copies of seasons:
  Time created = 0;
  std::vector<std::uint64_t> seasons =
      {};  // the kept seasons, newest first, which is the running one
};

struct Written {
  std::optional<double> score;  // held after the write
  bool changed = false;
  bool stale = false;            // the held entry differs from the one that was judged
  bool again = false;            // this post was applied before; the other fields are not set
  std::optional<Change> change;  // if a report was requested
};

struct WrittenAll {
  std::size_t changed = 0;
  std::vector<std::pair<std::size_t, Refusal>> refused;  // by index from 0, in order
};

struct Listed {
  Entries entries;  // own their data, in an arena
  std::uint64_t size = 0;
  bool certain = true;
  Rank rank;  // of a newcomer: AroundScore
};

struct SeasonFacts {
  Season season;
  Time created = 0;  // creation time of the board
  std::optional<Time> resets_at;
  std::uint64_t size = 0;
  std::optional<Time> closes_at = {};  // of the running season of a board with `duration`
};

using ValueForms =
    std::variant<bool, std::uint64_t, Rank, std::optional<double>, std::optional<std::string>,
                 std::vector<std::string>, std::vector<std::uint64_t>, std::optional<Standing>,
                 KeptSpec, Written, WrittenAll, HeldEntry, Listed, SeasonFacts, std::string,
                 std::optional<OwnedProfile>, std::optional<OwnedSession>,
                 std::vector<OwnedSession>, std::vector<Registry::ScoreOf>, CopyStand, SeasonRows,
                 std::optional<AttemptsOf>, SeasonsHeard>;
using Value = OneOf<ValueForms>;

}  // namespace laurel
