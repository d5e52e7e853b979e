#include "bindings/archived_there.h"

#include <string>

namespace laurel {

namespace {

// Opens the copy. Returns false if it cannot be read; then the wait's text is the reason.
bool open_copy(RemoteWait& wait, BoardHandle& copy) {
  RemoteBoards& remotes = *RemoteBoards::of(*wait.box().registry);
  const Result<BoardHandle> opened =
      remotes.open_copy(wait.text, wait.time, wait.season(), wait.answer<KeptSpec>().spec);
  if (!opened) {
    wait.text = opened.refusal().text();
    return false;
  }
  copy = *opened;
  return true;
}

int push_copy(lua_State* L, RemoteWait& wait) {
  if (!wait.answer<KeptSpec>().exists) {
    lua_pushnil(L);
    return 1;
  }
  BoardHandle copy;
  if (!open_copy(wait, copy)) {
    lua_pushnil(L);
    push(L, wait.text);
    return 2;
  }
  push_environment(L, *wait.owner());
  push_remote_board(L, wait.box(), copy, wait.season(), wait.text);
  return 1;
}

}  // namespace

bool may_be_there(const BoardsBox& box, const Board& board, std::uint64_t season) {
  const RemoteBoards* const remotes = RemoteBoards::of(*box.registry);
  return remotes != nullptr && remotes->copies_seasons() && season >= 1 &&
         season < board.season().number && board.archived(season) == nullptr;
}

int archived_there(const Call& call, const BoardRef& self, std::uint64_t season, Time created) {
  return wait_for(
      call, *self.box, self.name(), BoardHandle(), season, push_copy,
      [] { return request::ReadCopy{}; },
      [&self, created](RemoteWait& wait) {
        wait.text = self.name();
        wait.time = created;
      });
}

bool is_archived_there(const Call& call, const RemoteBoardRef& self) {
  const RemoteBoards& remotes = remotes_of(call, self);
  if (!remotes.is_copy(self.handle)) return false;
  const std::optional<BoardHandle> board = remotes.copied(self.handle);
  if (!board) raise_dropped(call.L, self.name());
  push_board(call.L, *self.box, *board, 0, self.name());
  lua_replace(call.L, 1);
  return true;
}

}  // namespace laurel
