// channel.h - the gateway's connection to the game server: one client of the live channel.
//
//   up        the client is connected, and has heard the server within kSilentAfter.
//   refused   by the server, for example because its token is not valid: that is logged once. The
//             channel is opened again after a while, with the token's file read again.
//   lost      a lost connection is made again by the client.
//   news      subscriptions are kept over all of this. What is new is collected in tick(), and the
//             listener is told after the client's tick, boards before windows: so a window of a new
//             season comes with the season's number.
//   threads   one. No call waits for the network.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "live/client/client.h"
#include "web/http/limits.h"

namespace laurel::web {

class Channel {
 public:
  struct Options {
    std::string host;
    std::uint16_t port = 0;
    std::string token_file = {};       // empty: the server needs no token
    Time again_after = kRefusedAgain;  // a refusal
  };
  // A board's top, or with a player the entries around the player.
  struct Subject {
    std::string board;
    std::string player = {};
    friend auto operator<=>(const Subject&, const Subject&) = default;
  };
  class Listener {
   public:
    // The boards that the server publishes have changed. Null: it has no list of boards.
    virtual void listed(const ListedBoardsPtr& boards) = 0;
    // A new window; or the server publishes no such board.
    virtual void heard(const Subject& subject, const Result<WindowPtr>& window) = 0;
    // The channel came up or went down; or, while it is up, the server has confirmed the last
    // window of more subjects since it came up.
    virtual void confirmed() = 0;

   protected:
    ~Listener() = default;
  };

  Channel(Options options, Log log, Listener& listener);
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  void tick(Time now);

  bool is_up() const { return obstacle_.empty(); }
  // Whether the window last heard is what the server has now: the channel is up, and the
  // subscription continues from this window.
  bool is_current(const Subject& subject) const;
  // Why the channel is not up: "refused: ...", "lost: ...", "connecting: ..."; empty: it is.
  const std::string& obstacle() const { return obstacle_; }
  // Absent while it is not up.
  std::optional<Time> round_trip() const;

  // Asks for windows of a subject, with the most entries that a client may ask for. Fails with
  // out_of_range if the server allows no more.
  Status subscribe(const Subject& subject);
  void unsubscribe(const Subject& subject);

  // Asks which player a token belongs to. Calls back once, in a later tick. Fails as
  // ClientCore::ask_player; with unavailable also while the channel is not up.
  Status ask_player(std::string_view token, OnPlayer on_player);

  // Leaves the server.
  void close();

 private:
  void open(Time now);
  Status subscribe_at_client(const Subject& subject);
  std::string obstacle_of_client(Time now) const;
  void set_obstacle(std::string obstacle, Time now);
  void settle();
  void settle(const Subject& subject);
  void tell();

  Options options_;
  Log log_;
  Listener& listener_;
  std::unique_ptr<Client> client_;  // null: refused, or not opened yet
  Time open_at_ = 0;
  std::string obstacle_;  // why it is not up; empty: it is
  std::string logged_;    // the refusal that was logged
  bool closed_ = false;

  // Whether the server has said what each subject is since the channel came up.
  std::map<Subject, bool> subjects_;
  std::size_t unsettled_ = 0;

  // Heard in this tick, and not told yet:
  std::optional<ListedBoardsPtr> boards_;
  std::vector<std::pair<Subject, Result<WindowPtr>>> windows_;
  bool confirmed_ = false;
};

}  // namespace laurel::web
