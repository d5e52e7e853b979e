#include "live/proxy.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cassert>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace laurel::test {

namespace {

constexpr std::size_t kDatagramBytesMax = 4096;  // ENet's own are shorter
constexpr int kReadsMax = 64;                    // per socket, before the others are read

sockaddr_in loopback(std::uint32_t address, std::uint16_t port) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_addr.s_addr = address;
  out.sin_port = port;
  return out;
}

int bound_socket() {
  const int made = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const sockaddr_in any = loopback(htonl(INADDR_LOOPBACK), 0);
  const int size = 1 << 20;
  setsockopt(made, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  [[maybe_unused]] const int bound =
      bind(made, reinterpret_cast<const sockaddr*>(&any), sizeof any);
  assert(made >= 0 && bound == 0);
  return made;
}

}  // namespace

Proxy::Proxy(std::uint16_t server_port, std::uint64_t seed)
    : server_port_(htons(server_port)),
      front_(bound_socket()),
      wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      random_(seed) {
  sockaddr_in at{};
  socklen_t size = sizeof at;
  getsockname(front_, reinterpret_cast<sockaddr*>(&at), &size);
  port_ = ntohs(at.sin_port);
  thread_ = std::thread([this] { run(); });
}

Proxy::~Proxy() {
  ending_.store(true);
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t put = write(wake_, &one, sizeof one);
  thread_.join();
  for (const auto& [client, socket] : sockets_) close(socket);
  close(front_);
  close(wake_);
}

void Proxy::set(const Conditions& conditions) {
  const std::lock_guard lock(mutex_);
  conditions_ = conditions;
}

void Proxy::run() {
  std::vector<pollfd> sources;
  while (!ending_.load()) {
    sources.assign({{wake_, POLLIN, 0}, {front_, POLLIN, 0}});
    for (const auto& [socket, client] : clients_) sources.push_back({socket, POLLIN, 0});
    std::chrono::nanoseconds wait = std::chrono::seconds(1);
    if (!under_way_.empty()) {
      wait = std::clamp<std::chrono::nanoseconds>(under_way_.top().due - Clock::now(), {}, wait);
    }
    const timespec at_most{wait.count() / 1'000'000'000, wait.count() % 1'000'000'000};
    ppoll(sources.data(), sources.size(), &at_most, nullptr);
    for (std::size_t i = 1; i < sources.size(); ++i) {
      if (sources[i].revents != 0) read(sources[i].fd);
    }
    send_due();
  }
}

void Proxy::read(int from) {
  char bytes[kDatagramBytesMax];
  for (int i = 0; i < kReadsMax; ++i) {
    sockaddr_in sender{};
    socklen_t size = sizeof sender;
    const ssize_t got =
        recvfrom(from, bytes, sizeof bytes, 0, reinterpret_cast<sockaddr*>(&sender), &size);
    if (got <= 0) return;
    std::string datagram(bytes, static_cast<std::size_t>(got));
    if (from == front_) {
      const int socket = socket_of(sender.sin_addr.s_addr, sender.sin_port);
      if (socket >= 0) delay(socket, htonl(INADDR_LOOPBACK), server_port_, std::move(datagram));
    } else {
      const std::uint64_t client = clients_.at(from);
      delay(front_, static_cast<std::uint32_t>(client >> 16), static_cast<std::uint16_t>(client),
            std::move(datagram));
    }
  }
}

int Proxy::socket_of(std::uint32_t address, std::uint16_t port) {
  const std::uint64_t client = std::uint64_t{address} << 16 | port;
  if (const auto found = sockets_.find(client); found != sockets_.end()) return found->second;
  if (sockets_.size() >= kClientsMax) return -1;
  const int made = bound_socket();
  sockets_[client] = made;
  clients_[made] = client;
  return made;
}

bool Proxy::chance(double probability) {
  return probability > 0 && std::uniform_real_distribution<double>(0, 1)(random_) < probability;
}

void Proxy::delay(int socket, std::uint32_t address, std::uint16_t port, std::string bytes) {
  Conditions conditions;
  {
    const std::lock_guard lock(mutex_);
    conditions = conditions_;
  }
  for (int copies = chance(conditions.duplication) ? 2 : 1; copies > 0; --copies) {
    if (dark_.load() || chance(conditions.loss) || under_way_.size() >= kUnderWayMax) continue;
    Time late = conditions.one_way;
    if (conditions.jitter > 0)
      late += static_cast<Time>(random_() % static_cast<std::uint64_t>(conditions.jitter));
    under_way_.push(
        {Clock::now() + std::chrono::microseconds(late), ++numbers_, socket, address, port, bytes});
  }
}

void Proxy::send_due() {
  const Clock::time_point now = Clock::now();
  for (; !under_way_.empty() && under_way_.top().due <= now; under_way_.pop()) {
    const Datagram& datagram = under_way_.top();
    const sockaddr_in to = loopback(datagram.address, datagram.port);
    sendto(datagram.socket, datagram.bytes.data(), datagram.bytes.size(), 0,
           reinterpret_cast<const sockaddr*>(&to), sizeof to);
    forwarded_.fetch_add(1);
  }
}

}  // namespace laurel::test
