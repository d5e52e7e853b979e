// board: reading one player's entry and rank, one score, counting, and what only some engines have.
#include <algorithm>
#include <array>

#include "base/limits.h"
#include "bindings/api/board_call.h"
#include "bindings/values/read_score_range.h"
#include "engine/sharded/fetch_size.h"

namespace laurel {

namespace {

namespace reads {

// board:size([options]) -> number | nil, reason
struct Size {
  static constexpr FunctionName kName = "size";
  ReadOptions options;

  void read(const Call& call) { options = time_option(call, 1, 1); }
  std::uint64_t local(const Standings& board) const { return board.size(); }
  request::Size remote() const { return {}; }
};

// board:get(player [, options]) -> entry | nil
struct Get : PlayerArgument {
  static constexpr FunctionName kName = "get";
  ReadOptions options;

  void read(const Call& call) {
    player = call.string(1);
    options = entry_options(call, 2);
  }
  FirstEntry local(const Standings& board, CallBuffers& buffers) const {
    if (const std::optional<Entry> entry = board.get(player)) buffers.entries.add() = *entry;
    return {list_of(board, buffers).entries, &buffers.extras};
  }
  request::Get remote() const { return {std::string(player)}; }
  static FirstEntry answer(RemoteCall& pending) { return {&pending.answer<Listed>().entries}; }
};

// board:score(player [, options]) -> score | nil | nil, reason
struct Score : PlayerArgument {
  static constexpr FunctionName kName = "score";
  ReadOptions options;

  void read(const Call& call) {
    player = call.string(1);
    options = time_option(call, 2, 2);
  }
  ScoreAnswer local(const Standings& board) const {
    return {board.score(player), board.columns().get()};
  }
  request::Get remote() const { return {std::string(player)}; }
  static ScoreAnswer answer(RemoteCall& pending) {
    const Entries& entries = pending.answer<Listed>().entries;
    if (entries.empty()) return {std::nullopt, nullptr};
    return {entries.front().score, pending.keep_columns().get()};
  }
};

// board:rank(player [, ranking] [, options]) -> rank, size | nil | nil, reason
struct Rank : PlayerArgument {
  static constexpr FunctionName kName = "rank";
  std::optional<Ranking> ranking;
  ReadOptions options;

  Status read(const Call& call) {
    player = call.string(1);
    if (call.arguments() == 1) return Done{};
    options = time_option(call, 2, 3);
    return read_ranking(call, 2, ranking);
  }
  std::optional<Standing> local(const Standings& board) const {
    return board.rank(player, ranking);
  }
  request::Rank remote() const { return {std::string(player), ranking}; }
};

// board:rank_of(score) -> rank | nil, reason
struct RankOf {
  static constexpr FunctionName kName = "rank_of";
  double score = 0;

  Status read(const Call& call) {
    Submission given;
    ColumnValues values;
    read_score(call, 1, given, values);
    return whole_score(call, given, values, score);
  }
  Result<laurel::Rank> local(const Standings& board) const { return board.rank_of(score); }
  request::RankOf remote() const { return {score}; }
};

// board:count([low [, high]] [, options]) -> number | nil, reason
struct Count {
  static constexpr FunctionName kName = "count";
  ScoreRange range;
  ReadOptions options;

  Status read(const Call& call) {
    // With columns the bounds are tables, too.
    if (call.columns == nullptr) options = time_option(call, 1, 3);
    const Status read = read_score_range(call, 1, 2, range);
    if (call.columns != nullptr) options = time_option(call, 3, 3);
    return read;
  }
  std::uint64_t local(const Standings& board) const { return board.count(range); }
  request::Count remote() const { return {range}; }
};

// board:percentile(player) -> number | nil
struct Percentile : PlayerArgument {
  static constexpr FunctionName kName = "percentile";

  std::optional<double> local(const Standings& board) const { return board.percentile(player); }
  request::Percentile remote() const { return {std::string(player)}; }
};

// board:score_at(position) -> score | nil
struct ScoreAt {
  static constexpr FunctionName kName = "score_at";
  std::size_t position = 0;  // 0: before all

  void read(const Call& call) { position = call.count(1); }
  ScoreAnswer local(const Standings& board) const {
    if (position == 0) return {std::nullopt, nullptr};
    return {board.score_at(position - 1), board.columns().get()};
  }
  request::Page remote() const {
    if (position == 0) return {0, 0};
    return {position - 1, 1};
  }
  static ScoreAnswer answer(RemoteCall& pending) { return Score::answer(pending); }
};

// board:score_at_percentile(p) -> score | nil | nil, reason
struct ScoreAtPercentile {
  static constexpr FunctionName kName = "score_at_percentile";
  double p = 0;

  void read(const Call& call) { p = call.number(1); }
  Result<ScoreAnswer> local(const Standings& board) const {
    const Result<std::optional<double>> score = board.score_at_percentile(p);
    if (!score) return score.refusal();
    return ScoreAnswer{*score, board.columns().get()};
  }
  request::ScoreAtPercentile remote() const { return {p}; }
  static ScoreAnswer answer(RemoteCall& pending) {
    return {pending.answer<std::optional<double>>(), pending.keep_columns().get()};
  }
};

// board:key(player) -> string | nil | nil, reason
struct Key : PlayerArgument {
  static constexpr FunctionName kName = "key";
  using Text = std::optional<std::string_view>;

  Result<Text> local(const Standings& board, CallBuffers& buffers) const {
    Result<std::optional<std::string>> key = board.key(player);
    if (!key) return key.refusal();
    if (!*key) return Text();
    buffers.text = std::move(**key);
    return Text(buffers.text);
  }
  request::Key remote() const { return {std::string(player)}; }
  static Text answer(RemoteCall& pending) { return pending.answer<std::optional<std::string>>(); }
};

// board:lowest() -> score to beat | nil | nil, reason
struct Lowest {
  static constexpr FunctionName kName = "lowest";
  static constexpr Extra kExtra = {"score to beat", "capped"};

  Result<ScoreTable> local(const Standings& board) const {
    const Result<std::optional<double>> lowest = board.lowest();
    if (!lowest) return lowest.refusal();
    return score_table(*lowest, board.columns().get());
  }
};

// board:layout() -> { layers=, manifests=, entry_sets=, lowest= } | nil, reason
struct Layout {
  static constexpr FunctionName kName = "layout";
  static constexpr Extra kExtra = {"layout of pages", "paged"};

  Result<ShownLayout> local(const Standings& board) const {
    const Result<Standings::Layout> layout = board.layout();
    if (!layout) return layout.refusal();
    return ShownLayout{layout->pages, score_table(layout->lowest, board.columns().get())};
  }
};

// board:fetch_size(n, confidence) -> number | nil, reason
struct FetchSize {
  static constexpr FunctionName kName = "fetch_size";
  std::size_t n = 0;
  double confidence = 0;

  void read(const Call& call) {
    n = call.count(1);
    confidence = call.number(2);
  }
  Result<std::uint64_t> local(const Standings& board) const {
    return board.fetch_size(n, confidence);
  }
  // By the spec of a remote board; nothing while that is not known.
  std::optional<Result<std::uint64_t>> by_spec(const RemoteBoards* remotes,
                                               BoardHandle board) const {
    const auto spec = remotes != nullptr ? remotes->spec(board) : nullptr;
    if (!spec) return std::nullopt;
    if (spec->engine != EngineKind::sharded) return no_other_engine("a fetch size", "sharded");
    if (const Status valid = check_confidence(confidence); !valid) return valid.refusal();
    return fetch_size(std::min<std::size_t>(n, kPlayersMax), spec->shards, confidence);
  }
};

int push_fetch_size(lua_State* L, RemoteCall& pending) {
  const FetchSize asked{pending.number, pending.fraction};
  const auto size = asked.by_spec(RemoteBoards::of(*pending.boards().registry), pending.board());
  if (!size) return refuse(L, {Code::unavailable, "the board's spec is not known yet"});
  return push_answer(L, *size);
}

// Waits only while the board's spec is not known.
int remote_fetch_size(lua_State* L) {
  const Call call{L, FetchSize::kName.text};
  const RemoteBoardRef& self = remote_self(call);
  FetchSize asked;
  asked.read(call);
  if (const auto size = asked.by_spec(find_remotes(self), self.handle)) {
    return push_answer(L, *size);
  }
  return wait_for(
      call, *self.boards, self.name(), self.handle, 0, push_fetch_size,
      [] { return request::ReadSeason{}; },
      [asked](RemoteCall& pending) {
        pending.number = asked.n;
        pending.fraction = asked.confidence;
      });
}

}  // namespace reads

constexpr std::array kBoardReadMethods = {
    kReadMethod<reads::Size>,
    kReadMethod<reads::Get>,
    kReadMethod<reads::Score>,
    kReadMethod<reads::Rank>,
    kReadMethod<reads::RankOf>,
    kReadMethod<reads::Count>,
    kReadMethod<reads::Percentile>,
    kReadMethod<reads::ScoreAt>,
    kReadMethod<reads::ScoreAtPercentile>,
    kReadMethod<reads::Key>,
    kReadMethod<reads::Lowest>,
    kReadMethod<reads::Layout>,
    BoardMethod{"fetch_size", guarded<read_local<reads::FetchSize>>,
                guarded<reads::remote_fetch_size>},
};

}  // namespace

BoardMethods board_read_methods() { return kBoardReadMethods; }

}  // namespace laurel
