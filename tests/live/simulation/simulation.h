// simulation.h - the real logic of server and clients on a network in memory, and a check of what
// they must never do.
//
// The network's clock jumps from one event to the next. Everything that a client is shown is
// compared with what the game posted. Each fault is recorded as a sentence, and the simulation
// continues.
//
//   faults   a window that was never posted; one that is older than the one before; an epoch used
//            twice; a datagram that is too long; anything shown to a client without a token, if
//            tokens are required.
//   tickets  outlive the server, as in a durable registry: what it reported before its end.
//   threads  none. The same calls give the same run.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "live/limits.h"
#include "live/server/server_core.h"
#include "live/simulation/simulation_board.h"
#include "live/simulation/simulation_client.h"

namespace laurel::test {

class Simulation {
 public:
  struct Options {
    double rate = 20;
    Auth auth = Auth::open;
    std::size_t clients = kLiveClientsMax;
    std::size_t clients_per_address = kLiveClientsMax;
  };
  Simulation(Conditions conditions, std::uint64_t seed) : Simulation(conditions, seed, Options()) {}
  Simulation(Conditions conditions, std::uint64_t seed, Options options);

  LossyNetwork& network() { return network_; }
  Time now() const { return network_.now(); }
  Time tick() const { return tick_; }
  Auth auth() const { return options_.auth; }
  ServerCore& server() { return *server_; }

  // --- boards

  SimulatedBoard& add_board(const std::string& name, const SimulatedBoard::Shape& shape);
  const std::vector<std::unique_ptr<SimulatedBoard>>& boards() const { return boards_; }
  SimulatedBoard& board(std::string_view name) const;
  // Posts the board's current state to the server, with the windows around followed players.
  // Publishes the board if it was not published.
  void post(SimulatedBoard& board);
  void unpublish(SimulatedBoard& board);
  // Published boards change at this interval; 0: they do not.
  void change_every(Time interval);

  // --- the server

  // The process ends without a bye. Nothing is posted while it is down.
  void crash();
  // The process says bye and ends.
  void close();
  // Restarts the server with the boards that were published and the valid tickets.
  void restart();
  bool up() const { return server_ != nullptr; }

  // --- clients

  // A token for this player with this lifetime and number of uses.
  Token token(const std::string& player, Time lifetime, std::uint32_t uses);
  // A client that shows this token at each connection. good: it must be admitted.
  static Identity holder(const std::string& player, const Token& token, bool good = true);
  // A client that gets a token from the game whenever it needs one.
  Identity fetcher(const std::string& player);

  SimulatedClient& add_client(Time frame = kMillisecond, Identity identity = {});
  const std::vector<std::unique_ptr<SimulatedClient>>& clients() const { return clients_; }
  Follower& subscribe(SimulatedClient& client, const std::string& board, View view, std::size_t n);
  void unsubscribe(SimulatedClient& client, const std::string& board);
  void leave(SimulatedClient& client);

  // --- what happens

  void run(Time duration);
  // True if the client shows the newest state of all that it follows, and a refusal for the rest. A
  // client that cannot be admitted has nothing to show. One that may or may not be admitted is
  // checked only if it once was.
  bool converged(const SimulatedClient& client) const;
  bool converged() const;

  // The number of states that the server has sent.
  std::uint64_t states() const { return states_; }
  // The first few faults, as sentences.
  const std::vector<std::string>& faults() const { return faults_; }
  void fault(std::string sentence);

 private:
  // What an epoch on the channel means.
  struct Meaning {
    const History* history = nullptr;
    std::size_t incarnation = 0;
    friend bool operator==(const Meaning&, const Meaning&) = default;
  };

  void step(Time end);
  void change();
  void post_around(SimulatedBoard& board, FollowId id, const Around& around);
  void end_follows(const SimulatedBoard* board);
  void take_news();
  void heard(const LossyNetwork::End& to, Channel channel, const std::string& bytes);
  void begins(const SimulatedClient& client, const std::string& board, View view, std::size_t n,
              std::uint64_t epoch);
  void take(SimulatedClient& client, const std::string& board, View view,
            const Result<WindowPtr>& top);
  const History* history_of(const SimulatedClient& client, const std::string& board, View view,
                            std::size_t n) const;
  std::string name(const SimulatedClient& client) const;

  LossyNetwork network_;
  std::mt19937_64 random_;
  Options options_;
  Time tick_;
  std::unique_ptr<ServerCore> server_;
  Time next_tick_ = 0;
  bool resting_ = true;  // since the last tick
  Time change_every_ = 0, next_change_ = kNever;
  std::vector<std::unique_ptr<SimulatedBoard>> boards_;
  std::map<TicketId, Ticket> kept_;  // as a registry keeps them
  std::map<FollowId, Around> follows_;
  std::map<Around, History> arounds_;
  std::map<std::uint64_t, Meaning> epochs_;
  std::vector<std::unique_ptr<SimulatedClient>> clients_;
  std::uint64_t states_ = 0;
  std::vector<std::string> faults_;
};

}  // namespace laurel::test
