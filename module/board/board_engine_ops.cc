// Operations of boards of one engine. Reads that past seasons have too are in
// standings_engine_ops.cc.
#include <cmath>
#include <utility>

#include "base/memory_guarantee.h"
#include "base/text.h"
#include "board/board.h"
#include "board/validate.h"
#include "engine/capped/capped_engine.h"
#include "engine/rolling/rolling_engine.h"

namespace laurel {

namespace {

// The board at another time; owns the view that it reads.
class StandingsAt : public Standings {
 public:
  StandingsAt(const Players& players, const Spec& spec, std::unique_ptr<EngineView> view)
      : Standings(players, ScoreForm(spec.order, spec.decimals), spec.ties, spec.ranking,
                  view.get(), spec.columns),
        view_(std::move(view)) {}

 private:
  std::unique_ptr<EngineView> view_;
};

}  // namespace

Result<std::size_t> Board::merge(const Entries& entries) {
  auto* capped = dynamic_cast<CappedEngine*>(engine_.get());
  if (capped == nullptr) return no_other_engine("merging", "capped");
  if (spec_->keep != Keep::best) {
    return Refusal(Code::unsupported, "only boards with keep = \"best\" can be merged");
  }
  std::vector<EngineRow> rows;
  rows.reserve(entries.size());
  for (const Entry& entry : entries) {
    const Submission submission{.player = entry.player,
                                .score = entry.score,
                                .data = entry.data,
                                .at = seconds_from_time(entry.at)};
    if (const Status valid = check_submission(submission); !valid) return valid.refusal();
    const std::optional<ScoreKey> key = form().key(entry.score);
    if (!key) {
      return Refusal(Code::out_of_range, "the score {} is out of range for this board",
                     entry.score);
    }
    if (const Status fits = check_fits(*key); !fits) return fits.refusal();
    rows.push_back({entry.player, *key, entry.at, entry.data});
  }
  if (const Status open = may_write(); !open) return open.refusal();
  std::size_t bytes = 0;
  for (const EngineRow& row : rows) {
    bytes += 2 * (kPlayerBytesMax + row.data.value_or("").size());
  }
  const MemoryGuarantee guaranteed(bytes);
  std::size_t changed = 0;
  for (const EngineRow& row : rows) {
    const Player player = look_up(row.player);
    if (is_banned(player.handle)) continue;
    if (change_row(player, [&] { return capped->merge(player, row); })) ++changed;
  }
  if (changed > 0) {
    mark_written();
    touched();
  }
  return changed;
}

Result<std::unique_ptr<Standings>> Board::at(double seconds) const {
  if (rolling_ == nullptr) return no_other_engine("a time to read at", "rolling");
  if (!std::isfinite(seconds)) return Refusal(Code::not_finite, "the time is {}", shown(seconds));
  const std::optional<Time> time = time_from_seconds(seconds);
  if (!time) return Refusal(Code::out_of_range, "the time {} is not within +-2^33 s", seconds);
  const Bucket bucket = rolling_->bucket_of(*time);
  if (bucket < rolling_->running()) {
    return Refusal(Code::outside_window, "the time {:.6f} is before the running bucket", seconds);
  }
  return std::unique_ptr<Standings>(
      std::make_unique<StandingsAt>(context_.players, *spec_, rolling_->at_bucket(bucket)));
}

}  // namespace laurel
