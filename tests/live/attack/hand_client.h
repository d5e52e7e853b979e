// hand_client.h - a client that speaks ENet by hand, so that it can send what ENet would not.
//
// It connects, says hello, and acknowledges what ENet wants acknowledged. What else it does, the
// test says. If the server ends the connection, it connects again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>

#include "live/enet_bytes.h"
#include "live/loopback_fixture.h"
#include "live/wire/wire.h"

namespace laurel::test {

class HandClient {
 public:
  // number: of this client among others; seeds its random numbers
  HandClient(std::uint16_t server_port, std::uint32_t number)
      : number_(number), port_(server_port), random_(number) {}

  using Act = std::function<void(HandClient&)>;

  // Reads what has arrived, and then acts.
  //   begin  what a new connection does first
  //   step   what it does at each later step
  void step(const Act& begin, const Act& step);

  void send(const std::string& datagram);
  void send_last_again() { send(std::string(last_)); }
  // Commands to the server's peer of this client, in one datagram.
  void send_commands(const std::string& commands);
  void say(const ClientMessage& message) { send_commands(reliable_of(encode(message))); }
  void say_unsequenced(const ClientMessage& message);
  // The command of the next message on a channel.
  std::string reliable_of(std::string_view message) { return reliable(++reliable_, message); }
  std::string unsequenced_of(std::string_view message);
  // Says that the client holds the version that arrived last, less `behind`, if one arrived since
  // the last call.
  void acknowledge_state(std::uint64_t behind = 0);
  // Ends the connection, and begins another one at the next step.
  void leave();

  // A random number below `end`.
  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }
  std::uint32_t number() const { return number_; }
  // The steps of this connection, the first included.
  int steps() const { return steps_; }
  bool is_connected() const { return socket_ != nullptr && connected_; }

  std::size_t bytes = 0;   // sent, with the headers of IP and UDP
  std::size_t states = 0;  // received, except those in fragments

 private:
  void connect();
  void read();
  std::size_t take(std::string_view command, std::uint32_t sent_at);
  void hear(std::string_view message, Channel channel);

  std::uint32_t number_;
  std::uint16_t port_;
  std::mt19937 random_;
  std::unique_ptr<Stranger> socket_;
  std::uint32_t peer_ = 0, session_ = 0, reliable_ = 0, unsequenced_ = 0;
  bool connected_ = false, ended_ = false;
  int steps_ = 0;
  std::string answers_;  // commands for the next datagram
  std::string last_;
  Ack::Held held_;
  bool news_ = false;  // a state arrived that is not acknowledged
};

}  // namespace laurel::test
