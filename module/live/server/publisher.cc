#include "live/server/publisher.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/checks.h"
#include "base/limits.h"
#include "base/steady_clock.h"
#include "base/text.h"
#include "remote/core/top_cache.h"

namespace laurel {

namespace {

// Shares of a tick's slice. Each kind of work begins even if the ones before it took more.
constexpr double kRenamedShare = 0.2;
constexpr double kTopsShare = 0.6;
constexpr double kFollowsShare = 0.8;
constexpr std::size_t kPreparedRowsPerStep = 500;  // about 50 us
// A dense rank on a board of many parts takes time for each better score, which cannot be
// interrupted. After such a lookup the board's followers wait, so that they take a fiftieth of the
// thread at most.
constexpr std::int64_t kLongLookup = 500'000;  // nanoseconds
constexpr std::int64_t kRestsPerLookup = 50;

constexpr Time kAroundEvery = static_cast<Time>(kSecond / kLiveAroundRate);

bool same_entries(const WindowPtr& before, const Window& after) {
  return before && before->epoch == after.epoch && before->size == after.size &&
         before->entries == after.entries;
}

void drop_data(Window& window) {
  for (WindowEntry& entry : window.entries) entry.data.reset();
}

// Another server may have changed the spec, which this one hears of after the entries.
bool has_half_ranks(const std::shared_ptr<const Spec>& spec, const Window& window) {
  return (spec && spec->ranking == Ranking::fractional) ||
         !std::all_of(window.entries.begin(), window.entries.end(),
                      [](const WindowEntry& entry) { return entry.rank.is_whole(); });
}

Refusal taken(std::string_view name) {
  return {Code::taken, "something else is published under the name \"{}\"", escaped(name, 64)};
}

// Compares the fields that may change while the board exists.
bool fits(const BoardDescription& description, const Board& board) {
  const Spec& spec = board.spec();
  return description.season == board.season().number && description.ranking == spec.ranking &&
         description.resets_at == board.resets_at() && description.closes_at == board.closes_at() &&
         description.meta == spec.meta;
}

BoardDescription description_of(const Spec& spec) {
  BoardDescription description;
  description.order = spec.order;
  description.decimals = spec.decimals;
  description.columns = spec.columns;
  description.ranking = spec.ranking;
  description.meta = spec.meta;
  return description;
}

bool shows(const WindowPtr& window, std::string_view player) {
  return window &&
         std::any_of(window->entries.begin(), window->entries.end(),
                     [player](const WindowEntry& entry) { return entry.player == player; });
}

}  // namespace

Result<std::unique_ptr<Publisher>> Publisher::start(const ServerOptions& options) {
  Result<ServerPtr> server = Server::start(options);
  if (!server) return server.refusal();
  return std::unique_ptr<Publisher>(new Publisher(std::move(*server)));
}

void Publisher::on_attach(Registry& registry, unsigned slot) {
  server_->set_time(registry.now());
  tickets_.emplace(registry.ticket_rows(), slot);
  names_.emplace(registry.profiles());
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

void Publisher::on_rename(std::string_view from, std::string_view to) {
  tickets_->take(server_->take_tickets());
  if (tickets_->rename(from, to)) server_->rename(std::string(from), std::string(to));
}

namespace {

Result<Time> valid_for(double seconds) {
  if (!(seconds > 0 && seconds <= kTimeSecondsMax)) {
    return Refusal(Code::out_of_range, "seconds = {} is not above 0 and at most {:.0f}", seconds,
                   kTimeSecondsMax);
  }
  return static_cast<Time>(std::ceil(seconds * static_cast<double>(kSecond)));
}

Status may_keep(const Registry& registry) {
  if (registry.writable()) return Done{};
  return Refusal(Code::unavailable, "the token cannot be saved: the disk accepts no writes now");
}

}  // namespace

Result<Token> Publisher::token(const Registry& registry, std::string_view player, double seconds,
                               std::uint64_t uses) {
  if (const Status valid = check_player(player); !valid) return valid.refusal();
  const Result<Time> time = valid_for(seconds);
  if (!time) return time.refusal();
  if (uses < 1 || uses > kLiveTokenUsesMax) {
    return Refusal(Code::out_of_range, "uses = {} is not 1 to {}", uses, kLiveTokenUsesMax);
  }
  if (const Status kept = may_keep(registry); !kept) return kept.refusal();
  const Result<Ticket> ticket =
      tickets_->draw(player, registry.now() + *time, static_cast<std::uint32_t>(uses));
  if (!ticket) return ticket.refusal();
  server_->add(*ticket);
  return Token{ticket->word, ticket->secret, false};
}

Result<Token> Publisher::gateway_token(const Registry& registry, std::optional<double> seconds) {
  Time expires = Ticket::kNever;
  if (seconds) {
    const Result<Time> time = valid_for(*seconds);
    if (!time) return time.refusal();
    expires = registry.now() + *time;
  }
  if (const Status kept = may_keep(registry); !kept) return kept.refusal();
  const Result<Ticket> ticket = tickets_->draw_gateway(expires);
  if (!ticket) return ticket.refusal();
  server_->add(*ticket);
  return Token{ticket->word, ticket->secret, true};
}

Result<bool> Publisher::revoke_gateway_token(const Registry& registry, std::string_view text) {
  const std::optional<Token> token = token_of(text);
  if (!token || !token->gateway) return false;
  if (const Status kept = may_keep(registry); !kept) return kept.refusal();
  tickets_->take(server_->take_tickets());
  const std::optional<TicketId> ended = tickets_->end_gateway(*token, registry.now());
  if (ended) server_->end_gateway(*ended);
  return ended.has_value();
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

Status Publisher::check_segment(const Board& board, const SegmentName& segment) const {
  const auto found = board.segment(segment.attribute, segment.value);
  if (!found) return found.refusal();
  const std::string name = name_of_segment(board.name(), segment);
  if (name.size() <= kBoardNameBytesMax) return Done{};
  return Refusal(Code::unsupported,
                 "the name \"{}\" has {} bytes; on the live channel it has at most {}",
                 escaped(name, 64), name.size(), kBoardNameBytesMax);
}

Status Publisher::publish(Registry& registry, BoardHandle handle, const PublishOptions& options,
                          const std::optional<SegmentName>& segment) {
  const Board* const board = registry.get(handle);
  std::string name;
  if (board != nullptr && segment) {
    if (const Status valid = check_segment(*board, *segment); !valid) return valid;
    name = name_of_segment(board->name(), *segment);
  } else if (board != nullptr) {
    name = board->name();
  }
  if (const auto other = shown_.find(name); other != shown_.end() && board != nullptr) {
    if (other->second.segment != segment || other->second.is_remote) return taken(name);
  }
  const auto shown = add(board == nullptr ? nullptr : &name, handle, options);
  if (!shown) return shown.refusal();
  if (segment) {
    (*shown)->second.segment = segment;
    segments_[board->name()].insert(name);
  }
  show(**shown, *board);
  return Done{};
}

Status Publisher::publish_remote(Registry& registry, BoardHandle handle,
                                 const PublishOptions& options) {
  RemoteBoards* const boards = RemoteBoards::of(registry);
  const std::string* const name = boards == nullptr ? nullptr : boards->name(handle);
  const auto other = name == nullptr ? shown_.end() : shown_.find(*name);
  if (other != shown_.end() && other->second.segment) return taken(*name);
  const auto shown = add(name, handle, options);
  if (!shown) return shown.refusal();
  (*shown)->second.is_remote = true;
  if (remote_boards_.insert(*name).second) boards->show(handle, true);
  if (!boards->top(handle)) server_->announce(*name);
  show_remote(registry, **shown);
  return Done{};
}

bool Publisher::unpublish(const Registry& registry, BoardHandle handle,
                          const std::optional<SegmentName>& segment) {
  const Board* const board = registry.get(handle);
  if (board == nullptr) return false;
  const std::string name = segment ? name_of_segment(board->name(), *segment) : board->name();
  const auto shown = shown_.find(name);
  return shown != shown_.end() && shown->second.segment == segment && remove(name);
}

bool Publisher::unpublish_remote(const Registry& registry, BoardHandle handle) {
  RemoteBoards* const boards = RemoteBoards::of(registry);
  const std::string* const name = boards == nullptr ? nullptr : boards->name(handle);
  if (name == nullptr || !remove(*name)) return false;
  boards->show(handle, false);
  return true;
}

void Publisher::on_drop(std::string_view name) {
  if (const auto shown = shown_.find(name); shown != shown_.end() && !shown->second.segment) {
    remove(name);
  }
  const auto segments = segments_.find(name);
  if (segments == segments_.end()) return;
  const std::set<std::string> names = std::move(segments->second);
  segments_.erase(segments);
  for (const std::string& segment : names) remove(segment);
}

bool Publisher::remove(std::string_view name) {
  const auto shown = shown_.find(name);
  if (shown == shown_.end()) return false;
  server_->unpublish(shown->first);
  if (shown->second.next_change_at) deadlines_.erase({*shown->second.next_change_at, shown->first});
  remote_boards_.erase(shown->first);
  if (const std::optional<SegmentName>& segment = shown->second.segment) {
    const std::size_t rest = 2 + segment->attribute.size() + segment->value.size();
    const auto others = segments_.find(name.substr(0, name.size() - rest));
    if (others != segments_.end() && others->second.erase(shown->first) > 0 &&
        others->second.empty()) {
      segments_.erase(others);
    }
  }
  shown_.erase(shown);
  return true;
}

void Publisher::describe(ShownBoards::value_type& entry, BoardDescription description) {
  entry.second.described = description;
  server_->describe(entry.first, std::move(description));
}

void Publisher::show(ShownBoards::value_type& entry, const Board& board) {
  auto& [name, shown] = entry;
  if (shown.next_change_at != board.next_change_at()) {
    if (shown.next_change_at) deadlines_.erase({*shown.next_change_at, name});
    shown.next_change_at = board.next_change_at();
    deadlines_.emplace(*shown.next_change_at, name);
  }
  if (!shown.described || !fits(*shown.described, board)) {
    BoardDescription description = description_of(board.spec());
    description.season = board.season().number;
    description.resets_at = board.resets_at();
    description.closes_at = board.closes_at();
    describe(entry, std::move(description));
  }
  if (shown.window && shown.version == board.version()) return;
  shown.version = board.version();
  const PublishOptions& options = shown.options;
  if (!shown.segment) return post(entry, board.window(options.top, options.data, options.changes));
  std::shared_ptr<Window> window = board.window(*shown.segment, options.top, options.data);
  names_->fill(*window);
  if (!same_entries(shown.window, *window)) post(entry, std::move(window));
}

void Publisher::show_remote(const Registry& registry, ShownBoards::value_type& entry) {
  Shown& shown = entry.second;
  const std::shared_ptr<const Spec> spec = RemoteBoards::of(registry)->spec(shown.board);
  if (spec && spec != std::exchange(shown.spec, spec)) {
    const BoardDescription description = description_of(*spec);
    if (shown.described != description) describe(entry, description);
  }
  const WindowPtr top = RemoteBoards::of(registry)->top(shown.board);
  if (!top || (shown.window && shown.read == top)) return;
  shown.read = top;
  auto window = std::make_shared<Window>(*top);
  if (window->entries.size() > shown.options.top) window->entries.resize(shown.options.top);
  if (!shown.options.data) drop_data(*window);
  window->half_ranks = has_half_ranks(spec, *window);
  post(entry, std::move(window));
}

void Publisher::post(ShownBoards::value_type& entry, std::shared_ptr<Window> window) {
  names_->fill(*window);
  entry.second.window = window;
  server_->post(entry.first, std::move(window));
}

void Publisher::post(FollowId id, Followed& followed, std::shared_ptr<Window> window) {
  names_->fill(*window);
  if (same_entries(followed.window, *window)) return;
  followed.window = window;
  server_->post(id, std::move(window));
}

void Publisher::on_tick(Registry& registry, TickSlice& slice) {
  const Server::Hold one_wake(*server_);
  server_->set_time(registry.now());
  tickets_->take(server_->take_tickets());
  find_renamed(slice);
  find_due(registry);
  find_changed(registry);
  find_remotes(registry);
  show_outdated(registry, slice);
  take_follows(slice);
  take_answers(slice);
  look_around(registry, slice);
  for (const auto& [level, line] : server_->take_log()) registry.log().write(level, line);
}

void Publisher::outdate(ShownBoards::value_type& entry) {
  if (!std::exchange(entry.second.outdated, true)) outdated_.push_back(entry.first);
}

// Finds the windows that have a renamed player.
void Publisher::find_renamed(TickSlice& slice) {
  if (!renaming_) {
    auto renamed = names_->take_renamed();
    if (renamed && renamed->empty()) return;
    renaming_.emplace(Renaming{.players = std::move(renamed), .board = {}, .follow = 0});
  }
  const auto is_old = [this](const WindowPtr& window) {
    return !renaming_->players ||
           std::any_of(renaming_->players->begin(), renaming_->players->end(),
                       [&](const std::string& player) { return shows(window, player); });
  };
  for (auto entry = shown_.upper_bound(renaming_->board); entry != shown_.end(); ++entry) {
    renaming_->board = entry->first;
    if (is_old(entry->second.window)) {
      entry->second.window = nullptr;
      outdate(*entry);
    }
    if (slice.spent(kRenamedShare)) return slice.put_off();
  }
  for (auto entry = followed_.upper_bound(renaming_->follow); entry != followed_.end(); ++entry) {
    auto& [id, followed] = *entry;
    renaming_->follow = id;
    if (is_old(followed.window)) {
      followed.window = nullptr;
      followed.looked_up_at = 0;
    }
    if (slice.spent(kRenamedShare)) return slice.put_off();
  }
  renaming_.reset();
}

// Finds the boards that the clock has changed.
void Publisher::find_due(const Registry& registry) {
  const Time now = registry.now();
  for (auto it = deadlines_.begin(); it != deadlines_.end() && it->first <= now; ++it) {
    outdate(*shown_.find(it->second));
  }
}

void Publisher::find_changed(const Registry& registry) {
  for (std::size_t i = 0; i < registry.changed().size(); ++i) {
    const std::string& name = registry.changed()[i].name();
    const auto shown = shown_.find(name);
    if (shown != shown_.end()) outdate(*shown);
    const auto segments = segments_.find(name);
    if (segments == segments_.end()) continue;
    for (const std::string& segment : segments->second) outdate(*shown_.find(segment));
  }
}

void Publisher::find_remotes(const Registry& registry) {
  std::vector<std::string> dropped;
  for (const std::string& name : remote_boards_) {
    auto& entry = *shown_.find(name);
    const RemoteBoards& boards = *RemoteBoards::of(registry);
    if (boards.name(entry.second.board) == nullptr) {
      dropped.push_back(name);
    } else if (boards.top(entry.second.board) != entry.second.read ||
               boards.spec(entry.second.board) != entry.second.spec) {
      outdate(entry);
    }
  }
  for (const std::string& name : dropped) remove(name);
}

// Posts a window of each outdated board, the one that waits longest first.
void Publisher::show_outdated(const Registry& registry, TickSlice& slice) {
  while (!outdated_.empty()) {
    const auto entry = shown_.find(outdated_.front());
    outdated_.pop_front();
    if (entry == shown_.end() || !std::exchange(entry->second.outdated, false)) continue;
    if (entry->second.is_remote) {
      show_remote(registry, *entry);
    } else {
      show(*entry, *registry.get(entry->second.board));
    }
    if (slice.spent(kTopsShare)) break;
  }
  if (!outdated_.empty()) slice.put_off();
}

void Publisher::take_follows(TickSlice& slice) {
  if (follows_begun_.empty() && follows_ended_.empty()) {
    FollowNews news = server_->take_follows();
    follows_begun_.assign(std::move_iterator(news.begun.begin()),
                          std::move_iterator(news.begun.end()));
    follows_ended_.assign(news.ended.begin(), news.ended.end());
  }
  while (!follows_begun_.empty()) {
    auto& [id, around] = follows_begun_.front();
    const auto shown = shown_.find(around.board);
    if (shown != shown_.end()) {  // else unpublished meanwhile: the server ends the follow
      followed_[id].around = std::move(around);
      shown->second.followed.push_front(id);
      followed_on_.insert(shown->first);
    }
    follows_begun_.pop_front();
    if (slice.spent(kFollowsShare)) return slice.put_off();
  }
  while (!follows_ended_.empty()) {
    followed_.erase(follows_ended_.front());
    follows_ended_.pop_front();
    if (slice.spent(kFollowsShare)) return slice.put_off();
  }
}

void Publisher::take_answers(TickSlice& slice) {
  while (!answers_->empty()) {
    const auto [id, window] = std::move(answers_->front());
    answers_->pop_front();
    const auto entry = followed_.find(id);
    if (entry == followed_.end()) continue;
    Followed& followed = entry->second;
    followed.asked = false;
    if (!window) continue;
    window->version = ++followed.version;
    post(id, followed, window);
    if (slice.spent(kFollowsShare)) return slice.put_off();
  }
}

// Each tick continues after the board at which the last tick stopped, so that one board with many
// follows does not delay the others.
void Publisher::look_around(const Registry& registry, TickSlice& slice) {
  auto name = followed_on_.upper_bound(looked_around_on_);
  for (std::size_t boards = followed_on_.size(); boards > 0; --boards) {
    if (name == followed_on_.end()) name = followed_on_.begin();
    looked_around_on_ = *name;
    const auto shown = shown_.find(*name);
    if (shown != shown_.end() && !shown->second.followed.empty()) {
      look_around(registry, shown->second, slice);
      if (slice.spent()) return slice.put_off();
      ++name;
    } else {
      name = followed_on_.erase(name);
    }
  }
}

void Publisher::look_around(const Registry& registry, Shown& shown, TickSlice& slice) {
  const Time now = steady_now();
  if (now < shown.rests_until) return;
  for (std::size_t i = shown.followed.size(); i > 0; --i) {
    const FollowId id = shown.followed.front();
    const auto entry = followed_.find(id);
    if (entry == followed_.end()) {
      shown.followed.pop_front();
      continue;
    }
    Followed& followed = entry->second;
    const Time last = followed.looked_up_at;
    if (last != 0 && now - last < kAroundEvery) return;  // the rest are more recent
    if (!shown.is_remote && !prepare(registry, shown, slice)) return;
    shown.followed.pop_front();
    shown.followed.push_back(id);
    followed.looked_up_at = now;
    const std::int64_t used = slice.used_ns();
    if (shown.is_remote) {
      ask(registry, id, followed, shown);
    } else {
      look_up(registry, id, followed, shown);
    }
    const std::int64_t cost = slice.used_ns() - used;
    if (cost > kLongLookup) shown.rests_until = now + kRestsPerLookup * cost / 1000;
    if (cost > kLongLookup || slice.spent()) return;
  }
}

// Returns false if looking up a player would take too long for a tick.
bool Publisher::prepare(const Registry& registry, const Shown& shown, TickSlice& slice) {
  if (shown.segment) return true;
  const Board& board = *registry.get(shown.board);
  while (!board.prepare_ranks(kPreparedRowsPerStep)) {
    if (slice.spent()) return false;
  }
  return true;
}

void Publisher::look_up(const Registry& registry, FollowId id, Followed& followed,
                        const Shown& shown) {
  const Board& board = *registry.get(shown.board);
  if (followed.window && followed.version == board.version()) return;
  followed.version = board.version();
  const Around& around = followed.around;
  const bool data = shown.options.data;
  post(id, followed,
       shown.segment ? board.window_around(*shown.segment, around.player, around.n, data)
                     : board.window_around(around.player, around.n, data, shown.options.changes));
}

void Publisher::ask(const Registry& registry, FollowId id, Followed& followed, const Shown& shown) {
  if (std::exchange(followed.asked, true)) return;
  RemoteBoards::of(registry)->ask(shown.board, 0,
                                  request::Around{followed.around.player, followed.around.n},
                                  [answers = answers_, id, data = shown.options.data,
                                   spec = shown.spec](const Result<Value>& value) {
                                    const std::shared_ptr<Window> window =
                                        value ? window_of(std::get<Listed>(*value)) : nullptr;
                                    if (window && !data) drop_data(*window);
                                    if (window) window->half_ranks = has_half_ranks(spec, *window);
                                    answers->emplace_back(id, window);
                                  });
}

}  // namespace laurel
