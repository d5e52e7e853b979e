#include "remote/remote_boards.h"

#include <cassert>
#include <utility>

#include "base/text.h"
#include "board/spec/spec_change.h"
#include "remote/remote_boards_impl.h"

namespace laurel {

RemoteBoards::RemoteBoards(std::map<std::string, std::unique_ptr<Remote>> remotes, Time timeout,
                           SteadyClock steady, const std::string& players)
    : state_(std::make_unique<State>(std::move(remotes), timeout, std::move(steady), players)) {}

RemoteBoards::~RemoteBoards() { state_->close(); }

RemoteBoards* RemoteBoards::of(const Registry& registry) {
  return dynamic_cast<RemoteBoards*>(registry.remotes());
}

RemoteBoards* RemoteBoards::where(const Registry& registry, std::string_view name,
                                  const SpecChange& change) {
  RemoteBoards* const remotes = of(registry);
  if (remotes == nullptr) return nullptr;
  const bool is_remote = !change.remote().empty() && !registry.find(name);
  return is_remote || remotes->has(name) ? remotes : nullptr;
}

Result<BoardHandle> RemoteBoards::open(std::string_view name, const SpecChange& change) {
  return state_->open(name, change);
}

std::optional<BoardHandle> RemoteBoards::find(std::string_view name) const {
  return state_->find(name);
}

const std::string* RemoteBoards::name(BoardHandle board) const {
  const State::Record* const record = state_->get(board);
  return record == nullptr ? nullptr : &record->board.name();
}

const std::string* RemoteBoards::remote(BoardHandle board) const {
  const State::Record* const record = state_->get(board);
  return record == nullptr ? nullptr : &record->board.remote().name;
}

std::shared_ptr<const Spec> RemoteBoards::spec(BoardHandle board) const {
  const State::Record* const record = state_->get(board);
  return record == nullptr ? nullptr : record->board.spec();
}

ScoreColumns::Ptr RemoteBoards::columns(BoardHandle board) const {
  const State::Record* const record = state_->get(board);
  return record == nullptr ? nullptr : record->board.columns();
}

RemoteBoardState RemoteBoards::state(BoardHandle board) const {
  const State::Record* const record = state_->get(board);
  return record == nullptr ? RemoteBoardState{.down = "the board was dropped"}
                           : state_->state(*record);
}

RemoteBoards::CallId RemoteBoards::ask(BoardHandle board, std::uint64_t season, Request what,
                                       Completion completion) {
  State::Record* const record = state_->get(board);
  return state_->calls().ask(record == nullptr ? nullptr : &record->board, board, season,
                             std::move(what), std::move(completion));
}

void RemoteBoards::cancel(CallId id) { state_->calls().cancel(id); }

RemotePlayers* RemoteBoards::players() const { return state_->players(); }
RemoteBoards::NamesWait RemoteBoards::wait_for_names(const Entries& entries,
                                                     std::function<void()> done) {
  RemoteNames* const names = state_->player_names();
  return names == nullptr ? 0 : names->wait(entries, std::move(done));
}
void RemoteBoards::cancel_names(NamesWait wait) {
  if (RemoteNames* const names = state_->player_names()) names->cancel_wait(wait);
}
NameSource* RemoteBoards::player_names() { return state_->player_names(); }
bool RemoteBoards::copies_seasons() const { return state_->copies() != nullptr; }

RemoteBoards::CallId RemoteBoards::ask_copy(const std::string& board, Time created,
                                            std::uint64_t season, Completion completion) {
  assert(copies_seasons());
  return state_->calls().ask_site(state_->copies()->remote, {board, nullptr, season, created},
                                  request::ReadCopy(), std::move(completion));
}

Result<BoardHandle> RemoteBoards::open_copy(const std::string& board, Time created,
                                            std::uint64_t season, const SpecText& spec) {
  assert(copies_seasons());
  return state_->open_copy(board, created, season, spec);
}

RemoteBoards::CallId RemoteBoards::ask_archived(const Board& board, std::uint64_t season,
                                                Request what, Completion completion) {
  return ask_copy(
      board.name(), board.created(), season,
      [this, season, name = board.name(), created = board.created(), what = std::move(what),
       completion = std::move(completion)](const Result<Value>& found) mutable {
        if (!found) return completion(found.refusal());
        const KeptSpec& kept = std::get<KeptSpec>(*found);
        if (!kept.exists) {
          return completion(Refusal(Code::unknown, "season {} of board \"{}\" is not archived",
                                    season, escaped(name, 64)));
        }
        const Result<BoardHandle> copy = open_copy(name, created, season, kept.spec);
        if (!copy) return completion(copy.refusal());
        (void)ask(*copy, season, std::move(what), std::move(completion));
      });
}

bool RemoteBoards::is_copy(BoardHandle board) const {
  const State::Record* const record = state_->get(board);
  return record != nullptr && record->board.is_copy();
}

std::optional<BoardHandle> RemoteBoards::copied(BoardHandle copy) const {
  const State::Record* const record = state_->get(copy);
  return record == nullptr ? std::nullopt : state_->copied(record->board);
}

Status RemoteBoards::post(BoardHandle board, OwnedSubmission what) {
  return state_->post(board, std::move(what));
}

Result<WatchId> RemoteBoards::watch(BoardHandle board, std::size_t n, WatchCallback callback) {
  return state_->watch(board, n, std::move(callback));
}

void RemoteBoards::unwatch(WatchId watch) { state_->unwatch(watch); }

std::vector<UnheardEnd> RemoteBoards::unheard_ends() const { return state_->unheard_ends(); }

void RemoteBoards::show(BoardHandle board, bool shown) {
  if (State::Record* const record = state_->get(board)) record->top.show(shown);
}

WindowPtr RemoteBoards::top(BoardHandle board) const {
  const State::Record* const record = state_->get(board);
  return record == nullptr ? nullptr : record->top.window();
}

void RemoteBoards::on_open(Registry& registry) { state_->begin(registry); }
bool RemoteBoards::has(std::string_view board) const { return state_->find(board).has_value(); }
std::vector<std::string> RemoteBoards::names() const { return state_->names(); }
void RemoteBoards::ban(std::string_view player) { state_->post_to_all(PostKind::ban, player); }
void RemoteBoards::unban(std::string_view player) { state_->post_to_all(PostKind::unban, player); }
void RemoteBoards::forget(std::string_view player) {
  state_->post_to_all(PostKind::forget, player);
  if (RemotePlayers* const players = state_->players()) players->forget(player);
  if (state_->copies() != nullptr) state_->copies()->local_archiver.forget(player);
}
Status RemoteBoards::may_rename() const {
  if (state_->players() != nullptr) {
    return Refusal(Code::unsupported, "players are kept in a remote, which cannot rename them");
  }
  const std::vector<std::string> boards = names();
  if (boards.empty()) return Done{};
  return Refusal(Code::unsupported,
                 "board \"{}\" is remote: a player cannot be renamed there, and so not here",
                 escaped(boards.front(), 64));
}
void RemoteBoards::collect(MetricSet& set) const { state_->collect(set); }
void RemoteBoards::tick() { state_->tick(); }
void RemoteBoards::close() {
  state_->finish();
  state_->close();
}

}  // namespace laurel
