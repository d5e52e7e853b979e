#include "board/segments/board_segments.h"

#include <utility>

#include "base/limits.h"
#include "base/memory_guarantee.h"
#include "base/text.h"

namespace laurel {

namespace {

constexpr std::size_t kRowsPerRead = 256;
// What a row takes in one segment at most, if it is the first with the longest value.
constexpr std::size_t kRowBytesMax = 1024;

}  // namespace

BoardSegments::BoardSegments(const Context& context, std::vector<std::string> attributes,
                             const SegmentForm& form, const EngineView& order)
    : context_(context),
      attributes_(std::move(attributes)),
      shown_(attributes_.size()),
      form_(form),
      order_(&order),
      orders_(make_orders()) {}

std::unique_ptr<SegmentOrders> BoardSegments::make_orders() const {
  return std::make_unique<SegmentOrders>(context_.players, *order_, form_.ties, attributes_);
}

void BoardSegments::follow(const EngineView& order) {
  order_ = &order;
  const auto is_unheard = [this](const std::string& name) {
    return std::ranges::find(heard_, name) == heard_.end();
  };
  const auto hidden = attributes_.begin() + static_cast<std::ptrdiff_t>(shown_);
  attributes_.erase(std::remove_if(hidden, attributes_.end(), is_unheard), attributes_.end());
  retire(std::exchange(orders_, make_orders()));
  listen_again();
}

void BoardSegments::listen(const std::vector<std::string>& attributes, SegmentListener* listener) {
  heard_ = attributes;
  listener_ = listener;
  listen_again();
}

void BoardSegments::listen_again() {
  for (std::size_t i = 0; i < orders_->attributes(); ++i) orders_->listen(i, nullptr);
  for (const std::string& name : heard_) {
    const std::size_t number = orders_->find_attribute(name);
    if (number < orders_->attributes()) orders_->listen(number, listener_);
  }
}

void BoardSegments::retire(std::unique_ptr<SegmentOrders> orders) {
  orders->end_boards();
  context_.reclaimer.take(std::unique_ptr<Reclaimable>(std::move(orders)));
}

void BoardSegments::take_all() {
  Arena arena;
  std::vector<EngineRow> rows;
  for (std::size_t first = 0; first < order_->size(); first += kRowsPerRead) {
    arena.clear();
    rows.clear();
    order_->read(first, kRowsPerRead, arena, rows);
    const MemoryGuarantee guaranteed(rows.size() * attributes_.size() * kRowBytesMax);
    for (const EngineRow& row : rows) {
      const Player player{row.player, context_.players.find(row.player)};
      if (!orders_->add(player, row.score, row.at, attributes_of(row.player))) tell_full();
    }
  }
}

PlayerHandle BoardSegments::row_changes(const Player& player) {
  const PlayerHandle handle =
      player.handle == kNoPlayer ? context_.players.find(player.id) : player.handle;
  orders_->prefetch_rows(handle);
  return handle;
}

// A player with a row here is held, and keeps the handle.
void BoardSegments::row_changed(std::string_view id, PlayerHandle before, const RowKey* next) {
  arena_.clear();
  const bool had_row = orders_->has(before);
  const Player player{id, had_row ? before : context_.players.find(id)};
  const std::optional<RowKey> row =
      next != nullptr ? std::optional(*next) : key_of(order_->find(player, arena_));
  if (row && had_row) {
    orders_->put(player, row->score, row->at);
  } else if (row) {
    if (!orders_->add(player, row->score, row->at, attributes_of(id))) tell_full();
  } else if (had_row) {
    orders_->erase(player);
  }
}

bool BoardSegments::attributes_changed(std::string_view id, std::string_view attributes) {
  const Player player{id, context_.players.find(id)};
  if (!orders_->has(player.handle)) return false;
  arena_.clear();
  const std::optional<EngineRow> row = order_->find(player, arena_);
  const auto moved = orders_->move(player, row->score, row->at, attributes);
  if (moved == SegmentOrders::Moved::out) tell_full();
  return moved != SegmentOrders::Moved::no;
}

void BoardSegments::rank_by(Ranking ranking) {
  if (ranking == form_.ranking) return;
  form_.ranking = ranking;
  orders_->rank_by(ranking);
}

void BoardSegments::tell_full() {
  if (std::exchange(told_full_, true)) return;
  context_.log.warn(
      "full: the players of board \"{}\" have {} values of the attributes in its segments, the "
      "most allowed; players with other values are in no segment",
      escaped(context_.board, 64), kSegmentValuesMax);
}

Result<std::size_t> BoardSegments::find(std::string_view attribute) const {
  const std::size_t number = orders_->find_attribute(attribute);
  if (number < shown_) return number;
  return Refusal(Code::unknown, "board \"{}\" has no segments of attribute \"{}\"",
                 escaped(context_.board, 64), escaped(attribute, 64));
}

Result<const Standings*> BoardSegments::board(std::string_view attribute,
                                              std::string_view value) const {
  const Result<std::size_t> number = find(attribute);
  if (!number) return number.refusal();
  return &orders_->board(*number, value, form_);
}

Result<std::vector<SegmentSize>> BoardSegments::sizes(std::string_view attribute) const {
  const Result<std::size_t> number = find(attribute);
  if (!number) return number.refusal();
  return orders_->sizes(*number);
}

}  // namespace laurel
