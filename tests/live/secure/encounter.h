// encounter.h - a server that requires tokens, its clients, and an attacker between them, on a
// network in memory.
//
//   tap      everything of a client crosses its tap, which records it, and may change or drop it.
//   time     that of the network; run() continues in steps of kStep.
//   threads  none.
#pragma once

#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "live/client/client_core.h"
#include "live/limits.h"
#include "live/secure/key_pair.h"
#include "live/server/server_core.h"
#include "live/simulation/lossy_network.h"

namespace laurel::test {

// A message that crossed a tap.
struct Crossing {
  Way way = Way::to_server;
  Channel channel = Channel::reliable;
  std::string bytes;
};

// An attacker on the path of one client.
class Tap final : public ClientTransport {
 public:
  explicit Tap(std::unique_ptr<LossyNetwork::End> end) : end_(std::move(end)) {}

  // Called for each message before it is passed on; may change it. Returns false to drop it.
  std::function<bool(Crossing&)> meddle;
  std::vector<Crossing> recorded;    // as they were sent
  std::vector<std::uint32_t> words;  // of the client's connects

  Result<PeerId> connect(std::uint32_t word) override {
    words.push_back(word);
    return peer_ = *end_->connect(word);
  }
  PeerId peer() const { return peer_; }
  std::optional<TransportEvent> next() override {
    while (std::optional<TransportEvent> event = end_->next()) {
      if (event->kind != TransportEvent::Kind::received) return event;
      Crossing crossing{Way::to_client, event->channel, event->bytes};
      if (!crosses(crossing)) continue;
      event->bytes = crossing.bytes;
      return event;
    }
    return std::nullopt;
  }
  bool send(PeerId peer, Channel channel, const MessagePtr& message) override {
    Crossing crossing{Way::to_server, channel, *message};
    if (!crosses(crossing)) return true;
    return end_->send(peer, channel, std::make_shared<const std::string>(crossing.bytes));
  }
  void flush() override { end_->flush(); }
  void close(PeerId peer, std::uint32_t why) override { end_->close(peer, why); }
  Time round_trip(PeerId peer) const override { return end_->round_trip(peer); }
  std::uint32_t address(PeerId peer) const override { return end_->address(peer); }
  void set_connect_filter(ConnectFilter*) override {}
  LossyNetwork::End& end() { return *end_; }

 private:
  bool crosses(Crossing& crossing) {
    recorded.push_back(crossing);
    return !meddle || meddle(crossing);
  }

  std::unique_ptr<LossyNetwork::End> end_;
  PeerId peer_ = 0;
};

// A client behind a tap, with the newest window of the board "season" that it was shown.
struct Visitor {
  Visitor(LossyNetwork& network, const std::string& token, std::uint64_t seed)
      : tap(network.client()),
        core(tap, Credentials([token] { return Result<std::string>(token); }, false), seed) {
    const Status subscribed =
        core.subscribe("season", View::top, 10, [this](const Result<WindowPtr>& top) {
          if (top) shown = *top;
        });
    if (!subscribed) std::abort();
  }
  bool connected() const { return core.state() == "connected"; }

  Tap tap;
  ClientCore core;
  WindowPtr shown;
};

class Encounter {
 public:
  static constexpr Time kStep = 10'000;
  static constexpr std::string_view kPlayer = "ada the first", kOther = "bob the second";

  explicit Encounter(Conditions conditions = {0, 0, 20'000, 0, 0}, std::uint64_t seed = 1,
                     Auth auth = Auth::token)
      : network(conditions, seed), random_(seed), auth_(auth) {
    start_server();
  }

  // A server with the same key and tickets, as after a restart.
  void start_server() {
    server.reset();
    server = std::make_unique<ServerCore>(
        network.server(), ServerCore::Options{.rate = 20,
                                              .clients = kLiveClientsMax,
                                              .clients_per_address = kLiveClientsMax,
                                              .auth = auth_,
                                              .random = std::mt19937_64(random_())});
    server->set_key(key);
    server->set_time(network.now());
    for (const Ticket& ticket : tickets) server->add(ticket);
    if (posted_) server->post("season", posted_);
  }

  Ticket ticket(bool sealed, std::uint32_t uses = 1, Ticket::Kind kind = Ticket::Kind::token) {
    Ticket made;
    made.kind = kind;
    made.sealed = sealed;
    made.id = random_() | 1;
    for (char& byte : made.secret) byte = static_cast<char>(random_());
    if (kind != Ticket::Kind::gateway) made.player = kPlayer;
    made.word = static_cast<std::uint32_t>(random_()) | 1;
    made.uses = uses;
    made.expires = network.now() + 1'000'000 * kSecond;
    return made;
  }
  Token token_of_ticket(const Ticket& ticket) const {
    Token token{ticket.word, ticket.secret, ticket.kind == Ticket::Kind::gateway};
    if (ticket.sealed) token.server = key.public_key;
    return token;
  }
  // A token that the server knows.
  Token token(bool sealed = true, std::uint32_t uses = 1) {
    const Ticket made = ticket(sealed, uses);
    tickets.push_back(made);
    server->add(made);
    return token_of_ticket(made);
  }

  // Posts another state of the board: two entries, with this score for the first.
  void post(double score) {
    auto window = std::make_shared<Window>();
    window->epoch = 1;
    window->version = ++version_;
    window->size = 2;
    for (const std::string_view player : {kPlayer, kOther}) {
      WindowEntry entry;
      entry.player = player;
      entry.score = player == kPlayer ? score : 1;
      entry.rank = player == kPlayer ? 1 : 2;
      window->entries.push_back(std::move(entry));
    }
    posted_ = window;
    server->post("season", std::move(window));
  }

  Visitor& visit(const Token& token) { return visit(to_text(token)); }
  Visitor& visit(const std::string& token) {
    return *visitors.emplace_back(std::make_unique<Visitor>(network, token, random_()));
  }

  // Whether the client shows the newest state.
  bool is_current(const Visitor& visitor) const {
    return visitor.connected() && visitor.shown && posted_ &&
           visitor.shown->entries.size() == posted_->entries.size() &&
           visitor.shown->entries[0].score == posted_->entries[0].score;
  }

  void step() {
    network.advance(kStep);
    server->set_time(network.now());
    server->receive(network.now());
    if (network.now() / kStep % 5 == 0) {
      server->tick(network.now());
    } else {
      server->flush();
    }
    for (const auto& visitor : visitors) visitor->core.tick(network.now());
    for (const auto& act : actors) act();
  }
  void run(Time duration) {
    for (const Time end = network.now() + duration; network.now() < end;) step();
  }
  // Returns false if it does not hold within that time.
  bool run_until(Time at_most, const std::function<bool()>& holds) {
    for (const Time end = network.now() + at_most; network.now() < end;) {
      if (holds()) return true;
      step();
    }
    return holds();
  }

  LossyNetwork network;
  KeyPair key = draw_key_pair();
  std::unique_ptr<ServerCore> server;
  std::vector<Ticket> tickets;
  std::vector<std::unique_ptr<Visitor>> visitors;
  std::vector<std::function<void()>> actors;  // called in each step

 private:
  std::mt19937_64 random_;
  Auth auth_;
  WindowPtr posted_;
  std::uint64_t version_ = 0;
};

// An attacker's connection of its own: it connects with a word, and then sends what it has, each in
// its turn.
class Replayer {
 public:
  Replayer(Encounter& encounter, std::uint32_t word, std::vector<Crossing> messages,
           std::optional<std::uint32_t> address = std::nullopt)
      : end_(encounter.network.client()), messages_(std::move(messages)) {
    if (address) end_->move_to(*address);
    peer_ = *end_->connect(word);
  }

  void act() {
    while (const auto event = end_->next()) {
      switch (event->kind) {
        case TransportEvent::Kind::connected:
          connected = true;
          for (const Crossing& message : messages_) {
            end_->send(peer_, message.channel, std::make_shared<const std::string>(message.bytes));
          }
          break;
        case TransportEvent::Kind::disconnected: ended = true; break;
        case TransportEvent::Kind::received: answers.push_back(event->bytes); break;
      }
    }
  }

  bool connected = false, ended = false;
  std::vector<std::string> answers;

 private:
  std::unique_ptr<LossyNetwork::End> end_;
  PeerId peer_ = 0;
  std::vector<Crossing> messages_;
};

}  // namespace laurel::test
