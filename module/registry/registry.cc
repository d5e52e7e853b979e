// Opening and closing: boards, watches, observers, and the whole.
#include "registry/registry.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include "base/limits.h"
#include "base/memory_guarantee.h"
#include "base/text.h"
#include "board/spec/spec_change.h"
#include "board/validate.h"
#include "registry/metrics_file.h"
#include "registry/metrics_round.h"
#include "store/memory_store.h"

namespace laurel {

namespace {

std::unique_ptr<Clock> or_system_clock(std::unique_ptr<Clock> clock) {
  return clock ? std::move(clock) : std::make_unique<SystemClock>();
}

}  // namespace

Registry::Registry(RegistryOptions options) : Registry(std::move(options), make_memory_store()) {}

Registry::Registry(RegistryOptions options, std::unique_ptr<Store> store)
    : context_(or_system_clock(std::move(options.clock)), std::move(options.log),
               std::move(options.rules), options.secret, std::move(store)),
      remotes_(std::move(options.remotes)),
      control_(std::move(options.control)),
      durability_(options.durability) {
  context_.season_ends = &season_ends_;
  context_.profiles = &profiles_;
  profiles_.listen(&context_.segmented);
  context_.copies_seasons = remotes_ && remotes_->copies_seasons();
  if (remotes_ && !context_.store->is_durable()) remotes_->on_open(*this);
}

Registry::~Registry() { (void)close(); }

Result<BoardHandle> Registry::open(std::string_view name, const SpecChange& change) {
  if (const Status valid = check_board_name(name); !valid) return valid.refusal();
  if (const Status accepted = context_.store->accepts(); !accepted) return accepted.refusal();
  if (remotes_ && remotes_->has(name)) {
    return Refusal(Code::invalid, "board \"{}\" is remote, not local", escaped(name, 64));
  }
  if (const std::optional<BoardHandle> standing = find(name)) {
    Board& board = *get(*standing);
    Result<Spec> spec = change.update(board.spec());
    if (!spec) return spec.refusal();
    board.update(std::move(*spec));
    return *standing;
  }
  if (is_full(1)) {
    return Refusal(Code::unavailable, "{} boards are open, the most allowed", kBoardsMax);
  }
  SpecChange filled = change;
  if (const std::optional<BoardHandle> source = find(change.given().source)) {
    (void)get(*source);  // a season that is over is none of the new board's
    derived_.fill_from_source(filled, boards_here());
  }
  Result<Spec> spec = filled.create();
  if (!spec) return spec.refusal();
  if (!spec->remote.empty()) {
    if (const Status built = remotes_are_built(); !built) return built.refusal();
    return Refusal(Code::invalid, "field 'remote' is \"{}\": no remote has that name",
                   spec->remote);
  }
  if (const Status fits = derived_.check_new(name, *spec, boards_here()); !fits) {
    return fits.refusal();
  }
  return adopt(make_board(name, *spec));
}

Status Registry::check_rule(const SpecChange& change) const {
  if (change.rule().empty() || context_.rules) return Done{};
  return Refusal(Code::invalid,
                 "field 'rule' is \"{}\": these boards were opened without a directory of rules",
                 escaped(change.rule(), kRuleNameBytesMax));
}

std::unique_ptr<Board> Registry::make_board(std::string_view name, const Spec& spec) {
  return std::make_unique<Board>(context_, std::string(name), spec, context_.timestamps.now());
}

BoardHandle Registry::adopt(std::unique_ptr<Board> board) {
  board->derive_orders();
  const MemoryGuarantee guaranteed;
  board->save();
  save_board(*board, true);
  return place(std::move(board));
}

BoardHandle Registry::place(std::unique_ptr<Board> board) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  slots_[slot].board = std::move(board);
  by_name_.emplace(slots_[slot].board->name(), slot);
  known_tops_.erase(slots_[slot].board->name());
  season_ends_.adopt(*slots_[slot].board);
  derived_.adopt(*slots_[slot].board, boards_here());
  return BoardHandle{slot, slots_[slot].generation};
}

DerivedBoards::Boards Registry::boards_here() const {
  return {.find =
              [this](std::string_view name) {
                const std::optional<BoardHandle> handle = find(name);
                return handle ? peek(*handle) : nullptr;
              },
          .each =
              [this](const std::function<void(Board&)>& visit) {
                each_board([&](Board& board) { visit(board); });
              },
          .derived = {}};
}

Status Registry::check_together(const std::vector<Board*>& boards) const {
  DerivedBoards::Boards all = boards_here();
  std::map<std::string_view, Board*> added;
  for (Board* const board : boards) {
    added.emplace(board->name(), board);
    if (is_derived(board->spec())) all.derived.push_back(board);
  }
  all.find = [&added, here = std::move(all.find)](std::string_view name) {
    const auto found = added.find(name);
    return found == added.end() ? here(name) : found->second;
  };
  all.each = [&added, here = std::move(all.each)](const std::function<void(Board&)>& visit) {
    here(visit);
    for (const auto& [name, board] : added) visit(*board);
  };
  for (const Board* const board : boards) {
    Spec spec = board->spec();
    if (const Status fits = derived_.check_new(board->name(), spec, all); !fits) return fits;
    if (spec.engine == EngineKind::combined && !board->spec().decimals) {
      return Refusal(Code::invalid, "combined board \"{}\" has no decimals",
                     escaped(board->name(), 64));
    }
  }
  return Done{};
}

std::vector<std::string> Registry::names() const {
  std::vector<std::string> names;
  for (const auto& [name, slot] : by_name_) names.emplace_back(name);
  if (!remotes_) return names;
  const std::vector<std::string> remote_names = remotes_->names();
  names.insert(names.end(), remote_names.begin(), remote_names.end());
  std::sort(names.begin(), names.end());
  return names;
}

Result<bool> Registry::drop(std::string_view name) {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return false;
  if (const Status accepted = context_.store->accepts(); !accepted) return accepted.refusal();
  const std::uint32_t number = found->second;
  Slot& slot = slots_[number];
  if (const Status free = derived_.check_drop(*slot.board); !free) return free.refusal();
  const MemoryGuarantee guaranteed(0, MemoryGuarantee::Frees::yes);
  save_board(*slot.board, false);
  for (const auto& [id, attached] : observers_) attached.observer->on_drop(name);
  watches_.remove_board(*slot.board);
  season_ends_.drop(*slot.board);
  derived_.drop(*slot.board);
  slot.board->dismantle();
  by_name_.erase(found);
  slot.board.reset();
  ++slot.generation;
  free_slots_.push_back(number);
  return true;
}

Result<WatchId> Registry::watch(BoardHandle handle, std::size_t n, WatchCallback callback,
                                const std::optional<SegmentName>& segment) {
  assert(n >= 1 && n <= kWatchTopMax);
  const Board* board = get(handle);
  assert(board != nullptr);
  if (watches_.size() == kWatchesMax) {
    return Refusal(Code::unavailable, "{} watches are registered, the most allowed", kWatchesMax);
  }
  return watches_.add(handle.slot, handle.generation, *board, segment, n, names_of_players(),
                      std::move(callback));
}

void Registry::unwatch(WatchId watch) { watches_.remove(watch); }

Registry::ObserverId Registry::attach(std::shared_ptr<RegistryObserver> observer) {
  const auto taken = [this](unsigned slot) {
    return std::any_of(observers_.begin(), observers_.end(),
                       [slot](const auto& each) { return each.second.slot == slot; });
  };
  unsigned slot = 0;
  while (taken(slot)) ++slot;
  observer->on_attach(*this, slot);
  observers_.emplace(++last_observer_, AttachedObserver{std::move(observer), slot});
  return last_observer_;
}

RegistryObserver* Registry::observer(ObserverId id) const {
  const auto found = observers_.find(id);
  return found == observers_.end() ? nullptr : found->second.observer.get();
}

void Registry::detach(ObserverId id) {
  const auto leaving = observers_.extract(id);
  if (leaving.empty() || !context_.store->is_owner_process()) return;
  leaving.mapped().observer->on_detach(*this);
  keep_counters(*leaving.mapped().observer);
}

Status Registry::close() {
  if (closed_) return Done{};
  if (season_ends_.telling()) {
    return Refusal(Code::unavailable, "a handler of a season's end is running");
  }
  MetricsRound last;
  if (context_.store->is_owner_process()) {
    if (remotes_) {
      collect_remotes(last);
      remotes_->close();
    }
    for (const auto& [id, attached] : observers_) attached.observer->on_detach(*this);
  }
  if (const MemoryGuarantee guaranteed(std::nothrow); guaranteed.stands()) save_numbers();
  season_ends_.finish();
  Status flushed = context_.store->flush();
  if (context_.store->is_owner_process()) {
    if (control_) control_->close(flushed);
    end_metrics(last);
  }
  closed_ = true;
  observers_.clear();
  rehearsals_.clear();
  watches_.clear();
  season_ends_.close();
  derived_.clear();
  by_name_.clear();
  for (Slot& slot : slots_) {
    slot.board.reset();
    ++slot.generation;
  }
  context_.reclaimer.drop();
  context_.store->close();
  return flushed;
}

RegistryStats Registry::stats() const {
  RegistryStats stats;
  stats.boards = by_name_.size();
  stats.players = context_.players.size();
  stats.bytes = context_.players.bytes() + context_.specs.bytes() + names_.bytes();
  stats.ticks = ticks_;
  stats.slices_put_off = slices_put_off_;
  stats.watches = watches_.size();
  stats.changes_dropped = context_.pending_dropped;
  stats.submitted = context_.submissions.total();
  if (context_.rules) stats.rules = context_.rules->stats();
  stats.reads = context_.reads;
  stats.store_entries = context_.store->size();
  stats.store_bytes = context_.store->bytes();
  stats.bytes += stats.store_bytes;
  stats.disk = context_.store->progress();
  stats.submissions_waiting = context_.submissions.changed() - submissions_on_disk();
  stats.reclaiming = context_.reclaimer.waiting();
  stats.season_ends = season_ends_.stats();
  each_board([&](const Board& board) {
    stats.entries += board.size();
    stats.bytes += board.bytes();
  });
  return stats;
}

}  // namespace laurel
