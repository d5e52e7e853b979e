// season_ends.h - tells registered names of every season that ended on a local board, exactly once.
//
//   name      is registered once and stays registered, also after a restart, until it is forgotten.
//             It hears of seasons that end after that. Its handler is of this process.
//   tick      brings boards that are due up to date, and calls handlers: the end that is oldest
//             first, the ends of one board in order, one end's names in the order of registration.
//             It continues as long as time is left, and calls at least one.
//   once      all that a handler writes, and the note that its name has heard of the end, are one
//             transaction of the store (Store::hold). After a crash either both are there, or
//             neither, and the handler is called again. Under Durability::always one flush follows
//             the handlers of a tick, in place of one for each write.
//   failure   a handler that raised, or that wrote more than one transaction may have, is called
//             again after kSeasonEndRetryMin, doubled up to kSeasonEndRetryMax. What it wrote
//             stays. Later ends of that board wait for it, other boards and names do not.
//   kept      an end is kept in its season (seasons/season_end.h), which the board keeps as long.
//             This class finds the end to tell next; it has no rows of its own except the names.
//   remote    ends of remote boards are found by remote/core/season_end_teller.h, which calls
//             handlers by tell_remote(). They may wait there.
//   cost      a tick O(names) if nothing is due. An end costs O(names * log(ends)).
//   threads   the registry's.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "board/board.h"
#include "board/registry_context.h"
#include "board/seasons/season_end.h"
#include "metrics/metric_set.h"
#include "profile/ulid.h"
#include "registry/tick_budget.h"

namespace laurel {

// Fails with bad_data.
Status check_season_end_name(std::string_view name);

// absent: there is no function. waits: the handler continues later, and then calls `done`.
enum class Hearing : std::uint8_t { returned, raised, absent, waits };

// How long a handler rests after it has raised so often: kSeasonEndRetryMin, doubled up to
// kSeasonEndRetryMax.
Time season_end_pause(unsigned tries);

// What a handler is told.
struct EndedSeason {
  std::string id;
  std::string board;
  Season season;
  std::size_t size = 0;
  // Only for a remote board: a handler that waits calls it once, when it has ended. If all copies
  // are destroyed first, the handler counts as absent.
  std::function<void(Hearing hearing, std::string error)> done = {};
};

// Names a call of a handler in the log.
std::string title_of(std::string_view name, const EndedSeason& ended);

// `error` is set if it raised.
using SeasonEndHandler = std::function<Hearing(const EndedSeason& ended, std::string& error)>;
using SeasonEndHandlerId = std::uint64_t;

// An end that a name has not heard of.
struct UnheardEnd {
  std::string name;
  std::string board;
  std::uint64_t season = 0;
  unsigned tries = 0;  // in this process
  std::string error;   // of the last try
};

struct SeasonEndStats {
  std::uint64_t waiting = 0;  // ends, once for each name that has not heard
  std::uint64_t told = 0;
  std::uint64_t failed = 0;  // calls
  std::uint64_t lost = 0;    // too many seasons waited
};

class SeasonEnds final : public SeasonEndListener {
 public:
  // `context` outlives it.
  explicit SeasonEnds(RegistryContext& context) : context_(context) {}
  SeasonEnds(const SeasonEnds&) = delete;
  SeasonEnds& operator=(const SeasonEnds&) = delete;

  // Reads the names from the store. Called before boards are adopted, and after the last moment
  // given is known.
  void load();
  // The board belongs to the registry from now on; it may have ends.
  void adopt(Board& board);
  // The board is about to be dropped, with its ends.
  void drop(const Board& board);

  // Sets the handler of a name, which is registered if it is new. A handler replaces the one of the
  // same owner. Of several owners, such as versions of a script, the last one's handler is called.
  // Fails with bad_data, and for a new name with unavailable.
  Result<SeasonEndHandlerId> listen(std::string_view name, const void* owner,
                                    SeasonEndHandler handler);
  // Ends the calls of that name in this process. A handler that was replaced ends alone.
  void stop(SeasonEndHandlerId handler);
  // The owner of the handler is gone: the handler that it replaced, if any, is called again.
  void end(SeasonEndHandlerId handler);
  // Ends a name for good; false if there is none. Fails with unavailable.
  Result<bool> forget(std::string_view name);

  // Oldest first.
  std::vector<UnheardEnd> unheard() const;
  // In the order of registration.
  std::vector<std::string> names() const;
  // Whether that many further names can be registered.
  bool has_room(std::size_t names) const { return names_.size() + names <= kSeasonEndNamesMax; }
  // Registers a name of an import, if it is new. REQUIRES: it is valid, and there is room.
  void restore(std::string_view name);
  // The number of the last end: numbers of an import follow it.
  std::uint64_t last_number() const { return last_number_; }

  // ---- ends of remote boards

  // The first name after that one, by bytes, that has a handler; null if there is none.
  const std::string* next_handled(std::string_view after) const;
  bool is_registered(std::string_view name) const { return names_.contains(name); }
  // Changes when a handler is set.
  SeasonEndHandlerId last_handler() const { return last_handler_; }
  // Calls the handler of a name. All that it writes until it returns or waits is one transaction
  // with what `note` writes, which is called if it has returned. `error` is set if it raised.
  Hearing tell_remote(std::string_view name, const EndedSeason& ended, std::string& error,
                      const std::function<void()>& note);
  // A handler that had waited has ended.
  void count(Hearing hearing);
  void count_lost(std::uint64_t ends) { stats_.lost += ends; }

  // Whether a name is registered, or the end that a name heard last is still to be noted.
  bool is_used() const { return !names_.empty() || unnoted_; }
  // Follows the clock. Returns whether tick() has anything to do.
  bool has_work();
  // Returns whether a handler was called. REQUIRES: has_work() was called in this tick.
  bool tick(TickSlice& slice);
  // Whether a handler is running.
  bool telling() const { return telling_; }
  // Notes what was heard, if that is still to be done. Called before the store is closed.
  void finish() {
    if (unnoted_) settle();
  }
  void close();
  const SeasonEndStats& stats() const { return stats_; }
  // Adds how many ends each registered name has not heard of. O(names).
  void collect(MetricSet& set) const;

  // SeasonEndListener
  void on_end(Board& board, ArchivedSeason& season) override;
  void on_lose(const Board& board, const ArchivedSeason& season) override;

 private:
  struct End;
  // The order in which ends are told.
  struct Place {
    Time at = 0;               // when it ended; not before earlier ends of the board
    std::uint64_t number = 0;  // in the order in which the registry noticed them
    End* end = nullptr;

    friend auto operator<=>(const Place&, const Place&) = default;
  };
  struct Registered {
    SeasonEndHandlerId id = 0;
    const void* owner = nullptr;
    std::shared_ptr<const SeasonEndHandler> handler;
  };
  struct Name {
    std::uint64_t number = 0;          // in the order of registration
    std::uint64_t unheard = 0;         // ends
    std::vector<Registered> handlers;  // the last one is called
    // The oldest end of each board that the name has not heard of is in `ready`, or, after a
    // failure, in `resting` until that time.
    std::set<Place> ready;
    std::set<std::pair<Time, Place>> resting;
  };
  using Names = std::map<std::string, Name, std::less<>>;
  // A name that has not heard of an end.
  struct Hearer {
    Names::value_type* name = nullptr;
    unsigned tries = 0;
    Time failed_at = 0;
    std::string error;
  };
  struct End {
    Board* board = nullptr;
    std::uint64_t season = 0;
    Time at = 0;
    std::uint64_t number = 0;
    std::vector<Hearer> hearers;

    Place place() { return {at, number, this}; }
    Hearer* find(std::string_view name);
  };
  using Key = std::pair<SpaceNumber, std::uint64_t>;  // a board's space, and the season
  using Ends = std::map<Key, End>;
  // An end and a name, which may be gone when they are looked up.
  struct Turn {
    Key end;
    std::string name;
  };
  class Telling;

  static Time retry_at(const Hearer& hearer);
  void insert_name(std::string_view name, std::uint64_t number);
  void add(Board& board, const ArchivedSeason& season);
  void remove(Ends::iterator end);
  void rest_again(Names::value_type& name, Time now);
  // The next end of the board after that season becomes the one that the name hears of.
  void promote(Names::value_type& name, const Key& after);
  void unlist(End& end, const Hearer& hearer);
  std::vector<Registered>* find_handler(SeasonEndHandlerId handler);

  void present_due(Time now);
  void follow_clock(Time now);
  void present_all(Time now);
  void wake(Time now);
  std::optional<std::pair<Place, Names::value_type*>> next() const;
  bool tell(Names::value_type& name, End& end);
  Hearing call(Names::value_type& name, const EndedSeason& ended, std::string& error);
  bool settle();
  void heard(const Turn& turn);
  void failed(const Turn& turn, std::string error);

  RegistryContext& context_;
  Ulids ids_;
  Names names_;
  Ends ends_;
  std::uint64_t last_name_ = 0;
  std::uint64_t last_number_ = 0;
  SeasonEndHandlerId last_handler_ = 0;
  Time looked_ = INT64_MIN;  // the time of the last tick
  bool telling_ = false;
  // An end that was told while there was no memory to note it: until it is noted, the store holds
  // its writes.
  std::optional<Turn> unnoted_;
  SeasonEndStats stats_;
};

}  // namespace laurel
