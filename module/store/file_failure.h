// file_failure.h - what is said when the system refuses something about a file.
#pragma once

#include <string_view>

#include "base/result.h"

namespace laurel {

// unavailable: DOING "FILE": the system's sentence about the error, which is errno's.
Refusal file_failure(std::string_view doing, std::string_view file, int error);

}  // namespace laurel
