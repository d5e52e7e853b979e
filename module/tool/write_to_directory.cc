#include "tool/write_to_directory.h"

#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "tool/progress_bar.h"
#include "tool/source.h"

namespace laurel::tool {

namespace {

// What a failed import has made is removed: it changes nothing.
void remove_made(const std::string& directory) {
  std::error_code ignored;
  for (const char* file : {"laurel.mdb", "laurel.mdb-lock", "laurel.lock"}) {
    std::filesystem::remove(std::filesystem::path(directory) / file, ignored);
  }
  std::filesystem::remove(directory, ignored);  // only if it is empty
}

}  // namespace

Status write_to_directory(const std::string& directory, RegistryOptions options,
                          const std::function<Status(Registry&)>& write) {
  std::error_code error;
  const bool existed = std::filesystem::exists(directory, error);
  options.path = directory;
  options.log = tool_log();
  ProgressBar::tell("opening");
  Status written = [&]() -> Status {
    Result<std::unique_ptr<Registry>> registry = Registry::open(std::move(options));
    if (!registry) return registry.refusal();
    ProgressBar::tell("writing");
    Status done = write(**registry);
    Status closed = (*registry)->close();
    return done ? closed : done;
  }();
  if (!written && !existed) remove_made(directory);
  return written;
}

}  // namespace laurel::tool
