#include "live/simulation/simulation_episode.h"

#include <algorithm>
#include <random>

#include <fmt/core.h>

#include "live/limits.h"

namespace laurel::test {

namespace {

constexpr std::size_t kClientsMax = 6;
constexpr Time kSettleWithin = 10 * kSecond;  // the last acknowledgements
constexpr Time kRestFor = 2 * kLiveResyncEvery;
constexpr Time kIdleFor = 5 * kSecond;

class Episode {
 public:
  explicit Episode(std::uint64_t seed)
      : random_(seed), conditions_(drawn()), simulation_(conditions_, seed, options()) {
    for (std::size_t i = 1 + below(3); i > 0; --i) add_board();
    for (std::size_t i = 1 + below(3); i > 0; --i) add_client();
  }

  Outcome play() {
    simulation_.change_every(static_cast<Time>(20 + below(200)) * kMillisecond);
    simulation_.run(kSecond);
    for (std::size_t i = 4 + below(12); i > 0; --i) {
      pass(800);
      befall();
    }
    pass(1500);
    get_tolerable();
    converge();
    if (simulation_.faults().empty()) idle();
    outcome_.faults = simulation_.faults();
    return outcome_;
  }

 private:
  // --- random choices

  std::size_t below(std::size_t end) { return random_() % end; }
  std::size_t one_of(std::initializer_list<std::size_t> values) {
    return values.begin()[below(values.size())];
  }
  Time milliseconds(std::size_t end) { return static_cast<Time>(1 + below(end)) * kMillisecond; }

  Conditions drawn() {
    Conditions conditions;
    conditions.loss = static_cast<double>(below(61)) / 100;
    conditions.duplication = static_cast<double>(below(30)) / 100;
    conditions.one_way = static_cast<Time>(below(150)) * kMillisecond;
    conditions.jitter = static_cast<Time>(below(2) * below(120)) * kMillisecond;
    conditions.damage = below(8) == 0 ? 0.05 : 0;
    return conditions;
  }

  Simulation::Options options() {
    Simulation::Options options;
    options.rate = static_cast<double>(one_of({20, 20, 20, 5, 50}));
    options.auth = below(2) == 0 ? Auth::token : Auth::open;
    return options;
  }

  void add_board() {
    SimulatedBoard::Shape shape;
    shape.top = 1 + below(one_of({20, 20, 20, 60, 100}));
    shape.players = 2 * shape.top;
    shape.data_bytes = one_of({0, 8, 8, 8, 120, 1000});  // the last two exceed a datagram
    shape.changes_max = 1 + below(5);
    if (shape.data_bytes > 500) shape.top = std::min<std::size_t>(shape.top, 40);
    SimulatedBoard& added =
        simulation_.add_board(fmt::format("board{}", simulation_.boards().size()), shape);
    if (below(8) != 0) simulation_.post(added);
  }

  void add_client() {
    if (simulation_.clients().size() >= kClientsMax) return;
    const std::string player = player_id(below(20));
    switch (below(8)) {
      case 0: return add_client({});
      case 1: return add_client(simulation_.fetcher(player));
      case 2: {  // a token that may expire before it is used
        const Token brief = simulation_.token(player, milliseconds(2'000), 1);
        return add_client(Simulation::holder(player, brief, false));
      }
      case 3: {  // a token's word with a wrong secret
        Token wrong = simulation_.token(player, kLivePassFor, 1);
        wrong.secret[below(wrong.secret.size())] ^= 1;
        Identity forger = Simulation::holder("", wrong, false);
        forger.token = false;
        return add_client(std::move(forger));
      }
      case 4: {  // one use for two clients; an open server would admit both
        if (simulation_.auth() == Auth::open) return add_client({});
        const Token shared = simulation_.token(player, kLivePassFor, 1);
        twins_.emplace_back(simulation_.clients().size(), simulation_.clients().size() + 1);
        add_client(Simulation::holder(player, shared, false));
        return add_client(Simulation::holder(player, shared, false));
      }
      default: {
        const auto uses = static_cast<std::uint32_t>(1 + below(3));
        const Token token = simulation_.token(player, kLivePassFor, uses);
        return add_client(Simulation::holder(player, token));
      }
    }
  }

  void add_client(Identity identity) {
    SimulatedClient& added = simulation_.add_client(milliseconds(50), std::move(identity));
    for (std::size_t i = 1 + below(2); i > 0; --i) subscribe(added);
  }

  SimulatedBoard& some_board() { return *simulation_.boards()[below(simulation_.boards().size())]; }
  SimulatedClient& some_client() {
    return *simulation_.clients()[below(simulation_.clients().size())];
  }
  void subscribe(SimulatedClient& client) {
    if (client.left) return;
    const std::string& board = some_board().name();
    if (below(3) == 0)
      simulation_.subscribe(client, board, View::around, below(kLiveAroundMax + 1));
    else
      simulation_.subscribe(client, board, View::top, 1 + below(one_of({10, 30, 100})));
  }
  // Mostly short, sometimes longer than any timeout.
  Time trouble() { return below(12) == 0 ? milliseconds(14'000) : milliseconds(1'500); }

  // --- what happens

  void pass(std::size_t milliseconds_max) { simulation_.run(milliseconds(milliseconds_max)); }

  void befall() {
    SimulatedClient& client = some_client();
    SimulatedBoard& board = some_board();
    switch (below(20)) {
      case 0: return simulation_.network().black_out_for(trouble());
      case 1: return client.end->part_for(Way::to_client, trouble());
      case 2: return client.end->part_for(Way::to_server, trouble());
      case 3: return end_server();
      case 4: board.reset(); return repost(board);
      case 5:
        simulation_.unpublish(board);
        if (below(4) == 0) return;
        pass(600);
        return simulation_.post(board);
      case 6: return simulation_.post(board);
      case 7:
      case 8: board.rename(); return repost(board);
      case 9:
      case 10:
      case 11: return subscribe(client);
      case 12: {
        if (client.follows.size() < 2 || client.left) return;
        const std::string followed = client.follows.begin()->first.first;
        return simulation_.unsubscribe(client, followed);
      }
      case 13:
        if (below(2) == 0) simulation_.leave(client);
        return add_client();
      case 14: return add_client();
      case 15:
      case 16: {
        const Time until = simulation_.now() + trouble();
        all_run_at_ = std::max(all_run_at_, until);
        return client.stop_until(until);
      }
      case 17: return simulation_.network().set(drawn());
      default: return simulation_.change_every(below(4) == 0 ? 0 : milliseconds(300));
    }
  }

  // Mostly with a bye; a crash is noticed only after ten seconds.
  void end_server() {
    if (below(4) == 0)
      simulation_.crash();
    else
      simulation_.close();
    if (below(2) == 0) pass(2'000);
    simulation_.restart();
  }

  void repost(SimulatedBoard& board) {
    if (board.history().published()) simulation_.post(board);
  }

  // --- the end

  void get_tolerable() {
    const Time at = std::max(all_run_at_, simulation_.network().light_at());
    simulation_.run(std::max<Time>(at - simulation_.now(), 0));
    const Conditions last = simulation_.network().conditions();
    simulation_.network().set({0.05, last.duplication, last.one_way, last.jitter});
    for (const auto& board : simulation_.boards()) {
      if (below(2) == 0) simulation_.post(*board);
    }
    simulation_.change_every(0);
  }

  void converge() {
    const Time since = simulation_.now();
    std::vector<SimulatedClient*> standing = this->standing();
    while (!simulation_.converged() && simulation_.now() - since < kEverybodyWithin) {
      simulation_.run(simulation_.tick());
      // Clients that lost their connection meanwhile no longer count.
      std::erase_if(standing, [](const auto* client) { return !client->end->stands(); });
      const bool all = std::all_of(standing.begin(), standing.end(), [&](const auto* client) {
        return simulation_.converged(*client);
      });
      if (all && !outcome_.standing_after) outcome_.standing_after = simulation_.now() - since;
      if (!all && simulation_.now() - since >= kStandingWithin) {
        simulation_.fault("a client that is connected did not reach the newest state in time");
        break;
      }
    }
    outcome_.everybody_after = simulation_.now() - since;
    for (const auto& client : simulation_.clients()) {
      if (!simulation_.converged(*client))
        simulation_.fault("a client did not reach the newest state: " + client->core.state());
      outcome_.windows += client->windows();
    }
    for (const auto& [one, other] : twins_) {
      if (simulation_.auth() == Auth::token && simulation_.clients()[one]->was_in &&
          simulation_.clients()[other]->was_in) {
        simulation_.fault("two clients were let in by a token of one use");
      }
    }
  }

  std::vector<SimulatedClient*> standing() const {
    std::vector<SimulatedClient*> out;
    for (const auto& client : simulation_.clients()) {
      if (client->core.state() == "connected" && client->end->stands()) out.push_back(client.get());
    }
    return out;
  }

  void idle() {
    // The last acknowledgements and subscriptions, and perhaps a pending resync.
    Time since = simulation_.now();
    const Time end = since + kSettleWithin;
    for (std::uint64_t states = 0; simulation_.now() - since < kRestFor;) {
      if (simulation_.now() >= end) return simulation_.fault("the server does not come to rest");
      simulation_.run(simulation_.tick());
      const bool rests =
          simulation_.states() == states && simulation_.network().server().reliable_waiting() == 0;
      states = simulation_.states();
      if (!rests) since = simulation_.now();
    }
    std::vector<std::pair<const SimulatedClient*, std::uint64_t>> before;
    for (const SimulatedClient* client : standing()) {
      if (client->was_in) before.emplace_back(client, client->states);
    }
    simulation_.run(kIdleFor);
    for (const auto& [client, states] : before) {
      if (client->states != states) simulation_.fault("states of boards that do not change");
    }
  }

  std::mt19937_64 random_;
  Conditions conditions_;
  Simulation simulation_;
  std::vector<std::pair<std::size_t, std::size_t>> twins_;
  Time all_run_at_ = 0;
  Outcome outcome_;
};

}  // namespace

Outcome play_episode(std::uint64_t seed) { return Episode(seed).play(); }

}  // namespace laurel::test
