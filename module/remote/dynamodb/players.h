// players.h - players and their sessions in one table: the requests of player_request.h as calls of
// a client.
//
//   writing    reads the profile, decides locally, and writes everything in one transaction on
//              condition that the profile has not changed. Otherwise the cycle is repeated, at most
//              kDynamoJudgementsMax times. The caller serializes the changes of one player.
//   email      belongs to one player: a separate item names the owner, and is put only if it does
//              not exist. Reads use it too, since indexes lag behind.
//   session    is put together with an item that names the owner of its id, if neither exists, and
//              added to the profile in the same transaction. Recording an id again changes nothing.
//   games      lists of a game read an index, which lags behind, mostly by less than a second. All
//              other reads are consistent.
//   numbers    scores, lifetime scores and seconds are 0, or have a size between 1e-130 and 1e126.
//              Others are out_of_range.
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
#include "remote/dynamodb/keys.h"
#include "remote/dynamodb/net/client.h"
#include "remote/dynamodb/net/transaction.h"
#include "remote/remote.h"

namespace laurel::dynamodb {

class Players {
 public:
  // The client outlives this object.
  explicit Players(Client& client) : client_(client) {}
  Players(const Players&) = delete;
  Players& operator=(const Players&) = delete;

  // Answers a request; `request` is the call. The request must outlive the task.
  Task<Result<Value>> answer(const SentRequest& sent, const request::SavePlayer& request);
  Task<Result<Value>> answer(const SentRequest& sent, const request::ReadPlayer& request);
  Task<Result<Value>> answer(const SentRequest& sent, const request::ReadPlayerByEmail& request);
  Task<Result<Value>> answer(const SentRequest& sent, const request::ReadNames& request);
  Task<Result<Value>> answer(const SentRequest& sent, const request::RecordSession& request);
  Task<Result<Value>> answer(const SentRequest& sent, const request::SessionsOf& request);
  Task<Result<Value>> answer(const SentRequest& sent, const request::SessionsIn& request);
  Task<Result<Value>> answer(const SentRequest& sent, const request::ReadSession& request);
  Task<Result<Value>> answer(const SentRequest& sent, const request::ForgetPlayer& request);

 private:
  // The stored state of a player. `version` is empty if the item has none.
  struct Known {
    OwnedProfile profile;
    bool exists = false;
    std::optional<std::int64_t> version;
  };
  // Selects sessions by keys of the table or of its index.
  struct Sessions {
    bool by_game = false;
    std::string key;
    std::size_t limit = 0;
    std::string end;  // of the sort key, exclusive
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
