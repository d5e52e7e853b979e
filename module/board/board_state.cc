#include "board/board_state.h"

#include <utility>

#include "base/memory_guarantee.h"
#include "base/text.h"
#include "board/board.h"
#include "board/segments/board_cohorts.h"
#include "engine/row_codec.h"

namespace laurel {

namespace {

void each_of(const Membership& membership, Membership::List list, const Players& players,
             const BoardState::EachPlayer& visit) {
  membership.each(list, [&](PlayerHandle player) {
    const IdText id = players.id(player);
    visit(id);
  });
}

}  // namespace

void BoardState::each_joined(const EachPlayer& visit) const {
  each_of(board_.membership_, Membership::List::joined, board_.context_.players, visit);
}

void BoardState::each_banned(const EachPlayer& visit) const {
  each_of(board_.membership_, Membership::List::banned, board_.context_.players, visit);
}

void BoardState::each_pardoned(const EachPlayer& visit) const {
  each_of(board_.membership_, Membership::List::pardoned, board_.context_.players, visit);
}

void BoardState::each_hidden(const Engine::PackedVisitor& visit) const {
  board_.membership_.each_hidden(visit);
}

void BoardState::each_archived(const std::function<void(ArchivedSeason&)>& visit) const {
  for (auto season = board_.past_.rbegin(); season != board_.past_.rend(); ++season) {
    visit(**season);
  }
}

const Season& BoardState::season() const { return board_.season_; }
bool BoardState::written() const { return board_.written_; }
Engine& BoardState::engine() const { return *board_.engine_; }

void BoardState::each_attempts(
    const std::function<void(std::string_view, const AttemptCount&)>& visit) const {
  if (board_.results_ && board_.results_->attempts()) board_.results_->attempts()->each(visit);
}

void BoardState::each_history(const ResultHistory::EachPlayer& visit) const {
  if (const ResultHistory* history = board_.kept_history()) history->each(visit);
}

const AcceptedIds* BoardState::ids() const {
  return board_.results_ ? board_.results_->ids() : nullptr;
}

const BoardMarks* BoardState::marks() const { return board_.marks_.get(); }
const BoardCohorts* BoardState::cohorts() const { return board_.cohorts_.get(); }

void BoardState::set_created(Time created) {
  board_.created_ = created;
  board_.save();
}

void BoardState::set_season(const Season& season, std::optional<Time> due, bool written) {
  board_.season_ = season;
  board_.season_clock_.resume(reset_schedule(*board_.spec_), due);
  board_.due_.move(board_.season_clock_.due());
  board_.written_ = written;
  board_.begin_cohorts();  // they have the season's number
  board_.past_.trim();
  board_.save();
}

Engine& BoardState::add_archived(const Season& season, const Spec& spec,
                                 std::optional<SeasonEnd> end) {
  // With the window of that time.
  Board::PlacedEngine placed = board_.make_empty_engine(season.ended.value_or(season.started));
  placed.engine->configure(spec);
  auto past = std::make_unique<ArchivedSeason>(board_.context_.players, season,
                                               board_.context_.specs.get(spec),
                                               std::move(placed.engine), placed.first);
  board_.keep_cohorts(*past);
  ArchivedSeason& added = board_.past_.add(std::move(past));
  if (end) board_.past_.await_hearing(added, std::move(*end));
  return added.engine();
}

void BoardState::join(std::string_view player) {
  board_.membership_.add(Membership::List::joined, player);
}
void BoardState::ban(std::string_view player) {
  board_.membership_.add(Membership::List::banned, player);
}
void BoardState::pardon(std::string_view player) {
  board_.membership_.add(Membership::List::pardoned, player);
}

void BoardState::hide(std::string_view player, std::string_view packed) {
  const PlayerHandle handle = board_.context_.players.find(player);
  if (board_.membership_.hidden(handle) == nullptr) board_.membership_.hide(player, packed);
}

void BoardState::set_attempts(std::string_view player, const AttemptCount& count) {
  if (!board_.results_ || !board_.results_->attempts()) return;
  const MemoryGuarantee guaranteed;
  board_.results_->attempts()->set(player, count);
}

Status BoardState::accept_id(const AcceptedIds::Seed& key, const IdHash& id, Time at) {
  board_.keep_results();
  AcceptedIds& ids = board_.results_->make_ids();
  if (ids.size() == 0) {
    ids.set_seed(key);
  } else if (ids.seed() != key) {
    return Refusal(Code::bad_data, "the ids of a board have two keys");
  }
  const MemoryGuarantee guaranteed;
  ids.add(id, at);
  return Done{};
}

Status BoardState::add_result(std::string_view player, const KeptResult& result) {
  ResultHistory* const history = board_.kept_history();
  if (history == nullptr) return Refusal(Code::bad_data, "the board keeps no history");
  const MemoryGuarantee guaranteed;
  history->prepare(player, row_of(result));
  history->keep();
  return Done{};
}

Status BoardState::set_mark(bool is_empty, std::optional<Time> at, std::optional<Time> due) {
  if (!has_marks(*board_.spec_)) {
    return Refusal(Code::bad_data, "a board of this engine has no marks");
  }
  const auto kind = !at        ? MarkForm::Kind::none
                    : is_empty ? MarkForm::Kind::empty
                               : MarkForm::Kind::changes;
  const MemoryGuarantee guaranteed;
  board_.keep_marks();
  board_.marks_->restore(*board_.engine_, kind, at.value_or(0), mark_schedule(*board_.spec_), due);
  return Done{};
}

Status BoardState::add_changed(std::string_view player, const std::optional<RowKey>& was) {
  const MemoryGuarantee guaranteed;
  if (board_.marks_ && board_.marks_->restore_changed(*board_.engine_, player, was)) return Done{};
  return Refusal(Code::bad_data, "player \"{}\" cannot have changed since the mark",
                 escaped(player, 64));
}

BoardCohorts* BoardState::cohorts(OfSeason season) {
  if (season == OfSeason::running) return board_.cohorts_.get();
  ArchivedSeason* const past = board_.past_.newest();
  return past == nullptr ? nullptr : past->cohorts();
}

Status BoardState::set_cohorts(OfSeason season, std::uint64_t count) {
  const MemoryGuarantee guaranteed;
  BoardCohorts* const cohorts = this->cohorts(season);
  if (cohorts != nullptr && cohorts->restore_cohorts(count)) return Done{};
  return Refusal(Code::bad_data, "the season cannot have {} cohorts", count);
}

Status BoardState::set_filled(OfSeason season, std::string_view value, std::uint64_t cohort) {
  const MemoryGuarantee guaranteed;
  BoardCohorts* const cohorts = this->cohorts(season);
  if (cohorts != nullptr && cohorts->restore_filled(value, cohort)) return Done{};
  return Refusal(Code::bad_data, "players with the value \"{}\" cannot fill cohort {}",
                 escaped(value, 64), cohort);
}

Status BoardState::set_place(OfSeason season, std::string_view player, std::uint64_t cohort) {
  const MemoryGuarantee guaranteed;
  BoardCohorts* const cohorts = this->cohorts(season);
  if (cohorts != nullptr && cohorts->restore(player, cohort)) return Done{};
  return Refusal(Code::bad_data, "player \"{}\" cannot be in cohort {}", escaped(player, 64),
                 cohort);
}

Status BoardState::put(Engine& engine, std::string_view player, std::string_view packed) {
  if (const auto* scores = dynamic_cast<const ScoreEngine*>(&engine)) {
    if (!scores->fits(unpack_row(packed).score)) {
      return Refusal(Code::bad_data, "the score does not fit a key of this board");
    }
  }
  const MemoryGuarantee guaranteed;
  engine.unpack(board_.look_up(player), packed);
  return Done{};
}

}  // namespace laurel
