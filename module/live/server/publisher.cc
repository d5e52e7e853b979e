#include "live/server/publisher.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/checks.h"
#include "base/limits.h"
#include "base/steady_clock.h"
#include "remote/core/top_cache.h"

namespace laurel {

namespace {

constexpr Time kAroundEvery = static_cast<Time>(kSecond / kLiveAroundRate);

bool same_entries(const WindowPtr& before, const Window& after) {
  return before && before->epoch == after.epoch && before->size == after.size &&
         before->entries == after.entries;
}

void drop_data(Window& window) {
  for (WindowEntry& entry : window.entries) entry.data.reset();
}

bool shows(const WindowPtr& window, std::string_view player) {
  return window &&
         std::any_of(window->entries.begin(), window->entries.end(),
                     [player](const WindowEntry& entry) { return entry.player == player; });
}

}  // namespace

Result<std::unique_ptr<Publisher>> Publisher::start(const ServerOptions& options) {
  Result<std::unique_ptr<Server>> server = Server::start(options);
  if (!server) return server.refusal();
  return std::unique_ptr<Publisher>(new Publisher(std::move(*server)));
}

void Publisher::on_attach(Registry& registry, unsigned slot) {
  server_->set_time(registry.now());
  tickets_.emplace(registry.ticket_rows(), slot);
  for (const Ticket& ticket : tickets_->load(registry.now())) server_->add(ticket);
}

void Publisher::on_detach(Registry& registry) {
  if (RemoteBoards* const boards = RemoteBoards::of(registry)) {
    for (const std::string& name : remote_boards_)
      boards->show(shown_.find(name)->second.board, false);
  }
  server_->stop();
  tickets_->take(server_->take_tickets());
}

void Publisher::on_forget(std::string_view player) {
  tickets_->take(server_->take_tickets());
  if (tickets_->forget(player)) server_->revoke(std::string(player));
}

Result<Token> Publisher::token(const Registry& registry, std::string_view player, double seconds,
                               std::uint64_t uses) {
  if (const Status valid = check_player(player); !valid) return valid.refusal();
  if (!(seconds > 0 && seconds <= kTimeSecondsMax)) {
    return Refusal(Code::out_of_range, "seconds = {} is not above 0 and at most {:.0f}", seconds,
                   kTimeSecondsMax);
  }
  if (uses < 1 || uses > kLiveTokenUsesMax) {
    return Refusal(Code::out_of_range, "uses = {} is not 1 to {}", uses, kLiveTokenUsesMax);
  }
  if (!registry.writable()) {
    return Refusal(Code::unavailable, "the token cannot be saved: the disk accepts no writes now");
  }
  const auto time = static_cast<Time>(std::ceil(seconds * static_cast<double>(kSecond)));
  const Result<Ticket> ticket =
      tickets_->draw(player, registry.now() + time, static_cast<std::uint32_t>(uses));
  if (!ticket) return ticket.refusal();
  server_->add(*ticket);
  return Token{ticket->word, ticket->secret};
}

Result<Publisher::ShownBoards::iterator> Publisher::add(const std::string* name, BoardHandle board,
                                                        const PublishOptions& options) {
  if (options.top < 1 || options.top > kLiveTopMax) {
    return Refusal(Code::invalid, "top is {}; it takes 1 to {}", options.top, kLiveTopMax);
  }
  if (name == nullptr) return Refusal(Code::unknown, "the board was dropped");
  if (shown_.size() >= kLiveBoardsMax && !shown_.contains(*name)) {
    return Refusal(Code::unavailable, "{} boards are published, the most allowed", kLiveBoardsMax);
  }
  const auto added = shown_.try_emplace(*name).first;
  added->second.board = board;
  added->second.options = options;
  added->second.window = nullptr;
  return added;
}

Status Publisher::publish(Registry& registry, BoardHandle handle, const PublishOptions& options) {
  const Board* const board = registry.get(handle);
  const auto shown = add(board == nullptr ? nullptr : &board->name(), handle, options);
  if (!shown) return shown.refusal();
  show(registry, **shown, *board);
  return Done{};
}

Status Publisher::publish_remote(Registry& registry, BoardHandle handle,
                                 const PublishOptions& options) {
  RemoteBoards* const boards = RemoteBoards::of(registry);
  const std::string* const name = boards == nullptr ? nullptr : boards->name(handle);
  const auto shown = add(name, handle, options);
  if (!shown) return shown.refusal();
  (*shown)->second.is_remote = true;
  if (remote_boards_.insert(*name).second) boards->show(handle, true);
  if (!boards->top(handle)) server_->announce(*name);
  show_remote(registry, **shown);
  return Done{};
}

bool Publisher::unpublish(const Registry& registry, BoardHandle handle) {
  const Board* const board = registry.get(handle);
  return board != nullptr && remove(board->name());
}

bool Publisher::unpublish_remote(const Registry& registry, BoardHandle handle) {
  RemoteBoards* const boards = RemoteBoards::of(registry);
  const std::string* const name = boards == nullptr ? nullptr : boards->name(handle);
  if (name == nullptr || !remove(*name)) return false;
  boards->show(handle, false);
  return true;
}

void Publisher::on_drop(std::string_view name) { remove(name); }

bool Publisher::remove(std::string_view name) {
  const auto shown = shown_.find(name);
  if (shown == shown_.end()) return false;
  server_->unpublish(shown->first);
  if (shown->second.next_change_at) deadlines_.erase({*shown->second.next_change_at, shown->first});
  remote_boards_.erase(shown->first);
  shown_.erase(shown);
  return true;
}

void Publisher::show(Registry& registry, ShownBoards::value_type& entry, const Board& board) {
  auto& [name, shown] = entry;
  if (shown.next_change_at != board.next_change_at()) {
    if (shown.next_change_at) deadlines_.erase({*shown.next_change_at, name});
    shown.next_change_at = board.next_change_at();
    deadlines_.emplace(*shown.next_change_at, name);
  }
  if (shown.window && shown.version == board.version()) return;
  shown.version = board.version();
  post(registry, entry, board.window(shown.options.top, shown.options.data));
}

void Publisher::show_remote(Registry& registry, ShownBoards::value_type& entry) {
  Shown& shown = entry.second;
  const WindowPtr top = RemoteBoards::of(registry)->top(shown.board);
  if (!top || (shown.window && shown.read == top)) return;
  shown.read = top;
  auto window = std::make_shared<Window>(*top);
  if (window->entries.size() > shown.options.top) window->entries.resize(shown.options.top);
  if (!shown.options.data) drop_data(*window);
  post(registry, entry, std::move(window));
}

void Publisher::post(Registry& registry, ShownBoards::value_type& entry,
                     std::shared_ptr<Window> window) {
  names_.fill(*window, registry.profiles());
  entry.second.window = window;
  server_->post(entry.first, std::move(window));
}

void Publisher::post(Registry& registry, FollowId id, Followed& followed,
                     std::shared_ptr<Window> window) {
  names_.fill(*window, registry.profiles());
  if (same_entries(followed.window, *window)) return;
  followed.window = window;
  server_->post(id, std::move(window));
}

void Publisher::on_tick(Registry& registry) {
  const Server::Hold one_wake(*server_);
  server_->set_time(registry.now());
  tickets_->take(server_->take_tickets());
  show_renamed(registry);
  show_due(registry);
  show_changed(registry);
  show_remotes(registry);
  take_follows();
  take_answers(registry);
  look_around(registry);
  for (const auto& [level, line] : server_->take_log()) registry.log().write(level, line);
}

// Remakes the windows that have a renamed player.
void Publisher::show_renamed(Registry& registry) {
  const auto renamed = names_.take_renamed(registry.profiles());
  if (renamed && renamed->empty()) return;
  const auto is_old = [&](const WindowPtr& window) {
    return !renamed ||
           std::any_of(renamed->begin(), renamed->end(),
                       [&](const std::string& player) { return shows(window, player); });
  };
  for (auto& entry : shown_) {
    Shown& shown = entry.second;
    if (!is_old(shown.window)) continue;
    shown.window = nullptr;
    if (shown.is_remote) {
      show_remote(registry, entry);
    } else {
      show(registry, entry, *registry.get(shown.board));
    }
  }
  for (auto& [id, followed] : followed_) {
    if (!is_old(followed.window)) continue;
    followed.window = nullptr;
    followed.looked_up_at = 0;
  }
}

// The boards that the clock has changed.
void Publisher::show_due(Registry& registry) {
  std::vector<std::string> due;
  const Time now = registry.now();
  for (auto it = deadlines_.begin(); it != deadlines_.end() && it->first <= now; ++it) {
    due.push_back(it->second);
  }
  for (const std::string& name : due) {
    auto& entry = *shown_.find(name);
    show(registry, entry, *registry.get(entry.second.board));
  }
}

void Publisher::show_changed(Registry& registry) {
  for (std::size_t i = 0; i < registry.changed().size(); ++i) {
    const Board& board = registry.changed()[i];
    const auto shown = shown_.find(board.name());
    if (shown != shown_.end()) show(registry, *shown, board);
  }
}

void Publisher::show_remotes(Registry& registry) {
  std::vector<std::string> dropped;
  for (const std::string& name : remote_boards_) {
    auto& entry = *shown_.find(name);
    if (RemoteBoards::of(registry)->name(entry.second.board) == nullptr) {
      dropped.push_back(name);
    } else {
      show_remote(registry, entry);
    }
  }
  for (const std::string& name : dropped) remove(name);
}

void Publisher::take_follows() {
  FollowNews news = server_->take_follows();
  for (auto& [id, around] : news.begun) {
    const auto shown = shown_.find(around.board);
    if (shown == shown_.end()) continue;  // unpublished meanwhile: the server ends the follow
    followed_[id].around = std::move(around);
    shown->second.followed.push_front(id);
    followed_on_.insert(shown->first);
  }
  for (const FollowId id : news.ended) followed_.erase(id);
}

void Publisher::take_answers(Registry& registry) {
  for (auto& [id, window] : std::exchange(*answers_, {})) {
    const auto entry = followed_.find(id);
    if (entry == followed_.end()) continue;
    Followed& followed = entry->second;
    followed.asked = false;
    if (!window) continue;
    window->version = ++followed.version;
    post(registry, id, followed, std::move(window));
  }
}

// Each tick continues after the board at which the last tick stopped, so that one board with many
// follows does not delay the others.
void Publisher::look_around(Registry& registry) {
  std::size_t budget = kLiveAroundsPerTick;
  auto name = followed_on_.upper_bound(looked_around_on_);
  for (std::size_t boards = followed_on_.size(); boards > 0 && budget > 0; --boards) {
    if (name == followed_on_.end()) name = followed_on_.begin();
    looked_around_on_ = *name;
    const auto shown = shown_.find(*name);
    if (shown != shown_.end() && !shown->second.followed.empty()) {
      look_around(registry, shown->second, budget);
      ++name;
    } else {
      name = followed_on_.erase(name);
    }
  }
}

void Publisher::look_around(Registry& registry, Shown& shown, std::size_t& budget) {
  const Time now = steady_now();
  for (std::size_t i = shown.followed.size(); i > 0 && budget > 0; --i) {
    const FollowId id = shown.followed.front();
    const auto entry = followed_.find(id);
    if (entry == followed_.end()) {
      shown.followed.pop_front();
      continue;
    }
    Followed& followed = entry->second;
    const Time last = followed.looked_up_at;
    if (last != 0 && now - last < kAroundEvery) break;  // the rest are more recent
    shown.followed.pop_front();
    shown.followed.push_back(id);
    followed.looked_up_at = now;
    if (shown.is_remote) {
      ask(registry, id, followed, shown);
    } else if (!look_up(registry, id, followed, shown)) {
      continue;
    }
    --budget;
  }
}

// Returns false if the board has not changed since the last window was posted.
bool Publisher::look_up(Registry& registry, FollowId id, Followed& followed, const Shown& shown) {
  const Board& board = *registry.get(shown.board);
  if (followed.window && followed.version == board.version()) return false;
  followed.version = board.version();
  post(registry, id, followed,
       board.window_around(followed.around.player, followed.around.n, shown.options.data));
  return true;
}

void Publisher::ask(Registry& registry, FollowId id, Followed& followed, const Shown& shown) {
  if (std::exchange(followed.asked, true)) return;
  RemoteBoards::of(registry)->ask(
      shown.board, 0, request::Around{followed.around.player, followed.around.n},
      [answers = answers_, id, data = shown.options.data](const Result<Value>& value) {
        const std::shared_ptr<Window> window =
            value ? window_of(std::get<Listed>(*value)) : nullptr;
        if (window && !data) drop_data(*window);
        answers->emplace_back(id, window);
      });
}

}  // namespace laurel
