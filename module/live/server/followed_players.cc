#include "live/server/followed_players.h"

#include "base/steady_clock.h"
#include "live/limits.h"
#include "remote/core/top_cache.h"
#include "remote/remote_boards.h"

namespace laurel {

namespace {

constexpr double kShare = 0.8;  // of the slice, for what is reported and answered
constexpr std::size_t kPreparedRowsPerStep = 500;  // about 50 us
constexpr std::int64_t kLongLookup = 500'000;      // nanoseconds
constexpr std::int64_t kRestsPerLookup = 50;

constexpr Time kAroundEvery = static_cast<Time>(kSecond / kLiveAroundRate);

// Returns false if looking up a player would take too long for a tick.
bool prepare(const Registry& registry, const Published& published, TickSlice& slice) {
  if (published.segment) return true;
  const Board& board = *registry.get(published.board);
  while (!board.prepare_ranks(kPreparedRowsPerStep)) {
    if (slice.spent()) return false;
  }
  return true;
}

}  // namespace

void FollowedPlayers::tick(const Registry& registry, Names& names, TickSlice& slice) {
  take_follows(slice);
  take_answers(names, slice);
  look_around(registry, names, slice);
}

void FollowedPlayers::unpublish(std::string_view board) {
  if (const auto on_board = boards_.find(board); on_board != boards_.end()) {
    boards_.erase(on_board);
  }
}

bool FollowedPlayers::renew(const IsOld& is_old, FollowId& last, TickSlice& slice, double share) {
  for (auto entry = followed_.upper_bound(last); entry != followed_.end(); ++entry) {
    auto& [id, followed] = *entry;
    last = id;
    if (is_old(followed.window.get())) {
      followed.window.set(nullptr);
      followed.looked_up_at = 0;
    }
    if (slice.spent(share)) return false;
  }
  return true;
}

void FollowedPlayers::take_follows(TickSlice& slice) {
  if (begun_.empty() && ended_.empty()) {
    FollowNews news = server_.take_follows();
    begun_.assign(std::move_iterator(news.begun.begin()), std::move_iterator(news.begun.end()));
    ended_.assign(news.ended.begin(), news.ended.end());
  }
  while (!begun_.empty()) {
    auto& [id, around] = begun_.front();
    if (find_(around.board) != nullptr) {  // else unpublished meanwhile: the server ends the follow
      boards_[around.board].followed.push_front(id);
      followed_.try_emplace(id, window_bytes_).first->second.around = std::move(around);
    }
    begun_.pop_front();
    if (slice.spent(kShare)) return slice.put_off();
  }
  while (!ended_.empty()) {
    followed_.erase(ended_.front());
    ended_.pop_front();
    if (slice.spent(kShare)) return slice.put_off();
  }
}

void FollowedPlayers::take_answers(Names& names, TickSlice& slice) {
  while (!answers_->empty()) {
    const auto [id, window] = std::move(answers_->front());
    answers_->pop_front();
    const auto entry = followed_.find(id);
    if (entry == followed_.end()) continue;
    Followed& followed = entry->second;
    followed.asked = false;
    if (!window) continue;
    window->version = ++followed.version;
    post(names, id, followed, window);
    if (slice.spent(kShare)) return slice.put_off();
  }
}

void FollowedPlayers::look_around(const Registry& registry, Names& names, TickSlice& slice) {
  auto on_board = boards_.upper_bound(looked_around_on_);
  for (std::size_t boards = boards_.size(); boards > 0; --boards) {
    if (on_board == boards_.end()) on_board = boards_.begin();
    looked_around_on_ = on_board->first;
    const Published* const published = find_(on_board->first);
    if (published != nullptr && !on_board->second.followed.empty()) {
      look_around(registry, names, *published, on_board->second, slice);
      if (slice.spent()) return slice.put_off();
      ++on_board;
    } else {
      on_board = boards_.erase(on_board);
    }
  }
}

void FollowedPlayers::look_around(const Registry& registry, Names& names,
                                  const Published& published, OnBoard& on_board, TickSlice& slice) {
  const Time now = steady_now();
  if (now < on_board.rests_until) return;
  for (std::size_t i = on_board.followed.size(); i > 0; --i) {
    const FollowId id = on_board.followed.front();
    const auto entry = followed_.find(id);
    if (entry == followed_.end()) {
      on_board.followed.pop_front();
      continue;
    }
    Followed& followed = entry->second;
    const Time last = followed.looked_up_at;
    if (last != 0 && now - last < kAroundEvery) return;  // the rest are more recent
    if (!published.is_remote && !prepare(registry, published, slice)) return;
    on_board.followed.pop_front();
    on_board.followed.push_back(id);
    followed.looked_up_at = now;
    const std::int64_t used = slice.used_ns();
    if (published.is_remote) {
      ask(registry, id, followed, published);
    } else {
      look_up(registry, names, id, followed, published);
    }
    const std::int64_t cost = slice.used_ns() - used;
    if (cost > kLongLookup) on_board.rests_until = now + kRestsPerLookup * cost / 1000;
    if (cost > kLongLookup || slice.spent()) return;
  }
}

void FollowedPlayers::look_up(const Registry& registry, Names& names, FollowId id,
                              Followed& followed, const Published& published) {
  const Board& board = *registry.get(published.board);
  if (followed.window.get() && followed.version == board.version()) return;
  followed.version = board.version();
  post(names, id, followed, published.around(board, followed.around));
}

void FollowedPlayers::ask(const Registry& registry, FollowId id, Followed& followed,
                          const Published& published) {
  if (std::exchange(followed.asked, true)) return;
  RemoteBoards::of(registry)->ask(published.board, 0,
                                  request::Around{followed.around.player, followed.around.n},
                                  [answers = answers_, id, published](const Result<Value>& value) {
                                    const std::shared_ptr<Window> window =
                                        value ? window_of(std::get<Listed>(*value)) : nullptr;
                                    if (window) published.trim(*window);
                                    answers->emplace_back(id, window);
                                  });
}

void FollowedPlayers::post(Names& names, FollowId id, Followed& followed,
                           std::shared_ptr<Window> window) {
  names.fill(*window);
  if (same_entries(followed.window.get(), *window)) return;
  followed.window.set(window);
  server_.post(id, std::move(window));
}

}  // namespace laurel
