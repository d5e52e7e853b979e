// publisher.h - the boards that a registry shows on the live channel: an audience with a server.
//
//   published  a board with how many of its entries clients may ask for, and whether their data
//              travels. It stays until it is unpublished, or dropped: then its subscribers are told
//              `unknown`.
//   elsewhere  a remote board's top is shown as RemoteBoards reads it, a followed player's
//              surroundings are asked for; both stay as they were last while the remote is away.
//              Until it was read for the first time subscribers wait.
//   followed   players whose surroundings some client follows are looked up when their board
//              changed, kLiveAroundRate times a second at most, kLiveAroundsPerTick at a tick.
//   names      come from the registry's profiles; a player who is renamed is shown so at the next
//              tick.
//   tokens     are kept where the registry is durable, with the passes of those who were let in.
//   tick       every published board that changed since the last tick posts one window; those that
//              did not cost nothing. The live thread's lines go to the registry's log.
//   owner      the registry, once attached. The end of the object ends the server.
//   threads    the registry's caller. The server's thread sees nothing but immutable windows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "board/registry.h"
#include "live/kept_tickets.h"
#include "live/names.h"
#include "live/server.h"
#include "remote/remote_boards.h"

namespace laurel {

struct PublishOptions {
  std::size_t top = kLiveTopMax;  // 1 to kLiveTopMax; clients may ask for any n up to it
  bool data = false;              // whether entries carry their data
};

class Live final : public Audience {
 public:
  // Fails as Server::start does: invalid, unavailable. To be attached to a registry at once.
  static Result<std::unique_ptr<Live>> start(const ServerOptions& options);

  // Shows the board from now on, as it stands at once and after every tick that follows a change.
  // Publishing again changes the options.
  // Fails with  invalid      top is out of its range
  //             unknown      the board was dropped
  //             unavailable  kLiveBoardsMax boards are published already
  Status publish(Registry& registry, BoardHandle board, const PublishOptions& options);
  // Whether the board was published. A dropped board is taken off by itself.
  bool unpublish(const Registry& registry, BoardHandle board);

  // Likewise of a board that lives elsewhere; it is shown once its top was read.
  Status publish_remote(Registry& registry, BoardHandle board, const PublishOptions& options);
  bool unpublish_remote(const Registry& registry, BoardHandle board);

  // A token for the player's client, good for so many connections within that time of the
  // registry's clock; to_text makes it one that can be passed on.
  // Fails with  bad_player   the player
  //             out_of_range seconds is not above 0, or too many; uses is not 1 to
  //                          kLiveTokenUsesMax
  //             unavailable  the disk refuses, or kLiveTokensMax tokens are not used up
  Result<Token> token(const Registry& registry, std::string_view player, double seconds,
                      std::uint64_t uses);

  std::uint16_t port() const { return server_->port(); }
  bool settled() const { return server_->settled(); }
  ServerStats stats() const { return server_->stats(); }

  void on_attach(Registry& registry, unsigned seat) override;
  void on_tick(Registry& registry) override;
  void on_drop(std::string_view name) override;
  void on_forget(std::string_view player) override;
  void on_detach(Registry& registry) override;

 private:
  struct Shown {
    BoardHandle board;
    PublishOptions options;
    std::uint64_t version = 0;         // of the window that was posted last
    WindowPtr window;                  // it
    std::optional<Time> stands_until;  // as `dues_` has it
    std::deque<FollowId> followed;     // those looked up longest ago first
    bool elsewhere = false;
    WindowPtr read;  // elsewhere: the top that `window` was made of
  };
  struct Followed {
    Around around;
    std::uint64_t version = 0;  // of the board, when it was looked up last
    Time looked_up_at = 0;      // by a steady clock
    WindowPtr window;           // posted last; null: none
    bool asked = false;         // elsewhere: an answer is on its way
  };

  explicit Live(std::unique_ptr<Server> server) : server_(std::move(server)) {}
  using ShownBoards = std::map<std::string, Shown, std::less<>>;  // by the boards' names

  void post(Registry& registry, const std::string& name, const Board& board, Shown& shown);
  void take_off(ShownBoards::iterator shown);
  void show_what_is_due(Registry& registry);
  void show_changed(Registry& registry);
  void show_renamed(Registry& registry);
  void show_elsewhere(Registry& registry);
  void post_elsewhere(Registry& registry, const std::string& name, Shown& shown);
  void ask_around(Registry& registry, FollowId id, const Shown& shown);
  void take_follows();
  void look_around(Registry& registry);
  // `board` is null where it lives elsewhere.
  void look_around(Registry& registry, const Board* board, Shown& shown, std::size_t& budget);

  std::unique_ptr<Server> server_;
  std::optional<KeptTickets> tickets_;  // once attached
  Names names_;
  ShownBoards shown_;
  std::set<std::pair<Time, std::string>> dues_;  // of the boards shown, when the clock changes them
  std::set<std::string, std::less<>> followed_on_;  // the boards on which somebody is followed
  std::string looked_around_on_;                    // the last of them, at the last tick
  std::map<FollowId, Followed> followed_;
  std::set<std::string, std::less<>> elsewhere_;                // of the boards shown
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for answers that come later
};

}  // namespace laurel
