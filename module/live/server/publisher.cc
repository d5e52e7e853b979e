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
    return Refusal(Code::unavailable, "the disk does not take what a token has to leave there");
  }
  const auto time = static_cast<Time>(std::ceil(seconds * static_cast<double>(kSecond)));
  const Result<Ticket> ticket =
      tickets_->draw(player, registry.now() + time, static_cast<std::uint32_t>(uses));
  if (!ticket) return ticket.refusal();
  server_->add(*ticket);
  return Token{ticket->word, ticket->secret};
}

Status Publisher::publish(Registry& registry, BoardHandle handle, const PublishOptions& options) {
  if (options.top < 1 || options.top > kLiveTopMax) {
    return Refusal(Code::invalid, "top is {}; it takes 1 to {}", options.top, kLiveTopMax);
  }
  const Board* board = registry.get(handle);
  if (board == nullptr) return Refusal(Code::unknown, "the board was dropped");
  if (shown_.size() >= kLiveBoardsMax && !shown_.contains(board->name())) {
    return Refusal(Code::unavailable, "{} boards are published, which is as many as there can be",
                   kLiveBoardsMax);
  }
  Shown& shown = shown_[board->name()];
  shown.board = handle;
  shown.options = options;
  post(registry, board->name(), *board, shown);
  return Done{};
}

bool Publisher::unpublish(const Registry& registry, BoardHandle handle) {
  const Board* board = registry.get(handle);
  const auto shown = board == nullptr ? shown_.end() : shown_.find(board->name());
  if (shown == shown_.end()) return false;
  take_off(shown);
  return true;
}

void Publisher::take_off(ShownBoards::iterator shown) {
  server_->unpublish(shown->first);
  if (shown->second.next_change_at) deadlines_.erase({*shown->second.next_change_at, shown->first});
  remote_boards_.erase(shown->first);
  shown_.erase(shown);
}

Status Publisher::publish_remote(Registry& registry, BoardHandle handle,
                                 const PublishOptions& options) {
  if (options.top < 1 || options.top > kLiveTopMax) {
    return Refusal(Code::invalid, "top is {}; it takes 1 to {}", options.top, kLiveTopMax);
  }
  RemoteBoards* const boards = RemoteBoards::of(registry);
  const std::string* const name = boards == nullptr ? nullptr : boards->name(handle);
  if (name == nullptr) return Refusal(Code::unknown, "the board was dropped");
  if (shown_.size() >= kLiveBoardsMax && !shown_.contains(*name)) {
    return Refusal(Code::unavailable, "{} boards are published, which is as many as there can be",
                   kLiveBoardsMax);
  }
  Shown& shown = shown_[*name];
  shown.board = handle;
  shown.options = options;
  shown.is_remote = true;
  shown.read = nullptr;
  if (remote_boards_.insert(*name).second) boards->show(handle, true);
  if (!boards->top(handle)) server_->announce(*name);
  show_remote(registry);
  return Done{};
}

bool Publisher::unpublish_remote(const Registry& registry, BoardHandle handle) {
  RemoteBoards* const boards = RemoteBoards::of(registry);
  const std::string* const name = boards == nullptr ? nullptr : boards->name(handle);
  const auto shown = name == nullptr ? shown_.end() : shown_.find(*name);
  if (shown == shown_.end()) return false;
  boards->show(handle, false);
  take_off(shown);
  return true;
}

void Publisher::post_remote(Registry& registry, const std::string& name, Shown& shown) {
  if (!shown.read) return;
  const auto window = std::make_shared<Window>(*shown.read);
  if (window->entries.size() > shown.options.top) window->entries.resize(shown.options.top);
  if (!shown.options.data) drop_data(*window);
  names_.fill(*window, registry.profiles());
  shown.window = window;
  server_->post(name, window);
}

void Publisher::show_remote(Registry& registry) {
  if (remote_boards_.empty()) return;
  const RemoteBoards* const boards = RemoteBoards::of(registry);
  std::vector<std::string> dropped;
  for (const std::string& name : remote_boards_) {
    Shown& shown = shown_.find(name)->second;
    if (boards == nullptr || boards->name(shown.board) == nullptr) {
      dropped.push_back(name);
      continue;
    }
    const WindowPtr top = boards->top(shown.board);
    if (!top || top == shown.read) continue;
    shown.read = top;
    post_remote(registry, name, shown);
  }
  for (const std::string& name : dropped) take_off(shown_.find(name));
}

void Publisher::ask_around(Registry& registry, FollowId id, const Shown& shown) {
  RemoteBoards* const boards = RemoteBoards::of(registry);
  if (boards == nullptr) return;
  Followed& followed = followed_.find(id)->second;
  followed.asked = true;
  const auto answered = [this, alive = std::weak_ptr(alive_), &registry, id,
                         data = shown.options.data](Result<Value> value) {
    if (alive.expired()) return;
    const auto entry = followed_.find(id);
    if (entry == followed_.end()) return;
    Followed& asking = entry->second;
    asking.asked = false;
    if (!value) return;
    const std::shared_ptr<Window> window = window_of(std::get<Listed>(*value));
    if (!data) drop_data(*window);
    names_.fill(*window, registry.profiles());
    if (same_entries(asking.window, *window)) return;
    window->version = ++asking.version;
    asking.window = window;
    server_->post(id, window);
  };
  boards->ask(shown.board, 0, request::Around{followed.around.player, followed.around.n}, answered);
}

void Publisher::on_drop(std::string_view name) {
  if (const auto shown = shown_.find(name); shown != shown_.end()) take_off(shown);
}

void Publisher::post(Registry& registry, const std::string& name, const Board& board,
                     Shown& shown) {
  shown.version = board.version();
  if (shown.next_change_at != board.next_change_at()) {
    if (shown.next_change_at) deadlines_.erase({*shown.next_change_at, name});
    shown.next_change_at = board.next_change_at();
    deadlines_.emplace(*shown.next_change_at, name);
  }
  const std::shared_ptr<Window> window = board.window(shown.options.top, shown.options.data);
  names_.fill(*window, registry.profiles());
  shown.window = window;
  server_->post(name, window);
}

void Publisher::on_tick(Registry& registry) {
  const Server::Hold one_wake(*server_);
  server_->set_time(registry.now());
  tickets_->take(server_->take_tickets());
  show_renamed(registry);
  take_follows();
  show_what_is_due(registry);
  show_changed(registry);
  show_remote(registry);
  look_around(registry);
  for (const auto& [level, line] : server_->take_log()) registry.log().write(level, line);
}

// registry.get() applies the clock to the board, and adds it to registry.changed() if it changed.
void Publisher::show_what_is_due(Registry& registry) {
  const Time now = registry.now();
  std::vector<std::pair<Time, std::string>> due;
  for (auto it = deadlines_.begin(); it != deadlines_.end() && it->first <= now; ++it)
    due.push_back(*it);
  for (const auto& [time, name] : due) {
    Shown& shown = shown_.find(name)->second;
    const Board* const board = registry.get(shown.board);
    if (board->version() != shown.version || board->next_change_at() != time) {
      post(registry, name, *board, shown);
    }
  }
}

void Publisher::show_changed(Registry& registry) {
  for (std::size_t i = 0; i < registry.changed().size(); ++i) {
    const Board& board = registry.changed()[i];
    const auto entry = shown_.find(board.name());
    if (entry == shown_.end()) continue;
    auto& [name, shown] = *entry;
    if (board.version() != shown.version) post(registry, name, *registry.get(shown.board), shown);
  }
}

// Remakes the windows that have a renamed player.
void Publisher::show_renamed(Registry& registry) {
  const auto renamed = names_.take_renamed(registry.profiles());
  const auto is_old = [&](const WindowPtr& window) {
    return !renamed ||
           std::any_of(renamed->begin(), renamed->end(),
                       [&](const std::string& player) { return shows(window, player); });
  };
  if (renamed && renamed->empty()) return;
  for (auto& [name, shown] : shown_) {
    if (!is_old(shown.window)) continue;
    if (shown.is_remote) {
      post_remote(registry, name, shown);
    } else {
      post(registry, name, *registry.get(shown.board), shown);
    }
  }
  for (auto& [id, followed] : followed_) {
    if (is_old(followed.window)) followed.window = nullptr;
  }
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
      const bool is_remote = shown->second.is_remote;
      look_around(registry, is_remote ? nullptr : registry.get(shown->second.board), shown->second,
                  budget);
      ++name;
    } else {
      name = followed_on_.erase(name);
    }
  }
}

void Publisher::look_around(Registry& registry, const Board* board, Shown& shown,
                            std::size_t& budget) {
  const Time now = steady_now();
  for (std::size_t i = shown.followed.size(); i > 0 && budget > 0; --i) {
    const FollowId id = shown.followed.front();
    const auto entry = followed_.find(id);
    if (entry == followed_.end()) {
      shown.followed.pop_front();
      continue;
    }
    Followed& followed = entry->second;
    const bool is_new =
        followed.window == nullptr && (board != nullptr || followed.looked_up_at == 0);
    if (!is_new && now - followed.looked_up_at < kAroundEvery) break;  // the rest are more recent
    shown.followed.pop_front();
    shown.followed.push_back(id);
    followed.looked_up_at = now;
    if (board == nullptr) {
      if (!followed.asked) ask_around(registry, id, shown);
      --budget;
      continue;
    }
    if (!is_new && followed.version == board->version()) continue;
    --budget;
    followed.version = board->version();
    const std::shared_ptr<Window> window =
        board->window_around(followed.around.player, followed.around.n, shown.options.data);
    names_.fill(*window, registry.profiles());
    if (same_entries(followed.window, *window)) continue;
    followed.window = window;
    server_->post(id, window);
  }
}

}  // namespace laurel
