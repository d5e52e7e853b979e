// feed.h - what the gateway knows of the boards: the newest state of each, from the channel.
//
//   boards    all that the server publishes, or those of them that the operator chose. Each is
//             subscribed to as long as it is published.
//   follows   the entries around a player are subscribed to while the board is published and a
//             caller uses them, and kFollowLingers longer. There are at most kFollowsMax, so that
//             players cannot take what boards need: then the one that is unused for longest ends.
//   stale     a state is marked so from the moment the channel goes down until the server has
//             confirmed it, or sent another.
//   season    comes in another message than windows. Whichever of a new epoch and a new season
//             comes first waits for the other, at most kSeasonWithin.
//   owner     owns the channel and all topics. A topic of a board that is not published lives as
//             long as it has viewers.
//   threads   one.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "web/feed/channel.h"
#include "web/feed/topic.h"

namespace laurel::web {

class Feed final : private Channel::Listener, private Topic::Owner {
 public:
  struct Options {
    Channel::Options channel;
    std::set<std::string, std::less<>> boards;  // empty: all that the server publishes
  };
  Feed(Options options, Log log, Pacer& pacer);

  void tick(Time now);
  void close() { channel_.close(); }

  Channel& channel() { return channel_; }
  const Channel& channel() const { return channel_; }

  // What can be said of a board.
  enum class Known : std::uint8_t {
    here,     // it has a state
    not_yet,  // that is not known, or its first window has not arrived
    unknown,  // the server does not publish it, or it was not chosen
  };
  Known knows(std::string_view board) const;

  // The topic of a board, made if there is none. It lives while it has a viewer, or the board is
  // published.
  Topic& board(std::string_view name);
  // The topic of the entries around a player. Without a viewer it lives for a moment; calling this
  // again makes it live longer. Fails with unavailable if there are too many.
  Result<Topic*> around(std::string_view board, std::string_view player);

  // The list of boards as JSON, and its ETag. Null until it is known.
  struct List {
    std::string json, etag;
  };
  const List* list();

 private:
  struct Entry {  // a board, or a follow
    std::unique_ptr<Topic> topic;
    WindowPtr window;                // newest; null: none, or the board is gone
    std::optional<Time> held_until;  // the window waits for the season until then
    Time used_at = 0;                // a follow: when it had a user last
    bool is_subscribed = false;      // to the channel
  };
  using Entries = std::map<Channel::Subject, Entry>;

  // Channel::Listener
  void listed(const ListedBoardsPtr& boards) override;
  void heard(const Channel::Subject& subject, const Result<WindowPtr>& window) override;
  void confirmed() override;
  // Topic::Owner
  void unused(Topic& topic) override;

  Entries::iterator add(const Channel::Subject& subject);
  void serve_listed_boards();
  bool subscribe(Entries::value_type& entry);
  void unsubscribe(Entries::value_type& entry);
  void show(Entries::value_type& entry);
  std::uint64_t season_of(std::string_view board) const;
  bool is_chosen(std::string_view board) const;
  bool end_unused_follow(Time unused_for);
  std::size_t follows() const;
  std::string list_json() const;

  Options options_;
  Log log_;
  Pacer& pacer_;
  Entries entries_;
  Channel channel_;
  // The chosen ones of the server's list; if it has none, those of the options.
  std::map<std::string, ListedBoard, std::less<>> boards_;
  bool has_list_ = false;    // the server has one, and it was heard
  bool lacks_list_ = false;  // the server speaks version 1
  bool any_held_ = false;
  std::optional<List> list_;  // until boards_ changes
  Time now_ = 0;              // of the last tick
  Time swept_at_ = 0;
  std::size_t unserved_ = 0;  // boards beyond what the server allows
};

}  // namespace laurel::web
