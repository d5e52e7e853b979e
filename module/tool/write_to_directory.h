// write_to_directory.h - opens a directory to write boards to it.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "registry/registry.h"

namespace laurel::tool {

// Opens the directory with these options, writes, and closes it; all is on disk then. If that
// fails, a directory that did not exist is removed again.
// Fails as Registry::open does, with taken if a process has it open, and as `write` does.
Status write_to_directory(const std::string& directory, RegistryOptions options,
                          const std::function<Status(Registry&)>& write);

}  // namespace laurel::tool
