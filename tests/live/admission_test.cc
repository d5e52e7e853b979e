// Which clients are admitted, how often and until when: tokens, passes, and what a store keeps of
// them.
#include "live/auth/admission.h"

#include <array>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "live/auth/credentials.h"
#include "live/limits.h"

namespace laurel {
namespace {

std::string_view bytes(const Secret& secret) { return {secret.data(), secret.size()}; }

Ticket token_for(const std::string& player, std::uint32_t uses, Time expires, TicketId id = 1) {
  Ticket token;
  token.id = id;
  token.player = player;
  token.uses = uses;
  token.expires = expires;
  token.word = static_cast<std::uint32_t>(1000 + id);
  token.secret.fill(static_cast<char>('a' + id % 20));
  return token;
}

struct Gate {
  explicit Gate(Auth auth = Auth::token) : admission(auth, std::mt19937_64(7)) {
    admission.set_time(kMinute);
  }

  bool expects(std::uint32_t word, std::uint64_t who) {
    return admission.expects(word, who) == ConnectFilter::Verdict::accept;
  }

  Admission admission;
};

TEST_CASE_FIXTURE(Gate, "a one-use token admits one client, and names its player") {
  const Ticket token = token_for("ada", 1, 2 * kMinute);
  admission.add(token);
  const auto admitted = admission.admit(1, token.word, bytes(token.secret));
  REQUIRE(admitted);
  CHECK(admitted->player == "ada");
  CHECK(admitted->word != 0);
  CHECK(admitted->replaced == 0);
  admission.heard(1);
  CHECK_FALSE(admission.admit(2, token.word, bytes(token.secret)));
  CHECK_FALSE(expects(token.word, 5));
}

TEST_CASE_FIXTURE(Gate, "neither the word nor the secret alone admits a client") {
  const Ticket ada = token_for("ada", 1, 2 * kMinute, 1), bob = token_for("bob", 1, 2 * kMinute, 2);
  admission.add(ada);
  admission.add(bob);
  CHECK_FALSE(admission.admit(1, ada.word, ""));
  CHECK_FALSE(admission.admit(1, ada.word, bytes(bob.secret)));
  CHECK_FALSE(admission.admit(1, 0, bytes(ada.secret)));
  CHECK(admission.admit(1, ada.word, bytes(ada.secret)));
}

TEST_CASE_FIXTURE(Gate, "a token of three uses admits three clients") {
  const Ticket token = token_for("stream", 3, 2 * kMinute);
  admission.add(token);
  for (PeerId peer = 1; peer <= 3; ++peer) {
    REQUIRE(admission.admit(peer, token.word, bytes(token.secret)));
    admission.heard(peer);
  }
  CHECK_FALSE(admission.admit(4, token.word, bytes(token.secret)));
}

TEST_CASE_FIXTURE(Gate,
                  "a use is spent by the client's first message after its welcome, not before") {
  const Ticket token = token_for("ada", 1, 2 * kMinute);
  admission.add(token);
  REQUIRE(admission.admit(1, token.word, bytes(token.secret)));
  admission.left(1);  // the welcome may have been lost
  CHECK(expects(token.word, 5));
  REQUIRE(admission.admit(2, token.word, bytes(token.secret)));
  admission.heard(2);
  CHECK_FALSE(admission.admit(3, token.word, bytes(token.secret)));
}

TEST_CASE_FIXTURE(
    Gate, "the end of a token and the pass made of it are told together, when it is spent") {
  const Ticket token = token_for("ada", 1, 2 * kMinute);
  admission.add(token);
  REQUIRE(admission.admit(1, token.word, bytes(token.secret)));
  const TicketNews before = admission.take_news();
  CHECK(before.stand.empty());
  CHECK(before.ended.empty());
  admission.heard(1);
  const TicketNews after = admission.take_news();
  REQUIRE(after.stand.size() == 1);
  CHECK(after.stand[0].kind == Ticket::Kind::pass);
  CHECK(after.ended == std::vector<TicketId>{token.id});
}

TEST_CASE_FIXTURE(Gate, "a later connection with the same token replaces one that was not heard") {
  const Ticket token = token_for("ada", 1, 2 * kMinute);
  admission.add(token);
  REQUIRE(admission.admit(1, token.word, bytes(token.secret)));
  const auto later = admission.admit(2, token.word, bytes(token.secret));
  REQUIRE(later);
  CHECK(later->replaced == 1);
  admission.heard(1);  // a late packet of the old connection
  admission.heard(2);
  CHECK_FALSE(admission.admit(3, token.word, bytes(token.secret)));
}

TEST_CASE_FIXTURE(Gate, "an expired token admits no client, but ends no session that it began") {
  const Ticket token = token_for("ada", 2, 2 * kMinute);
  admission.add(token);
  const auto admitted = admission.admit(1, token.word, bytes(token.secret));
  admission.heard(1);
  admission.set_time(2 * kMinute);
  CHECK_FALSE(expects(token.word, 5));
  CHECK_FALSE(admission.admit(2, token.word, bytes(token.secret)));
  admission.left(1);
  CHECK(admission.admit(3, admitted->word, bytes(token.secret)));
}

TEST_CASE_FIXTURE(Gate, "a client may return within ten minutes after its connection was lost") {
  const Ticket token = token_for("ada", 1, 2 * kMinute);
  admission.add(token);
  std::uint32_t word = admission.admit(1, token.word, bytes(token.secret))->word;
  admission.heard(1);
  admission.set_time(60 * kMinute);  // nothing expires while it is connected
  CHECK(expects(word, 5));
  admission.left(1);
  admission.set_time(70 * kMinute - 1);
  const auto again = admission.admit(2, word, bytes(token.secret));
  REQUIRE(again);
  CHECK(again->player == "ada");
  CHECK(again->word != word);
  admission.heard(2);
  CHECK_FALSE(expects(word, 5));  // a word admits once
  admission.left(2);
  admission.set_time(80 * kMinute);
  CHECK_FALSE(expects(again->word, 5));
  CHECK_FALSE(admission.admit(3, again->word, bytes(token.secret)));
  CHECK(admission.tickets() == 0);
}

TEST_CASE_FIXTURE(Gate, "a client whose address changed replaces its own connection") {
  const Ticket token = token_for("ada", 1, 2 * kMinute);
  admission.add(token);
  const std::uint32_t word = admission.admit(1, token.word, bytes(token.secret))->word;
  admission.heard(1);
  const auto again = admission.admit(2, word, bytes(token.secret));
  REQUIRE(again);
  CHECK(again->replaced == 1);
  admission.left(1);  // does not affect the new connection
  admission.set_time(60 * kMinute);
  CHECK(expects(again->word, 5));
}

TEST_CASE_FIXTURE(Gate, "if a later welcome is lost, the word before it is valid again") {
  const Ticket token = token_for("ada", 1, 2 * kMinute);
  admission.add(token);
  const std::uint32_t word = admission.admit(1, token.word, bytes(token.secret))->word;
  admission.heard(1);
  admission.left(1);
  const std::uint32_t unheard = admission.admit(2, word, bytes(token.secret))->word;
  admission.left(2);
  CHECK(expects(unheard, 5));
  const auto again = admission.admit(3, word, bytes(token.secret));
  REQUIRE(again);
  admission.heard(3);
  CHECK_FALSE(expects(unheard, 5));
  CHECK_FALSE(expects(word, 5));
  CHECK(expects(again->word, 5));
}

TEST_CASE_FIXTURE(Gate,
                  "using the word of a welcome proves that it arrived, and spends the token") {
  const Ticket token = token_for("ada", 1, 2 * kMinute);
  admission.add(token);
  const std::uint32_t word = admission.admit(1, token.word, bytes(token.secret))->word;
  admission.left(1);
  REQUIRE(admission.admit(2, word, bytes(token.secret)));
  CHECK_FALSE(admission.admit(3, token.word, bytes(token.secret)));
}

TEST_CASE_FIXTURE(Gate, "one word may begin four connections in three seconds") {
  const Ticket token = token_for("ada", 1, 2 * kMinute);
  admission.add(token);
  for (std::uint64_t who = 1; who <= kLiveAttemptsMax; ++who) {
    CHECK(expects(token.word, who));
    CHECK(expects(token.word, who));  // a repetition
  }
  CHECK(admission.expects(token.word, 99) == ConnectFilter::Verdict::ignore);
  CHECK(admission.expects(token.word + 1, 99) == ConnectFilter::Verdict::reject);
  admission.set_time(kMinute + kLiveHelloWithin);
  CHECK(expects(token.word, 99));
  const Ticket crowd = token_for("stream", 1000, 2 * kMinute, 2);
  admission.add(crowd);
  for (std::uint64_t who = 1; who <= 1000; ++who) REQUIRE(expects(crowd.word, who));
}

TEST_CASE_FIXTURE(Gate, "sealed tickets and those in clear never admit each other's connections") {
  for (const bool sealed : {false, true}) {
    Ticket ticket;
    ticket.id = sealed ? 91 : 90;
    ticket.sealed = sealed;
    ticket.player = "ada";
    ticket.word = 9;
    ticket.uses = 2;
    ticket.secret[0] = sealed ? 's' : 'c';
    ticket.expires = Ticket::kNever;
    admission.add(ticket);
    const std::string secret(ticket.secret.begin(), ticket.secret.end());
    CHECK_FALSE(admission.admit(100, 9, secret, !sealed));
    const auto admitted = admission.admit(101, 9, secret, sealed);
    REQUIRE(admitted);
    // The pass is as its token.
    CHECK(admission.sealed_secrets(admitted->word).size() == (sealed ? 1U : 0U));
    CHECK(admission.has_clear(admitted->word) == !sealed);
    admission.heard(101);
    admission.left(101);
    CHECK_FALSE(admission.admit(102, admitted->word, secret, !sealed));
    CHECK(admission.admit(102, admitted->word, secret, sealed));
    admission.left(102);
  }
  CHECK(admission.sealed_secrets(9).size() == 1);
  CHECK(admission.has_clear(9));
}

TEST_CASE("an open server admits any client, and knows the player of a token") {
  Admission admission(Auth::open, std::mt19937_64(7));
  const Ticket token = token_for("ada", 1, kMinute);
  admission.add(token);
  CHECK(admission.admit(1, 0, "")->player.empty());
  CHECK(admission.admit(2, 5, "0123456789abcdef")->player.empty());
  CHECK(admission.admit(2, 5, "0123456789abcdef")->word == 0);
  CHECK(admission.admit(3, token.word, bytes(token.secret))->player == "ada");
}

TEST_CASE_FIXTURE(Gate, "all tickets of a player can be revoked") {
  admission.add(token_for("ada", 1, 2 * kMinute, 1));
  admission.add(token_for("ada", 5, 2 * kMinute, 2));
  const Ticket bob = token_for("bob", 1, 2 * kMinute, 3);
  admission.add(bob);
  REQUIRE(admission.admit(1, 1002, bytes(token_for("", 1, 0, 2).secret)));
  admission.heard(1);
  admission.revoke("ada");
  CHECK(admission.tickets() == 1);
  CHECK(expects(bob.word, 1));
  CHECK_FALSE(expects(1001, 1));
  admission.left(1);  // nothing is known of it
}

TEST_CASE_FIXTURE(Gate, "a renamed player's tokens and passes admit the new id") {
  const Ticket token = token_for("ada", 1, 2 * kMinute, 1);
  const Ticket used = token_for("ada", 1, 2 * kMinute, 2);
  admission.add(token);
  admission.add(used);
  const auto inside = admission.admit(1, used.word, bytes(used.secret));
  admission.heard(1);
  (void)admission.take_news();
  admission.rename("ada", "eva");
  const TicketNews news = admission.take_news();
  CHECK(news.stand.size() == 2);
  for (const Ticket& ticket : news.stand) CHECK(ticket.player == "eva");
  CHECK(admission.admit(2, token.word, bytes(token.secret))->player == "eva");
  admission.left(1);
  CHECK(admission.admit(3, inside->word, bytes(used.secret))->player == "eva");
}

TEST_CASE_FIXTURE(Gate, "at the limit of passes the one that was lost first makes room") {
  const Ticket token = token_for("stream", kLiveTokenUsesMax, 1000 * kMinute);
  admission.add(token);
  std::vector<std::uint32_t> words;
  for (PeerId peer = 1; peer <= kLivePassesMax + 3; ++peer) {
    words.push_back(admission.admit(peer, token.word, bytes(token.secret))->word);
    admission.heard(peer);
    admission.set_time(kMinute + static_cast<Time>(peer));
    admission.left(peer);
  }
  CHECK(admission.tickets() == 1 + kLivePassesMax);
  CHECK_FALSE(expects(words[2], 1));
  CHECK(expects(words[3], 1));
}

// The rows that a store would have, according to the news.
struct Rows {
  void take(const TicketNews& news) {
    for (const Ticket& ticket : news.stand) rows[ticket.id] = ticket_row(ticket);
    for (const TicketId id : news.ended) CHECK(rows.erase(id) == 1);
  }
  std::map<TicketId, std::string> rows;
};

// A client that keeps trying with its credentials.
struct Visitor {
  explicit Visitor(const Ticket& token)
      : token_text(to_text({token.word, token.secret})),
        credentials([this] { return Result<std::string>(token_text); }, false) {}
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;

  std::string token_text;
  Credentials credentials;
  PeerId peer = 0;  // 0: not connected
  bool was_in = false;
  Time lost_at = 0;
};

TEST_CASE("through losses and restarts every client returns, and no use of a token admits two") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    auto admission = std::make_unique<Admission>(Auth::token, std::mt19937_64(seed));
    Rows store;
    Time now = kMinute;
    admission->set_time(now);
    PeerId peers = 0;
    std::vector<std::unique_ptr<Visitor>> visitors;
    std::array<int, 4> heard{};  // clients that each token admitted
    std::array<Ticket, 4> tokens;
    for (TicketId id = 1; id <= tokens.size(); ++id) {
      Ticket& token = tokens[id - 1];
      token = token_for(fmt::format("p{}", id), 1 + static_cast<std::uint32_t>(random() % 3),
                        now + static_cast<Time>(random() % 40) * kMinute, id);
      store.rows[id] = ticket_row(token);
      admission->add(token);
      // More clients share a token than it has uses.
      for (int i = 0; i < 4; ++i) visitors.push_back(std::make_unique<Visitor>(token));
    }
    const auto token_index = [&](std::size_t visitor) { return visitor / 4; };
    for (int step = 0; step < 400; ++step) {
      const std::size_t who = random() % visitors.size();
      Visitor& visitor = *visitors[who];
      switch (random() % 8) {
        case 0: now += static_cast<Time>(random() % kMinute); break;
        case 1:  // a restart: only what was reported remains
          if (random() % 4 != 0) break;
          store.take(admission->take_news());
          admission = std::make_unique<Admission>(Auth::token, std::mt19937_64(seed + step));
          admission->set_time(now);
          for (auto row = store.rows.begin(); row != store.rows.end();) {
            std::optional<Ticket> ticket = ticket_of(row->first, row->second);
            REQUIRE(ticket);
            if (ticket->kind == Ticket::Kind::pass) {
              ticket->expires = std::min(ticket->expires, now + kLivePassFor);
            }
            if (ticket->expires > now) admission->add(*ticket);
            row = ticket->expires > now ? std::next(row) : store.rows.erase(row);
          }
          for (const auto& each : visitors) {
            if (each->peer != 0) each->lost_at = now;
            each->peer = 0;
          }
          break;
        case 2:
          if (visitor.peer == 0) break;
          admission->left(std::exchange(visitor.peer, 0));
          visitor.lost_at = now;
          break;
        default: {
          if (visitor.peer != 0) break;
          bool in = false, hindered = false;
          for (int attempt = 0; attempt < 2 && !in; ++attempt) {
            const std::uint32_t word = *visitor.credentials.word();
            const PeerId peer = ++peers;
            const ConnectFilter::Verdict says = admission->expects(word, peer);
            if (says == ConnectFilter::Verdict::ignore) {
              visitor.credentials.failed();
              hindered = true;
              break;
            }
            const auto admitted = says == ConnectFilter::Verdict::accept
                                      ? admission->admit(peer, word, visitor.credentials.secret())
                                      : std::nullopt;
            if (!admitted) {
              if (!visitor.credentials.refused()) break;
              continue;
            }
            in = true;
            const bool by_token = word == tokens[token_index(who)].word;
            visitor.was_in = visitor.was_in && !by_token;  // another use of the token
            for (const auto& each : visitors) {
              if (each->peer == admitted->replaced) each->peer = 0;
            }
            if (random() % 4 == 0) {  // the welcome and the connection are lost
              admission->left(peer);
              visitor.credentials.failed();
              break;
            }
            visitor.credentials.welcomed(admitted->word);
            if (random() % 4 == 0) {  // or the client's next message is lost
              admission->left(peer);
              visitor.lost_at = now;
              break;
            }
            admission->heard(peer);
            visitor.peer = peer;
            heard[token_index(who)] += visitor.was_in ? 0 : 1;
            visitor.was_in = true;
          }
          const bool owed = visitor.was_in && now - visitor.lost_at < kLivePassFor;
          if (owed && !hindered) CHECK(in);
        }
      }
      admission->set_time(now);
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        REQUIRE(heard[i] <= static_cast<int>(tokens[i].uses));
      }
      if (random() % 3 == 0) store.take(admission->take_news());
    }
  }
}

}  // namespace
}  // namespace laurel
