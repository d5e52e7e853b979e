#include "remote/remote_boards_impl.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "board/validate.h"
#include "remote/limits.h"
#include "remote/request/spec_codec.h"

namespace laurel {

RemoteBoards::State::State(std::map<std::string, std::unique_ptr<Remote>> remotes, Time timeout,
                           SteadyClock steady, const std::string& players)
    : requests_(std::move(steady), timeout) {
  for (auto& [name, remote] : remotes) remotes_.emplace(name, NamedRemote{name, std::move(remote)});
  if (const auto archive = remotes_.find(LocalArchiver::kSite); archive != remotes_.end()) {
    copies_ = std::make_unique<Copies>(requests_, journal_, archive->second);
    calls_.archive = &archive->second;
  }
  if (!players.empty()) {
    NamedRemote& keeper = remotes_.at(players);
    names_.emplace(requests_, keeper);
    players_ = std::make_unique<RemotePlayers>(requests_, journal_, calls_, keeper, *names_);
  }
  calls_.on_unknown = [this](BoardHandle handle) {
    if (Record* const record = get(handle)) record->board.invalidate_spec();
  };
  calls_.on_dropped = [this](BoardHandle handle) {
    if (get(handle) != nullptr) remove(handle);
  };
  calls_.on_top = [this](BoardHandle handle, const Listed& listed, Time asked) {
    Record* const record = get(handle);
    if (record == nullptr || !listed.certain) return;
    if (!requests_.registry().known_tops().are_kept()) return;
    const std::shared_ptr<Window> top = window_of(listed, kKnownTopEntriesMax);
    top->columns = record->board.columns();
    record->known_top.read(top, asked, KnownTopWriter::Followed::no);
  };
  calls_.on_hidden = [this](BoardHandle handle, std::string_view player) {
    if (Record* const record = get(handle)) record->known_top.was_hidden(player);
  };
}

// ---- boards by name and handle

Result<BoardHandle> RemoteBoards::State::open(std::string_view name, const SpecChange& change) {
  if (const Status valid = check_board_name(name); !valid) return valid.refusal();
  const std::optional<BoardHandle> standing = find(name);
  if (!standing) return open_new(std::string(name), change);
  RemoteBoard& board = get(*standing)->board;
  if (!change.remote().empty() && change.remote() != board.remote().name) {
    return Refusal(Code::invalid,
                   "field 'remote' is \"{}\" and was \"{}\": it describes the stored order and "
                   "cannot change",
                   change.remote(), board.remote().name);
  }
  if (const Status taken = board.change(change); !taken) return taken.refusal();
  return *standing;
}

std::optional<BoardHandle> RemoteBoards::State::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return std::nullopt;
  return BoardHandle{found->second, slots_[found->second].generation};
}

RemoteBoards::State::Record* RemoteBoards::State::get(BoardHandle handle) const {
  if (handle.slot >= slots_.size()) return nullptr;
  const Slot& slot = slots_[handle.slot];
  return slot.generation == handle.generation ? slot.record.get() : nullptr;
}

std::vector<std::string> RemoteBoards::State::names() const {
  std::vector<std::string> names;
  for (const auto& [name, slot] : by_name_) names.push_back(name);
  return names;
}

RemoteBoardState RemoteBoards::State::state(const Record& record) const {
  const RemoteBoard& board = record.board;
  const RemoteState remote = board.remote().backend->state();
  RemoteBoardState state;
  state.down = board.spec_mismatch();
  if (state.down.empty()) state.down = remote.down;
  if (state.down.empty() && !board.is_open()) state.down = board.last_error();
  state.round_trip = remote.round_trip;
  state.pending = record.posts.pending();
  state.refused = record.posts.refused();
  if (const std::optional<Time> oldest = record.posts.oldest()) {
    state.oldest = std::max<Time>(0, requests_.registry().now() - *oldest);
  }
  return state;
}

std::vector<UnheardEnd> RemoteBoards::State::unheard_ends() const {
  std::vector<UnheardEnd> unheard;
  for (const Slot& slot : slots_) {
    if (slot.record) slot.record->season_ends.append_unheard(unheard);
  }
  return unheard;
}

void RemoteBoards::State::collect(MetricSet& set) const {
  std::map<const NamedRemote*, std::uint64_t> posts;
  for (const Slot& slot : slots_) {
    if (!slot.record) continue;
    slot.record->season_ends.collect(set);
    const RemoteBoard& board = slot.record->board;
    if (!board.is_copy()) posts[&board.remote()] += slot.record->posts.pending();
  }
  for (const auto& [name, remote] : remotes_) {
    const RemoteState state = remote.backend->state();
    set.add(Family::remote_up, {name}, state.down.empty() ? 1 : 0);
    set.add(Family::remote_pending_posts, {name}, static_cast<double>(posts[&remote]));
    if (state.round_trip > 0) {
      set.add(Family::remote_round_trip_seconds, {name}, seconds_from_time(state.round_trip));
    }
  }
}

// ---- copies of seasons

Result<BoardHandle> RemoteBoards::State::open_copy(const std::string& name, Time created,
                                                   std::uint64_t season, const SpecText& text) {
  const Copies::Name key{name, created, season};
  const std::uint64_t asked = ++copies_->last_asked;
  if (const auto known = copies_->opened.find(key); known != copies_->opened.end()) {
    known->second.asked = asked;
    return known->second.handle;
  }
  Result<Spec> spec = spec_of(text, std::string(LocalArchiver::kSite));
  if (!spec) return spec.refusal();
  if (copies_->opened.size() >= kCopiesOpenMax) close_oldest_copy();
  auto record = std::make_unique<Record>(requests_, journal_, copies_->remote, name);
  record->board.stand(std::make_shared<const Spec>(std::move(*spec)), created);
  const BoardHandle handle = place(std::move(record));
  copies_->opened.emplace(key, Copies::Opened{handle, asked});
  return handle;
}

void RemoteBoards::State::close_oldest_copy() {
  const auto oldest = std::ranges::min_element(copies_->opened, {},
                                               [](const auto& each) { return each.second.asked; });
  const BoardHandle handle = oldest->second.handle;
  copies_->opened.erase(oldest);
  calls_.cancel_all_of(handle);
  (void)take_out(handle);
}

std::optional<BoardHandle> RemoteBoards::State::copied(const RemoteBoard& copy) const {
  const Registry& registry = requests_.registry();
  const std::optional<BoardHandle> handle = registry.find(copy.name());
  const Board* const board = handle ? registry.peek(*handle) : nullptr;
  return board != nullptr && copy.is_copy_of(board->created()) ? handle : std::nullopt;
}

// ---- posts

Status RemoteBoards::State::post(BoardHandle handle, OwnedSubmission what) {
  Record* const record = get(handle);
  if (record == nullptr) return Refusal(Code::unknown, "the board was dropped");
  if (const Status valid = record->posts.check(what); !valid) return valid;
  Result<Post> kept = journal_.keep(record->board.name(), PostKind::submit, std::move(what));
  if (!kept) return kept.refusal();
  record->posts.add(std::move(*kept));
  return Done{};
}

void RemoteBoards::State::post_to_all(PostKind kind, std::string_view player) {
  for (const Slot& slot : slots_) {
    if (!slot.record || slot.record->board.is_copy()) continue;
    const std::string& name = slot.record->board.name();
    if (kind != PostKind::unban) slot.record->known_top.hide(player);
    Result<Post> kept = journal_.keep(name, kind, {.player = std::string(player)});
    if (kept) {
      slot.record->posts.add(std::move(*kept));
    } else {
      requests_.registry().log().error(
          "board \"{}\": a ban, unban or erasure of player \"{}\" cannot be sent: {}",
          escaped(name, 64), escaped(player, 64), kept.refusal().text());
    }
  }
}

// ---- following

Result<WatchId> RemoteBoards::State::watch(BoardHandle handle, std::size_t n,
                                           WatchCallback callback) {
  assert(n >= 1 && n <= kWatchTopMax);
  Record* const record = get(handle);
  if (record == nullptr) return Refusal(Code::unknown, "the board was dropped");
  if (watched_.size() >= kWatchesMax) {
    return Refusal(Code::unavailable, "{} watches are registered, the most allowed", kWatchesMax);
  }
  auto watch = std::make_shared<RemoteWatch>();
  watch->id = ++last_watch_;
  watch->n = n;
  watch->callback = std::move(callback);
  watched_.emplace(watch->id, handle);
  record->top.add(std::move(watch));
  return last_watch_;
}

void RemoteBoards::State::unwatch(WatchId id) {
  const auto ended = watched_.extract(id);
  if (ended.empty()) return;
  if (Record* const record = get(ended.mapped())) record->top.remove(id);
}

// ---- calls of the registry

void RemoteBoards::State::begin(Registry& registry) {
  requests_.begin(registry);
  const auto posts = journal_.load();
  const auto boards = journal_.load_boards();
  for (const auto& [name, board] : boards) {
    if (!posts.contains(name)) journal_.forget_board(name);
  }
  for (const auto& [name, pending] : posts) {
    if (name == RemotePlayers::kNoBoard && players_) {
      players_->restore(pending);
    } else if (name == LocalArchiver::kNoBoard && copies_) {
      copies_->local_archiver.restore(pending);
    } else if (name == LocalArchiver::kNoBoard) {
      registry.log().warn(
          "{} players wait to be forgotten by the archive: no remote is called \"{}\"",
          pending.size(), LocalArchiver::kSite);
    } else {
      restore(name, pending, boards);
    }
  }
}

void RemoteBoards::State::tick() {
  if (!requests_.has_begun()) return;
  std::vector<Answer> answers;
  for (auto& [name, remote] : remotes_) take(remote, answers);
  // From here on a callback may close everything.
  requests_.answer(std::move(answers));
  calls_.tick();
  if (players_) players_->tick();
  if (names_ && players_) names_->tick();
  if (copies_) copies_->local_archiver.tick();
  Top::Told told;
  for (const Slot& slot : slots_) {
    if (!slot.record) continue;
    slot.record->board.tick();
    slot.record->posts.tick();
    slot.record->top.tick();
    if (slot.record->remote_archiver) slot.record->remote_archiver->tick();
    slot.record->season_ends.tick();
    slot.record->top.tell(told);
  }
  write_known_tops();
  for (const auto& [watch, event] : told) {
    if (watch->id != 0) watch->callback(event);
  }
}

void RemoteBoards::State::finish() {
  for (const Slot& slot : slots_) {
    if (slot.record) slot.record->known_top.finish(slot.record->top.is_current(), may_go());
  }
}

void RemoteBoards::State::close() {
  calls_.cancel_all();
  if (names_) names_->close();
  by_name_.clear();
  watched_.clear();
  for (Slot& slot : slots_) {
    if (slot.record) slot.record->top.end_watches();
    slot.record.reset();
    ++slot.generation;
  }
  requests_.clear();
  players_.reset();
  copies_.reset();
  remotes_.clear();
}

void RemoteBoards::State::write_known_tops() {
  const Time steady = requests_.steady();
  std::size_t written = 0;
  for (std::size_t i = 0; i < slots_.size() && written < kKnownTopsPerTick; ++i) {
    write_next_ = (write_next_ + 1) % slots_.size();
    const std::unique_ptr<Record>& record = slots_[write_next_].record;
    if (!record || !record->known_top.is_due(steady)) continue;
    if (record->known_top.tick(record->top.is_current(), may_go())) ++written;
  }
}

KnownTopWriter::MayGo RemoteBoards::State::may_go() const {
  return [this](std::string_view board) { return by_name_.find(board) == by_name_.end(); };
}

Result<BoardHandle> RemoteBoards::State::open_new(std::string name, const SpecChange& change) {
  const auto remote = remotes_.find(change.remote());
  if (remote == remotes_.end()) {
    if (const Status built = remotes_are_built(); !built) return built.refusal();
    return Refusal(Code::invalid, "field 'remote' is \"{}\": no remote has that name",
                   escaped(change.remote(), kRuleNameBytesMax));
  }
  if (by_name_.size() >= kRemoteBoardsMax) {
    return Refusal(Code::unavailable, "{} remote boards are open, the most allowed",
                   kRemoteBoardsMax);
  }
  if (requests_.registry().find(name)) {
    return Refusal(Code::invalid, "board \"{}\" is local, not remote", escaped(name, 64));
  }
  auto record = std::make_unique<Record>(requests_, journal_, remote->second, std::move(name));
  if (const Status taken = record->board.change(change); !taken) return taken.refusal();
  journal_.keep_board(record->board.name(), remote->first, change);
  record->known_top.begin();
  return place(std::move(record));
}

BoardHandle RemoteBoards::State::place(std::unique_ptr<Record> record) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  if (!record->board.is_copy()) by_name_.emplace(record->board.name(), slot);
  const BoardHandle handle{slot, slots_[slot].generation};
  record->board.on_open = [this, handle] { opened(handle); };
  if (copies_ && record->board.is_carried()) {
    record->remote_archiver.emplace(requests_, record->board, copies_->remote,
                                    copies_->free_archivers);
  }
  record->posts.on_order = [this, &record = *record](PostKind kind, std::string_view player) {
    record.known_top.hidden(player);
    if (record.remote_archiver && kind == PostKind::forget) {
      copies_->local_archiver.forget(player);
    }
  };
  slots_[slot].record = std::move(record);
  return handle;
}

void RemoteBoards::State::opened(BoardHandle handle) {
  Record& record = *get(handle);
  calls_.opened(record.board, handle);
  record.posts.opened();
  record.top.opened();
}

void RemoteBoards::State::restore(const std::string& name, const std::vector<Post>& pending,
                                  const std::map<std::string, Journal::KeptBoard>& boards) {
  const auto kept = boards.find(name);
  const auto remote = kept == boards.end() ? remotes_.end() : remotes_.find(kept->second.remote);
  if (remote == remotes_.end()) {
    requests_.registry().log().warn(
        "board \"{}\": {} posts wait in the store, since no remote is called \"{}\"",
        escaped(name, 64), pending.size(), kept == boards.end() ? "" : kept->second.remote);
    return;
  }
  auto record = std::make_unique<Record>(requests_, journal_, remote->second, name);
  record->board.restore(kept->second.change);
  for (const Post& post : pending) {
    const PostKind kind = kind_of(post);
    if (kind == PostKind::ban || kind == PostKind::forget) {
      record->known_top.hide(unpack_post(post.row)->what.player);
    }
    record->posts.add(post);
  }
  (void)place(std::move(record));
}

std::unique_ptr<RemoteBoards::State::Record> RemoteBoards::State::take_out(BoardHandle handle) {
  ++slots_[handle.slot].generation;
  free_slots_.push_back(handle.slot);
  return std::move(slots_[handle.slot].record);
}

void RemoteBoards::State::remove(BoardHandle handle) {
  const std::unique_ptr<Record> ended = take_out(handle);
  by_name_.erase(ended->board.name());
  calls_.cancel_all_of(handle);
  std::erase_if(watched_, [&](const auto& each) { return each.second == handle; });
  ended->top.end_watches();
  ended->posts.discard();
  journal_.forget_board(ended->board.name());
  requests_.registry().known_tops().erase(ended->board.name());
}

void RemoteBoards::State::take(NamedRemote& remote, std::vector<Answer>& answers) {
  News news;
  remote.backend->take(news);
  for (const auto& [level, line] : news.log) requests_.registry().log().write(level, line);
  for (Answer& answer : news.answers) answers.push_back(std::move(answer));
  for (const std::string& board : news.changed) {
    const std::optional<BoardHandle> handle = find(board);
    if (!handle || &get(*handle)->board.remote() != &remote) continue;
    get(*handle)->top.may_have_changed();
  }
  // Changes may have been missed while the remote was down.
  const bool is_down = !remote.backend->state().down.empty();
  if (std::exchange(remote.was_down, is_down) && !is_down) {
    for (const Slot& slot : slots_) {
      if (slot.record && &slot.record->board.remote() == &remote)
        slot.record->top.may_have_changed();
    }
  }
}

}  // namespace laurel
