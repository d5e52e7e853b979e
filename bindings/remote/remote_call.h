// remote_call.h - the handle of a remote board that a script holds, and how a call on it waits.
//
//   call     reads its arguments as a local board does, sends a request and suspends the task
//            (tasks.h). The answer is pushed as a local board pushes it, or as nil, reason.
//   handle   a handle of RemoteBoards. Using it stays safe after its board was dropped, its
//            registry closed, or its handle collected: the call raises.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <lua.hpp>

#include "bindings/handle/registry_handle.h"
#include "bindings/lua/task_line.h"
#include "bindings/lua/tasks.h"
#include "remote/remote_boards.h"

namespace laurel {

struct RemoteBoardRef : AnyBoardRef {
  static constexpr Type kType = Type::remote_board;
  RemoteBoardRef(RegistryHandle& boards_in, BoardHandle handle_in, std::uint64_t season_in,
                 std::size_t name_size_in)
      : AnyBoardRef(kType, boards_in, handle_in, season_in, name_size_in) {}
};

// Pushes a remote board, or one of its past seasons. Expects the environment table of its handle on
// top of the stack, and pops it. May raise.
void push_remote_board(lua_State* L, RegistryHandle& boards, BoardHandle handle,
                       std::uint64_t season, std::string_view name);

// Raises `closed` or `dropped` unless the board exists.
RemoteBoards& remotes_of(const Call& call, const AnyBoardRef& self);
inline bool is_remote(const AnyBoardRef& self) { return self.type == Type::remote_board; }
// Raises unless the board of a local or remote handle exists.
void check_exists(const Call& call, const AnyBoardRef& self);
// As remotes_of, but returns null instead of raising.
RemoteBoards* find_remotes(const AnyBoardRef& self);
// Returns the object that a method is called on, after it has read a script's clock. Raises
// `closed` or `dropped`.
const RemoteBoardRef& remote_self(const Call& call);

// The request of one waiting call: to a board, to the players, or to the archive for a season of
// the board with the name `text` and the creation time `time`.
class RemoteCall final : public PendingCall {
 public:
  // Pushes the answer if it is not a refusal. May raise.
  using Push = int (*)(lua_State* L, RemoteCall& pending);

  RemoteCall(RegistryHandle& boards, BoardHandle board, std::uint64_t season, Push push_value,
             Request what);
  ~RemoteCall() override;
  RemoteCall(const RemoteCall&) = delete;
  RemoteCall& operator=(const RemoteCall&) = delete;

  void begin(const std::shared_ptr<Tasks>& tasks, TaskId task) override;
  int push(lua_State* L) override;
  const std::shared_ptr<CallbackOwner>& owner() const override { return owner_; }
  const Log& log() const override { return log_; }

  // ---- for Push

  template <typename T>
  T& answer() {
    return std::get<T>(**value_);
  }
  RegistryHandle& boards() const { return *boards_; }
  BoardHandle board() const { return board_; }
  std::uint64_t season() const { return season_; }
  // Values that the call keeps for Push.
  std::uint64_t number = 0;
  double fraction = 0;
  Time time = 0;
  std::string text;
  void* place = nullptr;         // a userdata that the coroutine's stack holds
  bool absent_is_nil = false;    // a refusal as unknown is answered with nil
  bool with_confidence = false;  // the answer says whether it is certain
  bool with_overall = false;     // entries carry their rank on the whole board
  EntryExtras extras;            // with the boards of the call's options
  // The columns of the board's scores, if they have any. They live as long as the call.
  const ScoreColumns::Ptr& keep_columns();
  // The extras of the answer's entries, as they are now.
  const EntryExtras& carry_extras(const Entries& entries);

 private:
  RemoteBoards* find() const;
  // Whether the answer waits for names of its players. It is kept then, and the task continues
  // later.
  bool waits_for_names(Result<Value>& value, const std::shared_ptr<TaskLine>& line);

  RegistryHandle* boards_;
  std::shared_ptr<CallbackOwner> owner_;
  Log log_;
  BoardHandle board_;
  std::uint64_t season_;
  Push push_;
  Request what_;
  std::optional<RemoteBoards::CallId> ask_;
  RemoteBoards::NamesWait names_ = 0;
  std::optional<Result<Value>> value_;
};

// The columns of what the handle reads, if its scores have any.
ScoreColumns::Ptr columns_of(const AnyBoardRef& self);

// Checks that the call may wait. Raises outside of tasks, and refuses if too many tasks wait.
inline Status may_wait(const Call& call, const RegistryHandle& boards, std::string_view object) {
  const Tasks* const tasks = boards.callbacks->tasks.get();
  if (tasks == nullptr) raise_closed(call.L);
  tasks->check_task(call, object);
  return tasks->check_waiting();
}
inline Status may_wait(const Call& call, const RemoteBoardRef& self) {
  return may_wait(call, *self.boards, self.name());
}

// Sends the request that make() returns and waits for the answer; `more` may set values of the
// wait. Raises outside of tasks. Expects the object of the call at index 1.
template <typename Make, typename More>
int wait_for(const Call& call, RegistryHandle& boards, std::string_view object, BoardHandle board,
             std::uint64_t season, RemoteCall::Push push, Make make, More more) {
  if (const Status may = may_wait(call, boards, object); !may) return refuse(call.L, may.refusal());
  Tasks* const tasks = boards.callbacks->tasks.get();
  {
    auto pending = std::make_unique<RemoteCall>(boards, board, season, push, Request(make()));
    more(*pending);
    tasks->prepare(std::move(pending));
  }
  return tasks->yield_task(call);
}

template <typename Make, typename More>
int wait_for(const Call& call, const RemoteBoardRef& self, RemoteCall::Push push, Make make,
             More more) {
  return wait_for(call, *self.boards, self.name(), self.handle, self.season, push, make, more);
}

template <typename Make>
int wait_for(const Call& call, const RemoteBoardRef& self, RemoteCall::Push push, Make make) {
  return wait_for(call, self, push, make, [](RemoteCall&) {});
}

// Wraps a method that writes. Refuses on a past season.
template <FunctionName name, int (*F)(const Call& call, const RemoteBoardRef& self)>
int remote_write_method(lua_State* L) {
  const Call call{L, name.text};
  const RemoteBoardRef& self = remote_self(call);
  if (self.season != 0) return refuse(L, read_only(self));
  ++self.boards->remote_writes;
  return F(call, self);
}

// ---- answers shared by many calls

int push_bool_answer(lua_State* L, RemoteCall& pending);

}  // namespace laurel
