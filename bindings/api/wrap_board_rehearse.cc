// board:rehearse(name) -> { judged=, same=, accepted=, refused=, failed=, examples= } | nil, reason
//
// Inside a task it continues in slices, a part at each tick, and the task waits. Outside it blocks.
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/text.h"
#include "bindings/api/board_call.h"
#include "bindings/lua/table.h"
#include "bindings/lua/task_line.h"

namespace laurel {

namespace {

void set_outcome(lua_State* L, const char* field, const RehearsalReport::Outcome& outcome,
                 const ScoreColumns* columns) {
  if (const double* score = std::get_if<double>(&outcome)) {
    set_score(L, field, *score, columns);
  } else {
    set_text(L, field, std::get<std::string>(outcome));
  }
}

void push_example(lua_State* L, const RehearsalReport::Example& example,
                  const ScoreColumns* columns) {
  lua_createtable(L, 0, 4);
  set_text(L, "player", example.player);
  if (example.differences) {
    push_values(L, *example.differences);
    lua_setfield(L, -2, "submitted");
  } else {
    set_score(L, "submitted", example.submitted, columns);
  }
  set_outcome(L, "was", example.was, columns);
  set_outcome(L, "now", example.now, columns);
}

int push_report(lua_State* L, const RehearsalReport& report) {
  lua_createtable(L, 0, 6);
  set_number(L, "judged", static_cast<double>(report.judged));
  set_number(L, "same", static_cast<double>(report.same));
  set_number(L, "accepted", static_cast<double>(report.accepted));
  set_number(L, "refused", static_cast<double>(report.refused));
  set_number(L, "failed", static_cast<double>(report.failed));
  push_array(
      L, report.examples,
      [columns = report.columns.get()](lua_State* state, const RehearsalReport::Example& example) {
        push_example(state, example, columns);
      });
  lua_setfield(L, -2, "examples");
  return 1;
}

// A rehearsal that a task waits for.
class RehearsalCall final : public PendingCall {
 public:
  RehearsalCall(RegistryHandle& boards, BoardHandle board, std::shared_ptr<RuleTrial> version)
      : boards_(&boards),
        owner_(boards.callbacks),
        log_(boards.registry->log()),
        board_(board),
        version_(std::move(version)) {}
  ~RehearsalCall() override {
    if (running_ && is_open()) boards_->registry->cancel_rehearsal(*running_);
  }
  RehearsalCall(const RehearsalCall&) = delete;
  RehearsalCall& operator=(const RehearsalCall&) = delete;

  void begin(const std::shared_ptr<Tasks>& tasks, TaskId task) override {
    if (!is_open() || boards_->registry->peek(board_) == nullptr) {  // a finalizer ended them
      tasks->abandon(task);
      return;
    }
    running_ = boards_->registry->begin_rehearsal(
        board_, std::move(version_),
        [this, line = std::make_shared<TaskLine>(tasks, task)](Result<RehearsalReport> report) {
          const std::shared_ptr<TaskLine> kept = line;  // this function may be destroyed meanwhile
          kept->answer([&] {
            running_.reset();
            report_ = std::move(report);
          });
        });
  }
  int push(lua_State* L) override {
    return *report_ ? push_report(L, **report_) : refuse(L, report_->refusal());
  }
  const std::shared_ptr<CallbackOwner>& owner() const override { return owner_; }
  const Log& log() const override { return log_; }

 private:
  bool is_open() const { return owner_->userdata != nullptr && boards_->open(); }

  RegistryHandle* boards_;
  std::shared_ptr<CallbackOwner> owner_;
  Log log_;
  BoardHandle board_;
  std::shared_ptr<RuleTrial> version_;
  std::optional<Rehearsals::Id> running_;
  std::optional<Result<RehearsalReport>> report_;
};

int wait_for_rehearsal(const Call& call, const BoardRef& self, Tasks& tasks,
                       std::string_view rule) {
  if (const Status may = tasks.check_waiting(); !may) return refuse(call.L, may.refusal());
  std::optional<Refusal> refusal;
  {
    Result<std::shared_ptr<RuleTrial>> version =
        registry_of(call, *self.boards).prepare_rehearsal(rule);
    if (version) {
      tasks.prepare(
          std::make_unique<RehearsalCall>(*self.boards, self.handle, std::move(*version)));
    } else {
      refusal = version.refusal();
    }
  }
  flush_log(call.L, *self.boards);
  if (refusal) return refuse(call.L, *refusal);
  return tasks.yield_task(call);
}

int rehearse_at_once(const Call& call, const BoardRef& self, std::string_view rule) {
  CallBuffers& buffers = borrow_buffers(call, self);
  std::optional<Refusal> refusal;
  {
    Result<RehearsalReport> report = registry_of(call, *self.boards).rehearse(self.handle, rule);
    if (report) {
      buffers.report = std::move(*report);
    } else {
      refusal = report.refusal();
    }
  }
  flush_log(call.L, *self.boards);
  const int answers = refusal ? refuse(call.L, *refusal) : push_report(call.L, buffers.report);
  self.boards->buffers.give_back(buffers);
  return answers;
}

int local_rehearse(lua_State* L) {
  const Call call{L, "rehearse"};
  const auto& self = self_of<BoardRef>(call);
  resolve_standings(call, self);
  const std::string_view rule = call.string(1);
  if (self.season != 0) return refuse_read_only(call);
  Tasks* const tasks = self.boards->callbacks->tasks.get();
  if (tasks != nullptr && tasks->in_task(L)) return wait_for_rehearsal(call, self, *tasks, rule);
  return rehearse_at_once(call, self, rule);
}

int remote_rehearse(lua_State* L) {
  const Call call{L, "rehearse"};
  const RemoteBoardRef& self = remote_self(call);
  call.string(1);
  return refuse(L, {Code::unsupported, "board \"{}\" is remote: it has no journal",
                    escaped(self.name(), 64)});
}

constexpr std::array kBoardRehearseMethods = {
    BoardMethod{"rehearse", guarded<local_rehearse>, guarded<remote_rehearse>},
};

}  // namespace

BoardMethods board_rehearse_methods() { return kBoardRehearseMethods; }

}  // namespace laurel
