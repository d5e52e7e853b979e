#include "plugin/remote_calls.h"

#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "plugin/convert.h"
#include "remote/limits.h"
#include "remote/remote_boards.h"

namespace laurel {

// Connects a request to the call that waits for it. If the last reference goes without an answer,
// there will be none, and the call is lost.
class RemoteCalls::Line {
 public:
  Line(RemoteCalls& calls, Id id) : calls_(calls), id_(id) {}
  ~Line() {
    if (!answered_) calls_.abandon(id_);
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  void answer(const Result<Value>& value) {
    answered_ = true;
    calls_.answered(id_, value);
  }

 private:
  RemoteCalls& calls_;
  Id id_;
  bool answered_ = false;
};

namespace {

laurel_answer empty_answer() {
  laurel_answer answer{};
  answer.struct_size = sizeof answer;
  answer.text = "";
  return answer;
}

void answer_receiver(const RemoteCalls::Receiver& receiver, const laurel_answer& answer) {
  if (receiver.on_answer != nullptr) receiver.on_answer(receiver.context, &answer);
}

void refuse(const RemoteCalls::Receiver& receiver, const Refusal& refusal) {
  laurel_answer answer = empty_answer();
  answer.code = tell(nullptr, refusal);
  answer.text = refusal.c_str();
  answer_receiver(receiver, answer);
}

// Writes a value into the answer. The answer points into this object and into the value.
struct Shown {
  laurel_answer& answer;
  std::vector<laurel_board_entry> entries;
  std::vector<double> ranks;
  std::vector<laurel_code> codes;

  void set_rank(Rank rank) {
    answer.rank = rank.whole();
    answer.exact_rank = static_cast<double>(rank);
  }
  void operator()(bool changed) { answer.changed = changed ? 1 : 0; }
  void operator()(std::uint64_t number) { answer.number = number; }
  void operator()(const std::optional<Standing>& standing) {
    if (!standing) return;
    answer.found = 1;
    set_rank(standing->rank);
    answer.size = standing->size;
  }
  void operator()(Rank rank) { set_rank(rank); }
  void operator()(const std::optional<double>& score) {
    if (!score) return;
    answer.found = 1;
    answer.score = *score;
  }
  void operator()(const Written& written) {
    answer.score = written.score.value_or(std::numeric_limits<double>::quiet_NaN());
    answer.changed = written.changed ? 1 : 0;
  }
  // REQUIRES: codes has an element for each result.
  void operator()(const WrittenAll& all) {
    answer.number = all.changed;
    for (const auto& [index, refusal] : all.refused) codes[index] = tell(nullptr, refusal);
    answer.codes = codes.data();
    answer.code_count = codes.size();
  }
  void operator()(const Listed& listed) {
    entries.resize(listed.entries.size());
    answer.entries = entries.data();
    answer.entry_count = hand_out(listed.entries, entries.data());
    for (const Entry& entry : listed.entries) ranks.push_back(static_cast<double>(entry.rank));
    answer.exact_ranks = ranks.data();
    answer.size = listed.size;
    set_rank(listed.rank);
    if (entries.empty()) return;
    answer.found = 1;
    answer.score = entries.front().score;
    if (listed.rank == 0) set_rank(listed.entries.front().rank);
  }
  void operator()(const std::optional<AttemptsOf>& attempts) {
    if (!attempts) return;
    answer.found = 1;
    answer.number = attempts->taken;
    answer.left = attempts->left;
  }
  void operator()(const SeasonFacts& facts) { answer.number = facts.season.number; }
  // Values that no call of the C interface asks for.
  template <typename Other>
  void operator()(const Other&) {}
};

}  // namespace

Status RemoteCalls::ask(const Registry& registry, BoardHandle board, std::uint64_t season,
                        Request what, Receiver receiver) {
  if (registry.closed()) return Refusal(Code::closed, "the boards are closed");
  RemoteBoards* const remotes = RemoteBoards::of(registry);
  if (remotes == nullptr || remotes->name(board) == nullptr) {
    return Refusal(Code::unknown, "this board was dropped or never opened");
  }
  Call call{.receiver = receiver,
            .counts_players = std::holds_alternative<request::Size>(what),
            .counts_attempts = std::holds_alternative<request::Grant>(what)};
  if (const auto* all = std::get_if<request::WriteAll>(&what)) call.results = all->what.size();
  return wait(call, [&](RemoteBoards::Completion done) {
    remotes->ask(board, season, std::move(what), std::move(done));
  });
}

Status RemoteCalls::ask_archived(const Registry& registry, const Board& board, std::uint64_t season,
                                 Request what, Receiver receiver) {
  return wait({.receiver = receiver}, [&](RemoteBoards::Completion done) {
    RemoteBoards::of(registry)->ask_archived(board, season, std::move(what), std::move(done));
  });
}

template <typename Begin>
Status RemoteCalls::wait(Call call, Begin begin) {
  if (waiting_.size() >= kRemoteRequestsMax) {
    return Refusal(Code::unavailable, "{} calls wait, the most allowed", kRemoteRequestsMax);
  }
  const Id id = ++last_;
  begin([line = std::make_shared<Line>(*this, id)](const Result<Value>& value) {
    const std::shared_ptr<Line> kept = line;
    kept->answer(value);
  });
  waiting_.emplace(id, call);  // last: if begin() throws, the call is not registered
  return Done{};
}

void RemoteCalls::answered(Id id, const Result<Value>& value) {
  const auto ended = waiting_.extract(id);
  if (ended.empty()) return;
  const Call& call = ended.mapped();
  if (!value) return refuse(call.receiver, value.refusal());
  laurel_answer answer = empty_answer();
  laurel_error error{};
  Shown shown{.answer = answer, .entries = {}, .ranks = {}, .codes = {}};
  guarded(&error, 0, [&] {
    shown.codes.assign(call.results, LAUREL_OK);
    std::visit(shown, *value);
    return 0;
  });
  if (call.counts_players) answer.size = std::exchange(answer.number, 0);
  if (call.counts_attempts) answer.left = std::exchange(answer.number, 0);
  if (error.code != LAUREL_OK) {
    answer = empty_answer();
    answer.code = error.code;
    answer.text = error.text;
  }
  answer_receiver(call.receiver, answer);
}

void RemoteCalls::abandon(Id id) {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return;
  found->second.lost = true;
  ++lost_;
}

void RemoteCalls::tick() {
  if (lost_ == 0) return;
  std::map<Id, Call> lost;
  for (auto each = waiting_.begin(); each != waiting_.end();) {
    const auto next = std::next(each);
    if (each->second.lost) lost.insert(waiting_.extract(each));
    each = next;
  }
  lost_ = 0;
  for (const auto& [id, call] : lost) {
    refuse(call.receiver, {Code::unknown, "the board was dropped"});
  }
}

void RemoteCalls::close() {
  lost_ = 0;
  for (const auto& [id, call] : std::exchange(waiting_, {})) {
    refuse(call.receiver, {Code::closed, "the boards were closed before the answer came"});
  }
}

}  // namespace laurel
