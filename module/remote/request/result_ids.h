// result_ids.h - ids of results, which count once: remote boards keep none.
#pragma once

#include "base/result.h"
#include "board/standings/change.h"

namespace laurel {

// Whether a remote board takes the submission; fails with unsupported.
inline Status allow_remote(const Submission& submission) {
  if (!submission.id) return Done{};
  return Refusal(Code::unsupported,
                 "a remote board keeps no ids of results: only a local one does; post counts once");
}

}  // namespace laurel
