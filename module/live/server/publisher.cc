#include "live/server/publisher.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/checks.h"
#include "base/limits.h"
#include "base/text.h"
#include "live/limits.h"
#include "live/secure/server_key.h"

namespace laurel {

namespace {

// Shares of a tick's slice. Each kind of work begins even if the ones before it took more.
constexpr double kRenamedShare = 0.2;
constexpr double kTopsShare = 0.6;

Refusal taken(std::string_view name) {
  return {Code::taken, "something else is published under the name \"{}\"", escaped(name, 64)};
}

// Fails as publish().
Status check_segment(const Board& board, const SegmentName& segment) {
  const auto found = board.part(segment);
  if (!found) return found.refusal();
  const std::string name = name_of_segment(board.name(), segment);
  if (name.size() <= kBoardNameBytesMax) return Done{};
  return Refusal(Code::unsupported,
                 "the name \"{}\" has {} bytes; on the live channel it has at most {}",
                 escaped(name, 64), name.size(), kBoardNameBytesMax);
}

}  // namespace

Publisher::Publisher(ServerPtr server)
    : server_(std::move(server)), followed_(*server_, [this](const std::string& board) {
        const auto shown = shown_.find(board);
        return shown == shown_.end() ? nullptr : &shown->second.published;
      }) {}

Result<std::unique_ptr<Publisher>> Publisher::start(const ServerOptions& options) {
  Result<ServerPtr> server = Server::start(options);
  if (!server) return server.refusal();
  return std::unique_ptr<Publisher>(new Publisher(std::move(*server)));
}

void Publisher::on_attach(Registry& registry, unsigned slot) {
  server_->set_time(registry.now());
  tickets_.emplace(registry.ticket_rows(), slot);
  names_.emplace(registry.profiles(), registry.player_names());
  if (const auto key = stored_server_key(registry.server_key_rows())) use_key(*key);
  for (const Ticket& ticket : tickets_->load(registry.now())) server_->add(ticket);
}

void Publisher::on_detach(Registry& registry) {
  if (RemoteBoards* const boards = RemoteBoards::of(registry)) {
    for (const std::string& name : remote_boards_)
      boards->show(shown_.find(name)->second.published.board, false);
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

bool Publisher::seals(TokenForm form) const {
  return form == TokenForm::usual && server_->auth() == Auth::token;
}

void Publisher::use_key(const KeyPair& key) {
  key_ = key;
  server_->set_key(key);
}

Token Publisher::token_of_ticket(const Registry& registry, const Ticket& ticket) {
  Token token{ticket.word, ticket.secret, ticket.kind == Ticket::Kind::gateway};
  if (ticket.sealed) {
    if (!key_) {
      const PersistentRows rows = registry.server_key_rows();
      const std::optional<KeyPair> stored = stored_server_key(rows);  // another server's, too
      use_key(stored ? *stored : make_server_key(rows));
    }
    token.server = key_->public_key;
  }
  server_->add(ticket);
  return token;
}

Result<Token> Publisher::token(const Registry& registry, std::string_view player, double seconds,
                               std::uint64_t uses, TokenForm form) {
  if (const Status valid = check_player(player); !valid) return valid.refusal();
  const Result<Time> time = valid_for(seconds);
  if (!time) return time.refusal();
  if (uses < 1 || uses > kLiveTokenUsesMax) {
    return Refusal(Code::out_of_range, "uses = {} is not 1 to {}", uses, kLiveTokenUsesMax);
  }
  if (const Status kept = may_keep(registry); !kept) return kept.refusal();
  const Result<Ticket> ticket =
      tickets_->draw(player, registry.now() + *time, static_cast<std::uint32_t>(uses), seals(form));
  if (!ticket) return ticket.refusal();
  return token_of_ticket(registry, *ticket);
}

Result<Token> Publisher::gateway_token(const Registry& registry, std::optional<double> seconds,
                                       TokenForm form) {
  Time expires = Ticket::kNever;
  if (seconds) {
    const Result<Time> time = valid_for(*seconds);
    if (!time) return time.refusal();
    expires = registry.now() + *time;
  }
  if (const Status kept = may_keep(registry); !kept) return kept.refusal();
  const Result<Ticket> ticket = tickets_->draw_gateway(expires, seals(form));
  if (!ticket) return ticket.refusal();
  return token_of_ticket(registry, *ticket);
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
  const auto added = shown_.try_emplace(*name, window_bytes_).first;
  added->second.published.board = board;
  added->second.published.options = options;
  added->second.window.set(nullptr);
  return added;
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
    if (other->second.published.segment != segment || other->second.published.is_remote)
      return taken(name);
  }
  const auto shown = add(board == nullptr ? nullptr : &name, handle, options);
  if (!shown) return shown.refusal();
  if (segment) {
    (*shown)->second.published.segment = segment;
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
  if (other != shown_.end() && other->second.published.segment) return taken(*name);
  const auto shown = add(name, handle, options);
  if (!shown) return shown.refusal();
  (*shown)->second.published.is_remote = true;
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
  return shown != shown_.end() && shown->second.published.segment == segment && remove(name);
}

bool Publisher::unpublish_remote(const Registry& registry, BoardHandle handle) {
  RemoteBoards* const boards = RemoteBoards::of(registry);
  const std::string* const name = boards == nullptr ? nullptr : boards->name(handle);
  if (name == nullptr || !remove(*name)) return false;
  boards->show(handle, false);
  return true;
}

void Publisher::on_drop(std::string_view name) {
  if (const auto shown = shown_.find(name);
      shown != shown_.end() && !shown->second.published.segment) {
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
  if (const std::optional<SegmentName>& segment = shown->second.published.segment) {
    const std::size_t rest = 2 + segment->attribute.size() + segment->value.size();
    const auto others = segments_.find(name.substr(0, name.size() - rest));
    if (others != segments_.end() && others->second.erase(shown->first) > 0 &&
        others->second.empty()) {
      segments_.erase(others);
    }
  }
  followed_.unpublish(shown->first);
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
  if (!shown.described || !describes(*shown.described, board)) {
    describe(entry, description_of(board));
  }
  if (shown.window.get() && shown.version == board.version()) return;
  shown.version = board.version();
  std::shared_ptr<Window> window = shown.published.top(board);
  if (!shown.published.segment) return post(entry, std::move(window));
  names_->fill(*window);
  if (!same_entries(shown.window.get(), *window)) post(entry, std::move(window));
}

void Publisher::show_remote(const Registry& registry, ShownBoards::value_type& entry) {
  Shown& shown = entry.second;
  const std::shared_ptr<const Spec> spec = RemoteBoards::of(registry)->spec(shown.published.board);
  if (spec && spec != std::exchange(shown.published.spec, spec)) {
    const BoardDescription description = description_of(*spec);
    if (shown.described != description) describe(entry, description);
  }
  const WindowPtr top = RemoteBoards::of(registry)->top(shown.published.board);
  if (!top || (shown.window.get() && shown.read == top)) return;
  shown.read = top;
  auto window = std::make_shared<Window>(*top);
  if (window->entries.size() > shown.published.options.top)
    window->entries.resize(shown.published.options.top);
  shown.published.trim(*window);
  post(entry, std::move(window));
}

void Publisher::post(ShownBoards::value_type& entry, std::shared_ptr<Window> window) {
  names_->fill(*window);
  entry.second.window.set(window);
  server_->post(entry.first, std::move(window));
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
  followed_.tick(registry, *names_, slice);
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
    if (is_old(entry->second.window.get())) {
      entry->second.window.set(nullptr);
      outdate(*entry);
    }
    if (slice.spent(kRenamedShare)) return slice.put_off();
  }
  if (!followed_.renew(is_old, renaming_->follow, slice, kRenamedShare)) return slice.put_off();
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
    if (boards.name(entry.second.published.board) == nullptr) {
      dropped.push_back(name);
    } else if (boards.top(entry.second.published.board) != entry.second.read ||
               boards.spec(entry.second.published.board) != entry.second.published.spec) {
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
    if (entry->second.published.is_remote) {
      show_remote(registry, *entry);
    } else {
      show(*entry, *registry.get(entry->second.published.board));
    }
    if (slice.spent(kTopsShare)) break;
  }
  if (!outdated_.empty()) slice.put_off();
}

}  // namespace laurel
