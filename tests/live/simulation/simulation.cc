#include "live/simulation/simulation.h"

#include <algorithm>

#include <fmt/core.h>

#include "live/limits.h"

namespace laurel::test {

namespace {

// The maximum number of entries in a view.
constexpr std::size_t entries_of(View view, std::size_t n) {
  return view == View::top ? n : 2 * n + 1;
}

constexpr std::size_t kFaultsMax = 8;  // the first ones are enough to see what is wrong
}  // namespace

Simulation::Simulation(Conditions conditions, std::uint64_t seed, Options options)
    : network_(conditions, seed),
      random_(seed),
      options_(options),
      tick_(static_cast<Time>(kSecond / options.rate)) {
  network_.listen([this](const LossyNetwork::End& to, Channel channel, const std::string& bytes) {
    heard(to, channel, bytes);
  });
  restart();
}

// --- boards

SimulatedBoard& Simulation::add_board(const std::string& name, const SimulatedBoard::Shape& shape) {
  boards_.push_back(std::make_unique<SimulatedBoard>(name, shape, random_()));
  for (std::size_t i = 0; i < shape.players / 2; ++i) boards_.back()->play();
  return *boards_.back();
}

SimulatedBoard& Simulation::board(std::string_view name) const {
  return **std::find_if(boards_.begin(), boards_.end(),
                        [&](const auto& board) { return board->name() == name; });
}

void Simulation::post(SimulatedBoard& board) {
  if (!server_) return;
  const WindowPtr window = board.window();
  board.history().posted(window, now());
  server_->post(board.name(), window);
  for (const auto& [id, around] : follows_) {
    if (around.board == board.name()) post_around(board, id, around);
  }
}

void Simulation::post_around(SimulatedBoard& board, FollowId id, const Around& around) {
  const WindowPtr window = board.window_around(around.player, around.n);
  arounds_[around].posted(window, now());
  server_->post(id, window);
}

void Simulation::unpublish(SimulatedBoard& board) {
  if (!server_) return;
  board.history().ended();
  end_follows(&board);
  server_->unpublish(board.name());
}

// Ends the follows of one board, or all follows if it is null.
void Simulation::end_follows(const SimulatedBoard* board) {
  std::erase_if(follows_, [&](const auto& follow) {
    if (board != nullptr && follow.second.board != board->name()) return false;
    arounds_[follow.second].ended();
    return true;
  });
}

void Simulation::change_every(Time interval) {
  change_every_ = interval;
  next_change_ = interval == 0 ? kNever : now() + interval;
}

void Simulation::change() {
  for (const auto& board : boards_) {
    if (!server_ || !board->history().published()) continue;
    board->play();
    post(*board);
  }
  next_change_ = now() + change_every_;
}

// Takes what the live thread would report to the game thread: players to look up, and changes of
// tickets.
void Simulation::take_news() {
  const TicketNews tickets = server_->take_tickets();
  for (const TicketId id : tickets.ended) kept_.erase(id);
  for (const Ticket& ticket : tickets.stand) kept_[ticket.id] = ticket;
  const FollowNews follows = server_->take_follows();
  for (const FollowId id : follows.ended) {
    const auto follow = follows_.find(id);
    if (follow == follows_.end()) continue;  // its board has ended
    arounds_[follow->second].ended();
    follows_.erase(follow);
  }
  for (const auto& [id, around] : follows.begun) {
    SimulatedBoard& of = board(around.board);
    if (!of.history().published()) continue;
    arounds_[around].ended();
    follows_[id] = around;
    post_around(of, id, around);
  }
}

// --- the server

void Simulation::crash() {
  if (!server_) return;
  take_news();
  server_.reset();
  network_.crash_server();
}

void Simulation::close() {
  server_->close();
  crash();
}

void Simulation::restart() {
  crash();
  server_ = std::make_unique<ServerCore>(
      network_.server(), ServerCore::Options{.rate = options_.rate,
                                             .clients = options_.clients,
                                             .clients_per_address = options_.clients_per_address,
                                             .auth = options_.auth,
                                             .random = std::mt19937_64(random_())});
  server_->set_time(now());
  for (auto& [id, ticket] : kept_) {
    // Its clients lost their connection when the server ended.
    if (ticket.expires == Ticket::kNever) ticket.expires = now() + kLivePassFor;
    server_->add(ticket);
  }
  end_follows(nullptr);
  for (const auto& board : boards_) {
    if (!board->history().published()) continue;
    board->history().ended();
    post(*board);
  }
}

// The first message with an epoch ties the epoch to the current incarnation.
void Simulation::heard(const LossyNetwork::End& to, Channel channel, const std::string& bytes) {
  const auto message = decode_server(bytes, channel);
  if (!message) return fault("the server sends what is no message");
  if (channel == Channel::unsequenced && bytes.size() > kLiveDatagramBytesMax)
    fault(fmt::format("a datagram of {} bytes", bytes.size()));
  SimulatedClient& client = **std::find_if(
      clients_.begin(), clients_.end(), [&](const auto& each) { return each->end.get() == &to; });
  if (std::holds_alternative<State>(*message)) ++states_, ++client.states;
  if (options_.auth == Auth::token && !client.token && !std::holds_alternative<Bye>(*message))
    fault(fmt::format("{} shows no token and is answered", name(client)));
  if (const auto* const subscribed = std::get_if<Subscribed>(&*message))
    begins(client, std::string(subscribed->board), subscribed->view, subscribed->n,
           subscribed->epoch);
  if (const auto* const stream = std::get_if<StreamBegins>(&*message))
    begins(client, std::string(stream->board), stream->view, stream->n, stream->epoch);
}

void Simulation::begins(const SimulatedClient& client, const std::string& board, View view,
                        std::size_t n, std::uint64_t epoch) {
  const History* const of = history_of(client, board, view, n);
  if (of == nullptr || of->incarnations() == 0)
    return fault(fmt::format("{} may subscribe to what was never posted", name(client)));
  const Meaning meant{of, of->incarnations() - 1};
  if (epochs_.emplace(epoch, meant).first->second != meant)
    fault(fmt::format("an epoch of \"{}\" came twice", board));
}

const History* Simulation::history_of(const SimulatedClient& client, const std::string& board_name,
                                      View view, std::size_t n) const {
  if (view == View::top) return &board(board_name).history();
  const auto found = arounds_.find(Around{board_name, client.player, static_cast<std::uint8_t>(n)});
  return found == arounds_.end() ? nullptr : &found->second;
}

// --- clients

Token Simulation::token(const std::string& player, Time lifetime, std::uint32_t uses) {
  Ticket ticket;
  ticket.id = random_() | 1;
  for (char& byte : ticket.secret) byte = static_cast<char>(random_());
  ticket.player = player;
  ticket.word = static_cast<std::uint32_t>(random_()) | 1;
  ticket.uses = uses;
  ticket.expires = now() + lifetime;
  kept_[ticket.id] = ticket;
  if (server_) server_->add(ticket);
  return {ticket.word, ticket.secret};
}

Identity Simulation::holder(const std::string& player, const Token& token, bool good) {
  const std::string text = to_text(token);
  return {player, Credentials([text] { return Result<std::string>(text); }, false), good, true};
}

Identity Simulation::fetcher(const std::string& player) {
  const auto fetch = [this, player]() -> Result<std::string> {
    if (!server_) return Refusal(Code::unavailable, "the game is down");
    return to_text(token(player, kLivePassFor, 1));
  };
  return {player, Credentials(fetch, true), true, true};
}

SimulatedClient& Simulation::add_client(Time frame, Identity identity) {
  return *clients_.emplace_back(
      std::make_unique<SimulatedClient>(network_, std::move(identity), frame, random_()));
}

Follower& Simulation::subscribe(SimulatedClient& client, const std::string& board, View view,
                                std::size_t n) {
  Follower& follower = client.follows[{board, view}];
  // A different n is a different stream, which may have last changed at an older version.
  if (follower.n != n || follower.windows == 0) follower = {};
  follower.n = n;
  follower.version = client.version;
  const Status done = client.core.subscribe(
      board, view, n, [this, board, view, &client](const Result<WindowPtr>& top) {
        take(client, board, view, top);
      });
  if (!done) fault(std::string(done.refusal().text()));
  return follower;
}

void Simulation::unsubscribe(SimulatedClient& client, const std::string& board) {
  client.core.unsubscribe(board);
  for (const View view : {View::top, View::around}) client.follows.erase({board, view});
}

void Simulation::leave(SimulatedClient& client) {
  client.core.close();
  client.left = true;
}

void Simulation::take(SimulatedClient& client, const std::string& board, View view,
                      const Result<WindowPtr>& top) {
  Follower& follower = client.follows[{board, view}];
  if (!top) {
    follower.refused = std::string(top.refusal().text());
    follower.last = nullptr;
    return;
  }
  const Window& window = **top;
  const auto saw = [&](std::string_view what) {
    fault(fmt::format("{} saw version {} of \"{}\"{}, {}", name(client), window.version, board,
                      view == View::around ? " around itself" : "", what));
  };
  const auto epoch = epochs_.find(window.epoch);
  if (epoch == epochs_.end() ||
      epoch->second.history != history_of(client, board, view, follower.n))
    return saw("of an epoch that it never had");
  const std::size_t incarnation = epoch->second.incarnation;
  const History::States& states = epoch->second.history->states(incarnation);
  const auto posted = states.find(window.version);
  if (posted == states.end() || !History::is_cut(window, *posted->second.window,
                                                 entries_of(view, follower.n), client.version)) {
    saw("which it never was");
  }
  if (incarnation < follower.incarnation) saw("after it had begun again");
  if (incarnation == follower.incarnation && follower.last &&
      window.version < follower.last->version)
    saw(fmt::format("after {}", follower.last->version));
  if (options_.auth == Auth::token && !client.token) saw("without a token");
  follower.incarnation = std::max(follower.incarnation, incarnation);
  follower.last = *top;
  follower.refused.clear();
  ++follower.windows;
  follower.seen_at.emplace(window.version, now());
  client.was_in = true;
}

bool Simulation::converged(const SimulatedClient& client) const {
  if (client.left) return true;
  // A shared or expired token need not be admitted.
  const bool has_to_be_in = client.good || (options_.auth == Auth::open && !client.token);
  if (!has_to_be_in && !client.was_in) return true;
  return std::all_of(client.follows.begin(), client.follows.end(), [&](const auto& follows) {
    const auto& [shown, follower] = follows;
    const auto& [name, view] = shown;
    const bool refused = !follower.last && !follower.refused.empty();
    if (!board(name).history().published()) return refused;
    if (view == View::around && client.player.empty()) return refused;
    // An open server admits a client with an unknown word, but without a player: its token has
    // expired, or the server that gave it the word ended right after the welcome.
    if (view == View::around && options_.auth == Auth::open && refused) return true;
    const History* const history = history_of(client, name, view, follower.n);
    if (!follower.last || history == nullptr || !history->published()) return false;
    const auto epoch = epochs_.find(follower.last->epoch);
    return epoch != epochs_.end() &&
           epoch->second == Meaning{history, history->incarnations() - 1} &&
           History::is_cut(*follower.last, *history->states().rbegin()->second.window,
                           entries_of(view, follower.n), client.version);
  });
}

bool Simulation::converged() const {
  return std::all_of(clients_.begin(), clients_.end(),
                     [this](const auto& client) { return converged(*client); });
}

// --- what happens

void Simulation::run(Time duration) {
  for (const Time end = now() + duration; now() < end;) step(end);
}

void Simulation::step(Time end) {
  Time at = std::min(end, next_change_);
  if (server_) {
    at = std::min(at, network_.server().next_at());
    if (server_->waiting()) at = std::min(at, resting_ ? now() : next_tick_);
  }
  for (const auto& client : clients_) {
    if (!client->left) at = std::min(at, client->due_at());
  }
  network_.advance(std::max<Time>(at - now(), 0));
  if (now() >= next_change_) change();
  if (server_) {
    server_->set_time(now());
    server_->receive(now());
    if (server_->waiting() && (resting_ || now() >= next_tick_)) {
      server_->tick(now());
      // The timing of the live thread, see server.cc.
      if (resting_ || now() - next_tick_ > tick_ / 2) next_tick_ = now();
      next_tick_ += tick_;
      resting_ = !server_->waiting();
    }
    take_news();
  }
  for (const auto& client : clients_) {
    if (!client->left && now() >= client->due_at()) client->tick(now());
  }
}

std::string Simulation::name(const SimulatedClient& client) const {
  const auto self = std::find_if(clients_.begin(), clients_.end(),
                                 [&](const auto& each) { return each.get() == &client; });
  return fmt::format("at {} ms client {}", now() / kMillisecond, self - clients_.begin());
}

void Simulation::fault(std::string sentence) {
  if (faults_.size() < kFaultsMax) faults_.push_back(std::move(sentence));
}

}  // namespace laurel::test
