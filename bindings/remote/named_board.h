// named_board.h - the argument of a call that takes a board or its name.
#pragma once

#include "bindings/remote/remote_call.h"

namespace laurel {

struct NamedBoard {
  BoardHandle handle;
  bool remote = false;
  std::string_view name = {};
  const AnyBoardRef* segment = nullptr;  // the handle, if it reads a segment or cohort
};

// Raises unless the argument is a string or a board of this registry, and `dropped` if that board
// was dropped. Refuses a name that no board has as `unknown`, a past season as `closed`, and a
// segment or cohort, unless the call takes them, as `unsupported`.
enum class TakesSegments : bool { no, yes };
Result<NamedBoard> named_board(const Call& call, int argument, const RegistryHandle& boards,
                               TakesSegments segments = TakesSegments::no);

}  // namespace laurel
