#include "bindings/remote/remote_call.h"

#include <algorithm>
#include <new>

#include "bindings/lua/task_line.h"
#include "remote/remote_players.h"

namespace laurel {

void push_remote_board(lua_State* L, RegistryHandle& boards, BoardHandle handle,
                       std::uint64_t season, std::string_view name) {
  void* memory =
      push_userdata_of_module(L, Type::remote_board, sizeof(RemoteBoardRef) + name.size());
  auto* board = new (memory) RemoteBoardRef(boards, handle, season, name.size());
  std::copy_n(name.data(), name.size(), reinterpret_cast<char*>(board + 1));
  lua_insert(L, -2);
  set_environment_of(L, -2);
}

RemoteBoards* find_remotes(const AnyBoardRef& self) {
  if (!self.boards->open()) return nullptr;
  RemoteBoards* const remotes = RemoteBoards::of(*self.boards->registry);
  return remotes != nullptr && remotes->name(self.handle) != nullptr ? remotes : nullptr;
}

RemoteBoards& remotes_of(const Call& call, const AnyBoardRef& self) {
  registry_of(call, *self.boards);
  RemoteBoards* const remotes = find_remotes(self);
  if (remotes == nullptr) raise_dropped(call.L, self.name());
  return *remotes;
}

void check_exists(const Call& call, const AnyBoardRef& self) {
  if (is_remote(self)) {
    remotes_of(call, self);
  } else {
    board_of(call, static_cast<const BoardRef&>(self));
  }
}

const RemoteBoardRef& remote_self(const Call& call) {
  const auto& self = self_of<RemoteBoardRef>(call);
  remotes_of(call, self);
  if (self.boards->clock != nullptr) {
    ask_clock(call.L, *self.boards);
    remotes_of(call, self);
  }
  return self;
}

ScoreColumns::Ptr columns_of(const AnyBoardRef& self) {
  const RemoteBoards* const remotes = find_remotes(self);
  return remotes == nullptr ? nullptr : remotes->columns(self.handle);
}

RemoteCall::RemoteCall(RegistryHandle& boards, BoardHandle board, std::uint64_t season,
                       Push push_value, Request what)
    : boards_(&boards),
      owner_(boards.callbacks),
      log_(boards.registry->log()),
      board_(board),
      season_(season),
      push_(push_value),
      what_(std::move(what)) {}

RemoteCall::~RemoteCall() {
  RemoteBoards* const remotes = ask_ || names_ != 0 ? find() : nullptr;
  if (remotes == nullptr) return;
  if (ask_) remotes->cancel(*ask_);
  remotes->cancel_names(names_);
}

RemoteBoards* RemoteCall::find() const {
  if (owner_->userdata == nullptr || !boards_->open()) return nullptr;
  return RemoteBoards::of(*boards_->registry);
}

void RemoteCall::begin(const std::shared_ptr<Tasks>& tasks, TaskId task) {
  RemoteBoards* const remotes = find();
  if (remotes == nullptr) {  // a finalizer has closed the boards
    tasks->abandon(task);
    return;
  }
  RemoteBoards::Completion done =
      [this, line = std::make_shared<TaskLine>(tasks, task)](Result<Value> value) {
        const std::shared_ptr<TaskLine> kept = line;  // this function may be destroyed meanwhile
        if (kept->waits() && waits_for_names(value, kept)) return;
        kept->answer([&] {
          ask_.reset();
          value_ = std::move(value);
        });
      };
  if (is_of_players(what_)) {
    ask_ = remotes->players()->ask(std::move(what_), std::move(done));
  } else if (std::holds_alternative<request::ReadCopy>(what_)) {
    ask_ = remotes->ask_copy(text, time, season_, std::move(done));
  } else {
    ask_ = remotes->ask(board_, season_, std::move(what_), std::move(done));
  }
}

bool RemoteCall::waits_for_names(Result<Value>& value, const std::shared_ptr<TaskLine>& line) {
  RemoteBoards* const remotes = find();
  const auto* const listed = value ? std::get_if<Listed>(&*value) : nullptr;
  if (remotes == nullptr || listed == nullptr) return false;
  names_ = remotes->wait_for_names(listed->entries, [this, line] {
    const std::shared_ptr<TaskLine> kept = line;
    kept->answer([this] { names_ = 0; });
  });
  if (names_ == 0) return false;
  ask_.reset();
  value_ = std::move(value);
  return true;
}

const ScoreColumns::Ptr& RemoteCall::keep_columns() {
  const RemoteBoards* const remotes = find();
  extras.columns = remotes == nullptr ? nullptr : remotes->columns(board_);
  return extras.columns;
}

const EntryExtras& RemoteCall::carry_extras(const Entries& entries) {
  keep_columns();
  if (owner_->userdata != nullptr && boards_->open()) extras.read(*boards_->registry, entries);
  return extras;
}

int RemoteCall::push(lua_State* L) {
  if (!*value_ && absent_is_nil && value_->refusal().code() == Code::unknown) {
    lua_pushnil(L);
    return 1;
  }
  if (!*value_) return refuse(L, value_->refusal());
  return push_(L, *this);
}

int push_bool_answer(lua_State* L, RemoteCall& pending) {
  lua_pushboolean(L, pending.answer<bool>());
  return 1;
}

}  // namespace laurel
