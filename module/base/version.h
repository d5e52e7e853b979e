// version.h - the library's version, as scripts, hosts and clients see it.
#pragma once

namespace laurel {

inline constexpr const char* kVersion = LAUREL_VERSION;

}  // namespace laurel
