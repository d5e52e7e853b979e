#include "store/file_failure.h"

#include <cstring>

#include "base/text.h"

namespace laurel {

Refusal file_failure(std::string_view doing, std::string_view file, int error) {
  return {Code::unavailable, "{} \"{}\": {}", doing, escaped(file, 120), std::strerror(error)};
}

}  // namespace laurel
