// season_end_teller.h - tells the names of this server of the ended seasons of one remote board, in
// turns with the other servers that share the board.
//
//   look      every kSeasonEndLookEvery, and when a handler is set: reads what each name that has a
//             handler has heard (request/season_end_request.h). A name that is new to the board
//             hears of the seasons that end from then on.
//   turn      the server that finds an end takes the turn of that name, and renews it while a
//             handler waits. If it dies, another server takes it kSeasonEndTurn later.
//   once      this server notes that a name has heard in one transaction with what the handler
//             wrote. When that is on disk, it tells the board. If it dies in between, it continues
//             from the note when it runs again; if another server takes the turn first, the handler
//             runs there again. So writes to remote boards need the id of the season.
//   failure   a handler that raised is called again after kSeasonEndRetryMin, doubled up to
//             kSeasonEndRetryMax. Another server may be faster.
//   lost      seasons that the remote no longer keeps are logged, and not told.
//   threads   the registry's caller.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "metrics/metric_set.h"
#include "registry/season_ends.h"
#include "remote/core/remote_board.h"
#include "remote/core/retrying_request.h"

namespace laurel {

class SeasonEndTeller {
 public:
  // The references outlive this object.
  SeasonEndTeller(PendingRequests& requests, RemoteBoard& board);
  ~SeasonEndTeller();
  SeasonEndTeller(const SeasonEndTeller&) = delete;
  SeasonEndTeller& operator=(const SeasonEndTeller&) = delete;

  // Called once a tick, after answers were delivered.
  void tick();
  // Appends the ends that this server is telling, or failed to tell.
  void append_unheard(std::vector<UnheardEnd>& unheard) const;
  // Adds these ends, one for each name.
  void collect(MetricSet& set) const;

 private:
  using Answered = void (SeasonEndTeller::*)(const Result<Value>& value);
  // What this server knows of a name.
  struct Name {
    std::uint64_t failed_season = 0;  // 0: none
    unsigned tries = 0;
    Time failed_at = 0;
    std::string error;

    Time rests_until() const { return failed_at + season_end_pause(tries); }
  };
  // A season that a name has heard of, which the board may not know.
  struct Told {
    Time created = 0;  // of the board
    std::uint64_t season = 0;

    friend bool operator==(const Told&, const Told&) = default;
  };
  class Waiting;

  // Whether this server is telling an end to the name, or failed to.
  bool is_unheard(const std::string& name, const Name& known) const {
    return known.tries > 0 || is_told(name);
  }
  bool is_told(const std::string& name) const {
    return name == name_ && (!waiting_.expired() || on_disk_at_);
  }
  Time now() const { return requests_.registry().now(); }
  void ask(std::uint64_t season, Request what, Answered answered);
  void write(std::optional<HearingState> hearing, Answered answered);
  bool went_well(const Result<Value>& value);
  void look_at(std::string name);
  void next_name();
  void looked(const Result<Value>& value);
  void registered(const Result<Value>& value);
  void took_turn(const Result<Value>& value);
  void found_season(const Result<Value>& value);
  void tell(const SeasonFacts& facts);
  void ended(Hearing hearing, std::string error);
  void note_told();
  void tell_board();
  void wrote_heard(const Result<Value>& value);
  void renewed(const Result<Value>& value);
  bool is_on_disk() const;
  void load_notes();
  void erase_note();

  PendingRequests& requests_;
  RemoteBoard& board_;
  const std::uint64_t teller_;
  RetryingRequest request_;
  std::map<std::string, Name> names_;
  std::map<std::string, Told> told_;
  bool loaded_ = false;
  SeasonEndHandlerId last_handler_ = 0;  // when names were looked at last

  // ---- the name that is being looked at
  std::string name_;
  std::optional<HearingState> hearing_;  // as the board has it
  std::optional<HearingState> written_;  // as it will be if the request succeeds
  Time created_ = 0;
  Season season_;
  std::weak_ptr<Waiting> waiting_;           // a handler that waits
  Time renew_at_ = 0;                        // its turn, by the steady clock
  std::optional<std::uint64_t> on_disk_at_;  // the commit that has what the handler wrote
};

}  // namespace laurel
