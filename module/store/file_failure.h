// file_failure.h - the error message for a failed system call on a file.
//
//   full     a full disk is called that, also if the call failed with EIO: LMDB reports a write
//            that the system cut short in this way. So is a limit of the process (RLIMIT_FSIZE).
//   limits   of the process are named, so that an operator can raise them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace laurel {

// unavailable: DOING "FILE": the reason for `error`, an errno value.
Refusal file_failure(std::string_view doing, const std::string& file, int error);

}  // namespace laurel
