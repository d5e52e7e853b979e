// board: submitting results, removing entries, joining, leaving and bans.
#include <array>

#include "base/text.h"
#include "bindings/api/board_call.h"
#include "bindings/values/read_items.h"
#include "bindings/values/read_submission.h"
#include "board/validate.h"

namespace laurel {

namespace {

namespace writes {

// ---- one result

struct SubmissionArgument {
  Submission submission;
  ColumnValues values;

  void read(const Call& call) { read_submission(call, submission, values); }
};

// board:submit(player, score [, data [, at [, id]]]), and so board:add and board:set
// -> score, changed | nil, reason
template <FunctionName name, WriteMode mode>
struct Submit : SubmissionArgument {
  static constexpr FunctionName kName = name;

  Result<Outcome> local(Board& board) const {
    return mode == WriteMode::set ? board.set(submission) : board.submit(mode, submission);
  }
  request::Write remote() const { return {.how = mode, .what = own(submission)}; }
  static Outcome answer(RemoteCall& pending) {
    const auto& written = pending.answer<Written>();
    return {written.score, written.changed};
  }
};

// board:submit_report(player, score [, data [, at [, id]]]) -> change | nil, reason
struct Report : SubmissionArgument {
  static constexpr FunctionName kName = "submit_report";

  Result<const Change*> local(Board& board, CallBuffers& buffers) const {
    Result<Change> reported = board.submit_report(submission);
    if (!reported) return reported.refusal();
    buffers.change = std::move(*reported);
    return &buffers.change;
  }
  request::Write remote() const { return {.what = own(submission), .report = true}; }
  static const Change* answer(RemoteCall& pending) {
    const std::optional<Change>& change = pending.answer<Written>().change;
    return change ? &*change : nullptr;
  }
};

// board:post(player, score [, data [, at [, id]]]) -> true | nil, reason; on a local board it is
// submit
int remote_post(const Call& called, const RemoteBoardRef& self) {
  Call call = called;
  call.columns = columns_of(self).get();
  Submission submission;
  ColumnValues values;
  read_submission(call, submission, values);
  const Status kept = remotes_of(call, self).post(self.handle, own(submission));
  flush_log(call.L, *self.boards);
  if (!kept) return refuse(call.L, kept.refusal());
  lua_pushboolean(call.L, 1);
  return committed(call.L, *self.boards, 1);
}

// board:set_data(player, data) -> boolean | nil, reason
struct SetData : PlayerArgument {
  static constexpr FunctionName kName = "set_data";
  std::optional<std::string_view> data;

  void read(const Call& call) {
    player = call.string(1);
    data = call.optional_string(2);
  }
  Result<bool> local(Board& board) const { return board.set_data(player, data); }
};

int remote_set_data(const Call& call, const RemoteBoardRef& self) {
  SetData what;
  what.read(call);
  return refuse(call.L, {Code::unsupported,
                         "board \"{}\" is remote: its entries take new data with a score only",
                         escaped(self.name(), 64)});
}

// ---- board:submit_all(list) -> how many changed, array of { index=, reason= }

// The call with the columns of the board that it is made on.
Call with_columns(Call call, const BoardRef& self) {
  const Standings* const board = find_standings(self);
  call.columns = board == nullptr ? nullptr : board->columns().get();
  return call;
}
Call with_columns(Call call, const RemoteBoardRef& self) {
  call.columns = columns_of(self).get();
  return call;
}

CallBuffers& borrow_buffers_of(const Call& call, const BoardRef& self) {
  return borrow_buffers(call, self);
}
CallBuffers& borrow_buffers_of(const Call& call, const RemoteBoardRef& self) {
  return borrow_buffers(call, *self.boards);
}

// Borrows buffers and reads the items of an array into them.
template <typename Holder>
CallBuffers& borrow_items(const Call& call, RegistryHandle& boards, Holder& holder, int names) {
  CallBuffers& buffers = borrow_buffers_of(call, holder);
  const WrongItem wrong = read_items(with_columns(call, holder), names, buffers);
  if (wrong.item != 0) {
    boards.buffers.give_back(buffers);
    raise_item(with_columns(call, holder), names, wrong);
  }
  return buffers;
}

int push_submitted(lua_State* L, std::size_t changed, const CallBuffers& buffers) {
  push_number(L, static_cast<double>(changed));
  push_refused(L, buffers.refused);
  return 2;
}

// Submits them in order; one that is refused does not stop the others. Returns how many changed.
std::size_t submit_each(Board& board, CallBuffers& buffers) {
  return board.submit_all(buffers.submissions,
                          [&buffers](std::size_t index, const Refusal& refusal) {
                            buffers.refused.push_back({index + 1, refusal});
                          });
}

int submit_read(const Call& call, const BoardRef& self, CallBuffers& buffers) {
  Board& board = board_of(call, self);
  const std::size_t changed = submit_each(board, buffers);
  flush_log(call.L, *self.boards);
  const int answers = push_submitted(call.L, changed, buffers);
  self.boards->buffers.give_back(buffers);
  return answers;
}

int local_submit_all(const Call& call, const BoardRef& self) {
  resolve_board(call, self);
  call.table(1);
  if (CallBuffers& buffers = borrow_buffers(call, self);
      read_plain_items(with_columns(call, self), kByPosition, buffers)) {
    return submit_read(call, self, buffers);
  } else {
    self.boards->buffers.give_back(buffers);  // the slow path orders the items or raises the error
  }
  call.array(1);
  return submit_read(call, self, borrow_items(call, *self.boards, self, kByPosition));
}

request::WriteAll all_of(const std::vector<Submission>& submissions) {
  request::WriteAll all;
  all.what.reserve(submissions.size());
  for (const Submission& submission : submissions) all.what.push_back(own(submission));
  return all;
}

void copy_refused(const WrittenAll& written, CallBuffers& buffers) {
  for (const auto& [index, refusal] : written.refused)
    buffers.refused.push_back({index + 1, refusal});
}

int push_written_all(lua_State* L, RemoteCall& pending) {
  const auto& written = pending.answer<WrittenAll>();
  CallBufferPool& owner = pending.boards().buffers;
  CallBuffers& buffers = owner.borrow(L);
  copy_refused(written, buffers);
  const int answers = push_submitted(L, written.changed, buffers);
  owner.give_back(buffers);
  return answers;
}

int remote_submit_all(const Call& call, const RemoteBoardRef& self) {
  call.array(1);
  if (const Status may = may_wait(call, self); !may) return refuse(call.L, may.refusal());
  CallBuffers& buffers = borrow_items(call, *self.boards, self, kByPosition);
  return wait_for(call, self, push_written_all, [&self, &buffers] {
    request::WriteAll all = all_of(buffers.submissions);
    self.boards->buffers.give_back(buffers);
    return all;
  });
}

// ---- board:merge(entries) -> how many changed | nil, reason

// Converts the results to entries; stops at the first invalid one.
Status take_entries(const Board& board, const std::vector<Submission>& results, Entries& out) {
  for (const Submission& result : results) {
    if (Status valid = check_submission(result); !valid) return valid;
    if (result.columns != nullptr) return board.columns()->number(*result.columns).refusal();
    Entry& entry = out.add();
    entry.player = result.player;
    entry.score = result.score;
    entry.data = result.data;
    entry.at = time_from_seconds(*result.at).value_or(0);  // validated above
  }
  return Done{};
}

Result<std::uint64_t> merge_into(Board& board, CallBuffers& buffers) {
  if (const Status taken = take_entries(board, buffers.submissions, buffers.entries); !taken) {
    return taken.refusal();
  }
  return board.merge(buffers.entries);
}

int local_merge(const Call& call, const BoardRef& self) {
  resolve_board(call, self);
  call.array(1);
  CallBuffers& buffers = borrow_items(call, *self.boards, self, push_part_names(call.L));
  const Result<std::uint64_t> changed = merge_into(board_of(call, self), buffers);
  self.boards->buffers.give_back(buffers);
  flush_log(call.L, *self.boards);
  return push_answer(call.L, changed);
}

int remote_merge(const Call& call, const RemoteBoardRef&) {
  call.array(1);
  return refuse(call.L, no_other_engine("merging", "capped"));
}

// ---- players

// board:remove(player), board:leave(player), board:ban(player), board:unban(player)
// -> boolean | nil, reason
template <FunctionName name, Result<bool> (Board::*act)(std::string_view), typename What>
struct OfPlayer : PlayerArgument {
  static constexpr FunctionName kName = name;

  Result<bool> local(Board& board) const { return (board.*act)(player); }
  What remote() const { return {.player = std::string(player)}; }
};

// board:join(player [, score]) -> boolean | nil, reason
struct Join {
  static constexpr FunctionName kName = "join";
  Submission submission;
  ColumnValues values;
  bool with_score = false;

  void read(const Call& call) {
    submission.player = call.string(1);
    with_score = !call.absent(2);
    if (with_score) read_score(call, 2, submission, values);
  }
  Result<bool> local(Board& board) const { return board.join(submission, with_score); }
  request::Join remote() const { return {.what = own(submission), .with_score = with_score}; }
  static bool answer(RemoteCall& pending) { return pending.answer<Written>().changed; }
};

// board:banned() -> sorted array of players
struct Banned {
  static constexpr FunctionName kName = "banned";
  static constexpr bool kOfBoard = true;

  std::span<const std::string> local(const Board& board, CallBuffers& buffers) const {
    buffers.strings = board.banned();
    return buffers.strings;
  }
  request::Banned remote() const { return {}; }
  static std::span<const std::string> answer(RemoteCall& pending) {
    return pending.answer<std::vector<std::string>>();
  }
};

// board:clear() -> number of removed entries | nil, reason
struct Clear {
  static constexpr FunctionName kName = "clear";

  Result<std::uint64_t> local(Board& board) const { return board.clear(); }
  request::Clear remote() const { return {}; }
};

}  // namespace writes

constexpr std::array kBoardWriteMethods = {
    kWriteMethod<writes::Submit<"submit", WriteMode::submit>>,
    kWriteMethod<writes::Submit<"add", WriteMode::add>>,
    kWriteMethod<writes::Submit<"set", WriteMode::set>>,
    kWriteMethod<writes::Report>,
    kWriteMethodBy<"post", write_local<writes::Submit<"post", WriteMode::submit>>,
                   writes::remote_post>,
    kWriteMethodBy<writes::SetData::kName, write_local<writes::SetData>, writes::remote_set_data>,
    kWriteMethodBy<"submit_all", writes::local_submit_all, writes::remote_submit_all>,
    kWriteMethodBy<"merge", writes::local_merge, writes::remote_merge>,
    kWriteMethod<writes::OfPlayer<"remove", &Board::remove, request::Remove>>,
    kWriteMethod<writes::OfPlayer<"leave", &Board::leave, request::Leave>>,
    kWriteMethod<writes::OfPlayer<"ban", &Board::ban, request::Ban>>,
    kWriteMethod<writes::OfPlayer<"unban", &Board::unban, request::Unban>>,
    kWriteMethod<writes::Join>,
    kReadMethod<writes::Banned>,
    kWriteMethod<writes::Clear>,
};

}  // namespace

BoardMethods board_write_methods() { return kBoardWriteMethods; }

}  // namespace laurel
