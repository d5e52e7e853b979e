#include "live/attack/hand_client.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace laurel::test {

namespace {

constexpr std::size_t kHeaders = 28;  // of IPv4 and UDP

// ENet's commands and the size of each, without the data that follows it.
enum Command : std::uint8_t {
  kVerifyConnect = 3,
  kDisconnect = 4,
  kSendReliable = 6,
  kSendFragment = 8,
  kSendUnsequenced = 9,
};
constexpr std::size_t kCommandBytes[] = {0, 8, 48, 44, 8, 4, 6, 8, 24, 8, 12, 16, 24};
constexpr unsigned kCommandMask = 0x0F, kToBeAcknowledged = 0x80;

}  // namespace

void HandClient::step(const Act& begin, const Act& step) {
  if (!socket_) return connect();
  read();
  if (ended_) return socket_.reset();
  if (connected_) (steps_++ == 0 ? begin : step)(*this);
}

void HandClient::send(const std::string& datagram) {
  socket_->send(datagram);
  bytes += datagram.size() + kHeaders;
  last_ = datagram;
}

void HandClient::send_commands(const std::string& commands) {
  send(head(peer_, session_) + commands);
}

std::string HandClient::unsequenced_of(std::string_view message) {
  std::string out("\x49\x01\0\0", 4);
  put16(out, ++unsequenced_);
  put16(out, static_cast<std::uint32_t>(message.size()));
  return out.append(message);
}

void HandClient::acknowledge_state(std::uint64_t behind) {
  if (!std::exchange(news_, false)) return;
  Ack ack;
  ack.count = 1;
  ack.held[0] = held_;
  ack.held[0].version -= std::min(behind, held_.version - 1);
  say_unsequenced(ack);
}

void HandClient::say_unsequenced(const ClientMessage& message) {
  send_commands(unsequenced_of(encode(message)));
}

void HandClient::leave() {
  std::string command("\x84\xFF", 2);
  put16(command, 1);
  put32(command, 0);
  send_commands(command);
  socket_.reset();
}

void HandClient::connect() {
  socket_ = std::make_unique<Stranger>(port_);
  connected_ = ended_ = news_ = false;
  steps_ = 0;
  reliable_ = unsequenced_ = 0;
  held_ = {};
  send(connect_datagram(below(UINT32_MAX)));
}

void HandClient::read() {
  for (std::string datagram; !(datagram = socket_->receive()).empty();) {
    const bool timed = at16(datagram, 0) & 0x8000;
    const std::uint32_t sent_at = timed ? at16(datagram, 2) : 0;
    std::string_view rest = std::string_view(datagram).substr(timed ? 4 : 2);
    while (!rest.empty()) rest.remove_prefix(take(rest, sent_at));
  }
  if (!answers_.empty()) send_commands(std::exchange(answers_, {}));
}

// Takes the first of the commands. Returns its size with its data.
std::size_t HandClient::take(std::string_view commands, std::uint32_t sent_at) {
  const auto first = static_cast<unsigned char>(commands[0]);
  const unsigned command = first & kCommandMask;
  REQUIRE(command > 0);
  REQUIRE(command < std::size(kCommandBytes));
  const std::size_t size = kCommandBytes[command];
  if (command == kVerifyConnect && connected_) return size;  // of a connect more
  if (first & kToBeAcknowledged) {
    answers_ += acknowledgement(at16(commands, 2), commands[1], sent_at);
  }
  switch (command) {
    case kVerifyConnect:
      peer_ = at16(commands, 4);
      session_ = static_cast<std::uint32_t>(commands.at(7) & 3);
      connected_ = true;
      answers_ += reliable_of(encode(ClientMessage(Hello{})));
      return size;
    case kDisconnect: ended_ = true; return size;
    case kSendFragment: return size + at16(commands, 6);
    case kSendReliable:
    case kSendUnsequenced: {
      const std::string_view message = commands.substr(size, at16(commands, size - 2));
      hear(message, command == kSendReliable ? Channel::reliable : Channel::unsequenced);
      return size + message.size();
    }
    default: return size;
  }
}

void HandClient::hear(std::string_view bytes_heard, Channel channel) {
  const auto message = decode_server(bytes_heard, channel);
  REQUIRE(message);
  const auto* const state = std::get_if<State>(&*message);
  if (state == nullptr) return;
  ++states;
  news_ = true;
  const std::uint32_t before = held_.stream == state->stream ? held_.received : 0;
  held_ = {state->stream, state->version, before + 1};
}

}  // namespace laurel::test
