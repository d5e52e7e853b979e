// file_failure.h - the error message for a failed system call on a file.
#pragma once

#include <string_view>

#include "base/result.h"

namespace laurel {

// unavailable: DOING "FILE": the system's message for `error`, an errno value.
Refusal file_failure(std::string_view doing, std::string_view file, int error);

}  // namespace laurel
