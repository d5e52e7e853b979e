// publisher.h - publishes boards of a registry on the live channel. Owns a Server, and observes the
// registry as a RegistryObserver.
//
//   published  a board has a maximum number of entries that clients may request, and an option to
//              send entry data. It remains published until it is unpublished or dropped. Then its
//              subscribers get the error `unknown`.
//   version 1  of the protocol has no columns and no fractional ranks: its clients get the error
//              `unknown` for boards that have them.
//   segments   and cohorts of the running season are published under their names
//              (board/segments/segment_name.h), as boards are. They are looked at when their board
//              changed, and posted if they did.
//   described  clients may ask what is published. A remote board is described when its spec is
//              known; the season and its times are not.
//   remote     boards are published too. RemoteBoards reads their top; the entries around a
//              followed player are requested. While the remote is unavailable both keep their last
//              state. Subscribers wait until the first read.
//   followed   players' surroundings are looked up at tick, too: live/server/followed_players.h.
//   names      come from the registry's profiles. A new name is visible from the next tick.
//   tokens     are stored if the registry is durable, as are the passes of admitted clients.
//   sealed     if the server requires tokens, its tokens name the registry's key, and their
//              clients' connections are encrypted; see TokenForm.
//   tick       each published board that changed since the last tick posts one window, as far as
//              the tick's slice allows; the others wait, the one that waits longest first.
//              Unchanged boards cost nothing. Log lines of the live thread are written to the
//              registry's log.
//   owner      the registry, once attached. The destructor stops the server.
//   threads    the registry's caller. The server's thread sees only immutable windows.
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
#include <vector>

#include "base/result.h"
#include "live/auth/ticket_store.h"
#include "live/secure/key_pair.h"
#include "live/server/followed_players.h"
#include "live/server/published.h"
#include "live/server/server.h"
#include "profile/names.h"
#include "registry/registry.h"
#include "remote/remote_boards.h"

namespace laurel {

// What a token is for.
enum class TokenForm : std::uint8_t {
  usual,  // an encrypted connection if the server requires tokens, else one in clear
  clear,  // a connection in clear: for clients of 0.1.0, and those in pure Lua
};

class Publisher final : public RegistryObserver {
 public:
  // Fails as Server::start does: invalid, unavailable. The caller must attach the object to a
  // registry before any other call.
  static Result<std::unique_ptr<Publisher>> start(const ServerOptions& options);

  // Publishes the board: posts its current state now, and a window at each tick after a change.
  // Publishing it again changes the options.
  // With `segment` it is that segment or cohort of the board.
  // Fails with  invalid      top is out of its range
  //             unknown      the board was dropped, or has no segments of the attribute, or no
  //                          cohorts
  //             unavailable  kLiveBoardsMax boards are published already
  //             unsupported  the name of the segment is longer than a board's may be
  //             taken        another board with the name of the segment is published, or a segment
  //                          with the name of the board
  Status publish(Registry& registry, BoardHandle board, const PublishOptions& options,
                 const std::optional<SegmentName>& segment = {});
  // Returns false if the board was not published. A dropped board is unpublished automatically,
  // with its segments.
  bool unpublish(const Registry& registry, BoardHandle board,
                 const std::optional<SegmentName>& segment = {});

  // As publish, for a remote board. Its first window is posted when its top was read.
  Status publish_remote(Registry& registry, BoardHandle board, const PublishOptions& options);
  bool unpublish_remote(const Registry& registry, BoardHandle board);

  // Makes a token for the player's client: valid for `uses` connections within `seconds` of the
  // registry's clock. to_text gives its text form.
  // Fails with  bad_player   the player's id is not valid
  //             out_of_range seconds is not above 0, or too large; uses is not 1 to
  //                          kLiveTokenUsesMax
  //             unavailable  the store is not writable, or kLiveTokensMax tokens are not used up
  Result<Token> token(const Registry& registry, std::string_view player, double seconds,
                      std::uint64_t uses, TokenForm form = TokenForm::usual);

  // Makes a token for a gateway, which serves others: valid for any number of connections, until it
  // is revoked, or for `seconds` of the registry's clock.
  // Fails as token().
  Result<Token> gateway_token(const Registry& registry, std::optional<double> seconds,
                              TokenForm form = TokenForm::usual);
  // Ends such a token, and the connections that were made with it. Returns false if it was not
  // valid. Fails with unavailable.
  Result<bool> revoke_gateway_token(const Registry& registry, std::string_view token);

  std::uint16_t port() const { return server_->port(); }
  bool settled() const { return server_->settled(); }
  ServerStats stats() const { return server_->stats(); }

  void on_attach(Registry& registry, unsigned slot) override;
  void on_tick(Registry& registry, TickSlice& slice) override;
  void on_drop(std::string_view name) override;
  void on_forget(std::string_view player) override;
  void on_rename(std::string_view from, std::string_view to) override;
  void on_detach(Registry& registry) override;
  void collect(MetricSet& set) const override;

 private:
  struct Shown {
    explicit Shown(std::size_t& window_bytes) : window(window_bytes) {}

    Published published;
    bool outdated = false;  // it is in `outdated_`
    PostedWindow window;
    std::uint64_t version = 0;                  // local board: when `window` was posted
    std::optional<Time> next_change_at;         // local board: its entry in `deadlines_`
    WindowPtr read;                             // remote board: the top that `window` was made from
    std::optional<BoardDescription> described;  // told last
  };
  using ShownBoards = std::map<std::string, Shown, std::less<>>;  // by the boards' names

  explicit Publisher(ServerPtr server);

  bool seals(TokenForm form) const;
  // The ticket's token; makes the key at the first need.
  Token token_of_ticket(const Registry& registry, const Ticket& ticket);
  void use_key(const KeyPair& key);

  Result<ShownBoards::iterator> add(const std::string* name, BoardHandle board,
                                    const PublishOptions& options);
  // Returns false if the board is not published.
  bool remove(std::string_view name);

  // These post a window if the last one posted is outdated.
  void show(ShownBoards::value_type& shown, const Board& board);
  void show_remote(const Registry& registry, ShownBoards::value_type& shown);
  void describe(ShownBoards::value_type& shown, BoardDescription description);
  void post(ShownBoards::value_type& shown, std::shared_ptr<Window> window);

  // The steps of a tick.
  void find_renamed(TickSlice& slice);
  void find_due(const Registry& registry);
  void find_changed(const Registry& registry);
  void find_remotes(const Registry& registry);
  void show_outdated(const Registry& registry, TickSlice& slice);

  void outdate(ShownBoards::value_type& shown);

  ServerPtr server_;
  std::optional<KeptTickets> tickets_;  // once attached
  std::optional<KeyPair> key_;          // the registry's, once it is needed
  std::optional<Names> names_;          // once attached
  std::size_t window_bytes_ = 0;        // of windows in `shown_`
  ShownBoards shown_;
  FollowedPlayers followed_;
  std::deque<std::string> outdated_;  // boards whose window must be posted, each once
  struct Renaming {                   // the search for windows with renamed players
    std::optional<std::vector<std::string>> players;  // nullopt: any may be renamed
    std::string board;                                // the last board looked at
    FollowId follow = 0;                              // the last follow looked at
  };
  std::optional<Renaming> renaming_;
  std::set<std::pair<Time, std::string>> deadlines_;  // when the clock changes a published board
  // The names of published segments by those of their boards.
  std::map<std::string, std::set<std::string>, std::less<>> segments_;
  std::set<std::string, std::less<>> remote_boards_;  // the published remote boards
};

}  // namespace laurel
