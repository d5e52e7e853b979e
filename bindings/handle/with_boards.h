// with_boards.h - the option { with = { "kills", "deaths" } } of a read.
#pragma once

#include "bindings/handle/read_options.h"
#include "bindings/handle/registry_handle.h"
#include "bindings/values/entry_extras.h"

namespace laurel {

// Checks `with`, if it is given: raises unless it is an array of names of local boards, at most
// kWithBoardsMax. Reads a script's clock if one of the boards follows it, which invalidates all
// references to boards.
void check_given_with(const Call& call, RegistryHandle& boards, const ReadOptions& options);
inline void check_with(const Call& call, RegistryHandle& boards, const ReadOptions& options) {
  if (options.with != 0) check_given_with(call, boards, options);
}

// Copies the names of `with`, if it is given, to the extras. Never raises. REQUIRES: check_with()
// passed, and the array is on the stack.
void copy_with(lua_State* L, const ReadOptions& options, EntryExtras& extras);

}  // namespace laurel
