#include "live/connection.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "live/publication.h"

namespace laurel {

Connection::Connection(Host& host, PeerId peer, double rate, Time now)
    : host_(host),
      peer_(peer),
      tick_(static_cast<Time>(kSecond / rate)),
      connected_at_(now),
      bytes_in_(kLiveClientBytesPerSecond * std::max(1.0, rate / kLiveUsualRate),
                kLiveClientBytesBurst, now),
      control_in_(kLiveControlPerSecond, kLiveControlBurst, now),
      pace_(rate, now) {}

Connection::~Connection() { host_.counters().subscriptions -= subscriptions_.size(); }

std::optional<Farewell> Connection::receive(std::string_view bytes, Channel channel, Time now) {
  ++host_.counters().received;
  if (farewell_) return farewell_;
  const std::optional<ClientMessage> message =
      bytes.size() <= kLiveClientMessageBytesMax ? decode_client(bytes, channel) : std::nullopt;
  if (!message || !within_limits(bytes, *message, now)) return offence();
  const bool in_order =
      std::visit([this, now](const auto& one) { return handle(one, now); }, *message);
  if (!in_order) return offence();
  return farewell_;
}

bool Connection::within_limits(std::string_view bytes, const ClientMessage& message, Time now) {
  if (!bytes_in_.take(now, static_cast<double>(bytes.size()))) return false;
  const bool control =
      !std::holds_alternative<Ack>(message) && !std::holds_alternative<Ping>(message);
  if (control && !control_in_.take(now)) return false;
  return std::holds_alternative<Hello>(message) != welcomed_;  // hello first, and once
}

std::optional<Farewell> Connection::offence() {
  ++host_.counters().offences;
  if (++offences_ >= kLiveOffencesMax) {
    farewell_ = {Reason::abuse, fmt::format("{} messages were damaged or not allowed", offences_)};
  }
  return farewell_;
}

bool Connection::handle(const Hello& hello, Time) {
  const std::uint8_t common = std::min(hello.version_max, kWireVersionMax);
  if (common < std::max(hello.version_min, kWireVersionMin)) {
    const std::string sentence =
        fmt::format("this server speaks versions {} to {} of the protocol, the client {} to {}",
                    kWireVersionMin, kWireVersionMax, hello.version_min, hello.version_max);
    Error error;
    error.reason = Reason::version;
    error.sentence = sentence;
    say(Channel::reliable, error);
    farewell_ = {Reason::version, sentence};
    return true;
  }
  welcomed_ = true;
  say(Channel::reliable, Welcome{common, 0, static_cast<std::uint64_t>(tick_)});
  return true;
}

bool Connection::handle(const Subscribe& subscribe, Time now) {
  drop(subscribe.board);
  if (subscriptions_.size() >= kLiveSubscriptionsMax) {
    const std::string sentence =
        fmt::format("a client may subscribe to {} boards at most", kLiveSubscriptionsMax);
    Error error;
    error.reason = Reason::limit;
    error.board = subscribe.board;
    error.sentence = sentence;
    say(Channel::reliable, error);
    return false;
  }
  Subscription& added =
      subscriptions_.emplace_back(std::string(subscribe.board), subscribe.n, pace_.rate(), now);
  ++host_.counters().subscriptions;
  Publication* const publication = host_.find(subscribe.board);
  if (publication == nullptr) {
    say_unknown(subscribe.board);
    return true;
  }
  const bool holds = subscribe.epoch == publication->epoch();
  attach(added, *publication, holds ? std::optional(subscribe.version) : std::nullopt);
  waiting_ = true;
  return true;
}

bool Connection::handle(const Unsubscribe& unsubscribe, Time) {
  drop(unsubscribe.board);
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
    // A stream unknown here is one that the client left while the acknowledgement was under way.
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

std::optional<Farewell> Connection::tick(Time now) {
  if (farewell_) return farewell_;
  waiting_ = !welcomed_;
  if (!welcomed_ && now - connected_at_ >= kLiveHelloWithin) {
    farewell_ = {Reason::late, fmt::format("no hello within {} s", kLiveHelloWithin / kSecond)};
    return farewell_;
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
        farewell_ = {Reason::slow,
                     fmt::format("nothing of \"{}\" was acknowledged for {} s",
                                 escaped(subscription.board(), 64), kLiveSlowAfter / kSecond)};
        return farewell_;
    }
  }
  return std::nullopt;
}

void Connection::send_state(Subscription& subscription, Time now) {
  Publication* const publication = host_.find(subscription.board());
  const Stream::Encoded& state = subscription.stream()->message(
      subscription.acknowledged(), publication->ring(), host_.counters().encoded);
  host_.send(peer_, state.channel, state.bytes);
  subscription.sent(now, state.channel);
  pace_.count_sent(1);
}

void Connection::published(const std::string& board, Publication& publication) {
  Subscription* const subscription = find(board);
  if (subscription == nullptr) return;
  attach(*subscription, publication, std::nullopt);
  waiting_ = true;
}

void Connection::unpublished(const std::string& board) {
  Subscription* const subscription = find(board);
  if (subscription == nullptr) return;
  subscription->detach();
  say_unknown(board);
}

void Connection::attach(Subscription& subscription, Publication& publication,
                        std::optional<std::uint64_t> held) {
  const StreamPtr stream = publication.stream(subscription.n());
  subscription.attach(stream, held);
  Subscribed subscribed;
  subscribed.board = subscription.board();
  subscribed.n = static_cast<std::uint8_t>(subscription.n());
  subscribed.stream = stream->number();
  subscribed.epoch = stream->epoch();
  say(Channel::reliable, subscribed);
}

void Connection::drop(std::string_view board) {
  host_.counters().subscriptions -= std::erase_if(
      subscriptions_,
      [&](const Subscription& subscription) { return subscription.board() == board; });
}

void Connection::say_unknown(std::string_view board) {
  const std::string sentence =
      fmt::format("no board \"{}\" is published here", escaped(board, 128));
  Error error;
  error.board = board;
  error.sentence = std::string_view(sentence).substr(0, kRefusalBytesMax);
  say(Channel::reliable, error);
}

void Connection::say(Channel channel, const ServerMessage& message) {
  host_.send(peer_, channel, std::make_shared<const std::string>(encode(message)));
}

Subscription* Connection::find(std::string_view board) {
  const auto found = std::find_if(subscriptions_.begin(), subscriptions_.end(),
                                  [&](const Subscription& s) { return s.board() == board; });
  return found == subscriptions_.end() ? nullptr : &*found;
}

Subscription* Connection::find(std::uint32_t stream) {
  const auto found = std::find_if(
      subscriptions_.begin(), subscriptions_.end(),
      [&](const Subscription& s) { return s.stream() && s.stream()->number() == stream; });
  return found == subscriptions_.end() ? nullptr : &*found;
}

}  // namespace laurel
