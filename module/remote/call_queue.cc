#include "remote/call_queue.h"

#include "base/checks.h"
#include "board/standings/places.h"
#include "board/validate.h"
#include "remote/limits.h"

namespace laurel {

namespace {

// Whether the board's rule judges this request.
bool is_judged(const Spec& spec, const Request& what) {
  if (spec.rule.empty()) return false;
  if (const auto* write = std::get_if<request::Write>(&what)) return write->how != WriteMode::set;
  if (const auto* join = std::get_if<request::Join>(&what)) return join->with_score;
  const auto* all = std::get_if<request::WriteAll>(&what);
  return all != nullptr && !all->what.empty();
}

bool reads_top(const Request& what) {
  const auto* page = std::get_if<request::Page>(&what);
  return (page != nullptr && page->first == 0) || std::holds_alternative<request::TopOnce>(what);
}

std::string player_hidden_by(const Request& what) {
  if (const auto* ban = std::get_if<request::Ban>(&what)) return ban->player;
  const auto* forget = std::get_if<request::Forget>(&what);
  return forget == nullptr ? "" : forget->player;
}

// Refuses values that no board accepts, before a remote is asked. WriteAll checks its submissions
// one by one later. If the id of a result was accepted before, it is not refused for other values.
struct ValueCheck {
  Status operator()(const request::Write& what) const {
    const Submission submission = what.what.view();
    return submission.id ? check_identity(submission) : check_submission(submission);
  }
  Status operator()(const request::Join& what) const {
    return what.with_score ? check_submission(what.what.view()) : check_player(what.what.player);
  }
  Status operator()(const request::Remove& what) const { return check_player(what.player); }
  Status operator()(const request::Leave& what) const { return check_player(what.player); }
  Status operator()(const request::Ban& what) const { return check_player(what.player); }
  Status operator()(const request::Unban& what) const { return check_player(what.player); }
  Status operator()(const request::Forget& what) const { return check_player(what.player); }
  Status operator()(const request::RankOf& what) const { return check_score(what.score); }
  Status operator()(const request::ScoreAtPercentile& what) const {
    return check_percentage(what.percentile);
  }
  Status operator()(const request::TopPercent& what) const {
    return check_percentage(what.percent);
  }
  Status operator()(const request::AroundScore& what) const { return check_score(what.score); }
  Status operator()(const request::SavePlayer& what) const { return check_profile(what.view()); }
  Status operator()(const request::RecordSession& what) const {
    // If the id was recorded before, that session is answered, whatever the other fields are.
    return what.id ? check_session_id(*what.id) : check_session(what.view());
  }
  template <typename Other>
  Status operator()(const Other&) const {
    return Done{};
  }
};

}  // namespace

CallQueue::Id CallQueue::ask(RemoteBoard* board, BoardHandle handle, std::uint64_t season,
                             Request what, Completion done) {
  const Id id = ++last_;
  QueuedCall& call = calls_[id];
  call.board = handle;
  call.season = season;
  call.what = std::move(what);
  call.done = std::move(done);
  if (board == nullptr) {
    later(id, Refusal(Code::unknown, "the board was dropped"));
    return id;
  }
  call.deadline = requests_.deadline();
  if (!has_room(id)) return id;
  if (board->is_open()) {
    begin(*board, id, call);
  } else {
    waiting_.push_back({id, handle, call.deadline, board});
  }
  return id;
}

CallQueue::Id CallQueue::ask_site(NamedRemote& remote, Target target, Request what,
                                  Completion done) {
  const Id id = ++last_;
  QueuedCall& call = calls_[id];
  call.done = std::move(done);
  call.deadline = requests_.deadline();
  if (!has_room(id)) return id;
  if (const Status valid = std::visit(ValueCheck(), what); !valid) {
    later(id, valid.refusal());
    return id;
  }
  call.request = requests_.ask(remote, std::move(target), std::move(what), call.deadline,
                               [this, id](Result<Value> value) { answered(id, std::move(value)); });
  return id;
}

// Refuses the request if there are too many.
bool CallQueue::has_room(Id id) {
  if (calls_.size() <= kRemoteRequestsMax) return true;
  later(id, Refusal(Code::unavailable, "{} requests are in progress, the most allowed",
                    kRemoteRequestsMax));
  return false;
}

void CallQueue::stop(const QueuedCall& call) {
  requests_.cancel(call.request);
  if (call.rule_write) call.rule_write->cancel();
  if (call.rule_write_all) call.rule_write_all->cancel();
  if (call.archived) call.archived->cancel();
}

void CallQueue::cancel(Id id) {
  auto cancelled = calls_.extract(id);
  if (!cancelled.empty()) stop(cancelled.mapped());
}

void CallQueue::cancel_all_of(BoardHandle board) {
  std::erase_if(waiting_, [&](const Waiting& each) { return each.board == board; });
  std::erase_if(calls_, [&](const auto& each) {
    if (each.second.board != board) return false;
    stop(each.second);
    return true;
  });
}

void CallQueue::cancel_all() {
  waiting_.clear();
  ready_.clear();
  auto ended = std::exchange(calls_, {});
  for (auto& [id, call] : ended) stop(call);
}

void CallQueue::opened(RemoteBoard& board, BoardHandle handle) {
  std::vector<Id> opened;
  std::erase_if(waiting_, [&](const Waiting& each) {
    if (each.board != handle) return false;
    opened.push_back(each.id);
    return true;
  });
  for (const Id id : opened) {
    const auto call = calls_.find(id);
    if (call != calls_.end()) begin(board, id, call->second);
  }
}

void CallQueue::begin(RemoteBoard& board, Id id, QueuedCall& call) {
  board.use();
  if (!board.spec_mismatch().empty() && writes(call.what)) {
    return later(id, Refusal(Code::unavailable, "{}", board.spec_mismatch()));
  }
  if (const Status valid = std::visit(ValueCheck(), call.what); !valid) {
    return later(id, valid.refusal());
  }
  send(board, id, call);
}

void CallQueue::send(RemoteBoard& board, Id id, QueuedCall& call) {
  NamedRemote& remote = board.remote();
  Target target = board.target(call.season);
  Request what = std::move(call.what);
  if (call.season == 0 && reads_top(what)) call.asked = requests_.steady();
  call.hidden = player_hidden_by(what);
  const Completion done = [this, id](Result<Value> value) { answered(id, std::move(value)); };
  if (archive != nullptr && call.season != 0 && board.is_carried() && !writes(what)) {
    call.archived = ArchivedRead::begin(requests_, remote, *archive, std::move(target),
                                        std::move(what), call.deadline, done);
  } else if (std::holds_alternative<request::Drop>(what)) {
    call.request =
        requests_.ask(remote, std::move(target), std::move(what), call.deadline,
                      [this, id](Result<Value> value) { dropped(id, std::move(value)); });
  } else if (!is_judged(*board.spec(), what)) {
    call.request = requests_.ask(remote, std::move(target), std::move(what), call.deadline, done);
  } else if (auto* all = std::get_if<request::WriteAll>(&what)) {
    call.rule_write_all = RuleWriteAll::begin(requests_, remote, std::move(target), std::move(*all),
                                              call.deadline, done);
  } else {
    auto* const write = std::get_if<request::Write>(&what);
    RuleWrite::What rule_write = write != nullptr
                                     ? RuleWrite::What(std::move(*write))
                                     : RuleWrite::What(std::get<request::Join>(std::move(what)));
    call.rule_write = RuleWrite::begin(requests_, remote, std::move(target), std::move(rule_write),
                                       call.deadline, done);
  }
}

void CallQueue::answered(Id id, Result<Value> value) {
  auto ended = calls_.extract(id);
  if (ended.empty()) return;
  const QueuedCall& call = ended.mapped();
  if (!value && value.refusal().code() == Code::unknown && call.season == 0) {
    on_unknown(call.board);
  }
  if (value && call.asked) on_top(call.board, std::get<Listed>(*value), *call.asked);
  if (value && !call.hidden.empty()) on_hidden(call.board, call.hidden);
  call.done(std::move(value));
}

void CallQueue::dropped(Id id, Result<Value> value) {
  auto ended = calls_.extract(id);
  if (ended.empty()) return;
  if (value) on_dropped(ended.mapped().board);
  ended.mapped().done(std::move(value));
}

void CallQueue::give_up_waiting() {
  const Time now = requests_.steady();
  std::erase_if(waiting_, [&](const Waiting& each) {
    if (each.deadline > now) return false;
    const std::string& last_error = each.why->last_error();
    later(each.id, Refusal(Code::unavailable, "remote \"{}\" does not answer{}{}",
                           each.why->remote().name, last_error.empty() ? "" : ": ", last_error));
    return true;
  });
}

void CallQueue::tick() {
  give_up_waiting();
  for (auto& [id, value] : std::exchange(ready_, {})) {
    auto ended = calls_.extract(id);
    if (!ended.empty()) ended.mapped().done(std::move(value));
  }
}

}  // namespace laurel
