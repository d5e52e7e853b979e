// The C interface's results: to several boards, with reports, attempts, history, trials of rules.
#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/text.h"
#include "board/results/attempts.h"
#include "laurel/results.h"
#include "plugin/host.h"

namespace laurel {

namespace {

constexpr double kNoScore = std::numeric_limits<double>::quiet_NaN();

// ---- several boards

// Finds the names of the boards; fails at the board at index names.size().
laurel_code take_boards(const laurel_boards* boards, std::span<const laurel_board> handles,
                        std::vector<std::string_view>& names, laurel_error* error) {
  names.reserve(handles.size());
  for (const laurel_board handle : handles) {
    const Board* const board = to_board(boards, handle);
    if (board == nullptr) return tell_no_board(error, handle);
    names.push_back(board->name());
  }
  return LAUREL_OK;
}

Status check_distinct(std::vector<std::string_view> names) {
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice == names.end()) return Done{};
  return Refusal(Code::invalid, "board \"{}\" is given twice", escaped(*twice, 64));
}

}  // namespace

laurel_code submit_to(laurel_boards* boards, std::span<const laurel_board> handles,
                      const Submission& submission, std::span<const Registry::GivenScore> scores,
                      double* held, size_t* refused_at, laurel_error* error) {
  if (refused_at != nullptr) *refused_at = handles.size();
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    const auto refuse_at = [refused_at](std::size_t index, laurel_code code) {
      if (refused_at != nullptr) *refused_at = index;
      return code;
    };
    std::vector<std::string_view> names;
    if (const laurel_code code = take_boards(boards, handles, names, error)) {
      return refuse_at(names.size(), code);
    }
    if (const Status distinct = check_distinct(names); !distinct) {
      return tell(error, distinct.refusal());
    }
    std::vector<std::optional<double>> now_held;
    const auto refused = boards->registry->submit(names, submission, now_held, scores);
    if (refused) {
      const auto where = std::ranges::find(names, refused->board);
      return refuse_at(static_cast<std::size_t>(where - names.begin()),
                       tell(error, refused->refusal));
    }
    if (held != nullptr) {
      std::ranges::transform(now_held, held, [](const std::optional<double>& score) {
        return score.value_or(kNoScore);
      });
    }
    return commit(*boards, error);
  });
}

namespace {

laurel_code submit(laurel_boards* boards, const laurel_board* on, size_t count, const char* player,
                   double score, const laurel_details* details, double* held, size_t* refused,
                   laurel_error* error) {
  return submit_to(boards, {on, count}, to_submission(player, score, details), {}, held, refused,
                   error);
}

laurel_code submit_each(laurel_boards* boards, const laurel_board* on, const double* scores,
                        size_t count, const char* player, const laurel_details* details,
                        double* held, size_t* refused, laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    std::vector<Registry::GivenScore> given(count);
    for (size_t i = 0; i < count; ++i) given[i].score = scores[i];
    return submit_to(boards, {on, count}, to_submission(player, 0, details), given, held, refused,
                     error);
  });
}

// ---- one board

// Runs a write, and passes what it answers to `take`.
template <typename Write, typename Take>
laurel_code write_and_take(laurel_boards* boards, laurel_board handle, laurel_error* error,
                           Write write_to, Take take) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    Board* const board = to_board(boards, handle);
    if (board == nullptr) return tell_no_board(error, handle);
    const auto answer = write_to(*board);
    if (!answer) return tell(error, answer.refusal());
    take(*answer);
    return commit(*boards, error);
  });
}

// A take of write_and_take that fills *out unless that is null.
template <typename Out>
auto into(Out* out) {
  return [out](const auto& answer) {
    if (out != nullptr) *out = answer;
  };
}

laurel_report to_report(const Change& change) {
  return {.struct_size = sizeof(laurel_report),
          .changed = change.changed,
          .score = change.score.value_or(kNoScore),
          .previous = change.previous.value_or(kNoScore),
          .rank = change.rank.value_or(Rank()).whole(),
          .previous_rank = change.previous_rank.value_or(Rank()).whole(),
          .passed = change.passed,
          .at = change.at,
          .exact_rank = static_cast<double>(change.rank.value_or(Rank())),
          .exact_previous_rank = static_cast<double>(change.previous_rank.value_or(Rank()))};
}

laurel_code report(laurel_boards* boards, laurel_board handle, const char* player, double score,
                   const laurel_details* details, laurel_report* out, laurel_error* error) {
  const Submission submission = to_submission(player, score, details);
  return write_and_take(
      boards, handle, error, [&](Board& board) { return board.submit_report(submission); },
      [out](const Change& change) {
        if (out != nullptr) fill_out(to_report(change), out);
      });
}

laurel_code set_data(laurel_boards* boards, laurel_board handle, const char* player,
                     const void* data, size_t data_size, int32_t* found, laurel_error* error) {
  std::optional<std::string_view> given;
  if (data != nullptr) given.emplace(static_cast<const char*>(data), data_size);
  return write_and_take(
      boards, handle, error,
      [&](Board& board) { return board.set_data(text_or_empty(player), given); }, into(found));
}

// ---- attempts

int32_t attempts(laurel_boards* boards, laurel_board handle, const char* player, uint64_t* taken,
                 uint64_t* left) {
  return guarded(nullptr, 0, [&]() -> int32_t {
    const Board* const board = to_board(boards, handle);
    if (board == nullptr) return 0;
    const std::optional<AttemptsOf> counted = board->attempts(text_or_empty(player));
    if (!counted) return 0;
    if (taken != nullptr) *taken = counted->taken;
    if (left != nullptr) *left = counted->left;
    return 1;
  });
}

laurel_code grant(laurel_boards* boards, laurel_board handle, const char* player, int64_t more,
                  uint64_t* left, laurel_error* error) {
  return write_and_take(
      boards, handle, error, [&](Board& board) { return board.grant(text_or_empty(player), more); },
      into(left));
}

// ---- history

static_assert(static_cast<int32_t>(ResultBy::submit) == LAUREL_BY_SUBMIT);
static_assert(static_cast<int32_t>(ResultBy::add) == LAUREL_BY_ADD);
static_assert(static_cast<int32_t>(ResultBy::set) == LAUREL_BY_SET);
static_assert(static_cast<int32_t>(ResultBy::join) == LAUREL_BY_JOIN);

const double* values_of(const std::optional<ColumnValues>& differences) {
  return differences ? differences->values.data() : nullptr;
}

laurel_past_result to_past_result(const PastResult& result) {
  return {.struct_size = sizeof(laurel_past_result),
          .by = static_cast<int32_t>(result.by),
          .score = result.score,
          .held = result.held,
          .at = result.at,
          .data = result.data ? result.data->data() : nullptr,
          .data_size = result.data ? result.data->size() : 0,
          .rule_version = result.rule_version.empty() ? nullptr : result.rule_version.c_str(),
          .differences = values_of(result.differences),
          .difference_count = result.differences ? result.differences->count : 0};
}

size_t history(laurel_boards* boards, laurel_board handle, const char* player, size_t limit,
               laurel_on_result on_result, void* context) {
  return guarded(nullptr, size_t{0}, [&]() -> size_t {
    const Board* const board = to_board(boards, handle);
    if (board == nullptr) return 0;
    const std::vector<PastResult> results = board->history(text_or_empty(player), limit);
    for (const PastResult& result : results) {
      const laurel_past_result told = to_past_result(result);
      if (on_result != nullptr) on_result(context, &told);
    }
    return results.size();
  });
}

laurel_code take_back(laurel_boards* boards, laurel_board handle, const char* player, int64_t at,
                      laurel_outcome* out, laurel_error* error) {
  return write_and_take(
      boards, handle, error,
      [&](Board& board) { return board.take_back(text_or_empty(player), seconds_from_time(at)); },
      [out](const Outcome& outcome) {
        if (out != nullptr) *out = to_outcome(outcome);
      });
}

// ---- trials of rules

// Null if it is a score.
const char* refusal_of(const RehearsalReport::Outcome& outcome) {
  const auto* const refusal = std::get_if<std::string>(&outcome);
  return refusal == nullptr ? nullptr : refusal->c_str();
}

double score_of(const RehearsalReport::Outcome& outcome) {
  const double* const score = std::get_if<double>(&outcome);
  return score == nullptr ? kNoScore : *score;
}

laurel_rehearsal to_rehearsal(const RehearsalReport& report) {
  return {.struct_size = sizeof(laurel_rehearsal),
          .examples = static_cast<uint32_t>(report.examples.size()),
          .judged = report.judged,
          .same = report.same,
          .accepted = report.accepted,
          .refused = report.refused,
          .failed = report.failed};
}

laurel_rehearsal_example to_example(const RehearsalReport::Example& example) {
  return {.struct_size = sizeof(laurel_rehearsal_example),
          .player = example.player.c_str(),
          .submitted = example.submitted,
          .was_refusal = refusal_of(example.was),
          .was = score_of(example.was),
          .now_refusal = refusal_of(example.now),
          .now = score_of(example.now),
          .differences = values_of(example.differences),
          .difference_count = example.differences ? example.differences->count : 0};
}

laurel_code rehearse(laurel_boards* boards, laurel_board handle, const char* rule,
                     laurel_rehearsal* out, laurel_on_example on_example, void* context,
                     laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    if (to_board(boards, handle) == nullptr) return tell_no_board(error, handle);
    const Result<RehearsalReport> report =
        boards->registry->rehearse({handle.slot, handle.generation}, text_or_empty(rule));
    if (!report) return tell(error, report.refusal());
    if (out != nullptr) fill_out(to_rehearsal(*report), out);
    for (const RehearsalReport::Example& example : report->examples) {
      const laurel_rehearsal_example told = to_example(example);
      if (on_example != nullptr) on_example(context, &told);
    }
    return tell_ok(error);
  });
}

laurel_results_api make_results_api() {
  laurel_results_api api{};
  api.struct_size = sizeof api;
  api.submit = submit;
  api.submit_each = submit_each;
  api.report = report;
  api.set_data = set_data;
  api.attempts = attempts;
  api.grant = grant;
  api.history = history;
  api.take_back = take_back;
  api.rehearse = rehearse;
  return api;
}

}  // namespace

void fill_results_api(laurel_api& api) {
  static const laurel_results_api results = make_results_api();
  api.results = &results;
}

}  // namespace laurel
