// remote_names.h - names of players whose profiles are in a remote, for lists and windows.
//
//   asked    find() answers at once with what is known. A player who is not known has no name yet,
//            and is asked for in the next tick: up to kRemoteNamesAtOnce players in one request,
//            and one request at a time.
//   fresh    a known name is read again after kRemoteNameFresh; then always after as much time as
//            has passed since it was last asked for, at most kRemoteNameFreshMax. So a name that
//            another server saves is seen although no list that shows it changes. Known names take
//            one request in kRemoteNamesEvery at most.
//   own      a name that this server saves, and a player that it forgets, are known at once.
//   down     while the remote does not answer, the last known names stay.
//   waits    a caller that can wait is called back when the names are known, or when it is not
//            worth while: the remote fails, or kRemoteNamesWithin has passed.
//   limits   kNamesKept players. Then a new player replaces the one that was not asked for the
//            longest, if that is at least kRemoteNameFreshMax; otherwise the new one has no name.
//            So lists of more players do not take each other's names away.
//   views    of names are valid until the next call.
//   threads  the registry's caller.
//   cost     find: a hash and O(log known) if the player was not asked for lately. tick: O(waits).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "board/standings/change.h"
#include "profile/names.h"
#include "remote/core/retrying_request.h"

namespace laurel {

class RemoteNames final : public NameSource {
 public:
  // The references outlive this object.
  RemoteNames(PendingRequests& requests, NamedRemote& remote)
      : requests_(requests), remote_(remote), request_(requests) {}

  // NameSource
  std::string_view find(std::string_view player) override;
  std::uint64_t renames() const override { return renames_; }
  const std::deque<std::string>& renamed() const override { return renamed_; }
  std::size_t bytes() const override;

  // This server has saved the name; or has tried to, and does not know the outcome.
  void saved(std::string_view player, std::string_view name);
  void may_have_saved(std::string_view player);
  // The remote is to forget the player; and it has done so. Between the two there is no name.
  void forget(std::string_view player);
  void forgotten(std::string_view player);

  // Calls back once, in a later tick, when the names of these players are known, or not worth
  // waiting for; not after cancel_wait(). Returns 0, and calls nothing back, if that is so now.
  using WaitId = std::uint64_t;
  WaitId wait(const Entries& entries, std::function<void()> done);
  void cancel_wait(WaitId id) { waits_.erase(id); }

  // Called once a tick, after answers were delivered. A callback may close everything.
  void tick();
  // Drops the callbacks. From then on it only tells what it knows.
  void close();

 private:
  using Place = std::uint64_t;  // of a player who is asked for; they are asked in this order
  struct Known {
    std::string id;
    std::string name;
    bool is_known = false;
    bool is_under_way = false;
    Place place = 0;          // until it is known
    Time read = 0;            // when the name was known, by the steady clock
    Time asked = 0;           // when find() was called last
    Time due = 0;             // when it is read again
    std::uint64_t saved = 0;  // the number of the newest request when this server saved it
  };
  using Players = std::list<Known>;  // the one that was asked for last first
  struct Hash {
    Hash() : secret(HashSecret::random()) {}
    HashSecret secret;
    std::size_t operator()(std::string_view id) const {
      return static_cast<std::size_t>(secret(id));
    }
  };
  struct Wait {
    Place place = 0;  // of the last of its players
    Time until = 0;
    std::function<void()> done;
  };

  Known* look_up(std::string_view player);
  Known* ask_for(std::string_view player);
  Known* admit(std::string_view player, Time now);
  void remove(Known& known);
  void set_name(Known& known, std::string_view name);
  void read_at(Known& known, Time due);
  Time next_read(const Known& known, Time now) const;
  std::vector<std::string> take_due(Time now);
  void send(std::vector<std::string> players);
  void answered(const std::vector<std::string>& players, const Result<Value>& value);
  bool is_worth_waiting() const;
  void end_waits(Time now);

  PendingRequests& requests_;
  NamedRemote& remote_;
  RetryingRequest request_;
  Players players_;
  std::unordered_map<std::string_view, Players::iterator, Hash> by_id_;  // views of players_
  std::map<Place, Known*> unknown_;               // to be asked for, except those under way
  std::set<std::pair<Time, Known*>> known_;       // by `due`, except those under way
  std::set<std::string, std::less<>> forgotten_;  // the remote may still have them
  Place last_place_ = 0;
  Place answered_to_ = 0;  // all places up to this one are answered, or were not
  std::uint64_t request_number_ = 0;
  bool failing_ = false;  // the last request failed, or it is closed
  Time refresh_at_ = 0;
  std::map<WaitId, Wait> waits_;  // one for each task that waits, at most
  WaitId last_wait_ = 0;
  std::uint64_t renames_ = 0;
  std::deque<std::string> renamed_;
};

}  // namespace laurel
