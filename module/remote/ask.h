// ask.h - what can be asked of a board that lives elsewhere, and what is answered: the calls of
// board.h as values that own all they show, so that they can cross threads.
//
//   ask     one call with its arguments. Each says the type of its answer. One for which a remote
//           has no function does not compile.
//   writes  kWrites of each ask says whether it changes anything there. The outcome of one that
//           writes is unknown when it was sent and not answered.
//   value   the answer of a call that went well, by the ask's type.
//   times   Unix time in microseconds, but for `at` of a submission, which is as it was handed in.
//   ranks   1-based, in the board's ranking mode; positions 0-based.
//   exact   an answer is exact for a moment between question and answer, or there is none: what an
//           engine cannot answer so is `unsupported`.
//
// What is asked of players and sessions is in ask_players.h, of copies of past seasons in
// ask_copies.h.
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
#include "board/change.h"
#include "board/registry.h"
#include "board/score_bounds.h"
#include "board/seasons.h"
#include "board/standings.h"
#include "rank/ranking.h"
#include "remote/ask_copies.h"
#include "remote/ask_players.h"

namespace laurel {

template <typename Form, typename Forms>
inline constexpr bool kIsOneOf = false;
template <typename Form, typename... Forms>
inline constexpr bool kIsOneOf<Form, std::variant<Forms...>> = (std::is_same_v<Form, Forms> || ...);

// A variant whose copying, moving and ending are compiled once, in ask.cc, and not by everybody who
// hands it on.
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
  std::optional<double> at = {};  // Unix seconds; nothing: the remote's own now

  Submission view() const;
};
OwnedSubmission own(const Submission& submission);

// What a rule saw of a player when it judged; nothing is held where `score` is nothing.
struct Seen {
  std::optional<double> score;
  Time at = 0;
  std::optional<std::string> data;

  friend bool operator==(const Seen&, const Seen&) = default;
};

// Names one post of one server, so that it is applied once and after those before it.
//   number   goes up with every post of the server, over all of its boards and lanes.
//   before   the number of the post before it in its lane; 0: whatever was before is done.
//   lane     posts of a lane are applied in order: those whose players share a shard.
struct PostNumber {
  std::uint64_t server = 0;
  std::uint64_t number = 0;
  std::uint64_t before = 0;
};

// How a score is handed in: for `keep` to judge, to be added, a moderator's word, or what a rule
// wants held in place of `keep`.
enum class Writing : std::uint8_t { submit, add, set, hold };

// A spec as text: its fields by name in the order of the manual, numbers as their shortest decimal.
using SpecText = std::vector<std::pair<std::string, std::string>>;

namespace ask {

// ---- the board itself

// The spec that is kept there. Answer: KeptSpec, `exists` false where no such board is.
struct ReadSpec {
  static constexpr bool kWrites = false;
};
// Puts a spec there, where the revision is still `revision` (0: where no board is).
// Answer: bool, false where it is another by now.
struct WriteSpec {
  static constexpr bool kWrites = true;
  SpecText spec;
  std::uint64_t revision = 0;
};
// Deletes the board with its seasons, joins and bans. Answer: bool, whether there was one.
struct Drop {
  static constexpr bool kWrites = true;
};

// ---- writing

// One score. Answer: Written.
struct Write {
  static constexpr bool kWrites = true;
  Writing how = Writing::submit;
  OwnedSubmission what;
  bool report = false;               // whether to answer with ranks and how many were passed
  std::optional<Seen> if_held = {};  // nothing is done, and `stale` answered, unless this is held
  std::optional<PostNumber> post =
      {};  // exactly once; a post that was applied is answered as `again`
};
// Several, in order, each for itself. Answer: WrittenAll.
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
// Answer: Written; `changed` says whether the player was not in yet.
struct Join {
  static constexpr bool kWrites = true;
  OwnedSubmission what;
  bool with_score = false;
  Writing how = Writing::submit;  // of the score
  std::optional<Seen> if_held;
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
  std::optional<PostNumber> post;
};
// Answer: bool.
struct Unban {
  static constexpr bool kWrites = true;
  std::string player;
  std::optional<PostNumber> post;
};
// Answer: std::vector<std::string>, sorted by bytes.
struct Banned {
  static constexpr bool kWrites = false;
};
// Removes every trace of a player on this board. Answer: std::uint64_t, how many entries went.
struct Forget {
  static constexpr bool kWrites = true;
  std::string player;
  std::optional<PostNumber> post;
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
// Answer: Listed, of one entry or none.
struct Get {
  static constexpr bool kWrites = false;
  std::string player;
};
// Answer: Seen: what a rule is to see, hidden entries not.
struct Held {
  static constexpr bool kWrites = false;
  std::string player;
};
// Answer: std::optional<Standing>.
struct Rank {
  static constexpr bool kWrites = false;
  std::string player;
  std::optional<Ranking> ranking;
};
// Answer: std::uint64_t.
struct RankOf {
  static constexpr bool kWrites = false;
  double score = 0;
};
// Answer: Listed. With size, it is what a window needs.
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
// The first n, read once and no more. Answer: Listed, `certain` as top_once has it.
struct TopOnce {
  static constexpr bool kWrites = false;
  std::size_t n = 0;
  double confidence = 0;
};
// The player between n above and n below, with n = 0 alone. Answer: Listed.
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
// Answer: Listed, with `overall`.
struct Among {
  static constexpr bool kWrites = false;
  std::vector<std::string> players;
};
// Answer: std::optional<std::string>; padded.
struct Key {
  static constexpr bool kWrites = false;
  std::string player;
};

// ---- seasons

// Answer: SeasonFacts, of the season that the request names.
struct ReadSeason {
  static constexpr bool kWrites = false;
};
// Answer: std::vector<std::uint64_t>, newest first, the running one first.
struct Seasons {
  static constexpr bool kWrites = false;
};

}  // namespace ask

// Of boards.
using BoardForms =
    std::variant<ask::ReadSpec, ask::WriteSpec, ask::Drop, ask::Write, ask::WriteAll, ask::Remove,
                 ask::Clear, ask::Join, ask::Leave, ask::Ban, ask::Unban, ask::Banned, ask::Forget,
                 ask::Reset, ask::Size, ask::Get, ask::Held, ask::Rank, ask::RankOf, ask::Page,
                 ask::Bottom, ask::TopOnce, ask::Around, ask::Between, ask::Count, ask::Percentile,
                 ask::Among, ask::Key, ask::ReadSeason, ask::Seasons>;

// Whether an ask is of players and sessions, and no board's.
template <typename What>
inline constexpr bool kIsOfPlayers = kIsOneOf<What, PlayerForms>;

template <typename A, typename B, typename C>
struct FormsOf;
template <typename... A, typename... B, typename... C>
struct FormsOf<std::variant<A...>, std::variant<B...>, std::variant<C...>> {
  using All = std::variant<A..., B..., C...>;
};
using AskForms = FormsOf<BoardForms, PlayerForms, CopyForms>::All;
using Ask = OneOf<AskForms>;

bool writes(const Ask& what);
bool is_of_players(const Ask& what);

struct KeptSpec {
  bool exists = false;
  SpecText spec;
  std::uint64_t revision = 0;  // goes up with every change of the spec; from 1
  // Of a board, from a remote that takes no copies of seasons:
  Time created = 0;
  std::vector<std::uint64_t> seasons = {};  // those kept, newest first; the running one first
};

struct Written {
  std::optional<double> score;  // now held
  bool changed = false;
  bool stale = false;            // another score is held than the one that was judged
  bool again = false;            // this post was applied before; nothing else is said of it
  std::optional<Change> change;  // where a report was asked for
};

struct WrittenAll {
  std::size_t changed = 0;
  std::vector<std::pair<std::size_t, Refusal>> refused;  // by index from 0, in order
};

struct Listed {
  Entries entries;  // what they show lies in their own arena
  std::uint64_t size = 0;
  bool certain = true;
};

struct SeasonFacts {
  Season season;
  Time created = 0;  // of the board
  std::optional<Time> resets_at;
  std::uint64_t size = 0;
};

using ValueForms =
    std::variant<bool, std::uint64_t, std::optional<double>, std::optional<std::string>,
                 std::vector<std::string>, std::vector<std::uint64_t>, std::optional<Standing>,
                 KeptSpec, Written, WrittenAll, Seen, Listed, SeasonFacts, std::string,
                 std::optional<OwnedProfile>, std::optional<OwnedSession>,
                 std::vector<OwnedSession>, std::vector<Registry::ScoreOf>, CopyStand, SeasonRows>;
using Value = OneOf<ValueForms>;

}  // namespace laurel
