#include "board/results/board_results.h"

namespace laurel {

bool BoardResults::keeps_each(const Spec& spec) { return spec.attempts != 0 || spec.capacity != 0; }

BoardResults::BoardResults(const Context& context, const Spec& spec) : context_(context) {
  configure(spec);
}

BoardResults::~BoardResults() = default;

bool BoardResults::has_rows(const Space& board) { return AcceptedIds::has_rows(board); }

Status BoardResults::load(const Engine::LoadProgress& progress) {
  if (attempts_) {
    if (Status loaded = attempts_->load(progress); !loaded) return loaded;
  }
  return AcceptedIds::has_rows(context_.board) ? make_ids().load(progress) : Status(Done{});
}

void BoardResults::each_space(const EachSpace& visit) const {
  if (attempts_ && attempts_->space()) visit(*attempts_->space(), 1);
  if (ids_ && ids_->space()) visit(*ids_->space(), 1);
}

void BoardResults::dismantle() {
  if (attempts_) attempts_->begin_anew(context_.reclaimer);
  if (ids_) ids_->dismantle();
}

// Counting begins when a spec has `attempts`, and the counts end when it has them no longer.
void BoardResults::configure(const Spec& spec) {
  if (spec.attempts != 0 && !attempts_) {
    attempts_ = std::make_unique<Attempts>(context_.engines, context_.board);
  } else if (spec.attempts == 0 && attempts_) {
    attempts_->begin_anew(context_.reclaimer);
    attempts_.reset();
  }
}

AcceptedIds& BoardResults::make_ids() {
  if (!ids_) ids_ = std::make_unique<AcceptedIds>(context_.engines, context_.board);
  return *ids_;
}

bool BoardResults::has_id(std::string_view id, Time now) {
  offered_id_ = {make_ids().hash(id), now};
  return ids_->has(offered_id_.hash, now);
}

void BoardResults::decided(const Status&, const TakenResult&) {}

void BoardResults::applied(const TakenResult& taken) {
  if (offered_.submission->id) ids_->add(offered_id_.hash, offered_id_.now);
  if (attempts_ && offered_.mode != WriteMode::set) attempts_->take(taken.player);
}

void BoardResults::removed(std::string_view) {}

void BoardResults::cleared() {}

void BoardResults::season_ended() {
  if (attempts_) attempts_->begin_anew(context_.reclaimer);
}

void BoardResults::forget(std::string_view player) {
  if (attempts_) attempts_->erase(player);
}

void BoardResults::rename(std::string_view from, std::string_view to) {
  if (!attempts_ || !attempts_->has(from)) return;
  attempts_->set(to, attempts_->of(from));
  attempts_->erase(from);
}

bool BoardResults::has(std::string_view player) const {
  return attempts_ && attempts_->has(player);
}

std::size_t BoardResults::bytes() const {
  return sizeof *this + (attempts_ ? attempts_->bytes() : 0) + (ids_ ? ids_->bytes() : 0);
}

}  // namespace laurel
