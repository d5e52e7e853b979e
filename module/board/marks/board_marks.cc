#include "board/marks/board_marks.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/checks.h"
#include "board/persistent_rows.h"
#include "engine/engine_factory.h"
#include "engine/gather/row_merge.h"

namespace laurel {

namespace {

constexpr std::size_t kFormBytes = 1 + 8 + 1 + 8 + 4 * 8;
constexpr std::size_t kKeyBytes = 16;

void write_time(ByteWriter& writer, Time time) { writer.u64(std::bit_cast<std::uint64_t>(time)); }
Time read_time(ByteReader& reader) { return std::bit_cast<Time>(reader.u64()); }

std::string pack_form(const MarkForm& form) {
  std::string packed;
  ByteWriter writer(packed, kFormBytes);
  writer.u8(static_cast<std::uint8_t>(form.kind));
  write_time(writer, form.at);
  writer.u8(form.due ? 1 : 0);
  write_time(writer, form.due.value_or(0));
  writer.u64(form.changed);
  writer.u64(form.aside);
  writer.u64(form.cap);
  writer.u64(form.reserve);
  return packed;
}

std::optional<MarkForm> unpack_form(std::string_view packed) {
  ByteReader reader(packed);
  MarkForm form;
  form.kind = static_cast<MarkForm::Kind>(reader.u8());
  form.at = read_time(reader);
  const bool has_due = reader.u8() != 0;
  const Time due = read_time(reader);
  if (has_due) form.due = due;
  form.changed = reader.u64();
  form.aside = reader.u64();
  form.cap = reader.u64();
  form.reserve = reader.u64();
  if (!reader.ok() || !reader.at_end() || form.kind > MarkForm::Kind::aside) return std::nullopt;
  return form;
}

template <typename Visit>
void each_row(const EngineView& order, Visit visit) {
  constexpr std::size_t kRowsAtOnce = 256;
  Arena arena;
  std::vector<EngineRow> rows;
  for (std::size_t first = 0; first < order.size(); first += kRowsAtOnce) {
    arena.clear();
    rows.clear();
    order.read(first, kRowsAtOnce, arena, rows);
    for (const EngineRow& row : rows) visit(row.player, RowKey{row.score, row.at});
  }
}

Refusal damaged() { return {Code::bad_data, "the mark of a board cannot be decoded"}; }

}  // namespace

bool has_marks(const Spec& spec) {
  return has_ranked_rows(spec) || spec.engine == EngineKind::capped;
}

BoardMarks::BoardMarks(const PartContext& context, const Spec& spec)
    : context_(context),
      ties_(spec.ties),
      ranking_(spec.ranking),
      changes_(std::make_unique<MarkedOrder>(context.engines.players, spec.ties, Time(0))) {}

BoardMarks::~BoardMarks() = default;

// ---- the disk

bool BoardMarks::has_rows(const Space& board) { return board.get({&kMarkLetter, 1}).has_value(); }

MarkForm BoardMarks::form() const {
  return {.kind = kind_,
          .at = at_,
          .due = clock_.due(),
          .changed = rows_space_.value_or(0),
          .aside = aside_space_,
          .cap = aside_cap_,
          .reserve = aside_reserve_};
}

void BoardMarks::save() const {
  if (!context_.engines.store.is_durable()) return;
  PersistentRows(context_.board, kMarkLetter).put("", pack_form(form()));
}

void BoardMarks::open_rows(SpaceNumber space) {
  rows_space_ = space;
  rows_ = Space(context_.engines.store, space).open_buffer();
}

// A player who was not ranked has a row without a value.
void BoardMarks::write(std::string_view player, const std::optional<RowKey>& was) {
  if (!context_.engines.store.is_durable()) return;
  if (!rows_) {
    open_rows(++context_.engines.last_space);
    save();
  }
  std::string value;
  ByteWriter writer(value, kKeyBytes);
  if (was) {
    writer.u64(was->score);
    write_time(writer, was->at);
  }
  rows_->put(player, value);
}

void BoardMarks::retire_rows() {
  if (rows_) rows_->retire();
  rows_.reset();
  rows_space_.reset();
}

Status BoardMarks::load(const Spec& spec, const EngineView& order, const MakeEngine& make) {
  const std::optional<std::string_view> row = context_.board.get({&kMarkLetter, 1});
  if (!row) return Done{};
  const std::optional<MarkForm> form = unpack_form(*row);
  if (!form) return damaged();
  kind_ = form->kind;
  at_ = form->at;
  changes_ = std::make_unique<MarkedOrder>(context_.engines.players, ties_, at_);
  clock_.resume(mark_schedule(spec), form->due);
  if (kind_ == MarkForm::Kind::aside) {
    Spec then = spec;
    then.cap = form->cap;
    then.reserve = form->reserve;
    aside_ = make(then, form->aside);
    aside_space_ = form->aside;
    aside_cap_ = form->cap;
    aside_reserve_ = form->reserve;
  }
  bool whole = true;
  if (form->changed != 0) {
    open_rows(form->changed);
    rows_->each([&](std::string_view player, std::string_view value) {
      whole = whole && check_player(player) && (value.empty() || value.size() == kKeyBytes);
      if (!whole) return;
      std::optional<RowKey> was;
      if (!value.empty()) {
        ByteReader reader(value);
        was.emplace();
        was->score = reader.u64();
        was->at = read_time(reader);
      }
      changes_->restore(base(order), player, was);
    });
  }
  if (!whole) return damaged();
  count_distinct(order);
  return Done{};
}

void BoardMarks::each_space(
    const Spec& spec,
    const std::function<void(SpaceNumber first, SpaceNumber count)>& visit) const {
  if (rows_space_) visit(*rows_space_, 1);
  if (aside_) visit(aside_space_, spaces_of(spec));
}

void BoardMarks::dismantle() {
  begin(MarkForm::Kind::none, 0, 0);
  if (changes_) context_.reclaimer.take(std::move(changes_));
}

// ---- the clock

void BoardMarks::follow(const std::optional<Schedule>& schedule, Time now) {
  clock_.follow(schedule, now);
  save();
}

// A mark that a season's beginning, or a script, has set since it was due stays.
bool BoardMarks::move(const EngineView& order, Time now, Time latest) {
  const std::optional<Time> was_due = clock_.passed(now);
  const Time at = was_due ? clock_.latest(now).value_or(*was_due) : now;
  const bool is_set = was_due && !(kind_ != MarkForm::Kind::none && at_ >= at && at_ <= now);
  if (is_set) {
    set(order, at, latest);
  } else {
    save();
  }
  return is_set;
}

// ---- marks

std::optional<Time> BoardMarks::time() const {
  return kind_ == MarkForm::Kind::none ? std::nullopt : std::optional(at_);
}

// Forgets the last mark; what was kept of it is freed later.
void BoardMarks::begin(MarkForm::Kind kind, Time at, Time latest) {
  retire_rows();
  forget_ranks();
  if (aside_) context_.reclaimer.take_later(std::move(aside_));
  aside_space_ = 0;
  aside_cap_ = aside_reserve_ = 0;
  auto changes =
      std::make_unique<MarkedOrder>(context_.engines.players, ties_, std::max(at, latest));
  changes.swap(changes_);
  if (!changes->empty()) context_.reclaimer.take_later(std::move(changes));
  kind_ = kind;
  at_ = at;
}

// Where dense ranks are asked for.
void BoardMarks::count_distinct(const EngineView& order) {
  const bool has_order = kind_ == MarkForm::Kind::changes || kind_ == MarkForm::Kind::aside;
  changes_->count_distinct(base(order), has_order && ranking_ == Ranking::dense);
}

void BoardMarks::set(const EngineView& order, Time at, Time latest) {
  const bool is_empty = order.size() == 0;
  begin(is_empty ? MarkForm::Kind::empty : MarkForm::Kind::changes, at, latest);
  count_distinct(order);
  save();
}

void BoardMarks::begin_season(Time started) {
  begin(MarkForm::Kind::empty, started, started);
  save();
}

// ---- changes

void BoardMarks::changed(const EngineView& order, const Player& player,
                         const std::optional<RowKey>& before, const std::optional<RowKey>& after) {
  if (before == after) return;
  if (player.handle == kNoPlayer) forget_ranks();  // the order has let the player go
  switch (changes_->changed(order, player, before, after)) {
    case MarkedOrder::Noted::nothing: break;
    case MarkedOrder::Noted::begins: write(player.id, before); break;
    case MarkedOrder::Noted::ends:
      if (rows_) rows_->erase(player.id);
      break;
  }
}

void BoardMarks::put_aside(std::unique_ptr<Engine>& engine, SpaceNumber first, const Spec& spec) {
  if (!hears()) return;
  aside_ = std::move(engine);
  aside_space_ = first;
  aside_cap_ = spec.cap;
  aside_reserve_ = spec.reserve;
  kind_ = MarkForm::Kind::aside;
  save();
}

void BoardMarks::rank_by(const EngineView& order, Ranking ranking) {
  if (ranking == ranking_) return;
  ranking_ = ranking;
  forget_ranks();
  count_distinct(order);
}

bool BoardMarks::has(const Player& player) const {
  return changes_->has(player.handle) || (aside_ && aside_->pack(player));
}

// An engine that was put aside loses the player's row: a change like any other.
bool BoardMarks::forget(const EngineView& order, std::string_view id) {
  forget_ranks();
  Players& players = context_.engines.players;
  if (aside_) {
    const MarkedChange told(*this, players, *aside_, ties_, {id});
    aside_->erase({id, players.find(id)});
  }
  if (!changes_->forget(base(order), id)) return false;
  if (rows_) rows_->erase(id);
  return true;
}

bool BoardMarks::rename(const EngineView& order, std::string_view from, std::string_view to) {
  forget_ranks();
  Players& players = context_.engines.players;
  if (const auto packed = aside_ ? aside_->pack({from, players.find(from)}) : std::nullopt) {
    {
      const MarkedChange told(*this, players, *aside_, ties_, {from});
      aside_->erase({from, players.find(from)});
    }
    const MarkedChange told(*this, players, *aside_, ties_, {to});
    aside_->unpack({to, players.find(to)}, *packed);
  }
  const PlayerHandle player = players.find(from);
  if (!changes_->has(player)) return false;
  const std::optional<RowKey> was = changes_->find(base(order), {from, player});
  if (!changes_->rename(base(order), from, to)) return false;
  if (rows_) rows_->erase(from);
  write(to, was);
  return true;
}

// ---- reading

std::optional<RowKey> BoardMarks::find(const EngineView& order, const Player& player) const {
  if (kind_ == MarkForm::Kind::none || kind_ == MarkForm::Kind::empty) return std::nullopt;
  return changes_->find(base(order), player);
}

std::optional<Rank> BoardMarks::rank(const EngineView& order, const Player& player) const {
  const std::optional<RowKey> key = find(order, player);
  if (!key) return std::nullopt;
  return changes_->rank(base(order), context_.engines.reads, player.id, *key, ranking_);
}

std::optional<Rank> BoardMarks::rank_of_entry(const EngineView& order,
                                              std::string_view player) const {
  if (kind_ == MarkForm::Kind::none || kind_ == MarkForm::Kind::empty) return std::nullopt;
  Players& players = context_.engines.players;
  const PlayerHandle handle = players.find(player);
  const auto find = [&] { return rank(order, {player, handle}); };
  if (handle == kNoPlayer || order.players_of(player) != &players) return find();
  if (!known_) known_ = std::make_unique<KnownRanks>();
  const Rank known = known_->get(handle, [&] { return find().value_or(Rank()); });
  return known == 0 ? std::nullopt : std::optional(known);
}

// ---- exports

void BoardMarks::each_changed(const EngineView& order, const EachChanged& visit) const {
  if (!aside_) return changes_->each(visit);
  Players& players = context_.engines.players;
  const auto row_now = [&](std::string_view id) {
    Arena arena;
    return key_of(order.find({id, players.find(id)}, arena));
  };
  const auto visit_if_other = [&](std::string_view id, const std::optional<RowKey>& was) {
    if (was && was != row_now(id)) visit(id, was);
  };
  changes_->each(visit_if_other);
  each_row(*aside_, [&](std::string_view id, const RowKey& key) {
    if (!changes_->has(players.find(id))) visit_if_other(id, key);
  });
  each_row(order, [&](std::string_view id, const RowKey&) {
    if (!find(order, {id, players.find(id)})) visit(id, std::nullopt);
  });
}

void BoardMarks::restore(const EngineView& order, MarkForm::Kind kind, Time at,
                         const std::optional<Schedule>& schedule, std::optional<Time> due) {
  assert(kind != MarkForm::Kind::aside && "a new board has put no engine aside");
  begin(kind, at, at);
  count_distinct(order);
  clock_.resume(schedule, due);
  save();
}

bool BoardMarks::restore_changed(const EngineView& order, std::string_view player,
                                 const std::optional<RowKey>& was) {
  if (!hears() || changes_->has(context_.engines.players.find(player))) return false;
  forget_ranks();
  changes_->restore(order, player, was);
  write(player, was);
  return true;
}

std::size_t BoardMarks::bytes() const {
  return sizeof *this + changes_->bytes() + (aside_ ? aside_->bytes() : 0) +
         (known_ ? sizeof *known_ : 0);
}

// ---- a change

MarkedChange::MarkedChange(BoardMarks& marks, const Players& players, const EngineView& order,
                           Ties ties, const Player& player, const RowKey* next)
    : marks_(marks),
      players_(players),
      order_(order),
      ties_(ties),
      next_(order.drops_rows() ? nullptr : next) {
  assert(player.id.size() <= id_.size());
  player.id.copy(id_.data(), player.id.size());
  player_ = {{id_.data(), player.id.size()},
             player.handle == kNoPlayer ? players.find(player.id) : player.handle};
  handle_ = player_.handle;
  before_ = key_of_player(player_);
  marks_.prefetch(player_.handle, before_);
  if (order.drops_rows()) last_ = last_shown();
}

MarkedChange::~MarkedChange() {
  const bool is_held = next_ != nullptr && before_;  // and keeps the handle
  if (!is_held) player_.handle = players_.find(player_.id);
  if (before_ && player_.handle != handle_) marks_.forget_ranks();
  marks_.changed(order_, player_, before_,
                 next_ != nullptr ? std::optional(*next_) : key_of_player(player_));
  if (order_.drops_rows()) note_others();
}

std::optional<RowKey> MarkedChange::key_of_player(const Player& player) const {
  Arena arena;
  return key_of(order_.find(player, arena));
}

std::optional<MarkedChange::Shown> MarkedChange::last_shown() const {
  Arena arena;
  std::vector<EngineRow> rows;
  if (order_.size() == 0) return std::nullopt;
  order_.read(order_.size() - 1, 1, arena, rows);
  return Shown{std::string(rows[0].player), {rows[0].score, rows[0].at}};
}

// The row that was shown last may no longer be shown, and the one that is shown last may have come
// up from the reserve.
void MarkedChange::note_others() {
  if (!last_) return;
  const Player was_last = look_up(last_->player);
  if (last_->player != player_.id) {
    marks_.changed(order_, was_last, last_->key, key_of_player(was_last));
  }
  const std::optional<Shown> now = last_shown();
  if (!now || now->player == player_.id || now->player == last_->player) return;
  const EngineRow row_of_was{last_->player, last_->key.score, last_->key.at, std::nullopt};
  const EngineRow row_of_is{now->player, now->key.score, now->key.at, std::nullopt};
  if (stands_before(row_of_was, row_of_is, ties_)) {
    marks_.changed(order_, look_up(now->player), std::nullopt, now->key);
  }
}

}  // namespace laurel
