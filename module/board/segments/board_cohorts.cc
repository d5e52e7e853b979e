#include "board/segments/board_cohorts.h"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/memory_guarantee.h"
#include "base/text.h"
#include "profile/attributes.h"

namespace laurel {

namespace {

constexpr std::size_t kRowsEnteredAtOnce = 256;
// What a row takes in a cohort at most, with the place, if it is the first with the longest value.
constexpr std::size_t kPlacedRowBytesMax = 2048;

}  // namespace

// Players with a row and without a place. It holds them.
class BoardCohorts::NewPlayers {
 public:
  struct Row {
    Time at;
    ScoreKey score;
    PlayerHandle player;
  };

  explicit NewPlayers(Players& players) : players_(players) {}
  ~NewPlayers() {
    for (const Row& row : rows_) players_.release(row.player);
  }
  NewPlayers(const NewPlayers&) = delete;
  NewPlayers& operator=(const NewPlayers&) = delete;

  void add(const EngineRow& row) {
    rows_.push_back({row.at, row.score, kNoPlayer});
    rows_.back().player = players_.hold(row.player);
  }
  void sort() {
    std::ranges::sort(rows_, [this](const Row& a, const Row& b) {
      return a.at != b.at ? a.at < b.at : players_.compare(a.player, b.player) < 0;
    });
  }
  const std::deque<Row>& rows() const { return rows_; }

 private:
  Players& players_;
  std::deque<Row> rows_;  // no vector, which doubles
};

BoardCohorts::BoardCohorts(const Context& context, std::uint64_t season, const CohortForm& form,
                           const SegmentForm& shown, const EngineView& order,
                           CohortPlaces::Named named)
    : context_(context),
      form_(form),
      shown_(shown),
      order_(&order),
      places_(context, season, named),
      orders_(make_orders()) {}

std::unique_ptr<CohortOrders> BoardCohorts::make_orders() const {
  return std::make_unique<CohortOrders>(context_.engines.players, *order_, shown_.ties);
}

void BoardCohorts::take_all() {
  Players& players = context_.engines.players;
  NewPlayers entering(players);
  Arena arena;
  std::vector<EngineRow> rows;
  for (std::size_t first = 0; first < order_->size(); first += kRowsEnteredAtOnce) {
    arena.clear();
    rows.clear();
    order_->read(first, kRowsEnteredAtOnce, arena, rows);
    const MemoryGuarantee guaranteed(rows.size() * kPlacedRowBytesMax);
    for (const EngineRow& row : rows) {
      const Player player{row.player, players.find(row.player)};
      if (const std::uint32_t cohort = places_.of(player.handle); cohort != 0) {
        orders_->put(cohort, player, row.score, row.at);
      } else if (is_open_) {
        entering.add(row);
      }
    }
  }
  entering.sort();
  enter_all(entering);
}

void BoardCohorts::enter_all(const NewPlayers& entering) {
  const auto& rows = entering.rows();
  for (std::size_t first = 0; first < rows.size(); first += kRowsEnteredAtOnce) {
    const std::size_t end = std::min(rows.size(), first + kRowsEnteredAtOnce);
    const MemoryGuarantee guaranteed((end - first) * kPlacedRowBytesMax);
    for (std::size_t i = first; i < end; ++i) {
      const IdText id = context_.engines.players.id(rows[i].player);
      const Player player{id, rows[i].player};
      const CohortPlaces::Given given = enter(player);
      if (given.cohort != 0) orders_->put(given.cohort, player, rows[i].score, rows[i].at);
    }
  }
}

void BoardCohorts::follow(const EngineView& order) {
  order_ = &order;
  std::unique_ptr<CohortOrders> former = std::exchange(orders_, make_orders());
  former->end_boards();
  context_.reclaimer.take(std::unique_ptr<Reclaimable>(std::move(former)));
}

void BoardCohorts::dismantle() {
  orders_->end_boards();
  context_.reclaimer.take(std::unique_ptr<Reclaimable>(std::move(orders_)));
  places_.retire();
}

// A copy: what gives a place may write to the store.
std::string BoardCohorts::value_of(std::string_view player) const {
  if (form_.by.empty() || context_.profiles == nullptr) return {};
  const std::optional<Profile> profile = context_.profiles->get(player);
  return profile ? std::string(attribute_of(profile->attributes, form_.by)) : std::string();
}

CohortPlaces::Given BoardCohorts::enter(const Player& player) {
  const CohortPlaces::Given given = places_.enter(player, value_of(player.id), form_.size);
  if (given.cohort == 0) tell_full();
  return given;
}

void BoardCohorts::tell_full() {
  if (std::exchange(told_full_, true)) return;
  context_.log.warn(
      "full: the players of board \"{}\" have {} values of attribute \"{}\", the most allowed, or "
      "fill {} cohorts; others are in no cohort",
      escaped(context_.board, 64), kSegmentValuesMax, escaped(form_.by, 64), kCohortsMax);
}

PlayerHandle BoardCohorts::row_changes(const Player& player) {
  const PlayerHandle handle =
      player.handle == kNoPlayer ? context_.engines.players.find(player.id) : player.handle;
  if (const std::uint32_t cohort = places_.of(handle)) orders_->prefetch(cohort, handle);
  return handle;
}

// A player with a place is held, and keeps the handle.
void BoardCohorts::row_changed(std::string_view id, PlayerHandle before, const RowKey* next) {
  arena_.clear();
  std::uint32_t cohort = places_.of(before);
  Player player{id, cohort != 0 ? before : context_.engines.players.find(id)};
  const std::optional<RowKey> row =
      next != nullptr ? std::optional(*next) : key_of(order_->find(player, arena_));
  if (cohort == 0) {
    if (!row || !is_open_) return;
    const CohortPlaces::Given given = enter(player);
    if (given.cohort == 0) return;
    cohort = given.cohort;
    player.handle = given.player;
  }
  if (row) {
    orders_->put(cohort, player, row->score, row->at);
  } else {
    orders_->erase(cohort, player);
  }
}

void BoardCohorts::rank_by(Ranking ranking) {
  if (ranking == shown_.ranking) return;
  shown_.ranking = ranking;
  orders_->rank_by(ranking);
}

void BoardCohorts::rank_overall(Entries& entries) const {
  for (Entry& entry : entries) {
    const Player player{entry.player, context_.engines.players.find(entry.player)};
    entry.overall = order_->rank(player, shown_.ranking).value_or(Rank());
  }
}

}  // namespace laurel
