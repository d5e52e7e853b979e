#include "live/server/connection.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"
#include "live/limits.h"
#include "live/server/publication.h"

namespace laurel {

namespace {

TokenBucket bytes_of(const ClientLimits& limits, double rate, Time now) {
  return {limits.bytes_per_second * std::max(1.0, rate / kLiveUsualRate), limits.bytes_burst, now};
}

TokenBucket control_of(const ClientLimits& limits, Time now) {
  return {limits.control_per_second, limits.control_burst, now};
}

}  // namespace

Connection::Connection(Host& host, PeerId peer, std::uint32_t word, double rate, Time now,
                       std::uint8_t version_max)
    : host_(host),
      peer_(peer),
      word_(word),
      version_max_(version_max),
      tick_(static_cast<Time>(kSecond / rate)),
      connected_at_(now),
      limits_(client_limits(1, Role::client)),
      bytes_in_(bytes_of(limits_, rate, now)),
      control_in_(control_of(limits_, now)),
      pace_(rate, now) {}

Connection::~Connection() {
  for (const Subscription& subscription : subscriptions_) leave(subscription);
}

std::optional<CloseReason> Connection::receive(std::string_view bytes, Channel channel, Time now) {
  ++host_.counters().received;
  if (close_reason_) return close_reason_;
  const std::optional<ClientMessage> message =
      bytes.size() <= kLiveClientMessageBytesMax ? decode_client(bytes, channel) : std::nullopt;
  if (!message || !within_limits(bytes, *message, now)) return offence();
  if (welcomed_ && !std::exchange(heard_, true)) host_.heard(peer_);
  const bool in_order =
      std::visit([this, now](const auto& one) { return handle(one, now); }, *message);
  if (!in_order) return offence();
  return close_reason_;
}

bool Connection::within_limits(std::string_view bytes, const ClientMessage& message, Time now) {
  if (!bytes_in_.take(now, static_cast<double>(bytes.size()))) return false;
  const bool control =
      !std::holds_alternative<Ack>(message) && !std::holds_alternative<Ping>(message);
  if (control && !control_in_.take(now)) return false;
  return std::holds_alternative<Hello>(message) != welcomed_;  // hello is first, and only once
}

std::optional<CloseReason> Connection::offence() {
  ++host_.counters().offences;
  if (++offences_ >= kLiveOffencesMax) {
    close_reason_ = {Reason::abuse,
                     fmt::format("{} messages were damaged or not allowed", offences_)};
  }
  return close_reason_;
}

bool Connection::handle(const Hello& hello, Time now) {
  const std::uint8_t common = std::min(hello.version_max, version_max_);
  if (common < std::max(hello.version_min, kWireVersionMin)) {
    const std::string sentence =
        fmt::format("this server speaks versions {} to {} of the protocol, the client {} to {}",
                    kWireVersionMin, version_max_, hello.version_min, hello.version_max);
    say_error(Reason::version, {}, sentence);
    close_reason_ = {Reason::version, sentence};
    return true;
  }
  const std::optional<Admitted> admitted = host_.admit(peer_, word_, hello.secret);
  if (!admitted) {
    ++host_.counters().denied;
    close_reason_ = {Reason::refused, std::string(meaning(Reason::refused))};
    return true;
  }
  close_reason_ = host_.take_slot(peer_, now);
  if (close_reason_) {
    ++host_.counters().denied;
    return true;
  }
  welcome(common, *admitted, now);
  return true;
}

void Connection::welcome(std::uint8_t version, const Admitted& admitted, Time now) {
  welcomed_ = true;
  version_ = version;
  player_ = admitted.player;
  role_ = admitted.gateway && version >= 2 ? Role::gateway : Role::client;
  if (version_ >= 2) {
    limits_ = client_limits(version_, role_);
    bytes_in_ = bytes_of(limits_, pace_.rate(), now);
    control_in_ = control_of(limits_, now);
  }
  Welcome welcome;
  welcome.version = version;
  welcome.word = admitted.word;
  welcome.interval = static_cast<std::uint64_t>(tick_);
  welcome.role = role_;
  welcome.subscriptions = static_cast<std::uint32_t>(limits_.subscriptions);
  welcome.player = player_;
  say(Channel::reliable, welcome);
}

bool Connection::handle(const Subscribe& subscribe, Time now) {
  if (subscribe.view == View::around && player_.empty()) {
    if (const Subscription* const before = find(subscribe.board, subscribe.view, {})) end(*before);
    say_error(Reason::nobody, subscribe.board, meaning(Reason::nobody));
    return true;
  }
  return this->subscribe(
      Subscription(std::string(subscribe.board), subscribe.view, subscribe.n, pace_.rate(), now),
      {subscribe.epoch, subscribe.version});
}

bool Connection::handle(const Follow& follow, Time now) {
  if (role_ != Role::gateway) return false;
  return subscribe(Subscription(std::string(follow.board), View::around, follow.n, pace_.rate(),
                                now, std::string(follow.player)),
                   {follow.epoch, follow.version});
}

bool Connection::subscribe(Subscription added, const Held& held) {
  if (const auto* before = find(added.board(), added.view(), added.player())) end(*before);
  if (subscriptions_.size() >= limits_.subscriptions) {
    say_error(Reason::limit, added.board(),
              fmt::format("a client may have {} subscriptions at most", limits_.subscriptions));
    return false;
  }
  Subscription& subscription = subscriptions_.emplace_back(std::move(added));
  ++host_.counters().subscriptions;
  if (Publication* const publication = host_.find(subscription.board())) {
    begin(subscription, *publication, held);
  } else if (!host_.is_announced(subscription.board())) {
    say_unknown(subscription.board());
  }
  return true;
}

void Connection::end(const Subscription& subscription) {
  leave(subscription);
  subscriptions_.erase(subscriptions_.begin() + (&subscription - subscriptions_.data()));
}

bool Connection::handle(const Unsubscribe& unsubscribe, Time) {
  const auto ended = [&](const Subscription& s) { return s.board() == unsubscribe.board; };
  for (const Subscription& subscription : subscriptions_) {
    if (ended(subscription)) leave(subscription);
  }
  std::erase_if(subscriptions_, ended);
  return true;
}

bool Connection::handle(const Unfollow& unfollow, Time) {
  if (role_ != Role::gateway) return false;
  if (const auto* followed = find(unfollow.board, View::around, unfollow.player)) end(*followed);
  return true;
}

bool Connection::handle(const AskBoards& ask, Time) {
  if (version_ < 2) return false;
  list_asked_ = {ask.epoch, ask.version};
  waiting_ = true;
  return true;
}

bool Connection::handle(const AskPlayer& ask, Time) {
  if (role_ != Role::gateway) return false;
  const std::string player = host_.player_of(ask.token).value_or(std::string());
  say(Channel::reliable, PlayerIs{ask.question, player});
  return true;
}

bool Connection::handle(const Resync& resync, Time) {
  if (Subscription* const subscription = find(resync.stream)) {
    subscription->restart();
    ++host_.counters().resyncs;
    waiting_ = true;
  }
  return true;
}

bool Connection::handle(const Ack& ack, Time) {
  for (const Ack::Held& held : ack.all()) {
    // If the stream is not known, the client unsubscribed while this acknowledgement was in flight.
    if (Subscription* const subscription = find(held.stream)) {
      pace_.count_received(subscription->acknowledge(held.version, held.received));
    }
  }
  return true;
}

bool Connection::handle(const Ping& ping, Time) {
  say(Channel::unsequenced, Pong{ping.number});
  for (Subscription& subscription : subscriptions_) subscription.encourage();
  return true;
}

std::optional<CloseReason> Connection::tick(Time now) {
  if (close_reason_) return close_reason_;
  waiting_ = !welcomed_;
  if (!welcomed_ && now - connected_at_ >= kLiveHelloWithin) {
    close_reason_ = {Reason::late, fmt::format("no hello within {} s", kLiveHelloWithin / kSecond)};
    return close_reason_;
  }
  if (list_asked_ && !host_.list().is_newest(list_asked_->epoch, list_asked_->version)) {
    const MessagePtr message =
        host_.list().message(list_asked_->epoch, list_asked_->version, host_.counters().encoded);
    host_.send(peer_, Channel::reliable, message);
    list_asked_.reset();
  }
  const Time round_trip = host_.round_trip(peer_);
  if (pace_.judge(now, round_trip)) {
    for (Subscription& subscription : subscriptions_) subscription.set_rate(pace_.rate(), now);
  }
  for (Subscription& subscription : subscriptions_) {
    switch (subscription.due(now, {tick_, round_trip})) {
      case Subscription::Due::nothing: break;
      case Subscription::Due::later: waiting_ = true; break;
      case Subscription::Due::send:
        waiting_ = true;
        send_state(subscription, now);
        break;
      case Subscription::Due::slow:
        close_reason_ = {Reason::slow,
                         fmt::format("no update of board \"{}\" was acknowledged for {} s",
                                     escaped(subscription.board(), 64), kLiveSlowAfter / kSecond)};
        return close_reason_;
    }
  }
  return std::nullopt;
}

void Connection::send_state(Subscription& subscription, Time now) {
  const Stream::Encoded& state =
      subscription.stream()->message(subscription.acknowledged(), host_.counters().encoded);
  host_.send(peer_, state.channel, state.bytes);
  subscription.sent(now, state.channel);
  pace_.count_sent(1);
}

Around Connection::around(const Subscription& subscription) const {
  const std::string& player = subscription.player().empty() ? player_ : subscription.player();
  return {subscription.board(), player, static_cast<std::uint8_t>(subscription.n())};
}

// The board is published. Attaches the subscription now; a view around a player waits until the
// game thread has posted a window for it.
void Connection::begin(Subscription& subscription, Publication& board, std::optional<Held> held) {
  if (subscription.view() == View::top || !board.is_shown_in(version_)) {
    return attach(subscription, board, held);
  }
  if (Publication* const windows = host_.follow(peer_, around(subscription))) {
    attach(subscription, *windows, held);
  }
}

// Called before a subscription ends.
void Connection::leave(const Subscription& subscription) {
  --host_.counters().subscriptions;
  if (subscription.view() == View::around) host_.unfollow(peer_, around(subscription));
}

void Connection::published(const std::string& board, Publication& publication) {
  for (Subscription& subscription : subscriptions_) {
    // A follow has an epoch of its own, so a new epoch of the board does not restart its stream.
    const bool begins = subscription.view() == View::top || !subscription.stream();
    if (subscription.board() == board && begins) begin(subscription, publication, std::nullopt);
  }
}

void Connection::unpublished(const std::string& board) {
  bool any = false;
  for (Subscription& subscription : subscriptions_) {
    if (subscription.board() != board) continue;
    subscription.detach();
    any = true;
  }
  if (any) say_unknown(board);
}

void Connection::looked_up(const Around& around, Publication& windows) {
  const auto look = [&](std::string_view player) {
    Subscription* const subscription = find(around.board, View::around, player);
    if (subscription == nullptr || subscription->n() != around.n) return;
    attach(*subscription, windows, std::nullopt);
  };
  look(around.player);  // of a gateway
  if (around.player == player_) look({});
}

void Connection::renamed(std::string_view from, const std::string& to) {
  if (player_.empty() || player_ != from) return;
  const auto each_follow = [this](auto visit) {
    for (Subscription& subscription : subscriptions_) {
      if (subscription.view() == View::around) visit(subscription);
    }
  };
  // All are of the player, because a gateway has none.
  each_follow([this](const Subscription& follow) { host_.unfollow(peer_, around(follow)); });
  player_ = to;
  if (version_ >= 2) say(Channel::reliable, PlayerIs{0, player_});
  each_follow([this](Subscription& follow) {
    if (Publication* const board = host_.find(follow.board())) begin(follow, *board, std::nullopt);
  });
}

void Connection::attach(Subscription& subscription, Publication& publication,
                        std::optional<Held> held) {
  if (!publication.is_shown_in(version_)) {
    subscription.detach();
    return say_not_shown(subscription.board());
  }
  const bool around = subscription.view() == View::around;
  const StreamPtr stream = publication.stream(version_, around ? kLiveTopMax : subscription.n());
  const bool holds = held && held->epoch == stream->epoch();
  subscription.attach(stream, holds ? std::optional(held->version) : std::nullopt);
  waiting_ = true;
  if (version_ >= 2) {
    say_begins(subscription, *format_of(publication.window(), version_));
    return host_.attached(subscription.board(), publication);
  }
  Subscribed subscribed;
  subscribed.board = subscription.board();
  subscribed.view = subscription.view();
  subscribed.n = static_cast<std::uint8_t>(subscription.n());
  subscribed.stream = stream->number();
  subscribed.epoch = stream->epoch();
  say(Channel::reliable, subscribed);
  host_.attached(subscription.board(), publication);
}

void Connection::say_begins(const Subscription& subscription, const EntryFormat& format) {
  StreamBegins begins;
  begins.board = subscription.board();
  begins.view = subscription.view();
  begins.n = static_cast<std::uint8_t>(subscription.n());
  begins.player = subscription.player();
  begins.stream = subscription.stream()->number();
  begins.epoch = subscription.stream()->epoch();
  begins.half_ranks = format.half_ranks;
  begins.columns = format.columns;
  say(Channel::reliable, begins);
}

void Connection::say_error(Reason reason, std::string_view board, std::string_view sentence) {
  Error error;
  error.reason = reason;
  error.version_max = version_max_;
  error.board = board;
  error.sentence = sentence.substr(0, kRefusalBytesMax);
  say(Channel::reliable, error);
}

void Connection::say_unknown(std::string_view board) {
  say_error(Reason::unknown, board,
            fmt::format("no board \"{}\" is published here", escaped(board, 128)));
}

void Connection::say_not_shown(std::string_view board) {
  say_error(Reason::unknown, board,
            fmt::format("board \"{}\" is only for clients of a later version of the protocol: its "
                        "scores have columns, or its ranks are fractional",
                        escaped(board, 64)));
}

void Connection::say(Channel channel, const ServerMessage& message) {
  host_.send(peer_, channel, std::make_shared<const std::string>(encode(message)));
}

Subscription* Connection::find(std::string_view board, View view, std::string_view player) {
  const auto found =
      std::find_if(subscriptions_.begin(), subscriptions_.end(), [&](const Subscription& s) {
        return s.view() == view && s.board() == board && s.player() == player;
      });
  return found == subscriptions_.end() ? nullptr : &*found;
}

Subscription* Connection::find(std::uint32_t stream) {
  const std::size_t count = subscriptions_.size();
  for (std::size_t i = 1; i <= count; ++i) {
    const std::size_t at = (acknowledged_last_ + i) % count;
    Subscription& each = subscriptions_[at];
    if (!each.stream() || each.stream()->number() != stream) continue;
    acknowledged_last_ = at;
    return &each;
  }
  return nullptr;
}

}  // namespace laurel
