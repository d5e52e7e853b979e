#include "remote/questions.h"

#include "base/checks.h"
#include "base/limits.h"
#include "board/values.h"

namespace laurel {

namespace {

// Whether the board's rule judges this request.
bool is_judged(const Spec& spec, const Ask& what) {
  if (spec.rule.empty()) return false;
  if (const auto* write = std::get_if<ask::Write>(&what)) return write->how != Writing::set;
  if (const auto* join = std::get_if<ask::Join>(&what)) return join->with_score;
  const auto* all = std::get_if<ask::WriteAll>(&what);
  return all != nullptr && !all->what.empty();
}

// Refuses values that no board accepts, before a remote is asked. WriteAll checks its submissions
// one by one later.
struct ValueCheck {
  Status operator()(const ask::Write& what) const { return check_submission(what.what.view()); }
  Status operator()(const ask::Join& what) const {
    return what.with_score ? check_submission(what.what.view()) : check_player(what.what.player);
  }
  Status operator()(const ask::Remove& what) const { return check_player(what.player); }
  Status operator()(const ask::Leave& what) const { return check_player(what.player); }
  Status operator()(const ask::Ban& what) const { return check_player(what.player); }
  Status operator()(const ask::Unban& what) const { return check_player(what.player); }
  Status operator()(const ask::Forget& what) const { return check_player(what.player); }
  Status operator()(const ask::RankOf& what) const { return check_score(what.score); }
  Status operator()(const ask::SavePlayer& what) const { return check_profile(what.view()); }
  Status operator()(const ask::RecordSession& what) const {
    // If the id was recorded before, that session is answered, whatever the other fields are.
    return what.id ? check_session_id(*what.id) : check_session(what.view());
  }
  template <typename Other>
  Status operator()(const Other&) const {
    return Done{};
  }
};

}  // namespace

Questions::Id Questions::ask(RemoteBoard* board, BoardHandle handle, std::uint64_t season, Ask what,
                             Completion done) {
  const Id id = ++last_;
  Question& question = questions_[id];
  question.board = handle;
  question.season = season;
  question.what = std::move(what);
  question.done = std::move(done);
  if (board == nullptr) {
    later(id, Refusal(Code::unknown, "the board was dropped"));
    return id;
  }
  question.deadline = asks_.deadline();
  if (!has_room(id)) return id;
  if (board->is_open()) {
    begin(*board, id, question);
  } else {
    waiting_.push_back({id, handle, question.deadline, board});
  }
  return id;
}

Questions::Id Questions::ask_site(Site& site, Target target, Ask what, Completion done) {
  const Id id = ++last_;
  Question& question = questions_[id];
  question.done = std::move(done);
  question.deadline = asks_.deadline();
  if (!has_room(id)) return id;
  if (const Status valid = std::visit(ValueCheck(), what); !valid) {
    later(id, valid.refusal());
    return id;
  }
  question.request = asks_.ask(site, std::move(target), std::move(what), question.deadline,
                               [this, id](Result<Value> value) { answered(id, std::move(value)); });
  return id;
}

// Refuses the request if there are too many.
bool Questions::has_room(Id id) {
  if (questions_.size() <= kRemoteAsksMax) return true;
  later(id,
        Refusal(Code::unavailable, "{} questions are under way, which is as many as there can be",
                kRemoteAsksMax));
  return false;
}

void Questions::stop(const Question& question) {
  asks_.cancel(question.request);
  if (question.judged) question.judged->cancel();
  if (question.judged_all) question.judged_all->cancel();
  if (question.archived) question.archived->cancel();
}

void Questions::cancel(Id id) {
  auto cancelled = questions_.extract(id);
  if (!cancelled.empty()) stop(cancelled.mapped());
}

void Questions::cancel_all_of(BoardHandle board) {
  std::erase_if(waiting_, [&](const Waiting& each) { return each.board == board; });
  std::erase_if(questions_, [&](const auto& each) {
    if (each.second.board != board) return false;
    stop(each.second);
    return true;
  });
}

void Questions::cancel_all() {
  waiting_.clear();
  ready_.clear();
  auto ended = std::exchange(questions_, {});
  for (auto& [id, question] : ended) stop(question);
}

void Questions::opened(RemoteBoard& board, BoardHandle handle) {
  std::vector<Id> opened;
  std::erase_if(waiting_, [&](const Waiting& each) {
    if (each.board != handle) return false;
    opened.push_back(each.id);
    return true;
  });
  for (const Id id : opened) {
    const auto question = questions_.find(id);
    if (question != questions_.end()) begin(board, id, question->second);
  }
}

void Questions::begin(RemoteBoard& board, Id id, Question& question) {
  board.use();
  if (!board.differs().empty() && writes(question.what)) {
    return later(id, Refusal(Code::unavailable, "{}", board.differs()));
  }
  if (const Status valid = std::visit(ValueCheck(), question.what); !valid) {
    return later(id, valid.refusal());
  }
  send(board, id, question);
}

void Questions::send(RemoteBoard& board, Id id, Question& question) {
  Site& site = board.site();
  Target target = board.target(question.season);
  Ask what = std::move(question.what);
  const Completion done = [this, id](Result<Value> value) { answered(id, std::move(value)); };
  if (archive != nullptr && question.season != 0 && board.is_carried() && !writes(what)) {
    question.archived = ArchivedRead::begin(asks_, site, *archive, std::move(target),
                                            std::move(what), question.deadline, done);
  } else if (std::holds_alternative<ask::Drop>(what)) {
    question.request =
        asks_.ask(site, std::move(target), std::move(what), question.deadline,
                  [this, id](Result<Value> value) { dropped(id, std::move(value)); });
  } else if (!is_judged(*board.spec(), what)) {
    question.request = asks_.ask(site, std::move(target), std::move(what), question.deadline, done);
  } else if (auto* all = std::get_if<ask::WriteAll>(&what)) {
    question.judged_all =
        JudgedAll::begin(asks_, site, std::move(target), std::move(*all), question.deadline, done);
  } else {
    auto* const write = std::get_if<ask::Write>(&what);
    Judged::What judged = write != nullptr ? Judged::What(std::move(*write))
                                           : Judged::What(std::get<ask::Join>(std::move(what)));
    question.judged =
        Judged::begin(asks_, site, std::move(target), std::move(judged), question.deadline, done);
  }
}

void Questions::answered(Id id, Result<Value> value) {
  auto ended = questions_.extract(id);
  if (ended.empty()) return;
  const Question& question = ended.mapped();
  if (!value && value.refusal().code() == Code::unknown && question.season == 0) {
    on_unknown(question.board);
  }
  question.done(std::move(value));
}

void Questions::dropped(Id id, Result<Value> value) {
  auto ended = questions_.extract(id);
  if (ended.empty()) return;
  if (value) on_dropped(ended.mapped().board);
  ended.mapped().done(std::move(value));
}

void Questions::give_up_waiting() {
  const Time now = asks_.steady();
  std::erase_if(waiting_, [&](const Waiting& each) {
    if (each.deadline > now) return false;
    const std::string& trouble = each.why->trouble();
    later(each.id, Refusal(Code::unavailable, "remote \"{}\" does not answer{}{}",
                           each.why->site().name, trouble.empty() ? "" : ": ", trouble));
    return true;
  });
}

void Questions::tick() {
  give_up_waiting();
  for (auto& [id, value] : std::exchange(ready_, {})) {
    auto ended = questions_.extract(id);
    if (!ended.empty()) ended.mapped().done(std::move(value));
  }
}

}  // namespace laurel
