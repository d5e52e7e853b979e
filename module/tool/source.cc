#include "tool/source.h"

#include <vector>

#include "base/text.h"
#include "tool/progress_bar.h"

namespace laurel::tool {

Log tool_log() {
  return Log([](Level level, std::string_view line) {
    if (level == Level::warn || level == Level::error) log_to_stderr(level, line);
  });
}

Result<Source> Source::open(const std::string& directory) {
  ProgressBar::tell("reading");
  Result<std::unique_ptr<ReadOnlyStore>> store =
      ReadOnlyStore::open(directory, [](std::uint64_t) { ProgressBar::tell("checking"); });
  if (!store) return store.refusal();
  ProgressBar::tell("loading");
  ReadOnlyStore* const kept = store->get();
  RegistryOptions options;
  options.log = tool_log();
  Result<std::unique_ptr<Registry>> registry =
      Registry::open(std::move(options), std::move(*store));
  if (!registry) {
    return Refusal(registry.refusal().code(), "\"{}\": {}", escaped(directory, 120),
                   registry.refusal().message());
  }
  return Source(std::move(*registry), kept);
}

Result<Board*> Source::board(std::string_view name) {
  if (const std::optional<BoardHandle> found = registry_->find(name)) {
    return registry_->get(*found);
  }
  bool is_remote = false;
  registry_->remote_rows(kRemoteBoardsPrefix).each([&](std::string_view key, std::string_view) {
    is_remote = is_remote || key == name;
  });
  if (is_remote) {
    return Refusal(Code::unavailable,
                   "board \"{}\" is remote: its entries are not in this directory",
                   escaped(name, 64));
  }
  const std::vector<std::string> names = registry_->names();
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string_view similar = nearest(name, candidates);
  if (similar.empty()) {
    return Refusal(Code::unknown, "no board is called \"{}\"", escaped(name, 64));
  }
  return Refusal(Code::unknown, "no board is called \"{}\"; one is called \"{}\"",
                 escaped(name, 64), escaped(similar, 64));
}

Result<Source::Chosen> Source::choose(std::string_view name, std::optional<std::uint64_t> season) {
  const Result<Board*> found = board(name);
  if (!found) return found.refusal();
  Board* const board = *found;
  if (!season || *season == board->season().number) return Chosen{board, nullptr};
  if (const ArchivedSeason* const past = board->archived(*season)) return Chosen{board, past};
  std::string kept;
  for (const std::uint64_t number : board->seasons()) {
    kept += (kept.empty() ? "" : ", ") + std::to_string(number);
  }
  return Refusal(Code::unknown, "board \"{}\" keeps no season {}; it keeps {}", escaped(name, 64),
                 *season, kept);
}

}  // namespace laurel::tool
