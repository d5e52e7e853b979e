#include "board/segments/cohort_places.h"

#include <cassert>
#include <utility>

#include "base/bytes.h"
#include "base/checks.h"
#include "board/persistent_rows.h"

namespace laurel {

namespace {

// Letters of rows in the space of the places. In the order of bytes, so that the number of cohorts
// is read first, and the players last.
constexpr char kCohortCountLetter = 'c';
constexpr char kFilledLetter = 'f';
constexpr char kPlacedLetter = 'p';

// What a number in a row takes.
constexpr std::size_t kCohortNumberBytes = 4;

}  // namespace

// ---- the table

PlaceTable::~PlaceTable() { dismantle(SIZE_MAX); }

PlaceTable::Next PlaceTable::next(std::string_view value, std::uint32_t size) {
  auto filled = filled_.find(value);
  const bool is_new = filled == filled_.end();
  if (!is_new && cohorts_[filled->second - 1].players < size) return {filled->second, false};
  if (cohorts_.size() == kCohortsMax || (is_new && filled_.size() == values_max_)) return {};
  cohorts_.emplace_back();
  if (is_new) {
    filled = filled_.emplace(value, cohorts()).first;
  } else {
    cohorts_[filled->second - 1].filled_by = nullptr;
    filled->second = cohorts();
  }
  cohorts_.back().filled_by = &filled->first;
  return {cohorts(), true};
}

PlayerHandle PlaceTable::enter(const Player& player, std::uint32_t cohort) {
  PlayerHandle held = player.handle;
  if (held == kNoPlayer) {
    held = players_.hold(player.id);
  } else {
    players_.hold(held);
  }
  assert(of(held) == 0 && "a place is given once");
  numbers_.set(held, cohort);
  ++cohorts_[cohort - 1].players;
  return held;
}

bool PlaceTable::erase(PlayerHandle player, std::optional<std::string>& value) {
  const std::uint32_t number = of(player);
  if (number == 0) return false;
  Cohort& cohort = cohorts_[number - 1];
  if (--cohort.players == 0 && cohort.filled_by != nullptr) {
    value = *cohort.filled_by;
    filled_.erase(filled_.find(*value));
    cohort.filled_by = nullptr;
  }
  numbers_.erase(player);
  players_.release(player);
  return true;
}

bool PlaceTable::set_cohorts(std::uint64_t count) {
  if (cohorts() != 0 || count > kCohortsMax) return false;
  cohorts_.resize(count);
  return true;
}

bool PlaceTable::set_filled(std::string_view value, std::uint64_t cohort) {
  if (cohort == 0 || cohort > cohorts() || cohorts_[cohort - 1].filled_by != nullptr) return false;
  if (filled_.size() == values_max_) return false;
  const auto [filled, is_new] = filled_.emplace(value, static_cast<std::uint32_t>(cohort));
  if (is_new) cohorts_[cohort - 1].filled_by = &filled->first;
  return is_new;
}

bool PlaceTable::dismantle(std::size_t rows) {
  while (!filled_.empty()) {
    if (rows-- == 0) return true;
    filled_.erase(filled_.begin());
  }
  return numbers_.take_apart(rows, [this](PlayerHandle player) { players_.release(player); });
}

std::size_t PlaceTable::bytes() const {
  constexpr std::size_t kNodeBytes = 40;  // of a map, besides what it holds
  std::size_t bytes = sizeof *this + numbers_.bytes() + cohorts_.size() * sizeof(Cohort);
  for (const auto& [value, cohort] : filled_) {
    bytes += kNodeBytes + sizeof value + sizeof cohort;
    if (value.capacity() >= sizeof value / 2) bytes += value.capacity() + 1;
  }
  return bytes;
}

// ---- the places

CohortPlaces::CohortPlaces(const PartContext& context, std::uint64_t season, Named named)
    : context_(context),
      season_(season),
      named_(named == Named::at_once),
      table_(std::make_unique<PlaceTable>(context.engines.players)) {}

// Places that the board has not taken leave no rows.
CohortPlaces::~CohortPlaces() {
  if (!named_ && rows_) rows_->retire();
}

bool CohortPlaces::load_row(std::string_view row, std::string_view value) {
  ByteReader reader(value);
  const std::uint32_t number = reader.u32();
  if (row.empty() || !reader.ok() || !reader.at_end()) return false;
  const std::string_view key = row.substr(1);
  switch (row.front()) {
    case kCohortCountLetter: return table_->set_cohorts(number);
    case kFilledLetter: return table_->set_filled(key, number);
    case kPlacedLetter:
      if (number == 0 || number > table_->cohorts() || !check_player(key)) return false;
      table_->enter({key, context_.engines.players.find(key)}, number);
      return true;
    default: return false;
  }
}

Status CohortPlaces::load(const Engine::LoadProgress& progress) {
  const Refusal damaged(Code::bad_data, "the cohorts of a board cannot be decoded");
  std::string key(1, kCohortsLetter);
  key += sortable(season_);
  const auto space = context_.board.get(key);
  if (!space) return Done{};
  if (space->size() != kSortableBytes) return damaged;
  open(number_of_sortable(*space));
  bool is_whole = true;
  std::size_t rows = 0;
  rows_->each([&](std::string_view row, std::string_view value) {
    is_whole = is_whole && load_row(row, value);
    if (++rows % Engine::kRowsPerProgress == 0) progress(Engine::kRowsPerProgress);
  });
  if (!is_whole) return damaged;
  return Done{};
}

void CohortPlaces::open(SpaceNumber space) {
  space_ = space;
  rows_ = Space(context_.engines.store, space).open_buffer();
}

void CohortPlaces::name() {
  named_ = true;
  if (!space_) return;
  PersistentRows(context_.board, kCohortsLetter).put(sortable(season_), sortable(*space_));
}

void CohortPlaces::retire() {
  context_.reclaimer.take(std::unique_ptr<Reclaimable>(std::move(table_)));
  if (!rows_) return;
  rows_->retire();
  rows_.reset();
  if (named_) PersistentRows(context_.board, kCohortsLetter).erase(sortable(season_));
}

bool CohortPlaces::is_written() {
  if (!context_.engines.store.is_durable()) return false;
  if (!rows_) {
    open(++context_.engines.last_space);
    if (named_) name();
  }
  return true;
}

void CohortPlaces::write(char letter, std::string_view key, std::uint32_t number) {
  if (!is_written()) return;
  row_.assign(1, letter).append(key);
  number_.clear();
  ByteWriter writer(number_, kCohortNumberBytes);
  writer.u32(number);
  rows_->put(row_, number_);
}

void CohortPlaces::erase_row(char letter, std::string_view key) {
  if (!rows_) return;
  row_.assign(1, letter).append(key);
  rows_->erase(row_);
}

CohortPlaces::Given CohortPlaces::enter(const Player& player, std::string_view value,
                                        std::uint32_t size) {
  const PlaceTable::Next next = table_->next(value, size);
  if (next.cohort == 0) return {};
  if (next.begins) {
    write(kCohortCountLetter, "", next.cohort);
    write(kFilledLetter, value, next.cohort);
  }
  write(kPlacedLetter, player.id, next.cohort);
  return {next.cohort, table_->enter(player, next.cohort)};
}

bool CohortPlaces::forget(std::string_view player) {
  std::optional<std::string> value;
  if (!table_->erase(context_.engines.players.find(player), value)) return false;
  erase_row(kPlacedLetter, player);
  if (value) erase_row(kFilledLetter, *value);
  return true;
}

bool CohortPlaces::rename(std::string_view from, std::string_view to) {
  Players& players = context_.engines.players;
  const std::uint32_t cohort = of(players.find(from));
  if (cohort == 0) return false;
  // First the new one, so that the cohort is never empty.
  table_->enter({to, players.find(to)}, cohort);
  std::optional<std::string> value;
  table_->erase(players.find(from), value);
  write(kPlacedLetter, to, cohort);
  erase_row(kPlacedLetter, from);
  return true;
}

bool CohortPlaces::restore_cohorts(std::uint64_t count) {
  if (!table_->set_cohorts(count)) return false;
  write(kCohortCountLetter, "", table_->cohorts());
  return true;
}

bool CohortPlaces::restore_filled(std::string_view value, std::uint64_t cohort) {
  if (!table_->set_filled(value, cohort)) return false;
  write(kFilledLetter, value, static_cast<std::uint32_t>(cohort));
  return true;
}

bool CohortPlaces::restore(std::string_view player, std::uint64_t cohort, std::uint32_t size) {
  const PlayerHandle known = context_.engines.players.find(player);
  if (cohort == 0 || cohort > table_->cohorts() || of(known) != 0) return false;
  const auto number = static_cast<std::uint32_t>(cohort);
  if (table_->players(number) == size) return false;
  table_->enter({player, known}, number);
  write(kPlacedLetter, player, number);
  return true;
}

}  // namespace laurel
