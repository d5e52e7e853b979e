#include "remote/redis/submission_words.h"

#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "board/refusals.h"
#include "board/validate.h"
#include "remote/redis/request_handler.h"

namespace laurel::redis {

namespace {

// When a locally detected refusal applies: before admission is checked, or after it.
constexpr std::string_view kBefore = "1";
constexpr std::string_view kAfter = "2";

std::string_view keep_word(WriteMode how, Keep keep) {
  if (how == WriteMode::add) return "s";
  if (how == WriteMode::set) return "m";
  if (how == WriteMode::hold) return "l";
  switch (keep) {
    case Keep::best: return "b";
    case Keep::latest: return "l";
    case Keep::sum: return "s";
    case Keep::first: return "f";
  }
  return "b";
}

std::string data_word(const std::optional<std::string>& data) {
  return data ? "d" + *data : std::string();
}

// An argument of scripts: how packed scores have the columns.
std::string columns_word(const ScoreColumns& columns) {
  std::string word;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const ScoreColumns::PackedField field = columns.packed_field(i);
    word += fmt::format("{} {} {} {} {};", std::uint64_t{1} << field.shift,
                        std::uint64_t{1} << field.bits, field.min, field.max, field.turned ? 1 : 0);
  }
  return word;
}

// The refusal of a sum; `held` is the stored score, or "".
Refusal sum_refusal(const Spec& spec, const RowForm& form, const OwnedSubmission& what,
                    const Reply& held, const Reply& offered) {
  if (!spec.columns) {
    return out_of_range(ScoreForm(spec.order, spec.decimals),
                        fmt::format("the sum of {} and {}", form.shown(number_of(held)),
                                    form.shown(number_of(offered))));
  }
  std::optional<double> before;
  if (!held.text.empty()) before = form.shown(number_of(held));
  const Result<ColumnValues> differences = differences_of(*spec.columns, what);
  if (!differences) return differences.refusal();
  const Result<double> sum = spec.columns->sum(before, *differences);
  return sum ? Refusal(Code::out_of_range, "the sum of columns is out of range") : sum.refusal();
}

}  // namespace

std::string id_word(const Spec& spec, const OwnedSubmission& what, Time now) {
  const bool is_sharded = spec.engine == EngineKind::sharded;
  return fmt::format("{} {}{}", now, is_sharded ? what.player + '\0' : "", *what.id);
}

Refusal post_missing(const PostNumber& post) {
  return {Code::unavailable, "post {}, which comes before it, is missing", post.before};
}

// The score or the differences that a submission offers, as an argument of scripts. Fails with
// out_of_range.
Result<std::string> RequestHandler::score_word(const Context& context,
                                               const Submitting& submitting) {
  const OwnedSubmission& what = *submitting.what;
  const Spec& spec = *context.spec;
  if (!spec.columns) {
    if (const auto stored = context.form.stored(what.score)) return number_text(*stored);
    return out_of_range(ScoreForm(spec.order, spec.decimals),
                        fmt::format("the score {}", what.score));
  }
  if (!adds(spec.keep, submitting.how)) {
    const Result<double> whole = whole_score_of(*spec.columns, what);
    if (!whole) return whole.refusal();
    return number_text(*context.form.stored(*whole));
  }
  const Result<ColumnValues> differences = differences_of(*spec.columns, what);
  if (!differences) return differences.refusal();
  std::string word;
  for (std::size_t i = 0; i < differences->count; ++i) {
    word += fmt::format("{};", spec.columns->scaled_value(i, differences->values[i]));
  }
  return word;
}

// The script's arguments for one submission. A submission that is refused locally is sent too: a
// post's number must be remembered, and a ban takes precedence.
Words RequestHandler::words_of(const Context& context, const Submitting& submitting,
                               std::optional<Refusal>& refused) const {
  const OwnedSubmission& what = *submitting.what;
  const Spec& spec = *context.spec;
  const Time now = context.sent.now;
  std::string_view where;
  const auto refuse = [&](const Refusal& why, std::string_view at) {
    if (refused) return;
    refused = why;
    where = at;
  };
  const Status identity = what.id ? check_identity(what.view()) : Done{};
  if (!identity) refuse(identity.refusal(), kBefore);
  if (const Status valid = check_submission(what.view()); !valid) refuse(valid.refusal(), kBefore);
  if (submitting.how != WriteMode::set) {
    const RunningSeason season = context.board->facts.running();
    const Status open = check_hours(spec, context.sent.target.board, season, now);
    if (!open) refuse(open.refusal(), kBefore);
  }
  std::string score = "0";
  if (!refused) {
    if (Result<std::string> word = score_word(context, submitting)) {
      score = std::move(*word);
    } else {
      refuse(word.refusal(), kAfter);
    }
  }
  Words words(kOfSubmission.size());
  words[kOfSubmission["player"]] = what.player;
  words[kOfSubmission["part"]] = context.form.player_part(what.player);
  words[kOfSubmission["keep"]] = keep_word(submitting.how, spec.keep);
  words[kOfSubmission["score"]] = std::move(score);
  words[kOfSubmission["refused"]] = where;
  if (!refused) words[kOfSubmission["data"]] = data_word(what.data);
  if (what.at) {  // of a refused one for the report, if its id was accepted before
    words[kOfSubmission["at"]] = std::to_string(time_from_seconds(*what.at).value_or(0));
  }
  if (submitting.expected != nullptr && *submitting.expected) {
    const HeldEntry& seen = **submitting.expected;
    const auto judged = seen.score ? context.form.stored(*seen.score) : std::nullopt;
    words[kOfSubmission["judged"]] = judged ? number_text(*judged) : "-";
    words[kOfSubmission["judged_at"]] = std::to_string(seen.at);
    words[kOfSubmission["judged_data"]] = data_word(seen.data);
  }
  if (submitting.post != nullptr) write_post<kOfSubmission>(*submitting.post, words);
  words[kOfSubmission["joins"]] = submitting.joins ? "1" : "0";
  words[kOfSubmission["reports"]] = submitting.reports ? "1" : "0";
  if (what.id && identity) words[kOfSubmission["id"]] = id_word(spec, what, now);
  return words;
}

Words RequestHandler::submission_head(const Context& context, std::size_t shard) const {
  Words words(kOfWrite.size());
  if (context.spec->decimals) words[kOfWrite["limit"]] = std::to_string(kScaledMax);
  words[kOfWrite["required"]] = context.spec->join == Join::required ? "1" : "0";
  words[kOfWrite["channel"]] = ShardKeys(context.sent.target.board, shard).channel();
  words[kOfWrite["watched"]] = std::to_string(kWatchTopMax);
  const std::size_t shards = context.shards();
  words[kOfWrite["most_ids"]] = std::to_string((kResultIdsMax + shards - 1) / shards);
  const Spec& spec = *context.spec;
  if (spec.attempts != 0) words[kOfWrite["most_attempts"]] = std::to_string(spec.attempts);
  if (spec.capacity != 0) words[kOfWrite["capacity"]] = std::to_string(spec.capacity);
  if (spec.columns) words[kOfWrite["columns"]] = columns_word(*spec.columns);
  return words;
}

Result<Written> RequestHandler::written_of(const Context& context, const Submitting& submitting,
                                           const std::optional<Refusal>& refused,
                                           const Reply& reply) const {
  const std::string& word = reply[0].text;
  const std::string& player = submitting.what->player;
  const std::string& board = context.sent.target.board;
  Written written;
  if (word == "done") {
    if (!reply[1].text.empty()) written.score = context.form.shown(number_of(reply[1]));
    written.changed = reply[submitting.joins ? 3 : 2].integer == 1;
  } else if (word == "joined") {
    if (!reply[1].text.empty()) written.score = context.form.shown(number_of(reply[1]));
  } else if (word == "again") {
    written.again = true;
  } else if (word == "stale") {
    written.stale = true;
  } else if (word == "gap") {
    return post_missing(**submitting.post);
  } else if (word == "banned") {
    return banned(player, board);
  } else if (word == "not_joined") {
    return not_joined(player, board);
  } else if (word == "exhausted") {
    return exhausted(player, board, context.spec->attempts);
  } else if (word == "full") {
    return full(board, context.spec->capacity);
  } else if (word == "refused" && refused) {
    return *refused;
  } else if (word == "sum") {
    return sum_refusal(*context.spec, context.form, *submitting.what, reply[1], reply[2]);
  } else {
    return Refusal(Code::unavailable, "redis: a script gave the unknown answer \"{}\"",
                   escaped(word, 64));
  }
  return written;
}
}  // namespace laurel::redis
