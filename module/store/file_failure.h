// file_failure.h - the error message for a failed system call on a file.
//
//   full     the message says that the disk is full also if the call failed with EIO, because LMDB
//            reports EIO for a write that the system cut short. It says the same of RLIMIT_FSIZE.
//   limits   the message names a limit of the process, so that an operator can raise it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace laurel {

// unavailable: DOING "FILE": the reason for `error`, an errno value.
Refusal file_failure(std::string_view doing, const std::string& file, int error);

}  // namespace laurel
