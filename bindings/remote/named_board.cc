#include "bindings/remote/named_board.h"

#include "base/text.h"

namespace laurel {

namespace {

const AnyBoardRef* find_board(lua_State* L, int index) {
  if (const auto* local = find_userdata<BoardRef>(L, index)) return local;
  return find_userdata<RemoteBoardRef>(L, index);
}

}  // namespace

Result<NamedBoard> named_board(const Call& call, int argument, const RegistryHandle& boards,
                               TakesSegments segments) {
  const Registry& registry = registry_of(call, boards);
  if (const AnyBoardRef* const board = find_board(call.L, call.index(argument))) {
    if (board->boards->registry != boards.registry) {
      call.bad(argument, "a board of the same registry expected");
    }
    check_exists(call, *board);
    const bool is_segment = board->season == kSegment;
    if (is_segment && segments == TakesSegments::yes) {
      return NamedBoard{board->handle, false, board->name(), board};
    }
    if (board->season != 0) return read_only(*board);
    return NamedBoard{board->handle, is_remote(*board), board->name()};
  }
  if (lua_type(call.L, call.index(argument)) != LUA_TSTRING) {
    call.wrong_type(argument, "board or its name");
  }
  const std::string_view name = call.string(argument);
  const RemoteBoards* const remotes = RemoteBoards::of(registry);
  if (const auto remote = remotes != nullptr ? remotes->find(name) : std::nullopt) {
    return NamedBoard{*remote, true, name};
  }
  if (const auto local = registry.find(name)) return NamedBoard{*local, false, name};
  return Refusal(Code::unknown, "no board is called \"{}\"", escaped(name, 64));
}

}  // namespace laurel
