#include "control/moderation.h"

#include <vector>

#include "base/text.h"
#include "transfer/shown_values.h"

namespace laurel {

namespace {

std::string named(std::string_view text) { return fmt::format("\"{}\"", escaped(text)); }

Result<Board*> find_moderated(Registry& registry, std::string_view name) {
  if (const std::optional<BoardHandle> found = registry.find(name)) return registry.get(*found);
  if (registry.remotes() != nullptr && registry.remotes()->has(name)) {
    return Refusal(Code::unsupported, "board {} is remote: moderate it in a script of the server",
                   named(name));
  }
  const std::size_t colon = name.find(':');
  if (colon != std::string_view::npos && registry.find(name.substr(0, colon))) {
    return Refusal(Code::unsupported, "{} is a part of a board: it is read only", named(name));
  }
  return unknown_board(registry, name);
}

Result<std::string> ban_player(Registry& registry, Board* board, const Moderation& order,
                               bool bans) {
  const std::string where =
      board == nullptr ? "on every board" : fmt::format("on board {}", named(board->name()));
  Result<bool> changed = board == nullptr
                             ? bans ? registry.ban(order.player) : registry.unban(order.player)
                         : bans ? board->ban(order.player)
                                : board->unban(order.player);
  if (!changed) return changed.refusal();
  const char* const state = bans ? "banned" : "not banned";
  const char* const already = *changed ? "" : ", and was so already";
  return fmt::format("player {} is {} {}{}", named(order.player), state, where, already);
}

Result<std::string> forget_player(Registry& registry, const Moderation& order) {
  const Result<std::size_t> entries = registry.forget(order.player);
  if (!entries) return entries.refusal();
  return fmt::format("player {} is forgotten; {} {} removed", named(order.player), *entries,
                     *entries == 1 ? "entry was" : "entries were");
}

Result<std::string> set_score(Board& board, const Moderation& order) {
  Submission submission{.player = order.player};
  ColumnValues values;
  if (const Status read = read_shown_score(order.value, board.columns().get(), submission, values);
      !read) {
    return read.refusal();
  }
  const Result<Outcome> outcome = board.set(submission);
  if (!outcome) return outcome.refusal();
  const std::string score =
      outcome->score ? text_of_score(*outcome->score, board.columns().get()) : "a score";
  return fmt::format("player {} has {} on board {}{}", named(order.player), score,
                     named(board.name()), outcome->changed ? "" : ", as before");
}

Result<std::string> remove_entry(Board& board, const Moderation& order) {
  const Result<bool> removed = board.remove(order.player);
  if (!removed) return removed.refusal();
  return fmt::format("player {} {} on board {}", named(order.player),
                     *removed ? "has no entry any more" : "had no entry", named(board.name()));
}

Result<std::string> take_back_result(Board& board, const Moderation& order) {
  const Result<double> at = read_moment(order.value);
  if (!at) return at.refusal();
  const Result<Outcome> outcome = board.take_back(order.player, *at);
  if (!outcome) return outcome.refusal();
  const std::string holds =
      outcome->score ? fmt::format("has {}", text_of_score(*outcome->score, board.columns().get()))
                     : "has no entry";
  return fmt::format("the result was taken back; player {} {} on board {}", named(order.player),
                     holds, named(board.name()));
}

Result<std::string> end_season(Board& board) {
  const Result<std::uint64_t> ended = board.reset();
  if (!ended) return ended.refusal();
  return fmt::format("season {} of board {} has ended", *ended, named(board.name()));
}

}  // namespace

Refusal unknown_board(const Registry& registry, std::string_view name) {
  const std::vector<std::string> names = registry.names();
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string_view similar = nearest(name, candidates);
  if (similar.empty()) return {Code::unknown, "no board is called \"{}\"", escaped(name, 64)};
  return {Code::unknown, "no board is called \"{}\"; one is called \"{}\"", escaped(name, 64),
          escaped(similar, 64)};
}

Result<std::string> moderate(Registry& registry, const Moderation& order) {
  Board* board = nullptr;
  if (!order.board.empty()) {
    const Result<Board*> found = find_moderated(registry, order.board);
    if (!found) return found.refusal();
    board = *found;
  }
  switch (order.kind) {
    case Moderation::Kind::ban: return ban_player(registry, board, order, true);
    case Moderation::Kind::unban: return ban_player(registry, board, order, false);
    case Moderation::Kind::forget: return forget_player(registry, order);
    case Moderation::Kind::set: return set_score(*board, order);
    case Moderation::Kind::remove: return remove_entry(*board, order);
    case Moderation::Kind::take_back: return take_back_result(*board, order);
    case Moderation::Kind::reset: return end_season(*board);
  }
  return Refusal(Code::invalid, "unknown order");
}

}  // namespace laurel
