#include "bindings/remote/remote_archive.h"

#include <string>

namespace laurel {

namespace {

// Opens the copy. Returns false if it cannot be read; then the wait's text is the reason.
bool open_copy(RemoteCall& pending, BoardHandle& copy) {
  RemoteBoards& remotes = *RemoteBoards::of(*pending.boards().registry);
  const Result<BoardHandle> opened = remotes.open_copy(pending.text, pending.time, pending.season(),
                                                       pending.answer<KeptSpec>().spec);
  if (!opened) {
    pending.text = opened.refusal().text();
    return false;
  }
  copy = *opened;
  return true;
}

int push_copy(lua_State* L, RemoteCall& pending) {
  if (!pending.answer<KeptSpec>().exists) {
    lua_pushnil(L);
    return 1;
  }
  BoardHandle copy;
  if (!open_copy(pending, copy)) {
    lua_pushnil(L);
    push(L, pending.text);
    return 2;
  }
  push_environment(L, *pending.owner());
  push_remote_board(L, pending.boards(), copy, pending.season(), pending.text);
  return 1;
}

}  // namespace

bool may_be_archived(const RegistryHandle& boards, const Board& board, std::uint64_t season) {
  const RemoteBoards* const remotes = RemoteBoards::of(*boards.registry);
  return remotes != nullptr && remotes->copies_seasons() && season >= 1 &&
         season < board.season().number && board.archived(season) == nullptr;
}

int request_archived(const Call& call, const BoardRef& self, std::uint64_t season, Time created) {
  return wait_for(
      call, *self.boards, self.name(), BoardHandle(), season, push_copy,
      [] { return request::ReadCopy{}; },
      [&self, created](RemoteCall& pending) {
        pending.text = self.name();
        pending.time = created;
      });
}

bool redirect_to_source_board(const Call& call, const RemoteBoardRef& self) {
  const RemoteBoards& remotes = remotes_of(call, self);
  if (!remotes.is_copy(self.handle)) return false;
  const std::optional<BoardHandle> board = remotes.copied(self.handle);
  if (!board) raise_dropped(call.L, self.name());
  push_board(call.L, *self.boards, *board, 0, self.name());
  lua_replace(call.L, 1);
  return true;
}

}  // namespace laurel
