// composed_read.h - reads of a remote board that are made of other reads, in the same way for each
// kind of remote.
//
//   ask      answers a request about the board, as ask(what): a Task<Result<Value>>. `what` lives
//            until it has ended.
//   moments  each part is read at a moment of its own. The answer is exact unless the board is
//            changed meanwhile.
//   cost     of the parts, one after the other: at most five.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "board/spec/spec.h"
#include "board/standings/places.h"
#include "rank/score/score.h"
#include "remote/core/coroutine.h"
#include "remote/request/request.h"

namespace laurel {

template <typename What>
inline constexpr bool kIsComposed =
    kIsOneOf<What,
             std::variant<request::ScoreAtPercentile, request::TopPercent, request::AroundScore>>;

// ---- compose(ask, spec, what): `spec` and `what` outlive the task

template <typename Ask>
Task<Result<Value>> compose(Ask ask, const Spec&, const request::TopPercent& what) {
  const request::Size all;
  const Result<Value> size = co_await ask(all);
  if (!size) co_return size.refusal();
  const request::Page page{0, count_of_percent(what.percent, std::get<std::uint64_t>(*size))};
  co_return co_await ask(page);
}

// The score at a position; absent behind the last one.
template <typename Ask>
Task<Result<Value>> score_at(Ask ask, std::uint64_t position) {
  const request::Page page{position, 1};
  const Result<Value> listed = co_await ask(page);
  if (!listed) co_return listed.refusal();
  const Entries& entries = std::get<Listed>(*listed).entries;
  if (entries.empty()) co_return Value(std::optional<double>());
  co_return Value(std::optional(entries.front().score));
}

template <typename Ask>
Task<Result<Value>> compose(Ask ask, const Spec&, const request::ScoreAtPercentile& what) {
  const request::Size all;
  const Result<Value> size = co_await ask(all);
  if (!size) co_return size.refusal();
  const std::uint64_t not_worse =
      not_worse_at_percentile(what.percentile, std::get<std::uint64_t>(*size));
  if (not_worse == 0) co_return Value(std::optional<double>());
  const request::Page page{not_worse - 1, 1};
  const Result<Value> listed = co_await ask(page);
  if (!listed) co_return listed.refusal();
  const Entries& entries = std::get<Listed>(*listed).entries;
  if (entries.empty()) co_return Value(std::optional<double>());
  const std::string player(entries.front().player);
  const request::Percentile of_player{player};
  const Result<Value> percentile = co_await ask(of_player);
  if (!percentile) co_return percentile.refusal();
  const auto& reached = std::get<std::optional<double>>(*percentile);
  if (!reached || *reached >= what.percentile) {
    co_return Value(std::optional(entries.front().score));
  }
  // Equals of this score continue behind these positions, so that all of them have a lower
  // percentile.
  const request::Rank first_of_equals{player, Ranking::competition};
  const Result<Value> rank = co_await ask(first_of_equals);
  if (!rank) co_return rank.refusal();
  const auto& standing = std::get<std::optional<Standing>>(*rank);
  if (!standing || standing->rank <= 1) co_return Value(std::optional<double>());
  co_return co_await score_at(ask, standing->rank.whole() - 2);
}

template <typename Ask>
Task<Result<Value>> compose(Ask ask, const Spec& spec, const request::AroundScore& what) {
  const request::RankOf of_newcomer{what.score};
  const Result<Value> rank = co_await ask(of_newcomer);
  if (!rank) co_return rank.refusal();
  const ScoreForm form(spec.order, spec.decimals);
  const double score = form.score(*form.key(what.score));  // as the board would hold it
  const bool high_wins = spec.order == Order::desc;
  const request::Count not_worse{high_wins ? ScoreRange{score, INFINITY}
                                           : ScoreRange{-INFINITY, score}};
  const Result<Value> counted = co_await ask(not_worse);
  if (!counted) co_return counted.refusal();
  std::uint64_t place = std::get<std::uint64_t>(*counted);
  if (spec.ties == Ties::latest) {
    const request::Count equal{{score, score}};
    const Result<Value> equals = co_await ask(equal);
    if (!equals) co_return equals.refusal();
    place -= std::min(place, std::get<std::uint64_t>(*equals));
  }
  const request::Size all;
  const Result<Value> size = co_await ask(all);
  if (!size) co_return size.refusal();
  const std::uint64_t players = std::get<std::uint64_t>(*size);
  const PositionRange range = positions_around(std::min(place, players), 0, what.n, players);
  const request::Page page{range.first, range.count};
  Result<Value> listed = co_await ask(page);
  if (listed) std::get<Listed>(*listed).rank = std::get<Rank>(*rank);
  co_return listed;
}

}  // namespace laurel
