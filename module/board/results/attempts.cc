#include "board/results/attempts.h"

#include <utility>

#include "base/bytes.h"
#include "base/checks.h"
#include "board/persistent_rows.h"
#include "board/results/result_rows.h"

namespace laurel {

namespace {

constexpr std::size_t kCountRowBytes = 16;

}  // namespace

// ---- the table

AttemptTable::~AttemptTable() {
  numbers_.each([this](PlayerHandle player, std::uint32_t) { players_.release(player); });
}

void AttemptTable::set(std::string_view id, const AttemptCount& count) {
  PlayerHandle player = players_.find(id);
  std::uint32_t number = player == kNoPlayer ? kNoNumber : numbers_.find(player);
  const bool is_new = number == kNoNumber;
  if (!is_new && number >= kGranted) {
    granted_[number - kGranted].count = count;
    return;
  }
  if (is_new) player = players_.hold(id);
  number = static_cast<std::uint32_t>(count.taken);
  if (count.granted != 0 || count.taken >= kGranted) {
    number = kGranted + static_cast<std::uint32_t>(granted_.size());
    granted_.push_back({player, count});
  }
  is_new ? numbers_.set(player, number) : numbers_.move(player, number);
}

AttemptCount AttemptTable::add_one(const Player& player) {
  if (std::uint32_t* const number = numbers_.find_place(player.handle);
      number != nullptr && *number < kGranted - 1) {
    return {.taken = ++*number, .granted = 0};
  }
  AttemptCount count = of(players_.find(player.id));
  ++count.taken;
  set(player.id, count);
  return count;
}

void AttemptTable::erase_granted(std::uint32_t number) {
  Granted& gap = granted_[number - kGranted];
  if (gap.player != granted_.back().player) {
    gap = granted_.back();
    numbers_.move(gap.player, number);
  }
  granted_.pop_back();
}

bool AttemptTable::erase(PlayerHandle player) {
  if (!has(player)) return false;
  const std::uint32_t number = numbers_.find(player);
  if (number >= kGranted) erase_granted(number);
  numbers_.erase(player);
  players_.release(player);
  return true;
}

bool AttemptTable::dismantle(std::size_t rows) {
  return numbers_.take_apart(rows, [this](PlayerHandle player) { players_.release(player); });
}

std::size_t AttemptTable::bytes() const {
  return sizeof *this + numbers_.bytes() + granted_.size() * sizeof(Granted);
}

// ---- the counts

Attempts::Attempts(const EngineContext& context, const Space& board)
    : context_(context),
      board_(board),
      is_durable_(context.store.is_durable()),
      table_(std::make_unique<AttemptTable>(context.players)) {}

Status Attempts::load(const Engine::LoadProgress& progress) {
  const std::optional<std::string_view> space = board_.get({&kAttemptsLetter, 1});
  if (!space) return Done{};
  const Refusal damaged(Code::bad_data, "the attempts of a board's players cannot be decoded");
  if (space->size() != kSortableBytes) return damaged;
  open(number_of_sortable(*space));
  bool whole = true;
  std::size_t rows = 0;
  rows_->each([&](std::string_view player, std::string_view value) {
    ByteReader reader(value);
    AttemptCount count;
    count.taken = reader.u64();
    count.granted = static_cast<std::int64_t>(reader.u64());
    whole = whole && reader.ok() && reader.at_end() && check_player(player);
    if (!whole) return;
    table_->set(player, count);
    if (++rows % Engine::kRowsPerProgress == 0) progress(Engine::kRowsPerProgress);
  });
  if (!whole) return damaged;
  return Done{};
}

void Attempts::open(SpaceNumber space) {
  space_ = space;
  rows_ = Space(context_.store, space).open_buffer();
}

void Attempts::take(const Player& player) {
  const AttemptCount count = table_->add_one(player);
  if (is_durable_) write(player.id, count);
}

void Attempts::set(std::string_view player, const AttemptCount& count) {
  table_->set(player, count);
  if (is_durable_) write(player, count);
}

void Attempts::write(std::string_view player, const AttemptCount& count) {
  if (!rows_) {
    open(++context_.last_space);
    PersistentRows(board_, kAttemptsLetter).put("", sortable(*space_));
  }
  value_.clear();
  ByteWriter writer(value_, kCountRowBytes);
  writer.u64(count.taken);
  writer.u64(static_cast<std::uint64_t>(count.granted));
  rows_->put(player, value_);
}

void Attempts::erase(std::string_view player) {
  if (table_->erase(context_.players.find(player)) && rows_) rows_->erase(player);
}

void Attempts::start_over(Reclaimer& reclaimer) {
  reclaimer.take(std::exchange(table_, std::make_unique<AttemptTable>(context_.players)));
  if (!rows_) return;
  rows_->retire();
  rows_.reset();
  space_.reset();
  PersistentRows(board_, kAttemptsLetter).erase("");
}

void Attempts::each(const std::function<void(std::string_view, const AttemptCount&)>& visit) const {
  table_->each([&](PlayerHandle player, const AttemptCount& count) {
    const IdText id = context_.players.id(player);
    visit(id, count);
  });
}

}  // namespace laurel
