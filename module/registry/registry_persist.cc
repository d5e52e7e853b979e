// A registry in a durable store: its catalogue of boards, and loading.
#include <algorithm>
#include <set>
#include <vector>

#include "base/bytes.h"
#include "base/memory_guarantee.h"
#include "base/text.h"
#include "registry/metrics_file.h"
#include "registry/registry.h"
#include "store/durable/durable_store.h"

namespace laurel {

namespace {

// Letters in the catalogue.
constexpr char kBoardsLetter = 'b';   // also in a board's space: one row for each board
constexpr char kNumbersLetter = 'n';  // the last space and the last moment given

// The log has a line for every kRowsALine entries.
constexpr std::size_t kRowsALine = 1'000'000;

PersistentRows catalogue(Store& store, char prefix) {
  return {Space(store, kCatalogueSpace), prefix};
}

Refusal damaged(std::string_view what) {
  return {Code::bad_data, "the store is damaged: it has {}", what};
}

}  // namespace

Result<std::unique_ptr<Registry>> Registry::open(RegistryOptions options) {
  MetricsOptions metrics = std::move(options.metrics);
  std::unique_ptr<MetricsFile> file;
  if (!metrics.file.empty()) {
    Result<std::unique_ptr<MetricsFile>> opened = MetricsFile::open(metrics.file);
    if (!opened) return opened.refusal();
    file = std::move(*opened);
  }
  std::unique_ptr<Store> store;
  if (!options.path.empty()) {
    Result<std::unique_ptr<DurableStore>> opened =
        DurableStore::open({.path = options.path, .durability = options.durability}, options.log);
    if (!opened) return opened.refusal();
    store = std::move(*opened);
  }
  Result<std::unique_ptr<Registry>> registry = store
                                                   ? open(std::move(options), std::move(store))
                                                   : std::make_unique<Registry>(std::move(options));
  if (registry) (*registry)->begin_metrics(std::move(metrics), std::move(file));
  return registry;
}

Result<std::unique_ptr<Registry>> Registry::open(RegistryOptions options,
                                                 std::unique_ptr<Store> store) {
  std::unique_ptr<Registry> registry(new Registry(std::move(options), std::move(store)));
  if (const Status loaded = registry->load(); !loaded) {
    registry->closed_ = true;  // close() writes nothing
    return loaded.refusal();
  }
  if (registry->remotes_) registry->remotes_->on_open(*registry);
  if (registry->control_) registry->control_->on_open(*registry);
  return registry;
}

Status Registry::load() {
  Store& store = *context_.store;
  catalogue(store, kNumbersLetter).each([&](std::string_view key, std::string_view numbers) {
    if (!key.empty()) return;  // a note of a remote end (kToldEndsPrefix)
    ByteReader reader(numbers);
    context_.last_space = std::max(context_.last_space, reader.u64());
    context_.timestamps.resume(static_cast<Time>(reader.u64()));
  });
  saved_space_ = context_.last_space;
  saved_timestamp_ = context_.timestamps.last();
  context_.banned.load();
  season_ends_.load();
  known_tops_.load();

  std::vector<SpaceNumber> spaces;
  catalogue(store, kBoardsLetter).each([&](std::string_view key, std::string_view) {
    spaces.push_back(number_of_sortable(key));
  });
  std::size_t rows = 0;
  std::size_t told = 0;
  const auto progress = [&](std::size_t more) {
    rows += more;
    if (rows - told < kRowsALine) return;
    told = rows;
    context_.log.info("opening: {} entries of {} boards", rows, spaces.size());
  };
  for (const SpaceNumber space : spaces) {
    const std::optional<std::string_view> row =
        Space(store, space).get(std::string(1, kBoardLetter));
    if (!row) return damaged("a board without its row");
    const Result<BoardForm> form = unpack_board(*row);
    if (!form) return form.refusal();
    auto board = std::make_unique<Board>(context_, space, *form);
    if (Status loaded = board->load(progress); !loaded) return loaded;
    if (find(board->name())) return damaged("two boards of one name");
    place(std::move(board));
  }
  free_orphans();
  return Done{};
}

// Frees spaces that belong to no board after a crash: boards and seasons that were being freed, or
// were not yet added. The last space is also found if its number was not saved.
void Registry::free_orphans() {
  std::set<SpaceNumber> known = {kPlayersSpace, kCatalogueSpace};
  for (const auto& [name, slot] : by_name_) {
    slots_[slot].board->each_space([&](SpaceNumber first, SpaceNumber count) {
      for (SpaceNumber space = first; space < first + count; ++space) known.insert(space);
    });
  }
  context_.last_space = std::max(context_.last_space, *known.rbegin());
  for (const SpaceNumber space : Space::numbers(*context_.store)) {
    context_.last_space = std::max(context_.last_space, space);
    if (!known.contains(space)) Space(*context_.store, space).erase_some(kReclaimRowsPerTick);
  }
}

void Registry::save_board(const Board& board, bool stays) {
  const PersistentRows boards = catalogue(*context_.store, kBoardsLetter);
  if (stays) {
    boards.put(sortable(board.space()));
  } else {
    boards.erase(sortable(board.space()));
  }
}

void Registry::save_numbers() {
  if (saved_space_ == context_.last_space && saved_timestamp_ == context_.timestamps.last()) return;
  std::string numbers;
  ByteWriter writer(numbers, 2 * sizeof(std::uint64_t));
  writer.u64(context_.last_space);
  writer.u64(static_cast<std::uint64_t>(context_.timestamps.last()));
  catalogue(*context_.store, kNumbersLetter).put("", numbers);
  saved_space_ = context_.last_space;
  saved_timestamp_ = context_.timestamps.last();
}

void Registry::begin_commit() {
  if (!context_.store->is_durable() || !context_.store->is_owner_process()) return;
  const MemoryGuarantee guaranteed(std::nothrow);
  if (guaranteed.stands()) save_numbers();  // else at a later tick
  const std::uint64_t before = context_.store->progress().commits_begun;
  context_.store->begin_commit();
  const StoreProgress progress = context_.store->progress();
  if (progress.commits_begun > before) {
    begun_commits_.push_back({progress.commits_begun, context_.submissions.changed()});
  }
  while (!begun_commits_.empty() && begun_commits_.front().number <= progress.on_disk) {
    changed_on_disk_ = begun_commits_.front().changed;
    begun_commits_.pop_front();
  }
}

std::uint64_t Registry::submissions_on_disk() const {
  if (!context_.store->is_durable()) return context_.submissions.changed();
  const std::uint64_t on_disk = context_.store->progress().on_disk;
  std::uint64_t changed = changed_on_disk_;
  for (const BegunCommit& each : begun_commits_) {
    if (each.number <= on_disk) changed = each.changed;
  }
  return changed;
}

Status Registry::flush() {
  begin_commit();
  Status flushed = context_.store->flush();
  // Everything handed over, and everything collected meanwhile, is on disk.
  if (flushed && context_.store->is_durable()) {
    begun_commits_.clear();
    changed_on_disk_ = context_.submissions.changed();
  }
  return flushed;
}

Status Registry::backup(const std::string& directory) {
  save_numbers();
  return context_.store->backup(directory);
}

Status Registry::make_room() {
  const bool waits = context_.store->progress().waiting_bytes >= kStoreWaitingBytesMax / 2;
  if (waits && !season_ends_.telling()) return flush();
  return context_.store->accepts();
}

}  // namespace laurel
