// board_call.h - a method of a board, defined once for local and for remote boards.
//
//   call     a struct; its fields are the arguments. It owns nothing, since Lua errors skip it.
//              kName                          as scripts call it
//              read(call)                     reads the arguments: raises for a wrong type, and
//                                             may return a refusal of a wrong value
//              local(board [, buffers])       what a local board answers, in call buffers if it
//                                             needs memory
//              remote()                       the request for the same to a remote board
//              answer(pending)                the answer of the remote, if its type is another
//            `board` is Standings& if the method reads, Board& if it writes. Without arguments
//            there is no read().
//   options  a field of this name holds the options of a read, { at = time } among them: then
//            `board` may be that of a later time. With { with = names } the entries of the answer
//            carry more.
//   kOfBoard true: the method is of the board itself, also if the handle is of a past season.
//   kExtra   what only one engine has, so that no remote answers it.
//   answers  push_answer.h pushes them.
//   methods  kReadMethod<Call> and kWriteMethod<Call> are rows of a table of methods. A method of
//            another kind is a row with two functions.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "bindings/handle/methods.h"
#include "bindings/handle/read_options.h"
#include "bindings/handle/registry_handle.h"
#include "bindings/handle/with_boards.h"
#include "bindings/remote/remote_archive.h"
#include "bindings/remote/remote_call.h"
#include "bindings/values/push_answer.h"

namespace laurel {

// ---- arguments that many calls have

struct PlayerArgument {
  std::string_view player;

  void read(const Call& call) { player = call.string(1); }
};

// Reads the arguments of a call, if it has any.
template <typename What>
Status read_arguments(const Call& call, What& what) {
  static_assert(std::is_trivially_destructible_v<What>, "a Lua error skips destructors");
  if constexpr (requires {
                  { what.read(call) } -> std::same_as<Status>;
                }) {
    return what.read(call);
  } else if constexpr (requires { what.read(call); }) {
    what.read(call);
  }
  return Done{};
}

template <typename What>
inline constexpr bool kHasOptions = requires(What what) {
  what.options;
};
template <typename What>
inline constexpr bool kIsOfBoard = requires {
  requires What::kOfBoard;
};
// Whether local() wants call buffers.
template <typename What>
inline constexpr bool kIsBuffered = requires(What what, Board& board, CallBuffers& buffers) {
  what.local(board, buffers);
};

// ---- local boards

// The refusal of the option `at`.
Refusal no_other_time(const AnyBoardRef& self);

// Asks what the handle reads, or its board as of a later time.
template <typename What, typename... Buffers>
auto ask_local(const What& what, const BoardRef& self, const Standings& now, Buffers&... buffers) {
  if constexpr (kIsOfBoard<What>) {
    return what.local(static_cast<const Board&>(now), buffers...);
  } else if constexpr (!kHasOptions<What>) {
    return what.local(now, buffers...);
  } else {
    using Asked = Result<decltype(what.local(now, buffers...))>;
    if (!what.options.at) return Asked(what.local(now, buffers...));
    if (self.season != 0) return Asked(no_other_time(self));
    const auto then = static_cast<const Board&>(now).at(*what.options.at);
    if (!then) return Asked(then.refusal());
    return Asked(what.local(**then, buffers...));
  }
}

template <typename Answer>
int answer_with(lua_State* L, const Answer& answer) {
  static_assert(std::is_trivially_destructible_v<Answer>, "pushing it may raise");
  return push_answer(L, answer);
}

template <typename What>
const Standings& source_of(const Call& call, const BoardRef& self, CallBuffers& buffers) {
  if constexpr (kIsOfBoard<What>) return board_of(call, self);
  return standings_of(call, self, buffers);
}

// Adds to the entries in the buffers what their board does not know. They may be none.
void carry_extras(lua_State* L, const RegistryHandle& boards, const ReadOptions& options,
                  CallBuffers& buffers);
// Gives the entries in the buffers the ranks that their players have on the whole board.
void rank_overall(const BoardRef& self, CallBuffers& buffers);
// As above, of entries of a whole board.
void rank_overall(Entries& entries);
// The options of a call, or none.
template <typename What>
ReadOptions options_of(const What& what) {
  if constexpr (kHasOptions<What>) {
    return what.options;
  } else {
    return {};
  }
}

template <typename What>
int read_local(lua_State* L) {
  Call call{L, What::kName.text};
  const auto& self = self_of<BoardRef>(call);
  const Standings& standings = resolve_standings(call, self);
  call.columns = standings.columns().get();
  What what;
  if (const Status read = read_arguments(call, what); !read) return refuse(L, read.refusal());
  check_with(call, *self.boards, options_of(what));
  if constexpr (kIsBuffered<What>) {
    CallBuffers& buffers = borrow_buffers(call, self);
    const auto answer = ask_local(what, self, source_of<What>(call, self, buffers), buffers);
    if (options_of(what).overall) rank_overall(self, buffers);
    carry_extras(L, *self.boards, options_of(what), buffers);
    const int answers = answer_with(L, answer);
    self.boards->buffers.give_back(buffers);
    return answers;
  } else {
    if constexpr (kHasOptions<What>) {
      if (what.options.given) {
        return answer_with(L, ask_local(what, self, standings_of(call, self)));
      }
    }
    return answer_with(L, what.local(standings));
  }
}

template <typename Answer>
inline constexpr bool kIsOutcome = std::is_same_v<Answer, const Result<Outcome>>;

// The answer of a write, before Lua code may run.
template <typename Answer>
[[gnu::always_inline]] inline int answer_write(const Call& call, const BoardRef& self,
                                               Answer& answer) {
  if constexpr (kIsOutcome<Answer>) {
    if (call.columns != nullptr) {
      const Result<ColumnOutcome> shown = in_columns(*call.columns, answer);
      flush_log(call.L, *self.boards);
      return answer_with(call.L, shown);
    }
  }
  flush_log(call.L, *self.boards);
  return answer_with(call.L, answer);
}

template <typename What>
int write_local(const Call& called, const BoardRef& self) {
  Board& board = resolve_board(called, self);
  const Call call{called.L, called.name, called.self, board.columns().get()};
  What what;
  if (const Status read = read_arguments(call, what); !read) return refuse(call.L, read.refusal());
  if constexpr (kIsBuffered<What>) {
    CallBuffers& buffers = borrow_buffers(call, self);
    const auto answer = what.local(board_of(call, self), buffers);
    flush_log(call.L, *self.boards);
    const int answers = answer_with(call.L, answer);
    self.boards->buffers.give_back(buffers);
    return answers;
  } else {
    const auto answer = what.local(board);
    return answer_write(call, self, answer);
  }
}

// ---- remote boards

// What one engine has, which no remote answers: "score to beat", "capped".
struct Extra {
  const char* what;
  const char* engine;
};
Refusal not_remote(const Call& call, const RemoteBoardRef& self, const Extra& extra);

// Result<T>: T; other types as they are.
template <typename T>
struct ValueOf {
  using Type = T;
};
template <typename T>
struct ValueOf<Result<T>> {
  using Type = T;
};
template <typename What>
using LocalAnswer =
    typename ValueOf<decltype(std::declval<const What&>().local(std::declval<Board&>()))>::Type;

template <typename What>
int push_remote_answer(lua_State* L, RemoteCall& pending) {
  if constexpr (kHasOptions<What>) {
    if (pending.with_overall) rank_overall(pending.answer<Listed>().entries);
  }
  if constexpr (requires { What::answer(pending).extras; }) {
    auto answer = What::answer(pending);
    answer.extras = &pending.carry_extras(*answer.entries);
    return answer_with(L, answer);
  } else if constexpr (requires { What::answer(pending); }) {
    const auto answer = What::answer(pending);
    if constexpr (std::is_same_v<decltype(answer), const Outcome>) {
      if (const ScoreColumns::Ptr& columns = pending.keep_columns()) {
        return answer_with(L, in_columns(*columns, answer));
      }
    }
    return answer_with(L, answer);
  } else {
    return answer_with(L, pending.answer<LocalAnswer<What>>());
  }
}

// Sends the request for a season of the board, or for the running one: 0.
template <typename What>
int ask_remote(const Call& called, const RemoteBoardRef& self, std::uint64_t season) {
  Call call = called;
  // The board's spec keeps them, while no Lua code runs.
  call.columns = columns_of(self).get();
  What what;
  if (const Status read = read_arguments(call, what); !read) return refuse(call.L, read.refusal());
  if constexpr (kHasOptions<What>) {
    if (what.options.at) return refuse(call.L, no_other_time(self));
    check_with(call, *self.boards, what.options);
  }
  return wait_for(
      call, *self.boards, self.name(), self.handle, season, push_remote_answer<What>,
      [&what] { return what.remote(); },
      [&](RemoteCall& pending) {
        if constexpr (kHasOptions<What>) {
          pending.with_confidence = what.options.confidence.has_value();
          pending.with_overall = what.options.overall;
          copy_with(call.L, what.options, pending.extras);
        }
      });
}

template <typename What>
int read_remote(lua_State* L) {
  const Call call{L, What::kName.text};
  const RemoteBoardRef& self = remote_self(call);
  if constexpr (requires { What::kExtra; }) {
    return refuse(L, not_remote(call, self, What::kExtra));
  } else if constexpr (kIsOfBoard<What>) {
    if (redirect_to_source_board(call, self)) return read_local<What>(L);
    return ask_remote<What>(call, self, 0);
  } else {
    return ask_remote<What>(call, self, self.season);
  }
}

template <typename What>
int write_remote(const Call& call, const RemoteBoardRef& self) {
  return ask_remote<What>(call, self, 0);
}

// ---- rows of a table of methods

template <typename What>
inline constexpr BoardMethod kReadMethod = {What::kName.text, guarded<read_local<What>>,
                                            guarded<read_remote<What>>};

template <FunctionName name, int (*local)(const Call&, const BoardRef&),
          int (*remote)(const Call&, const RemoteBoardRef&)>
inline constexpr BoardMethod kWriteMethodBy = {name.text, guarded<write_method<name, local>>,
                                               guarded<remote_write_method<name, remote>>};
template <typename What>
inline constexpr BoardMethod kWriteMethod =
    kWriteMethodBy<What::kName, write_local<What>, write_remote<What>>;

}  // namespace laurel
