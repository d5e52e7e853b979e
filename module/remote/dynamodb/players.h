// players.h - players and their sessions in one table: each ask of ask_players.h as calls of a
// client.
//
//   writing    reads the profile, decides here, and writes all that follows as one transaction on
//              condition that the profile is the one that was read. Otherwise all of it again, at
//              most kDynamoJudgementsMax times. Of one player the remote asks one at a time.
//   email      belongs to one player: an item of its own says whose it is, and is put on condition
//              that there is none. Reads go by it too, since indexes are behind.
//   session    is put with the item that says whose its id is, on condition that there is none, and
//              counted in the profile by the same transaction: an id that was recorded before
//              changes nothing.
//   games      lists of a game read an index, which shows what was written some time ago, mostly
//              less than a second. All else is read consistently.
//   numbers    scores, lifetime scores and seconds are 0, or between 1e-130 and 1e126 in size:
//              others are out_of_range.
//   threads    one.
//
// Sessions are in players_sessions.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/ulid.h"
#include "remote/dynamodb/client.h"
#include "remote/dynamodb/table.h"
#include "remote/dynamodb/transaction.h"
#include "remote/remote.h"

namespace laurel::dynamodb {

class Players {
 public:
  // The client outlives it.
  explicit Players(Client& client) : client_(client) {}
  Players(const Players&) = delete;
  Players& operator=(const Players&) = delete;

  // The answer of a request, which outlives the task, and of which `ask` is what it asks.
  Task<Result<Value>> answer(const Request& request, const ask::SavePlayer& ask);
  Task<Result<Value>> answer(const Request& request, const ask::ReadPlayer& ask);
  Task<Result<Value>> answer(const Request& request, const ask::ReadPlayerByEmail& ask);
  Task<Result<Value>> answer(const Request& request, const ask::RecordSession& ask);
  Task<Result<Value>> answer(const Request& request, const ask::SessionsOf& ask);
  Task<Result<Value>> answer(const Request& request, const ask::SessionsIn& ask);
  Task<Result<Value>> answer(const Request& request, const ask::ReadSession& ask);
  Task<Result<Value>> answer(const Request& request, const ask::ForgetPlayer& ask);

 private:
  // What the table has of a player; without a version where it has nothing.
  struct Known {
    OwnedProfile profile;
    bool exists = false;
    std::optional<std::int64_t> version;
  };
  // A list of sessions: which keys of the table, or of its index.
  struct Sessions {
    bool by_game = false;
    std::string key;
    std::size_t limit = 0;
    std::string end;  // of the sort key; sessions before it
  };

  // ---- players.cc
  Task<Result<Known>> read(std::string id, Time deadline);
  static Known known_from(std::string_view id, const Json* item);
  static void put(const Known& known, const OwnedProfile& profile, Transaction& parts);

  // ---- players_sessions.cc
  Task<Result<bool>> is_recorded(std::string id, Time deadline);
  Task<Result<std::vector<OwnedSession>>> list(Sessions wanted, Time deadline);
  Task<Status> forget_sessions(std::string player, Time deadline);

  Client& client_;
  Ulids ids_;
};

}  // namespace laurel::dynamodb
