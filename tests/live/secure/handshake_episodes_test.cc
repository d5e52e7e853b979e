// Random histories of handshakes: good and bad tokens, a network that loses, delays and repeats, an
// attacker that changes and replays, and a server that restarts. All end in the right state.
#include <algorithm>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "live/limits.h"
#include "live/secure/encounter.h"
#include "long_form.h"

namespace laurel {
namespace {

using test::Conditions;
using test::Crossing;
using test::Encounter;
using test::Replayer;
using test::Visitor;

class Episode {
 public:
  explicit Episode(unsigned seed)
      : random_(seed),
        encounter_(
            Conditions{0.1 * static_cast<double>(below(3)), 0.3 * static_cast<double>(below(2)),
                       5'000 + below(40'000), below(30'000), 0},
            seed) {
    encounter_.post(100);
  }

  // Returns what was wrong; empty: nothing.
  std::string play() {
    const Time guests = 1 + below(3);
    for (Time i = 0; i < guests; ++i) arrive();
    const Time turns = below(6);
    for (Time i = 0; i < turns; ++i) {
      encounter_.run(below(800'000));
      happen();
    }
    encounter_.network.set({0, 0, 20'000, 0, 0});
    for (const auto& visitor : encounter_.visitors) visitor->tap.meddle = nullptr;
    encounter_.post(200);
    // A client that was refused by a forger tries again after ten seconds, and backs off as long.
    const bool all = encounter_.run_until(60 * kSecond, [this] { return right(); });
    if (!all) return "a client is not where it should be";
    if (leaks()) return "a name crossed in clear";
    if (intruded()) return "an attacker was let in";
    return {};
  }

 private:
  Time below(std::size_t n) { return static_cast<Time>(random_() % n); }

  // A client, with a token that is good or not.
  void arrive() {
    const bool good = below(3) != 0;
    Token token = encounter_.token(true, 50);
    if (!good) {
      switch (below(4)) {
        case 0: token = encounter_.token_of_ticket(encounter_.ticket(true)); break;  // not known
        case 1: token.secret[below(16)] ^= static_cast<char>(1 << below(8)); break;
        case 2: token.server = draw_key_pair().public_key; break;
        case 3: token.server.reset(); break;  // in clear
      }
    }
    encounter_.visit(token);
    good_.push_back(good);
  }

  void happen() {
    Visitor& visitor = *encounter_.visitors[below(encounter_.visitors.size())];
    switch (below(6)) {
      case 0: {  // changes messages for a while
        visitor.tap.meddle = [this](Crossing& crossing) {
          if (below(4) != 0) return true;
          char& byte = crossing.bytes[below(crossing.bytes.size())];
          byte = static_cast<char>(byte ^ 1 << below(8));
          return true;
        };
        break;
      }
      case 1: visitor.tap.meddle = nullptr; break;
      case 2: replay(visitor); break;
      case 3:  // forges an end
        encounter_.network.server().close(visitor.tap.peer(),
                                          static_cast<std::uint32_t>(below(256)));
        break;
      case 4:
        keep_tickets();
        encounter_.network.crash_server();
        encounter_.start_server();
        encounter_.post(static_cast<double>(below(100)));
        break;
      case 5: encounter_.network.black_out_for(below(2'000'000)); break;
    }
  }

  void replay(const Visitor& visitor) {
    std::vector<Crossing> sent;
    for (const Crossing& crossing : visitor.tap.recorded) {
      if (crossing.way == test::Way::to_server && sent.size() < 8) sent.push_back(crossing);
    }
    if (sent.empty() || visitor.tap.words.empty()) return;
    replayers_.push_back(std::make_unique<Replayer>(
        encounter_, visitor.tap.words[below(visitor.tap.words.size())], std::move(sent)));
    encounter_.actors.push_back([replayer = replayers_.back().get()] { replayer->act(); });
  }

  void keep_tickets() {
    const TicketNews news = encounter_.server->take_tickets();
    const auto drop = [this](TicketId id) {
      std::erase_if(encounter_.tickets, [id](const Ticket& ticket) { return ticket.id == id; });
    };
    for (const TicketId id : news.ended) drop(id);
    for (const Ticket& ticket : news.stand) {
      drop(ticket.id);
      encounter_.tickets.push_back(ticket);
    }
    for (Ticket& ticket : encounter_.tickets) {
      if (ticket.expires == Ticket::kNever)
        ticket.expires = encounter_.network.now() + kLivePassFor;
    }
  }

  bool right() const {
    for (std::size_t i = 0; i < good_.size(); ++i) {
      const Visitor& visitor = *encounter_.visitors[i];
      if (good_[i] ? !encounter_.is_current(visitor) : visitor.shown != nullptr) return false;
    }
    return true;
  }

  bool leaks() const {
    return std::any_of(
        encounter_.visitors.begin(), encounter_.visitors.end(), [](const auto& visitor) {
          return std::any_of(visitor->tap.recorded.begin(), visitor->tap.recorded.end(),
                             [](const Crossing& crossing) {
                               return crossing.bytes.find(Encounter::kPlayer) != std::string::npos;
                             });
        });
  }

  // A replay is answered by the handshake's second message at most.
  bool intruded() const {
    return std::any_of(replayers_.begin(), replayers_.end(), [](const auto& replayer) {
      return replayer->answers.size() > 1 ||
             (!replayer->answers.empty() && replayer->answers[0].size() != kSecondBytes);
    });
  }

  std::mt19937_64 random_;
  Encounter encounter_;
  std::vector<bool> good_;
  std::vector<std::unique_ptr<Replayer>> replayers_;
};

TEST_CASE("handshakes over a bad network, with an attacker, all end in the right state") {
  const unsigned episodes = short_or_long(1'000U, 100'000U);
  for (unsigned seed = 1; seed <= episodes; ++seed) {
    const std::string wrong = Episode(seed).play();
    CHECK_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong);
    if (!wrong.empty()) break;
  }
}

}  // namespace
}  // namespace laurel
