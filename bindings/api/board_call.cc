#include "bindings/api/board_call.h"

#include "board/segments/board_cohorts.h"

namespace laurel {

Refusal no_other_time(const AnyBoardRef& self) {
  if (!self.is_past()) return no_other_engine("a time to read at", "rolling");
  return {Code::unsupported, "season {} has ended: only the running season takes 'at'",
          self.season};
}

void rank_overall(const BoardRef& self, CallBuffers& buffers) {
  const Board* const board = self.boards->registry->get(self.handle);
  if (self.cohort != 0 && board != nullptr) {
    const auto cohorts = board->cohorts(self.is_past() ? self.season : 0);
    if (cohorts) (*cohorts)->rank_overall(buffers.entries);
  } else if (self.season == kSegment && board != nullptr) {
    board->rank_overall(buffers.entries);
  } else {
    rank_overall(buffers.entries);
  }
}

void rank_overall(Entries& entries) {
  for (Entry& entry : entries) entry.overall = entry.rank;
}

void carry_extras(lua_State* L, const RegistryHandle& boards, const ReadOptions& options,
                  CallBuffers& buffers) {
  if (buffers.entries.empty()) return;
  copy_with(L, options, buffers.extras);
  buffers.extras.read(*boards.registry, buffers.entries);
}

Refusal not_remote(const Call& call, const RemoteBoardRef& self, const Extra& extra) {
  if (remotes_of(call, self).is_copy(self.handle)) {
    return {Code::unsupported, "the {} is not kept in the archive", extra.what};
  }
  return no_other_engine(fmt::format("a {}", extra.what), extra.engine);
}

}  // namespace laurel
