#include "bench/live/live_crowd.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <enet/enet.h>

#include "live/limits.h"
#include "live/secure/handshake.h"
#include "live/secure/sealed_session.h"
#include "live/wire/wire.h"

namespace laurel {

namespace {

constexpr std::size_t kClientsPerHost = 500;
constexpr std::size_t kConnectsPerRound = 4;  // 4,000 a second: no burst for the server
constexpr int kReceiveBuffer = 4 << 20;       // one tick's states to all clients of a host
constexpr std::uint64_t kHeaderBytes = 28;    // of IPv4 and UDP
constexpr std::int64_t kChurnEvery = 100'000;
// The child's file descriptors of what it inherits.
constexpr int kAsksFd = 3, kAnswersFd = 4, kStampsFd = 5;
constexpr const char* kArgument = "--crowd";

[[noreturn]] void fail(const char* what) { throw std::runtime_error(what); }

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// The smallest sample that this share of all does not exceed; share < 1. Reorders the samples.
double at(std::vector<float>& samples, double share) {
  if (samples.empty()) return 0;
  const auto nth = samples.begin() +
                   static_cast<std::ptrdiff_t>(share * static_cast<double>(samples.size() - 1));
  std::nth_element(samples.begin(), nth, samples.end());
  return *nth;
}

struct Member {
  ENetPeer* peer = nullptr;
  std::uint64_t held = 0;
  std::uint32_t stream = 0, received = 0;
  std::int64_t said_at = 0;
  bool standing = false, served = false;
  // If the token has the server's key:
  std::optional<ClientHandshake> handshake;
  std::optional<SealedSession> session;
};

// All clients. One thread serves them all.
class Members {
 public:
  Members(CrowdOptions options, const Stamps& stamps)
      : options_(std::move(options)),
        token_(token_of(options_.token)),
        stamps_(stamps),
        members_(options_.clients + 1) {
    for (std::size_t first = 0; first < members_.size(); first += kClientsPerHost) {
      ENetHost* const host =
          enet_host_create(nullptr, std::min(kClientsPerHost, members_.size() - first), 2, 0, 0);
      if (host == nullptr) fail("no ENet host");
      ::setsockopt(host->socket, SOL_SOCKET, SO_RCVBUF, &kReceiveBuffer, sizeof kReceiveBuffer);
      hosts_.push_back(host);
    }
    for (std::size_t i = 0; i < options_.clients; ++i) outside_.push_back(&members_[i]);
  }
  ~Members() {
    for (ENetHost* const host : hosts_) enet_host_destroy(host);
  }
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;

  // Runs until the process that sends requests has ended.
  void run() {
    for (;;) {
      const std::int64_t now = monotonic_microseconds();
      for (std::size_t i = 0; i < kConnectsPerRound && !outside_.empty(); ++i) {
        connect(*outside_.front());
        outside_.pop_front();
      }
      if (options_.churn && outside_.empty()) churn(now);
      for (ENetHost* const host : hosts_) serve(*host);
      ping(now);
      pollfd asks{kAsksFd, POLLIN, 0};
      if (::poll(&asks, 1, 1) > 0 && !answer()) return;  // datagrams gather for a millisecond
    }
  }

 private:
  void connect(Member& member) {
    ENetAddress address{};
    address.host = ENET_HOST_TO_NET_32(0x7F000001);
    address.port = options_.port;
    const auto index = static_cast<std::size_t>(&member - members_.data());
    member.stream = member.received = 0;
    member.held = 0;
    member.standing = false;
    member.session.reset();
    const std::uint32_t word = token_ ? token_->word : 0;
    member.peer = enet_host_connect(hosts_[index / kClientsPerHost], &address, 2, word);
    if (member.peer == nullptr) fail("no ENet peer");
    member.peer->data = &member;
  }

  void churn(std::int64_t now) {
    if (now < churn_at_) return;
    churn_at_ = now + kChurnEvery;
    Member& last = members_.back();
    if (last.peer != nullptr) enet_peer_disconnect_now(last.peer, 0);
    counted_.connected -= last.standing ? 1 : 0;
    connect(last);
  }

  void serve(ENetHost& host) {
    ENetEvent event{};
    const std::uint64_t bytes = host.totalReceivedData, datagrams = host.totalReceivedPackets;
    while (enet_host_service(&host, &event, 0) > 0) {
      auto& member = *static_cast<Member*>(event.peer->data);
      switch (event.type) {
        case ENET_EVENT_TYPE_CONNECT:
          enet_peer_ping_interval(event.peer, 2000);  // like the library's clients
          member.standing = true;
          ++counted_.connected;
          begin(member);
          break;
        case ENET_EVENT_TYPE_DISCONNECT:
          counted_.connected -= member.standing ? 1 : 0;
          ++counted_.lost;
          member.standing = false;
          if (&member != &members_.back()) outside_.push_back(&member);
          break;
        case ENET_EVENT_TYPE_RECEIVE:
          hear(member, static_cast<Channel>(event.channelID),
               {reinterpret_cast<const char*>(event.packet->data), event.packet->dataLength});
          enet_packet_destroy(event.packet);
          break;
        default: break;
      }
    }
    enet_host_flush(&host);
    counted_.datagrams += static_cast<enet_uint32>(host.totalReceivedPackets - datagrams);
    counted_.bytes += static_cast<enet_uint32>(host.totalReceivedData - bytes);
  }

  void begin(Member& member) {
    if (!token_ || !token_->server) return say_hello(member);
    member.handshake.emplace(token_->word, token_->secret, *token_->server, draw_key_pair());
    send(member, member.handshake->first().value(), Channel::reliable);
  }

  void say_hello(Member& member) {
    Hello hello;
    if (token_) hello.secret = {token_->secret.data(), token_->secret.size()};
    say(member, hello);
  }

  // Takes the encryption off, and returns false for what is not a message then.
  bool open(Member& member, Channel channel, std::string_view& bytes) {
    if (member.session) {
      if (!member.session->open(channel, bytes, opened_)) return false;
      bytes = opened_;
      return true;
    }
    if (!member.handshake) return true;
    const auto keys = member.handshake->finish(bytes);
    if (!keys) fail("a handshake that is not the server's");
    member.handshake.reset();
    member.session.emplace(*keys);
    say_hello(member);
    return false;
  }

  void hear(Member& member, Channel channel, std::string_view bytes) {
    if (!open(member, channel, bytes)) return;
    const auto message = decode_server(bytes, channel);
    if (!message) fail("a message that cannot be read");
    if (std::holds_alternative<Welcome>(*message)) {
      Subscribe subscribe;
      subscribe.board = options_.board;
      subscribe.n = static_cast<std::uint8_t>(options_.top);
      say(member, subscribe);
    } else if (const auto* subscribed = std::get_if<Subscribed>(&*message)) {
      member.stream = subscribed->stream;
      member.received = 0;
    } else if (const auto* state = std::get_if<State>(&*message)) {
      hear(member, channel, *state);
    }
  }

  void hear(Member& member, Channel channel, const State& state) {
    if (state.stream != member.stream) return;
    const std::int64_t committed = stamps_.of(state.version);
    const std::int64_t now = monotonic_microseconds();
    if (state.version > member.held && committed != 0)
      latencies_.push_back(static_cast<float>(now - committed));
    member.held = std::max(member.held, state.version);
    ++member.received;
    ++counted_.states;
    counted_.served += member.served ? 0 : 1;
    member.served = true;
    Ack ack;
    ack.count = 1;
    ack.held[0] = {member.stream, member.held, member.received};
    say(member, ack, channel);
  }

  void say(Member& member, const ClientMessage& message, Channel channel = Channel::reliable) {
    const std::string bytes = encode(message);
    if (!member.session) return send(member, bytes, channel);
    member.session->seal(channel, bytes, sealed_);
    send(member, sealed_, channel);
  }

  static void send(Member& member, const std::string& bytes, Channel channel) {
    const enet_uint32 flag =
        channel == Channel::reliable ? ENET_PACKET_FLAG_RELIABLE : ENET_PACKET_FLAG_UNSEQUENCED;
    ENetPacket* const packet = enet_packet_create(bytes.data(), bytes.size(), flag);
    if (enet_peer_send(member.peer, static_cast<enet_uint8>(channel), packet) != 0)
      enet_packet_destroy(packet);
    member.said_at = monotonic_microseconds();
  }

  // Each call handles some members, so that each of them has its turn every two seconds.
  void ping(std::int64_t now) {
    const std::int64_t passed = now - std::exchange(pinged_at_, now);
    turn_ += std::min(1.0, static_cast<double>(passed) / kLivePingEvery) *
             static_cast<double>(options_.clients);
    for (; turn_ >= 1; turn_ -= 1) {
      Member& member = members_[pinged_++ % options_.clients];
      if (member.standing && now - member.said_at >= kLivePingEvery)
        say(member, Ping{1}, Channel::unsequenced);
    }
  }

  // False when the other process has closed its end.
  bool answer() {
    char what = 0;
    if (::read(kAsksFd, &what, 1) != 1) return false;
    if (what == 'b') {
      const CrowdReport before = std::exchange(counted_, {});
      counted_.connected = before.connected;
      counted_.served = before.served;
      latencies_.clear();
      cpu_ = cpu_seconds();
      return true;
    }
    CrowdReport report = counted_;
    report.bytes += report.datagrams * kHeaderBytes;
    report.cpu = cpu_seconds() - cpu_;
    report.median = at(latencies_, 0.5);
    report.p99 = at(latencies_, 0.99);
    report.most = at(latencies_, 1);
    return ::write(kAnswersFd, &report, sizeof report) == sizeof report;
  }

  CrowdOptions options_;
  std::optional<Token> token_;
  std::string opened_, sealed_;
  const Stamps& stamps_;
  std::vector<Member> members_;  // with churn, the last one connects and leaves
  std::vector<ENetHost*> hosts_;
  std::deque<Member*> outside_;  // members that are not connected yet
  std::size_t pinged_ = 0;
  std::int64_t churn_at_ = 0, pinged_at_ = monotonic_microseconds();
  double turn_ = 0;
  CrowdReport counted_;
  std::vector<float> latencies_;
  double cpu_ = 0;
};

}  // namespace

std::int64_t monotonic_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
}

Stamps::Stamps() : fd_(::memfd_create("stamps", MFD_CLOEXEC)) {
  if (fd_ < 0 || ::ftruncate(fd_, kVersions * sizeof *at_) != 0) fail("no shared memory");
  map();
}

Stamps::Stamps(int fd) : fd_(fd) { map(); }

void Stamps::map() {
  void* const mapped =
      ::mmap(nullptr, kVersions * sizeof *at_, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (mapped == MAP_FAILED) fail("shared memory cannot be mapped");
  at_ = static_cast<std::atomic<std::int64_t>*>(mapped);
}

Stamps::~Stamps() {
  ::munmap(at_, kVersions * sizeof *at_);
  ::close(fd_);
}

Crowd::Crowd(const CrowdOptions& options, const Stamps& stamps) {
  int asks[2], answers[2];
  if (::pipe2(asks, O_CLOEXEC) != 0 || ::pipe2(answers, O_CLOEXEC) != 0) fail("no pipe");
  std::vector<std::string> words{"bench_live",
                                 kArgument,
                                 std::to_string(options.port),
                                 std::to_string(options.clients),
                                 std::to_string(options.top),
                                 options.churn ? "1" : "0",
                                 options.board,
                                 options.token};
  std::vector<char*> argument;
  for (std::string& each : words) argument.push_back(each.data());
  argument.push_back(nullptr);
  // A source may have the number of a target: first move all to unused numbers.
  constexpr int kAside = 100;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  const int wanted[][2] = {{asks[0], kAsksFd}, {answers[1], kAnswersFd}, {stamps.fd(), kStampsFd}};
  for (const auto& [from, to] : wanted)
    ::posix_spawn_file_actions_adddup2(&actions, from, to + kAside);
  for (const auto& [from, to] : wanted) {
    ::posix_spawn_file_actions_adddup2(&actions, to + kAside, to);
    ::posix_spawn_file_actions_addclose(&actions, to + kAside);
  }
  const int error =
      ::posix_spawn(&process_, "/proc/self/exe", &actions, nullptr, argument.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(asks[0]);
  ::close(answers[1]);
  asks_ = asks[1];
  answers_ = answers[0];
  if (error != 0) fail("the clients' process does not start");
}

Crowd::~Crowd() {
  go_on();
  ::close(asks_);
  ::close(answers_);
  ::waitpid(process_, nullptr, 0);
}

void Crowd::ask(char what) const {
  if (::write(asks_, &what, 1) != 1) fail("the clients' process has ended");
}

CrowdReport Crowd::report() {
  ask('r');
  CrowdReport report;
  if (::read(answers_, &report, sizeof report) != sizeof report)
    fail("the clients' process has ended");
  return report;
}

void Crowd::begin() { ask('b'); }
void Crowd::stop() { ::kill(process_, SIGSTOP); }
void Crowd::go_on() { ::kill(process_, SIGCONT); }

bool run_crowd(int arguments, char** argument) {
  if (arguments != 8 || std::string_view(argument[1]) != kArgument) return false;
  const Stamps stamps(kStampsFd);
  CrowdOptions options;
  options.port = static_cast<std::uint16_t>(std::stoul(argument[2]));
  options.clients = std::stoul(argument[3]);
  options.top = std::stoul(argument[4]);
  options.churn = argument[5][0] == '1';
  options.board = argument[6];
  options.token = argument[7];
  Members(options, stamps).run();
  return true;
}

}  // namespace laurel
