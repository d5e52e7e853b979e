#include "live/net/enet_transport.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <span>
#include <sys/eventfd.h>
#include <unistd.h>

#include <enet/enet.h>

#include "base/hash.h"
#include "base/steady_clock.h"  // ENet's clock wraps every 49 days and follows system clock changes
#include "base/text.h"
#include "live/limits.h"
#include "live/net/datagram_filter.h"
#include "live/net/enet_guard.h"

namespace laurel {

namespace {

constexpr std::size_t kChannels = 2;
constexpr std::uint32_t kDatagramsPerCall = 256;  // ENet's own bound on one enet_host_service

// Answers are read after this many messages, before they fill the socket's buffer.
constexpr std::size_t kSendsPerPump = 256;

// ENet ends a connection after 30 s without acknowledgement, and never before 20 s.
constexpr enet_uint32 kTimeoutLimit = 64, kTimeoutMinMs = 20'000, kTimeoutMaxMs = 30'000;
constexpr enet_uint32 kPingMs = 2'000;
// The timeouts of a peer that is being disconnected: they bound how long it holds its slot.
constexpr enet_uint32 kClosingLimit = 8, kClosingMinMs = 2'000, kClosingMaxMs = 4'000;
// With these values ENet's throttle never drops an unreliable packet.
constexpr enet_uint32 kThrottleIntervalMs = 5'000, kThrottleUp = ENET_PEER_PACKET_THROTTLE_SCALE,
                      kThrottleDown = 0;

std::string reason_of(int error) {
  switch (error) {
    case EADDRINUSE: return "port in use";
    case EADDRNOTAVAIL: return "this machine has no such address";
    case EACCES: return "not permitted";
    case EMFILE:
    case ENFILE: return "too many open files";
    default: return std::strerror(error);
  }
}

void configure(ENetHost& host, bool checksum) {
  fill_random(std::as_writable_bytes(std::span(&host.randomSeed, 1)));  // seeds the connect ids
  host.mtu = kLiveMtu;
  host.maximumPacketSize = kLiveMessageBytesMax + kLiveSealBytes;
  host.maximumWaitingData = kLiveWaitingBytesMax;
  ::fcntl(host.socket, F_SETFD, FD_CLOEXEC);
  enet_socket_set_option(host.socket, ENET_SOCKOPT_RCVBUF, kLiveSocketBytes);
  if (checksum) host.checksum = enet_crc32;
}

enet_uint32 packet_flag(Channel channel) {
  return channel == Channel::reliable ? ENET_PACKET_FLAG_RELIABLE : ENET_PACKET_FLAG_UNSEQUENCED;
}

}  // namespace

Result<std::unique_ptr<EnetTransport>> EnetTransport::listen(const Listen& options) {
  const std::optional<std::uint32_t> bind = numeric_address(options.bind);
  if (!bind) {
    return Refusal(Code::invalid, "bind = \"{}\" is no IPv4 address such as \"127.0.0.1\"",
                   options.bind);
  }
  ENetAddress address{};
  address.host = *bind;
  address.port = options.port;
  errno = 0;
  const int wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  ENetHost* const host =
      wake_fd < 0
          ? nullptr
          : enet_host_create(&address, options.clients + kLiveRefusalSlots, kChannels, 0, 0);
  if (host == nullptr) {
    const std::string reason = reason_of(errno);
    if (wake_fd >= 0) ::close(wake_fd);
    return Refusal(Code::unavailable, "cannot listen on {}:{} (UDP): {}", options.bind,
                   options.port, reason);
  }
  configure(*host, options.checksum);
  host->duplicatePeers = options.clients_per_address + kLiveRefusalsOfAddress;
  return std::unique_ptr<EnetTransport>(new EnetTransport(host, wake_fd));
}

Result<std::unique_ptr<EnetTransport>> EnetTransport::client(const std::string& host_name,
                                                             std::uint16_t port, bool checksum) {
  // Two peers: one may still be closing while the next one connects.
  ENetHost* const host = enet_host_create(nullptr, 2, kChannels, 0, 0);
  if (host == nullptr) {
    return Refusal(Code::unavailable, "cannot open a UDP socket: {}", reason_of(errno));
  }
  configure(*host, checksum);
  std::unique_ptr<EnetTransport> transport(new EnetTransport(host, -1));
  transport->server_host_ = host_name;
  transport->server_port_ = port;
  return transport;
}

EnetTransport::EnetTransport(ENetHost* host, int wake_fd)
    : host_(host),
      server_(wake_fd >= 0),
      wake_fd_(wake_fd),
      connects_(kLiveConnectsPerSecond, kLiveConnectsPerSecond, steady_now()),
      handshakes_(*host),
      peers_(host->peerCount) {
  if (!server_) return;
  // ENetHost has no user data pointer, so intercept() finds `this` in the first peer.
  for (ENetPeer& peer : std::span(host_->peers, host_->peerCount)) peer.data = this;
  host_->intercept = &EnetTransport::intercept;
  filter_datagrams(host_->socket);
}

EnetTransport::~EnetTransport() {
  const enet_uint32 why = server_ ? static_cast<enet_uint32>(Reason::closing) : 0;
  forget_packets();
  for (ENetPeer& peer : std::span(host_->peers, host_->peerCount)) {
    if (!fork_guard_.is_owner_process()) break;
    if (peer.state == ENET_PEER_STATE_ACKNOWLEDGING_CONNECT) enet_peer_reset(&peer);
    if (peer.state != ENET_PEER_STATE_DISCONNECTED) enet_peer_disconnect_now(&peer, why);
  }
  enet_host_destroy(host_);
  if (wake_fd_ >= 0) ::close(wake_fd_);
}

int EnetTransport::intercept(ENetHost* host, ENetEvent*) {
  auto* const self = static_cast<EnetTransport*>(host->peers[0].data);
  const std::string_view datagram(reinterpret_cast<const char*>(host->receivedData),
                                  host->receivedDataLength);
  if (!client_datagram_allowed(datagram, host->checksum != nullptr, self->awaited(datagram)) ||
      !self->handshakes_.proven(datagram)) {
    ++self->garbage_;
    return 1;
  }
  return self->expected(datagram) ? 0 : 1;
}

bool EnetTransport::expected(std::string_view datagram) {
  const std::optional<ConnectAttempt> attempt =
      connect_attempt_in(datagram, host_->checksum != nullptr);
  if (!attempt) return true;
  const ENetAddress& from = host_->receivedAddress;
  const std::uint64_t where = static_cast<std::uint64_t>(from.host) << 16 | from.port;
  const ConnectFilter::Verdict says =
      connect_filter_ == nullptr
          ? ConnectFilter::Verdict::accept
          : connect_filter_->expects(attempt->word, where * 31 + attempt->connection);
  if (says != ConnectFilter::Verdict::accept) {
    ++denied_;
    if (says == ConnectFilter::Verdict::reject) handshakes_.deny(*attempt);
    return false;
  }
  if (!connects_.take(steady_now())) {
    ++garbage_;
    return false;
  }
  return handshakes_.begin(*attempt);
}

// Returns the number of the last reliable message that was read from the datagram's peer.
std::uint16_t EnetTransport::awaited(std::string_view datagram) const {
  const std::optional<std::uint16_t> at = datagram_peer(datagram);
  if (!at || *at >= host_->peerCount) return 0;
  const ENetPeer& peer = host_->peers[*at];
  return peer.channelCount == 0 ? 0 : peer.channels[0].incomingReliableSequenceNumber;
}

std::optional<TransportEvent> EnetTransport::next() {
  while (events_.empty()) {
    if (drained_ || pumps_ >= kLiveServiceRoundsMax || errors_ >= kLiveServiceErrorsMax) {
      more_ = !std::exchange(drained_, false);
      pumps_ = errors_ = 0;
      return std::nullopt;
    }
    pump();
  }
  TransportEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

// Calls enet_host_service once, because it scans all peers, then fetches the other events of the
// batch without reading. One call reads at most 256 datagrams. A connect, a disconnect, or a
// datagram too large for ENet (an error) ends the batch early.
void EnetTransport::pump() {
  ++pumps_;
  drained_ = true;
  if (!fork_guard_.is_owner_process()) return;
  unsent_ = 0;
  // At each connect and disconnect ENet would send all peers their share of the bandwidth,
  // reliably: a storm with many peers. This host has no bandwidth limits that could be shared.
  host_->recalculateBandwidthLimits = 0;
  const std::uint32_t before = host_->totalReceivedPackets;
  ENetEvent event{};
  int happened = enet_host_service(host_, &event, 0);
  const bool whole = happened == 0 || event.type == ENET_EVENT_TYPE_RECEIVE;
  drained_ = whole && host_->totalReceivedPackets - before < kDatagramsPerCall;
  if (happened < 0) {
    ++errors_;
    ++garbage_;
  }
  for (; happened > 0; happened = enet_host_check_events(host_, &event)) {
    if (auto translation = translated(event)) events_.push_back(std::move(*translation));
  }
}

std::optional<TransportEvent> EnetTransport::translated(ENetEvent& event) {
  TransportEvent out;
  PeerId& known = peers_[slot(event.peer)];
  switch (event.type) {
    case ENET_EVENT_TYPE_CONNECT:
      guard(event.peer);
      if (server_) known = assign(event.peer);
      if (known == 0) return std::nullopt;  // closed before it was connected
      out.kind = TransportEvent::Kind::connected;
      out.peer = known;
      out.word = event.data;
      return out;
    case ENET_EVENT_TYPE_DISCONNECT:
      out.kind = TransportEvent::Kind::disconnected;
      out.peer = std::exchange(known, 0);
      out.why = event.data;
      if (out.peer == 0) return std::nullopt;
      return out;
    case ENET_EVENT_TYPE_RECEIVE:
      out.kind = TransportEvent::Kind::received;
      out.peer = known;
      out.channel = static_cast<Channel>(event.channelID);
      out.bytes.assign(reinterpret_cast<const char*>(event.packet->data), event.packet->dataLength);
      enet_packet_destroy(event.packet);
      if (out.peer == 0 || event.channelID >= kChannels) return std::nullopt;
      return out;
    default: return std::nullopt;
  }
}

void EnetTransport::guard(ENetPeer* peer) const {
  peer->mtu = std::min<enet_uint32>(peer->mtu, kLiveMtu);  // the other side may have set more
  enet_peer_timeout(peer, kTimeoutLimit, kTimeoutMinMs, kTimeoutMaxMs);
  enet_peer_ping_interval(peer, kPingMs);
  enet_peer_throttle_configure(peer, kThrottleIntervalMs, kThrottleUp, kThrottleDown);
}

bool EnetTransport::send(PeerId peer, Channel channel, const MessagePtr& message) {
  ENetPeer* const to = find(peer);
  if (to == nullptr) return false;
  ENetPacket* const shared = packet(channel, message);
  // If it fails, ENet does not take the packet; forget_packets() frees it at the next flush.
  if (shared == nullptr || enet_peer_send(to, static_cast<enet_uint8>(channel), shared) != 0) {
    return false;
  }
  sent_one();
  return true;
}

bool EnetTransport::send_bytes(PeerId peer, Channel channel, std::string_view bytes) {
  ENetPeer* const to = find(peer);
  if (to == nullptr) return false;
  ENetPacket* const own = enet_packet_create(bytes.data(), bytes.size(), packet_flag(channel));
  if (own == nullptr) return false;
  if (enet_peer_send(to, static_cast<enet_uint8>(channel), own) != 0) {
    enet_packet_destroy(own);
    return false;
  }
  sent_one();
  return true;
}

// With many clients, the first answers arrive while the last states are still being sent.
void EnetTransport::sent_one() {
  if (++unsent_ >= kSendsPerPump && events_.size() < kLiveEventsMax) pump();
}

ENetPacket* EnetTransport::packet(Channel channel, const MessagePtr& message) {
  const auto found = packets_.find(message.get());
  if (found != packets_.end()) return found->second.second;
  ENetPacket* const made =
      enet_packet_create(message->data(), message->size(), packet_flag(channel));
  if (made == nullptr) return nullptr;
  ++made->referenceCount;
  packets_.emplace(message.get(), std::pair(message, made));
  return made;
}

void EnetTransport::forget_packets() {
  for (auto& [bytes, shared] : packets_) {
    if (--shared.second->referenceCount == 0) enet_packet_destroy(shared.second);
  }
  packets_.clear();
}

void EnetTransport::flush() {
  if (fork_guard_.is_owner_process()) enet_host_flush(host_);
  forget_packets();
}

void EnetTransport::close(PeerId peer, std::uint32_t why) {
  ENetPeer* const leaving = find(peer);
  if (leaving == nullptr || !fork_guard_.is_owner_process()) return;
  peers_[slot(leaving)] = 0;
  std::erase_if(events_, [peer](const TransportEvent& event) { return event.peer == peer; });
  enet_peer_timeout(leaving, kClosingLimit, kClosingMinMs, kClosingMaxMs);
  enet_peer_disconnect_later(leaving, why);
}

Time EnetTransport::round_trip(PeerId peer) const {
  const ENetPeer* const found = find(peer);
  return found == nullptr ? 0 : static_cast<Time>(found->roundTripTime) * 1000;
}

std::uint32_t EnetTransport::address(PeerId peer) const {
  const ENetPeer* const found = find(peer);
  return found == nullptr ? 0 : found->address.host;
}

Result<PeerId> EnetTransport::connect(std::uint32_t word) {
  if (!resolver_) resolver_.emplace(server_host_);
  if (resolver_->poll() == Resolver::Found::not_yet) return PeerId{0};
  const std::optional<Resolver> done = std::exchange(resolver_, std::nullopt);
  if (done->poll() == Resolver::Found::nothing) {
    return Refusal(Code::unavailable, "there is no host \"{}\"", escaped(server_host_, 64));
  }
  // An earlier connection that is still closing repeats its disconnect until it is acknowledged. If
  // the server has started again meanwhile, that would end the new connection.
  for (std::size_t i = 0; i < host_->peerCount; ++i) {
    ENetPeer& earlier = host_->peers[i];
    if (peers_[i] == 0 && earlier.state != ENET_PEER_STATE_DISCONNECTED) enet_peer_reset(&earlier);
  }
  ENetAddress address{};
  address.host = done->address();
  address.port = server_port_;
  ENetPeer* const peer = enet_host_connect(host_, &address, kChannels, word);
  if (peer == nullptr) return PeerId{0};  // earlier connections are still closing
  return peers_[slot(peer)] = assign(peer);
}

std::uint32_t EnetTransport::datagrams() const { return host_->totalReceivedPackets; }

std::uint64_t EnetTransport::garbage() const {
  return garbage_ + (server_ ? datagrams_dropped(host_->socket) : 0);
}

std::uint16_t EnetTransport::port() const { return host_->address.port; }

bool EnetTransport::wait(Time at_most) {
  handshakes_.reap();
  if (more_ || !events_.empty()) return false;  // send() may have read events
  return wait_for(POLLIN, at_most);
}

bool EnetTransport::rest(Time at_most) { return !more_ && wait_for(0, at_most); }

bool EnetTransport::wait_for(short of_socket, Time at_most) {
  pollfd sources[2] = {{wake_fd_, POLLIN, 0}, {host_->socket, of_socket, 0}};
  const timespec time{at_most / kSecond, (at_most % kSecond) * 1000};
  if (ppoll(sources, of_socket == 0 ? 1 : 2, &time, nullptr) <= 0) return false;
  if ((sources[0].revents & POLLIN) == 0) return false;
  std::uint64_t wakes = 0;
  [[maybe_unused]] const ssize_t got = read(wake_fd_, &wakes, sizeof wakes);
  return true;
}

void EnetTransport::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t put = write(wake_fd_, &one, sizeof one);
}

void EnetTransport::close_descriptors() const {
  ::close(host_->socket);
  ::close(wake_fd_);
}

std::size_t EnetTransport::connections() const {
  const std::span peers(host_->peers, host_->peerCount);
  return static_cast<std::size_t>(std::count_if(peers.begin(), peers.end(), [](const ENetPeer& p) {
    return p.state != ENET_PEER_STATE_DISCONNECTED;
  }));
}

std::size_t EnetTransport::slot(const ENetPeer* peer) const {
  return static_cast<std::size_t>(peer - host_->peers);
}

// The low bits are the slot, so that find() needs no table.
PeerId EnetTransport::assign(const ENetPeer* peer) { return (++last_peer_ << 12) | slot(peer); }

ENetPeer* EnetTransport::find(PeerId peer) const {
  const std::size_t at = peer & 0xFFF;
  return peer != 0 && at < peers_.size() && peers_[at] == peer ? &host_->peers[at] : nullptr;
}

}  // namespace laurel
