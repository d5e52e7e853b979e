#include "fake_archive.h"

#include <fmt/core.h>

#include "remote/limits.h"
#include "remote/request/spec_codec.h"

namespace laurel {

namespace {

// The spec of the board that holds the rows. Every engine keeps one score per player.
Spec holding(const Spec& of) {
  Spec spec;
  const EngineKind engine = of.engine == EngineKind::sharded ? of.of : of.engine;
  if (engine == EngineKind::padded) {
    spec.engine = engine;
    spec.digits = of.digits;
  }
  spec.order = of.order;
  spec.ties = of.ties;
  spec.ranking = of.ranking;
  spec.decimals = of.decimals;
  return spec;
}

}  // namespace

Result<Value> FakeCopies::take(const SentRequest& request, const request::TakeCopy& what) {
  Copy& copy = of(request.target);
  CopyStand stand{.whole = copy.whole, .forgets = forgets_, .to = copy.to};
  const bool is_free =
      copy.copier == 0 || copy.copier == what.token || request.now - copy.copier_at >= kCopyTurn;
  stand.is_anothers = !copy.whole && !is_free;
  if (!copy.whole && is_free) {
    copy.copier = what.token;
    copy.copier_at = request.now;
  }
  return Value(std::move(stand));
}

Result<Value> FakeCopies::write(const SentRequest& request, const request::CopySeason& what) {
  const Target& target = request.target;
  Copy& copy = of(target);
  if (what.turn) {
    const CopyTurn& turn = *what.turn;
    if (copy.copier != turn.token || copy.to != turn.from || turn.forgets != forgets_) {
      return Value(false);
    }
    copy.copier_at = request.now;
    if (!turn.to.empty()) copy.to = turn.to;
  }
  if (!copy.handle) {
    copy.handle = registry_.adopt(
        registry_.make_board(fmt::format("copy {}", ++made_), holding(*target.spec)));
  }
  for (const CopiedRow& row : what.rows) {
    Submission held{.player = row.player,
                    .score = ScoreForm(target.spec->order, target.spec->decimals).score(row.score),
                    .at = seconds_from_time(row.at)};
    if (row.data) held.data = *row.data;
    (void)board(copy).remove(row.player);  // set() with an equal score would keep the old data
    if (const Result<Outcome> put = board(copy).set(held); !put) return put.refusal();
  }
  copy.spec = text_of(*target.spec);
  copy.facts = {.season = what.season, .created = *target.copy_of, .resets_at = {}, .size = 0};
  copy.whole = copy.whole || what.last;
  return Value(true);
}

Result<Value> FakeCopies::forget(const std::string& player) {
  std::uint64_t rows = 0;
  ++forgets_;
  for (const auto& [name, copy] : copies_) {
    if (!copy.handle) continue;
    const Result<bool> removed = board(copy).remove(player);
    if (!removed) return removed.refusal();
    rows += *removed ? 1 : 0;
  }
  return Value(rows);
}

bool FakeCopies::is_asked(const SentRequest& request) {
  return request.target.copy_of || std::holds_alternative<request::ForgetCopied>(request.what);
}

std::optional<Result<Value>> FakeCopies::answer(const SentRequest& request, const Copy*& copy) {
  if (const auto* what = std::get_if<request::ForgetCopied>(&request.what)) {
    return forget(what->player);
  }
  if (const auto* what = std::get_if<request::CopySeason>(&request.what)) {
    return write(request, *what);
  }
  if (const auto* what = std::get_if<request::TakeCopy>(&request.what)) return take(request, *what);
  copy = find(request.target);
  if (copy != nullptr && !copy->whole) copy = nullptr;
  if (std::holds_alternative<request::ReadCopy>(request.what)) {
    KeptSpec kept;
    if (copy != nullptr) kept = {true, copy->spec, 1};
    return Value(std::move(kept));
  }
  if (writes(request.what)) return Refusal(Code::closed, "the season has ended");
  if (copy == nullptr) return Refusal(Code::unknown, "the season is not archived");
  return std::nullopt;
}

const FakeCopies::Copy* FakeCopies::find(const Target& target) const {
  const auto found = copies_.find({target.board, *target.copy_of, target.season});
  return found == copies_.end() ? nullptr : &found->second;
}

}  // namespace laurel
