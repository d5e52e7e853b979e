#include "live/client/client_core.h"

#include <algorithm>
#include <cassert>

#include "base/checks.h"
#include "base/text.h"
#include "live/limits.h"

namespace laurel {

namespace {

// A little below the server's limit, because the two clocks may differ.
constexpr double kControlPerSecond = kLiveControlPerSecond * 0.9;
constexpr double kControlBurst = kLiveControlBurst - 1;

}  // namespace

ClientCore::ClientCore(ClientTransport& transport, Credentials credentials, std::uint64_t seed,
                       std::uint8_t version_max)
    : transport_(transport),
      credentials_(std::move(credentials)),
      random_(1 + seed % 2147483646),
      version_max_(version_max) {}

// Before the first welcome it is not known what the server allows.
std::size_t ClientCore::subscriptions_max() const {
  if (allowed_ != 0) return allowed_;
  const Role role = credentials_.may_be_gateway() ? Role::gateway : Role::client;
  return client_limits(version_max_, role).subscriptions;
}

Status ClientCore::subscribe(std::string_view board, View view, std::size_t n, OnTop on_top,
                             std::string_view player) {
  if (phase_ == Phase::closed) return Refusal(Code::closed, "this client was closed");
  reconciled_ = false;
  return wanted_.add({.board = std::string(board),
                      .view = view,
                      .player = std::string(player),
                      .n = n,
                      .on_top = std::move(on_top)},
                     subscriptions_max());
}

void ClientCore::unsubscribe(std::string_view board) {
  wanted_.remove(board);
  for (auto& [view, n] : asked_) {
    if (view.board == board) n = std::nullopt;
  }
  reconciled_ = false;
}

void ClientCore::unfollow(std::string_view board, std::string_view player) {
  wanted_.remove(board, player);
  const auto asked = asked_.find({std::string(board), View::around, std::string(player)});
  if (asked != asked_.end()) asked->second = std::nullopt;
  reconciled_ = false;
}

Result<ListedBoardsPtr> ClientCore::boards() {
  boards_wanted_ = true;
  if (phase_ == Phase::welcomed && version_ < 2) return no_version_2("a list of boards");
  return boards_.current();
}

Status ClientCore::on_boards(OnBoards on_boards) {
  if (phase_ == Phase::closed) return Refusal(Code::closed, "this client was closed");
  boards_wanted_ = true;
  boards_refused_ = false;
  boards_told_ = nullptr;
  on_boards_ = std::move(on_boards);
  return Done{};
}

std::optional<std::string> ClientCore::player() const {
  if (phase_ != Phase::welcomed || player_.empty()) return std::nullopt;
  return player_;
}

Status ClientCore::ask_player(std::string_view token, OnPlayer on_player) {
  if (phase_ == Phase::closed) return Refusal(Code::closed, "this client was closed");
  if (phase_ == Phase::refused) return Refusal(Code::unavailable, "{}", state());
  return questions_.ask(token, std::move(on_player));
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
    pace_control(now);
    if (!reconciled_) reconcile(now);
    ask_for_boards(now);
  }
  ask_for_players(now);
  transport_.flush();
  deliver();
}

void ClientCore::begin_to_connect(Time now) {
  if (!word_) {  // once per attempt: the lookup of a host name may take many ticks
    const Result<std::uint32_t> word = credentials_.word();
    if (!word) return lose(word.refusal().message(), now);
    word_ = *word;
  }
  const Result<PeerId> peer = transport_.connect(*word_, credentials_.shown());
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
      hello.version_max = version_max_;
      hello.secret = secret;
      say(Channel::reliable, hello);
      return;
    }
    case TransportEvent::Kind::disconnected:
      peer_ = 0;
      // ENet may drop a bye that arrives together with the disconnect, but not the reason's number.
      if (const auto reason = static_cast<Reason>(event.why);
          event.why <= UINT8_MAX && !word(reason).empty()) {
        // A sealed connection is being made until the server has proven who it is.
        const bool stranger = phase_ == Phase::connecting && credentials_.is_sealed();
        if (stranger) return reject_by_stranger(now);
        return handle(Bye{reason, meaning(reason)}, now);
      }
      return lose("the server ended the connection", now);
    case TransportEvent::Kind::received: break;
  }
  heard_at_ = now;
  const std::optional<ServerMessage> message = decode_server(event.bytes, event.channel);
  if (!message) return;  // damaged; the server sends important data again
  if (const auto* state = std::get_if<State>(&*message)) {
    if (const WantedViewPtr wanted = wanted_.of_stream(state->stream))
      take(*wanted, *state, event.channel, now);
    return;
  }
  std::visit([this, now](const auto& one) { handle(one, now); }, *message);
}

void ClientCore::handle(const Welcome& welcome, Time now) {
  if (phase_ != Phase::greeting) return;
  if (welcome.version < kWireVersionMin || welcome.version > version_max_) {
    return refuse("the server chose a version of the protocol that this client does not speak");
  }
  credentials_.welcomed(welcome.word);
  phase_ = Phase::welcomed;
  reconciled_ = false;
  version_ = welcome.version;
  role_ = welcome.role;
  player_ = welcome.player;
  allowed_ = version_ < 2 ? client_limits(1, role_).subscriptions : welcome.subscriptions;
  if (version_ >= 2) control_.emplace(kControlPerSecond, kLiveControlAhead, now);
  backoff_ = kLiveBackoffMin;
}

void ClientCore::handle(const Subscribed& subscribed, Time) {
  if (version_ >= 2) return;
  attach(subscribed.board, subscribed.view, {}, subscribed.n, subscribed.stream, subscribed.epoch,
         {});
}

void ClientCore::handle(const StreamBegins& begins, Time) {
  if (version_ < 2) return;
  attach(begins.board, begins.view, begins.player, begins.n, begins.stream, begins.epoch,
         {version_, begins.half_ranks, begins.columns});
}

void ClientCore::attach(std::string_view board, View view, std::string_view player, std::size_t n,
                        std::uint32_t stream, std::uint64_t epoch, const EntryFormat& format) {
  const WantedViewPtr wanted = wanted_.find(board, view, player);
  const auto asked = asked_.find({std::string(board), view, std::string(player)});
  // Ignores the answer to an earlier subscribe.
  if (!wanted || asked == asked_.end() || asked->second != wanted->n || n != wanted->n) return;
  wanted->replica.attach(stream, epoch, format);
}

void ClientCore::handle(const PlayerIs& answer, Time) {
  if (version_ < 2) return;
  if (answer.question == 0) {
    player_ = answer.player;
    return;
  }
  questions_.answer(answer);
}

void ClientCore::handle(const BoardList& list, Time now) {
  if (version_ < 2 || !std::exchange(boards_asked_, false)) return;
  if (boards_.take(list)) return;
  boards_.start_over();
  boards_retry_at_ = now + kLiveResyncEvery;
}

void ClientCore::handle(const Error& error, Time) {
  if (error.reason == Reason::version) return refuse(error.sentence);
  wanted_.refuse(error);
}

void ClientCore::handle(const Bye& bye, Time now) {
  const std::string why = fmt::format("{}: {}", word(bye.reason), escaped(bye.sentence));
  switch (bye.reason) {
    case Reason::refused: return reject(bye.sentence, now);
    case Reason::version:
    case Reason::abuse: return refuse(bye.sentence);
    case Reason::replaced:
      // Another connection had this client's secret. If it was its own, or a recorded one that was
      // sent again, the client gets in again; if another client has the secret too, one of the two
      // is refused then.
      return credentials_.secret().empty() ? refuse(bye.sentence) : lose(why, now);
    default: return lose(why, now);
  }
}

void ClientCore::reject(std::string_view why, Time now) {
  if (!credentials_.refused()) return refuse(why);
  phase_ = Phase::away;
  lose(fmt::format("refused: {}", escaped(why)), now);
}

void ClientCore::reject_by_stranger(Time now) {
  const bool goes_on = credentials_.refused_by_stranger();
  phase_ = Phase::away;
  lose(goes_on ? fmt::format("refused: {}", meaning(Reason::refused))
               : std::string(meaning(Reason::refused)),
       now);
  if (goes_on) return;
  refused_by_stranger_ = true;
  retry_at_ = std::max(retry_at_, now + kLiveBackoffMax);
}

void ClientCore::take(WantedView& wanted, const State& state, Channel channel, Time now) {
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
  refused_by_stranger_ = false;
  asked_.clear();
  boards_asked_ = false;
  questions_.lose();
  wanted_.detach();
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
  questions_.answer_all(Refusal(Code::unavailable, "{}", state()));
}

// In version 2, so that no more messages are in flight than the server takes.
void ClientCore::pace_control(Time now) {
  if (version_ < 2) return;
  constexpr Time kRoundTripMin = 5'000;  // the server answers once in a tick of its own
  const Time round_trip = std::max(transport_.round_trip(peer_), kRoundTripMin);
  const double ahead =
      kLiveControlAhead * static_cast<double>(kSecond) / static_cast<double>(round_trip);
  control_->set_rate(std::min(ahead, 0.9 * client_limits(version_, role_).control_per_second), now);
}

// Sends the requests that lead to the wanted views, as far as the rate limit allows.
void ClientCore::reconcile(Time now) { reconciled_ = end_unwanted(now) && ask_for_wanted(now); }

// Returns false if the rate limit was met, as the next function does.
bool ClientCore::end_unwanted(Time now) {
  // An unsubscribe ends all views of a board, so a view that is still wanted is requested again.
  for (auto asked = asked_.begin(); asked != asked_.end();) {
    const AskedView view = asked->first;
    if (asked->second || wanted_.find(view.board, view.view, view.player)) {
      ++asked;
      continue;
    }
    if (!control_->take(now)) return false;
    if (!view.player.empty()) {
      say(Channel::reliable, Unfollow{view.board, view.player});
      asked = asked_.erase(asked);
      continue;
    }
    say(Channel::reliable, Unsubscribe{view.board});
    std::erase_if(asked_, [&](const auto& each) { return each.first.board == view.board; });
    asked = asked_.begin();
  }
  return true;
}

bool ClientCore::ask_for_wanted(Time now) {
  for (std::size_t i = 0; i < wanted_.all().size(); ++i) {
    WantedView& wanted = *wanted_.all()[i];
    if (i >= allowed_) {
      wanted.deny(Refusal(Code::out_of_range, "this server takes {} subscriptions of this client",
                          allowed_));
      continue;
    }
    if (!wanted.player.empty() && role_ != Role::gateway) {
      wanted.deny(version_ < 2 ? no_version_2("follows of any player")
                               : Refusal(Code::unsupported, "only a gateway follows any player"));
      continue;
    }
    const AskedView view{wanted.board, wanted.view, wanted.player};
    const auto asked = asked_.find(view);
    if (asked != asked_.end() && asked->second == wanted.n) continue;
    if (!control_->take(now)) return false;
    asked_[view] = wanted.n;
    wanted.replica.detach();
    const auto n = static_cast<std::uint8_t>(wanted.n);
    const std::uint64_t epoch = wanted.replica.held_epoch(),
                        version = wanted.replica.held_version();
    if (wanted.player.empty()) {
      say(Channel::reliable, Subscribe{wanted.board, wanted.view, n, epoch, version});
    } else {
      say(Channel::reliable, Follow{wanted.board, n, wanted.player, epoch, version});
    }
  }
  return true;
}

void ClientCore::ask_for_boards(Time now) {
  if (!boards_wanted_ || boards_asked_ || version_ < 2) return;
  if (boards_retry_at_ && now < *boards_retry_at_) return;
  if (!control_->take(now)) return;
  boards_retry_at_.reset();
  boards_asked_ = true;
  say(Channel::reliable, boards_.question());
}

void ClientCore::ask_for_players(Time now) {
  if (questions_.empty()) return;
  questions_.expire(now);
  if (phase_ != Phase::welcomed) return;
  if (role_ != Role::gateway) {
    return questions_.answer_all(
        version_ < 2 ? no_version_2("questions about tokens")
                     : Refusal(Code::unsupported, "only a gateway asks whose a token is"));
  }
  for (auto question = questions_.next(); question && control_->take(now);
       question = questions_.next()) {
    const std::optional<Token> token = token_of(question->token);
    if (token && token->server && !transport_.is_sealed()) {
      questions_.refuse_next(
          Refusal(Code::unsupported,
                  "the token's secret must not cross the network in clear: only a gateway "
                  "whose own token is for an encrypted connection may ask"));
      continue;
    }
    say(Channel::reliable, *question);
    questions_.sent();
  }
}

void ClientCore::acknowledge(Channel channel) {
  for (const Ack& ack : wanted_.take_acks(channel)) say(channel, ack);
}

void ClientCore::deliver() {
  wanted_.deliver();
  deliver_boards();
  deliver_answers();
}

void ClientCore::deliver_boards() {
  if (!on_boards_) return;
  const OnBoards callback = on_boards_;  // it may replace itself
  if (phase_ == Phase::welcomed && version_ < 2) {
    if (!std::exchange(boards_refused_, true)) callback(no_version_2("a list of boards"));
  } else if (boards_.has_any() && boards_.current() != boards_told_) {
    boards_told_ = boards_.current();
    callback(boards_told_);
  }
}

void ClientCore::deliver_answers() {
  for (const auto& [callback, result] : questions_.take_answers()) {
    if (phase_ == Phase::closed) return;
    if (callback) callback(result);
  }
}

std::string ClientCore::state() const {
  switch (phase_) {
    case Phase::welcomed: return "connected";
    case Phase::refused: return "refused: " + why_;
    case Phase::closed: return "closed";
    default:
      if (why_.empty()) return "connecting";
      return (refused_by_stranger_ ? "refused: " : "lost: ") + why_;
  }
}

std::optional<Time> ClientCore::silence(Time now) const {
  if (phase_ != Phase::welcomed) return std::nullopt;
  return now - heard_at_;
}

std::optional<Time> ClientCore::round_trip() const {
  if (phase_ != Phase::welcomed) return std::nullopt;
  return transport_.round_trip(peer_);
}

bool ClientCore::is_current(std::string_view board, View view, std::string_view player) const {
  const WantedViewPtr wanted = wanted_.find(board, view, player);
  return phase_ == Phase::welcomed && wanted && wanted->replica.goes_on();
}

void ClientCore::close() {
  if (peer_ != 0) transport_.close(peer_, 0);
  transport_.flush();
  peer_ = 0;
  phase_ = Phase::closed;
  asked_.clear();
  wanted_.clear();
  on_boards_ = nullptr;
  questions_.clear();
}

Refusal ClientCore::no_version_2(std::string_view what) {
  return Refusal(Code::unsupported, "the server speaks version 1 of the protocol, without {}",
                 what);
}

void ClientCore::say(Channel channel, const ClientMessage& message) {
  transport_.send(peer_, channel, std::make_shared<const std::string>(encode(message)));
}

}  // namespace laurel
