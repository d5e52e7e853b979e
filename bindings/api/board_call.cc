#include "bindings/api/board_call.h"

namespace laurel {

Refusal no_other_time(const AnyBoardRef& self) {
  if (self.season == 0) return no_other_engine("a time to read at", "rolling");
  return {Code::unsupported, "season {} has ended: only the running season takes 'at'",
          self.season};
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
