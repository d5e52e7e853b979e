// Reads that only one engine supports.
#include <algorithm>
#include <cmath>

#include "base/limits.h"
#include "base/text.h"
#include "board/standings/standings.h"
#include "engine/capped/capped_engine.h"
#include "engine/padded/padded_engine.h"
#include "engine/paged/paged_engine.h"
#include "engine/sharded/fetch_size.h"
#include "engine/sharded/sharded_engine.h"

namespace laurel {

Status check_confidence(double confidence) {
  if (!std::isfinite(confidence)) {
    return Refusal(Code::not_finite, "the confidence is {}", shown(confidence));
  }
  if (confidence < 0 || confidence > 1) {
    return Refusal(Code::out_of_range, "the confidence is {}; it takes 0 to 1", confidence);
  }
  return Done{};
}

Refusal no_other_engine(std::string_view what, std::string_view engine) {
  return {Code::unsupported, "{} needs engine \"{}\"", what, engine};
}

Result<std::optional<double>> Standings::lowest() const {
  const auto* capped = dynamic_cast<const CappedEngine*>(view_);
  if (capped == nullptr) return no_other_engine("a score to beat", "capped");
  const std::optional<ScoreKey> lowest = capped->lowest();
  return lowest ? std::optional(form_.score(*lowest)) : std::nullopt;
}

Result<std::optional<std::string>> Standings::key(std::string_view player) const {
  const auto* padded = dynamic_cast<const PaddedEngine*>(view_);
  if (padded == nullptr) return no_other_engine("a key", "padded");
  return padded->key(look_up(player));
}

Result<Standings::Layout> Standings::layout() const {
  const auto* paged = dynamic_cast<const PagedEngine*>(view_);
  if (paged == nullptr) return no_other_engine("a layout of pages", "paged");
  Layout layout{.pages = paged->layout(), .lowest = std::nullopt};
  if (layout.pages.lowest) layout.lowest = form_.score(*layout.pages.lowest);
  return layout;
}

Result<std::size_t> Standings::fetch_size(std::size_t n, double confidence) const {
  const auto* sharded = dynamic_cast<const ShardedEngine*>(view_);
  if (sharded == nullptr) return no_other_engine("a fetch size", "sharded");
  if (const Status valid = check_confidence(confidence); !valid) return valid.refusal();
  // A registry has at most kPlayersMax players.
  return laurel::fetch_size(std::min<std::size_t>(n, kPlayersMax), sharded->shards(), confidence);
}

Result<bool> Standings::top_once(std::size_t n, double confidence, Entries& out) const {
  const auto* sharded = dynamic_cast<const ShardedEngine*>(view_);
  if (sharded == nullptr) return no_other_engine("a confidence", "sharded");
  if (const Status valid = check_confidence(confidence); !valid) return valid.refusal();
  std::vector<EngineRow>& rows = last_read().rows;
  rows.clear();
  const bool certain = sharded->read_once(std::min(n, size()), confidence, out.arena(), rows);
  append_ranked(0, 0, rows, out);
  return certain;
}

}  // namespace laurel
