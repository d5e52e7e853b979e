// board: reading lists of entries.
#include <array>
#include <cstdint>

#include "bindings/api/board_call.h"
#include "bindings/values/read_score_range.h"

namespace laurel {

namespace {

namespace lists {

// The answer of a remote.
struct ListAnswer {
  static EntryList answer(RemoteCall& pending) { return {&pending.answer<Listed>().entries}; }
};

// board:top(n [, options]) -> entries [, whether that is certain] | nil, reason
struct Top {
  static constexpr FunctionName kName = "top";
  std::size_t n = 0;
  ReadOptions options;

  Status read(const Call& call) {
    n = call.count(1);
    return read_top_options(call, options);
  }
  Result<EntryList> local(const Standings& board, CallBuffers& buffers) const {
    if (!options.confidence) {
      board.read(0, n, buffers.entries);
      return list_of(board, buffers);
    }
    const Result<bool> certain = board.top_once(n, *options.confidence, buffers.entries);
    if (!certain) return certain.refusal();
    EntryList list = list_of(board, buffers);
    list.certain = *certain;
    return list;
  }
  Request remote() const {
    if (options.confidence) return request::TopOnce{n, *options.confidence};
    return request::Page{0, n};
  }
  static EntryList answer(RemoteCall& pending) {
    const auto& listed = pending.answer<Listed>();
    if (!pending.with_confidence) return {&listed.entries};
    return {&listed.entries, listed.certain};
  }
};

// board:bottom(n [, options]) -> entries, worst first
struct Bottom : ListAnswer {
  static constexpr FunctionName kName = "bottom";
  std::size_t n = 0;
  ReadOptions options;

  void read(const Call& call) {
    n = call.count(1);
    options = with_option(call, 2);
  }
  EntryList local(const Standings& board, CallBuffers& buffers) const {
    board.bottom(n, buffers.entries);
    return list_of(board, buffers);
  }
  request::Bottom remote() const { return {n}; }
};

// board:page(first, n [, options]) -> entries | nil, reason
struct Page : ListAnswer {
  static constexpr FunctionName kName = "page";
  std::size_t first = 0;
  std::size_t n = 0;
  ReadOptions options;

  void read(const Call& call) {
    first = call.position(1) - 1;
    n = call.count(2);
    options = list_options(call, 3);
  }
  EntryList local(const Standings& board, CallBuffers& buffers) const {
    if (first < board.size()) board.read(first, n, buffers.entries);
    return list_of(board, buffers);
  }
  request::Page remote() const { return {first, n}; }
};

// board:around(player, n [, options]) -> entries; n = 0: the player alone
struct Around : PlayerArgument, ListAnswer {
  static constexpr FunctionName kName = "around";
  std::optional<std::size_t> n;
  ReadOptions options;

  void read(const Call& call) {
    player = call.string(1);
    n = call.count_from_zero(2);
    options = entry_options(call, 3);
  }
  EntryList local(const Standings& board, CallBuffers& buffers) const {
    if (n) board.around(player, *n, buffers.entries);
    return list_of(board, buffers);
  }
  Request remote() const {
    if (n) return request::Around{std::string(player), *n};
    return request::Page{0, 0};
  }
};

// board:between(low, high [, limit]) -> entries | nil, reason
struct Between : ListAnswer {
  static constexpr FunctionName kName = "between";
  ScoreRange range;
  std::size_t limit = SIZE_MAX;

  Status read(const Call& call) {
    const Status valid = read_score_range(call, 1, 2, range);
    if (!call.absent(3)) limit = call.count(3);
    return valid;
  }
  EntryList local(const Standings& board, CallBuffers& buffers) const {
    board.between(range, limit, buffers.entries);
    return list_of(board, buffers);
  }
  request::Between remote() const { return {range, limit}; }
};

// board:top_percent(p [, options]) -> entries | nil, reason
struct TopPercent : ListAnswer {
  static constexpr FunctionName kName = "top_percent";
  double p = 0;
  ReadOptions options;

  void read(const Call& call) {
    p = call.number(1);
    options = with_option(call, 2);
  }
  Result<EntryList> local(const Standings& board, CallBuffers& buffers) const {
    const Status valid = board.top_percent(p, SIZE_MAX, buffers.entries);
    if (!valid) return valid.refusal();
    return list_of(board, buffers);
  }
  request::TopPercent remote() const { return {p}; }
};

// board:around_score(score, n [, options]) -> entries, rank | nil, reason
struct AroundScore {
  static constexpr FunctionName kName = "around_score";
  double score = 0;
  std::size_t n = 0;
  ReadOptions options;

  Status read(const Call& call) {
    Submission given;
    ColumnValues values;
    read_score(call, 1, given, values);
    n = call.count(2);
    options = with_option(call, 3);
    return whole_score(call, given, values, score);
  }
  Result<RankedList> local(const Standings& board, CallBuffers& buffers) const {
    const auto rank = board.around_score(score, n, buffers.entries);
    if (!rank) return rank.refusal();
    return RankedList{list_of(board, buffers), *rank};
  }
  request::AroundScore remote() const { return {score, n}; }
  static RankedList answer(RemoteCall& pending) {
    const auto& listed = pending.answer<Listed>();
    return {{&listed.entries}, listed.rank};
  }
};

// ---- board:among(players [, options]) -> entries with overall

// Borrows buffers and reads the players into their views, which are valid while no Lua code runs.
template <typename Holder>
CallBuffers& borrow_players(const Call& call, RegistryHandle& boards, Holder& holder) {
  CallBuffers& buffers = borrow_buffers(call, holder);
  if (const int wrong = call.read_strings(1, buffers.views)) {
    boards.buffers.give_back(buffers);
    call.raise_item(1, wrong);
  }
  return buffers;
}

int local_among(lua_State* L) {
  const Call call{L, "among"};
  const BoardRef& self = board_self(call);
  call.strings(1);
  const ReadOptions options = with_option(call, 2);
  check_with(call, *self.boards, options);
  CallBuffers& buffers = borrow_players(call, *self.boards, self);
  const Standings& board = standings_of(call, self, buffers);
  board.among(buffers.views, buffers.entries);
  const EntryList list = list_of(board, buffers);
  carry_extras(L, *self.boards, options, buffers);
  const int answers = push_answer(L, list);
  self.boards->buffers.give_back(buffers);
  return answers;
}

int remote_among(lua_State* L) {
  const Call call{L, "among"};
  const RemoteBoardRef& self = remote_self(call);
  call.strings(1);
  const ReadOptions options = with_option(call, 2);
  check_with(call, *self.boards, options);
  if (const Status may = may_wait(call, self); !may) return refuse(L, may.refusal());
  CallBuffers& buffers = borrow_players(call, *self.boards, *self.boards);
  return wait_for(
      call, self, push_remote_answer<ListAnswer>,
      [&self, &buffers] {
        request::Among among;
        among.players.assign(buffers.views.begin(), buffers.views.end());
        self.boards->buffers.give_back(buffers);
        return among;
      },
      [L, &options](RemoteCall& pending) { copy_with(L, options, pending.extras); });
}

}  // namespace lists

constexpr std::array kBoardListMethods = {
    kReadMethod<lists::Top>,
    kReadMethod<lists::Bottom>,
    kReadMethod<lists::Page>,
    kReadMethod<lists::Around>,
    kReadMethod<lists::Between>,
    kReadMethod<lists::TopPercent>,
    kReadMethod<lists::AroundScore>,
    BoardMethod{"among", guarded<lists::local_among>, guarded<lists::remote_among>},
};

}  // namespace

BoardMethods board_list_methods() { return kBoardListMethods; }

}  // namespace laurel
