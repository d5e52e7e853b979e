#include "tool/source.h"

#include <charconv>
#include <utility>
#include <vector>

#include "base/text.h"
#include "board/segments/board_cohorts.h"
#include "control/moderation.h"
#include "tool/progress_bar.h"

namespace laurel::tool {

Log tool_log() {
  return Log([](Level level, std::string_view line) {
    if (level == Level::warn || level == Level::error) log_to_stderr(level, line);
  });
}

Result<Source> Source::open(const std::string& directory, std::unique_ptr<Rules> rules) {
  ProgressBar::tell("reading");
  Result<std::unique_ptr<ReadOnlyStore>> store =
      ReadOnlyStore::open(directory, [](std::uint64_t) { ProgressBar::tell("checking"); });
  if (!store) return store.refusal();
  ProgressBar::tell("loading");
  ReadOnlyStore* const kept = store->get();
  RegistryOptions options;
  options.log = tool_log();
  options.rules = std::move(rules);
  Result<std::unique_ptr<Registry>> registry =
      Registry::open(std::move(options), std::move(*store));
  if (!registry) {
    return Refusal(registry.refusal().code(), "\"{}\": {}", escaped(directory, 120),
                   registry.refusal().message());
  }
  return Source(std::move(*registry), kept);
}

bool Source::is_remote(std::string_view name) {
  if (registry_->find(name)) return false;
  return registry_->known_tops().has(name) || registry_->remote_rows(kRemoteBoardsPrefix).get(name);
}

Result<Board*> Source::board(std::string_view name) {
  if (const std::optional<BoardHandle> found = registry_->find(name)) {
    return registry_->get(*found);
  }
  if (is_remote(name)) {
    return Refusal(Code::unavailable,
                   "board \"{}\" is remote: its entries are not in this directory",
                   escaped(name, 64));
  }
  return unknown_board(*registry_, name);
}

Result<Source::Chosen> Source::choose_season(std::string_view name, Board& board,
                                             std::optional<std::uint64_t> season) {
  Chosen chosen{.name = std::string(name), .board = &board};
  if (!season || *season == board.season().number) return chosen;
  chosen.past = board.archived(*season);
  if (chosen.past != nullptr) return chosen;
  std::string kept;
  for (const std::uint64_t number : board.seasons()) {
    kept += (kept.empty() ? "" : ", ") + std::to_string(number);
  }
  return Refusal(Code::unknown, "board \"{}\" keeps no season {}; it keeps {}",
                 escaped(board.name(), 64), *season, kept);
}

namespace {

// The number in the name of a cohort; 0: it is none.
std::uint32_t cohort_number(std::string_view attribute, std::string_view value) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  const bool is_whole = error == std::errc() && end == value.data() + value.size();
  return attribute == "cohort" && is_whole ? number : 0;
}

}  // namespace

// Names of boards, attributes and values may have any bytes, so each way to cut the name is tried:
// one that the board has goes first.
std::optional<Source::PartName> Source::find_part(std::string_view name) {
  std::optional<PartName> first;
  for (std::size_t colon = name.find(':'); colon != name.npos; colon = name.find(':', colon + 1)) {
    const std::optional<BoardHandle> handle = registry_->find(name.substr(0, colon));
    if (!handle) continue;
    Board* const board = registry_->get(*handle);
    const std::string_view rest = name.substr(colon + 1);
    for (std::size_t sign = rest.find('='); sign != rest.npos; sign = rest.find('=', sign + 1)) {
      const std::string attribute(rest.substr(0, sign));
      const std::string value(rest.substr(sign + 1));
      PartName part{board, {attribute, value}};
      if (board->segment(attribute, value)) return part;
      if (const std::uint32_t number = cohort_number(attribute, value)) {
        part.name = cohort_name(number);
        return part;
      }
      if (!first) first = std::move(part);
    }
  }
  return first;
}

Result<Source::Chosen> Source::choose(std::string_view name, std::optional<std::uint64_t> season) {
  std::optional<PartName> found;
  if (!registry_->find(name)) found = find_part(name);
  if (!found) {
    const Result<Board*> board = this->board(name);
    if (!board) return board.refusal();
    return choose_season(name, **board, season);
  }
  Result<Chosen> chosen = choose_season(name, *found->board, season);
  if (!chosen) return chosen;
  const std::uint32_t cohort = found->name.cohort;
  if (cohort != 0) {
    const auto cohorts = found->board->cohorts(chosen->season());
    if (!cohorts) return cohorts.refusal();
    if (cohort > (*cohorts)->size()) {
      return Refusal(Code::unknown, "season {} of board \"{}\" has no cohort {}: there are {}",
                     chosen->season(), escaped(found->board->name(), 64), cohort,
                     (*cohorts)->size());
    }
    chosen->part = &(*cohorts)->board(cohort);
    return chosen;
  }
  if (chosen->past != nullptr) {
    return Refusal(Code::unsupported, "season {} has ended: only the running season has segments",
                   chosen->season());
  }
  const auto segment = found->board->segment(found->name.attribute, found->name.value);
  if (!segment) return segment.refusal();
  chosen->part = *segment;
  return chosen;
}

}  // namespace laurel::tool
