#include "board/results/board_results.h"

#include <utility>

namespace laurel {

namespace {

ResultBy by_of(const OfferedResult& offered) {
  if (offered.joins) return ResultBy::join;
  if (offered.mode == WriteMode::add) return ResultBy::add;
  return offered.mode == WriteMode::set ? ResultBy::set : ResultBy::submit;
}

}  // namespace

bool BoardResults::keeps_each(const Spec& spec) {
  return spec.attempts != 0 || spec.capacity != 0 || spec.history != 0 || spec.journal != 0;
}

BoardResults::BoardResults(const PartContext& context, const Spec& spec) : context_(context) {
  configure(spec);
}

BoardResults::~BoardResults() = default;

bool BoardResults::has_rows(const Space& board) { return AcceptedIds::has_rows(board); }

Status BoardResults::load(const Engine::LoadProgress& progress) {
  if (attempts_) {
    if (Status loaded = attempts_->load(progress); !loaded) return loaded;
  }
  if (history_) {
    if (Status loaded = history_->load(progress); !loaded) return loaded;
  }
  return AcceptedIds::has_rows(context_.board) ? make_ids().load(progress) : Status(Done{});
}

void BoardResults::each_space(const EachSpace& visit) const {
  if (attempts_ && attempts_->space()) visit(*attempts_->space(), 1);
  if (ids_ && ids_->space()) visit(*ids_->space(), 1);
  if (history_ && history_->space()) visit(*history_->space(), 1);
}

void BoardResults::dismantle() {
  if (attempts_) attempts_->start_over(context_.reclaimer);
  if (ids_) ids_->dismantle();
  if (history_) history_->start_over(context_.reclaimer);
}

// Counting begins when a spec has `attempts`, and the counts end when it has them no longer.
void BoardResults::configure(const Spec& spec) {
  if (spec.attempts != 0 && !attempts_) {
    attempts_ = std::make_unique<Attempts>(context_.engines, context_.board);
  } else if (spec.attempts == 0 && attempts_) {
    attempts_->start_over(context_.reclaimer);
    attempts_.reset();
  }
  configure_history(spec.history);
  configure_journal(spec.journal);
}

void BoardResults::configure_history(std::size_t most) {
  if (most != 0 && !history_) {
    history_ = std::make_unique<ResultHistory>(context_.engines, context_.board, most);
  } else if (most != 0) {
    history_->resize(most);
  } else if (history_) {
    history_->start_over(context_.reclaimer);
    history_.reset();
  }
}

void BoardResults::configure_journal(std::size_t most) {
  if (most == 0) {
    journal_.reset();
  } else if (!journal_) {
    journal_ = std::make_unique<SubmissionJournal>(most);
  } else {
    journal_->resize(most);
  }
}

AcceptedIds& BoardResults::make_ids() {
  if (!ids_) ids_ = std::make_unique<AcceptedIds>(context_.engines, context_.board);
  return *ids_;
}

bool BoardResults::has_id(std::string_view id, const std::optional<IdHash>& hash, Time now) {
  offered_id_ = {hash ? *hash : make_ids().hash(id), now};
  return ids_->has(offered_id_.hash, now);
}

void BoardResults::decided(const Status& status, const TakenResult& taken, const ScoreForm& form,
                           const JudgedBy& judged) {
  if (!offered_.admitted) return;
  if (history_ && status) prepare_history(taken, judged);
  if (journal_ && offered_.mode != WriteMode::set) note_in_journal(status, taken, form, judged);
}

// What is held can be read only until the result is applied.
void BoardResults::prepare_history(const TakenResult& taken, const JudgedBy& judged) {
  ResultRow row{.by = by_of(offered_),
                .score = offered_.score,
                .at = offered_.at,
                .data = offered_.submission->data,
                .before = taken.before,
                .rule_version = judged.version,
                .differences = offered_.differences};
  history_->prepare(taken.player.id, row);
}

void BoardResults::note_in_journal(const Status& status, const TakenResult& taken,
                                   const ScoreForm& form, const JudgedBy& judged) {
  JournalRecord record{.player = std::string(taken.player.id),
                       .mode = offered_.mode,
                       .score = form.score(offered_.score),
                       .at = offered_.at,
                       .data = std::nullopt,
                       .held = std::nullopt,
                       .sum = judged.sum,
                       .outcome = std::nullopt,
                       .refusal = {},
                       .judged = !judged.version.empty() && !judged.failed,
                       .differences = offered_.differences};
  if (offered_.submission->data) record.data = std::string(*offered_.submission->data);
  if (taken.before) record.held = held_state(*taken.before);
  if (status) {
    record.outcome = taken.score;
  } else {
    record.refusal = status.refusal().text();
  }
  journal_->note(std::move(record));
}

void BoardResults::applied(const Player& player) {
  if (history_) history_->keep();
  if (offered_.submission->id) ids_->add(offered_id_.hash, offered_id_.now);
  if (attempts_ && offered_.mode != WriteMode::set) attempts_->take(player);
}

void BoardResults::removed(std::string_view player) {
  if (history_) history_->end(player);
}

void BoardResults::cleared() {
  if (history_) history_->start_over(context_.reclaimer);
}

void BoardResults::season_ended() {
  if (attempts_) attempts_->start_over(context_.reclaimer);
  if (history_) history_->start_over(context_.reclaimer);
}

void BoardResults::forget(std::string_view player) {
  if (attempts_) attempts_->erase(player);
  if (history_) history_->end(player);
  if (journal_) journal_->forget(player);
}

void BoardResults::rename(std::string_view from, std::string_view to) {
  if (history_) history_->rename(from, to);
  if (journal_) journal_->rename(from, to);
  if (!attempts_ || !attempts_->has(from)) return;
  attempts_->set(to, attempts_->of(from));
  attempts_->erase(from);
}

bool BoardResults::has(std::string_view player) const {
  return attempts_ && attempts_->has(player);
}

std::size_t BoardResults::bytes() const {
  return sizeof *this + (attempts_ ? attempts_->bytes() : 0) + (ids_ ? ids_->bytes() : 0) +
         (history_ ? history_->bytes() : 0) + (journal_ ? journal_->bytes() : 0);
}

}  // namespace laurel
