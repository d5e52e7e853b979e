// A board's calls of what it keeps of results (results/board_results.h). Out of line: few boards
// keep anything.
#include "base/memory_guarantee.h"
#include "board/board.h"
#include "board/decision.h"
#include "board/refusals.h"
#include "board/results/board_results.h"
#include "board/validate.h"

namespace laurel {

[[gnu::noinline]] void Board::keep_results() {
  if (results_) return;
  results_ = std::make_unique<BoardResults>(context_.part(space_), *spec_);
}

bool Board::keeps_each_result() const { return BoardResults::keeps_each(*spec_); }

void Board::note_applied(const Decision& decision) {
  if (!decision.repeats) results_->applied(decision.player);
}

std::optional<AttemptsOf> Board::attempts(std::string_view player) const {
  if (!results_ || results_->attempts() == nullptr) return std::nullopt;
  const AttemptCount count = results_->attempts()->of(player);
  return AttemptsOf{count.taken, count.left(spec_->attempts)};
}

Result<std::uint64_t> Board::grant(std::string_view player, std::int64_t more) {
  if (const Status open = may_change(player); !open) return open.refusal();
  if (!results_ || results_->attempts() == nullptr) {
    return counts_no_attempts(name_);
  }
  AttemptCount count = results_->attempts()->of(player);
  if (const Status valid = check_grants(count.granted, more); !valid) return valid.refusal();
  const MemoryGuarantee guaranteed;
  count.granted += more;
  results_->attempts()->set(player, count);
  return count.left(spec_->attempts);
}

}  // namespace laurel
