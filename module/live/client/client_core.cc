#include "live/client/client_core.h"

#include <algorithm>
#include <cassert>

#include "base/text.h"

namespace laurel {

namespace {

// A little below the server's limit, because the two clocks may differ.
constexpr double kControlPerSecond = kLiveControlPerSecond * 0.9;
constexpr double kControlBurst = kLiveControlBurst - 1;

}  // namespace

ClientCore::ClientCore(ClientTransport& transport, Credentials credentials, std::uint64_t seed)
    : transport_(transport), credentials_(std::move(credentials)), random_(1 + seed % 2147483646) {}

Status ClientCore::subscribe(std::string_view board, View view, std::size_t n, OnTop on_top) {
  if (phase_ == Phase::closed) return Refusal(Code::closed, "this client was closed");
  if (board.empty() || board.size() > kBoardNameBytesMax ||
      board.find('\0') != std::string_view::npos) {
    return Refusal(Code::out_of_range,
                   "\"{}\" is not a valid board name: 1 to {} bytes, none of them 0",
                   escaped(board, 64), kBoardNameBytesMax);
  }
  if (view == View::top && (n < 1 || n > kLiveTopMax)) {
    return Refusal(Code::out_of_range, "a client may ask for 1 to {} entries, not {}", kLiveTopMax,
                   n);
  }
  if (view == View::around && n > kLiveAroundMax) {
    return Refusal(Code::out_of_range, "a client may follow with 0 to {} entries each way, not {}",
                   kLiveAroundMax, n);
  }
  auto added = std::make_shared<Wanted>();
  added->board = board;
  added->view = view;
  added->n = n;
  added->on_top = std::move(on_top);
  if (const WantedPtr before = find(board, view)) {
    // Makes a new object, because the callback of the old one may be running.
    if (before->n == n) {
      added->replica = before->replica;
      added->fresh = added->replica.current() != nullptr;
      added->told = before->told;
      added->refusal = before->told;
    }
    *std::find(wanted_.begin(), wanted_.end(), before) = std::move(added);
    return Done{};
  }
  if (wanted_.size() >= kLiveSubscriptionsMax) {
    return Refusal(Code::out_of_range, "a client may have {} subscriptions at most",
                   kLiveSubscriptionsMax);
  }
  wanted_.push_back(std::move(added));
  return Done{};
}

void ClientCore::unsubscribe(std::string_view board) {
  std::erase_if(wanted_, [&](const WantedPtr& wanted) { return wanted->board == board; });
  for (auto& [view, n] : asked_) {
    if (view.first == board) n = std::nullopt;
  }
}

void ClientCore::tick(Time now) {
  if (phase_ == Phase::refused || phase_ == Phase::closed) return;
  if (phase_ == Phase::away && now >= retry_at_) begin_to_connect(now);
  for (std::size_t i = 0; i < kLiveEventsMax; ++i) {
    const std::optional<TransportEvent> event = transport_.next();
    if (!event) break;
    handle(*event, now);
  }
  serve_timers(now);
  if (phase_ == Phase::welcomed) {
    acknowledge(Channel::unsequenced);
    acknowledge(Channel::reliable);
    reconcile(now);
  }
  transport_.flush();
  deliver();
}

void ClientCore::begin_to_connect(Time now) {
  if (!word_) {  // once per attempt: the lookup of a host name may take many ticks
    const Result<std::uint32_t> word = credentials_.word();
    if (!word) return lose(word.refusal().message(), now);
    word_ = *word;
  }
  const Result<PeerId> peer = transport_.connect(*word_);
  if (!peer) return lose(peer.refusal().message(), now);
  if (*peer == 0) return;
  peer_ = *peer;
  phase_since_ = now;
  phase_ = Phase::connecting;
}

void ClientCore::handle(const TransportEvent& event, Time now) {
  if (event.peer != peer_) return;  // of an earlier connection
  switch (event.kind) {
    case TransportEvent::Kind::connected: {
      phase_ = Phase::greeting;
      heard_at_ = pinged_at_ = now;
      control_.emplace(kControlPerSecond, kControlBurst, now);
      control_->take(now);
      const std::string secret = credentials_.secret();
      Hello hello;
      hello.secret = secret;
      say(Channel::reliable, hello);
      return;
    }
    case TransportEvent::Kind::disconnected:
      peer_ = 0;
      // ENet may drop a bye that arrives together with the disconnect, but not the reason's number.
      if (const auto reason = static_cast<Reason>(event.why);
          event.why <= UINT8_MAX && !word(reason).empty()) {
        return handle(Bye{reason, meaning(reason)}, now);
      }
      return lose("the server ended the connection", now);
    case TransportEvent::Kind::received: break;
  }
  heard_at_ = now;
  const std::optional<ServerMessage> message = decode_server(event.bytes, event.channel);
  if (!message) return;  // damaged; the server sends important data again
  if (const auto* state = std::get_if<State>(&*message)) {
    if (const WantedPtr wanted = of_stream(state->stream))
      take(*wanted, *state, event.channel, now);
    return;
  }
  std::visit([this, now](const auto& one) { handle(one, now); }, *message);
}

void ClientCore::handle(const Welcome& welcome, Time) {
  if (phase_ != Phase::greeting) return;
  credentials_.welcomed(welcome.word);
  phase_ = Phase::welcomed;
  backoff_ = kLiveBackoffMin;
}

void ClientCore::handle(const Subscribed& subscribed, Time) {
  const WantedPtr wanted = find(subscribed.board, subscribed.view);
  const auto asked = asked_.find({std::string(subscribed.board), subscribed.view});
  // Ignores the answer to an earlier subscribe.
  if (!wanted || asked == asked_.end() || asked->second != wanted->n || subscribed.n != wanted->n) {
    return;
  }
  wanted->replica.attach(subscribed.stream, subscribed.epoch);
}

void ClientCore::handle(const Error& error, Time) {
  if (error.reason == Reason::version) return refuse(error.sentence);
  for (const View view : {View::top, View::around}) {
    const WantedPtr wanted = find(error.board, view);
    if (!wanted) continue;
    switch (error.reason) {
      case Reason::unknown: deny(*wanted, unknown(wanted->board)); break;
      case Reason::nobody:
        if (view == View::around) deny(*wanted, Refusal(Code::unsupported, "{}", error.sentence));
        break;
      default: wanted->refusal = Refusal(Code::unavailable, "{}", error.sentence);
    }
  }
}

// Drops the window; the view stays empty until the next state or error.
void ClientCore::deny(Wanted& wanted, Refusal refusal) {
  wanted.replica = {};
  wanted.fresh = false;
  const bool again = wanted.told && wanted.told->code() == refusal.code();
  if (!again) wanted.refusal = refusal;
  wanted.told = std::move(refusal);
}

void ClientCore::handle(const Bye& bye, Time now) {
  const std::string why = fmt::format("{}: {}", word(bye.reason), escaped(bye.sentence));
  switch (bye.reason) {
    case Reason::refused: return reject(bye.sentence, now);
    case Reason::version:
    case Reason::abuse:
    case Reason::replaced: return refuse(bye.sentence);
    default: return lose(why, now);
  }
}

void ClientCore::reject(std::string_view why, Time now) {
  if (!credentials_.refused()) return refuse(why);
  phase_ = Phase::away;
  lose(fmt::format("refused: {}", escaped(why)), now);
}

void ClientCore::take(Wanted& wanted, const State& state, Channel channel, Time now) {
  switch (wanted.replica.take(state)) {
    case Replica::Taken::news:
      wanted.fresh = true;
      wanted.refusal.reset();
      wanted.told.reset();
      [[fallthrough]];
    case Replica::Taken::stale:
      // The server waits for the ack of a reliable state, so an unsequenced ack, which may be
      // lost, must not replace it.
      if (wanted.ack_due != Channel::reliable) wanted.ack_due = channel;
      return;
    case Replica::Taken::useless: {
      if (wanted.resync_at && now - *wanted.resync_at < kLiveResyncEvery) return;
      if (!control_->take(now)) return;
      wanted.resync_at = now;
      say(Channel::reliable, Resync{state.stream});
      return;
    }
  }
}

void ClientCore::serve_timers(Time now) {
  if (phase_ == Phase::connecting || phase_ == Phase::greeting) {
    if (now - phase_since_ >= kLiveConnectWithin) lose("the server does not answer", now);
    return;
  }
  if (phase_ != Phase::welcomed) return;
  const Time silence = now - heard_at_;
  if (silence >= kLiveLostAfter) return lose("nothing was heard from the server", now);
  const Time every = silence >= kLiveDoubtAfter ? kLiveDoubtPingEvery : kLivePingEvery;
  if (now - pinged_at_ < every) return;
  pinged_at_ = now;
  say(Channel::unsequenced, Ping{++pings_});
}

void ClientCore::lose(std::string_view why, Time now) {
  if (phase_ == Phase::refused || phase_ == Phase::closed) return;
  if (phase_ == Phase::connecting || phase_ == Phase::greeting) credentials_.failed();
  if (peer_ != 0) transport_.close(peer_, 0);
  peer_ = 0;
  word_.reset();
  phase_ = Phase::away;
  why_ = why;
  asked_.clear();
  for (const WantedPtr& wanted : wanted_) {
    wanted->replica.detach();
    wanted->ack_due.reset();
  }
  // Jitter, so that clients do not reconnect all at once.
  // source: the minimal standard generator of Park and Miller, 1988.
  random_ = random_ * 48271 % 2147483647;
  const Time jitter = backoff_ / 4 * (static_cast<Time>(random_ % 201) - 100) / 100;
  retry_at_ = now + backoff_ + jitter;
  backoff_ = std::min(backoff_ * 2, kLiveBackoffMax);
}

void ClientCore::refuse(std::string_view why) {
  if (peer_ != 0) transport_.close(peer_, 0);
  peer_ = 0;
  phase_ = Phase::refused;
  why_ = escaped(why);
}

// Sends the requests that lead to the wanted views, as far as the rate limit allows.
void ClientCore::reconcile(Time now) {
  // An unsubscribe ends both views of a board, so a view that is still wanted is requested again.
  for (auto asked = asked_.begin(); asked != asked_.end();) {
    if (asked->second || find(asked->first.first, asked->first.second)) {
      ++asked;
      continue;
    }
    if (!control_->take(now)) return;
    const std::string board = asked->first.first;
    say(Channel::reliable, Unsubscribe{board});
    std::erase_if(asked_, [&](const auto& each) { return each.first.first == board; });
    asked = asked_.begin();
  }
  for (const WantedPtr& wanted : wanted_) {
    const std::pair view(wanted->board, wanted->view);
    const auto asked = asked_.find(view);
    if (asked != asked_.end() && asked->second == wanted->n) continue;
    if (!control_->take(now)) return;
    asked_[view] = wanted->n;
    wanted->replica.detach();
    Subscribe subscribe;
    subscribe.board = wanted->board;
    subscribe.view = wanted->view;
    subscribe.n = static_cast<std::uint8_t>(wanted->n);
    subscribe.epoch = wanted->replica.held_epoch();
    subscribe.version = wanted->replica.held_version();
    say(Channel::reliable, subscribe);
  }
}

void ClientCore::acknowledge(Channel channel) {
  Ack ack;
  for (const WantedPtr& wanted : wanted_) {
    if (wanted->ack_due != channel) continue;
    wanted->ack_due.reset();
    if (const std::optional<Ack::Held> held = wanted->replica.ack()) ack.held[ack.count++] = *held;
  }
  if (ack.count > 0) say(channel, ack);
}

void ClientCore::deliver() {
  // Iterates over a copy, because callbacks may subscribe, unsubscribe and close.
  for (const WantedPtr& wanted : std::vector<WantedPtr>(wanted_)) {
    if (!wanted->fresh && !wanted->refusal) continue;
    const bool still_wanted = std::find(wanted_.begin(), wanted_.end(), wanted) != wanted_.end();
    if (!still_wanted) continue;
    const Result<WindowPtr> result = wanted->refusal ? Result<WindowPtr>(*wanted->refusal)
                                                     : Result<WindowPtr>(wanted->replica.current());
    wanted->refusal.reset();
    wanted->fresh = false;
    if (wanted->on_top) wanted->on_top(result);
  }
}

std::string ClientCore::state() const {
  switch (phase_) {
    case Phase::welcomed: return "connected";
    case Phase::refused: return "refused: " + why_;
    case Phase::closed: return "closed";
    default: return why_.empty() ? "connecting" : "lost: " + why_;
  }
}

void ClientCore::close() {
  if (peer_ != 0) transport_.close(peer_, 0);
  transport_.flush();
  peer_ = 0;
  phase_ = Phase::closed;
  asked_.clear();
  wanted_.clear();
}

Refusal ClientCore::unknown(std::string_view board) {
  return Refusal(Code::unknown, "no board \"{}\" is published here", escaped(board, 128));
}

void ClientCore::say(Channel channel, const ClientMessage& message) {
  transport_.send(peer_, channel, std::make_shared<const std::string>(encode(message)));
}

ClientCore::WantedPtr ClientCore::find(std::string_view board, View view) const {
  const auto found = std::find_if(wanted_.begin(), wanted_.end(), [&](const WantedPtr& wanted) {
    return wanted->board == board && wanted->view == view;
  });
  return found == wanted_.end() ? nullptr : *found;
}

ClientCore::WantedPtr ClientCore::of_stream(std::uint32_t stream) const {
  const auto found = std::find_if(wanted_.begin(), wanted_.end(), [&](const WantedPtr& wanted) {
    return wanted->replica.attached() && wanted->replica.stream() == stream;
  });
  return found == wanted_.end() ? nullptr : *found;
}

}  // namespace laurel
