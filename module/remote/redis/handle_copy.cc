// The rows of a past season for a copy, one shard after the other, each in the board's order.
//
//   place    "<shard> <stored score> <member>" of the last row read; "<shard>" if none of that
//            shard was read. That row need not exist any longer.
#include <charconv>

#include "base/text.h"
#include "remote/redis/request_handler.h"

namespace laurel::redis {

namespace {

struct Place {
  std::size_t shard = 0;
  std::string score;  // empty: the start of the shard
  std::string member;
};

// Nothing if the text was not written by place_text.
std::optional<Place> place_of(std::string_view text) {
  Place place;
  if (text.empty()) return place;
  const std::size_t shard_end = std::min(text.find(' '), text.size());
  const auto [end, error] = std::from_chars(text.data(), text.data() + shard_end, place.shard);
  if (error != std::errc() || end != text.data() + shard_end) return std::nullopt;
  if (shard_end == text.size()) return place;
  text.remove_prefix(shard_end + 1);
  const std::size_t score_end = text.find(' ');
  if (score_end == std::string_view::npos) return std::nullopt;
  place.score = text.substr(0, score_end);
  place.member = text.substr(score_end + 1);
  return place;
}

std::string place_text(std::size_t shard, const Row& last) {
  return fmt::format("{} {} {}", shard, number_text(last.stored), last.member);
}

}  // namespace

RequestHandler::Answered<Value> RequestHandler::answer(Context& context,
                                                       const request::ReadRows& what) {
  if (!context.is_past()) {
    co_return Refusal(Code::unsupported, "only the rows of past seasons can be copied");
  }
  std::optional<Place> place = place_of(what.from);
  if (!place || place->shard >= context.shards()) {
    co_return Refusal(Code::bad_data, "\"{}\" is not a position in a season",
                      escaped(what.from, 64));
  }
  const ScoreForm form(context.spec->order, context.spec->decimals);
  SeasonRows read{.ranking = context.spec->ranking};
  while (read.rows.size() < what.n) {
    const std::size_t n = what.n - read.rows.size();
    std::vector<ShardCall> calls;
    Words words = place->score.empty()
                      ? rows_words(context, "at", "0", n)
                      : rows_words(context, "after", place->score, n, place->member);
    calls.push_back({place->shard, std::move(words), {}});
    const Result<Replies> replies = co_await ask_shards(context, Script::rows, std::move(calls));
    if (!replies) co_return replies.refusal();
    const Result<Gathered> part = rows_of(context.form, (*replies)[0]);
    if (!part) co_return part.refusal();
    for (const Row& row : part->rows) {
      const ScoreKey key = form.key(context.form.shown(row.stored)).value_or(0);
      read.rows.push_back({row.player, key, row.at, row.data});
      read.to = place_text(place->shard, row);
    }
    if (part->rows.size() == n) break;
    if (place->shard + 1 == context.shards()) {
      read.last = true;
      break;
    }
    *place = Place{.shard = place->shard + 1, .score = {}, .member = {}};
    read.to = std::to_string(place->shard);
  }
  co_return Value(std::move(read));
}

}  // namespace laurel::redis
