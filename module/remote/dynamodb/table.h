// table.h - where everything lies in the table, and as what: the single-table design of TABLE.md.
//
//   PK, SK     the table's keys. GSI1PK, GSI1SK and GSI2PK, GSI2SK those of its two indexes.
//   home       LEADERBOARD#<board>: METADATA, fences, what is to be swept.
//   keep       of what outlasts seasons: ADMISSION#<player>, POSTS#<lane>#<server>.
//   base       of a season's scores: its partition key, or what its partitions' begin with; and
//              what the players' pointers to it are called. LEADERBOARD#<board>#ARCHIVE_... of
//              copies.
//   player     PLAYER#<player>: PROFILE, SESSION#<id>, and the pointers.
//   owner      says whose an email or a session's id is: PLAYER_EMAIL#<email>, SESSION#<id>.
//   text       keys are UTF-8. Names and ids that are no UTF-8, and '#' where more follows, have
//              those bytes written as U+F700 to U+F7FF; ids with such characters likewise, so that
//              no two are alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "board/spec.h"
#include "engine/padded/padded_keys.h"
#include "remote/ask.h"
#include "remote/dynamodb/json_item.h"

namespace laurel::dynamodb {

// What a board holds of a player, owning what it shows.
struct Row {
  std::string player;
  ScoreKey score = 0;
  Time at = 0;
  std::optional<std::string> data;

  EngineRow view() const;
  friend bool operator==(const Row&, const Row&) = default;
};

std::string key_text(std::string_view bytes, bool more_follows);
// The bytes that key_text wrote.
std::string bytes_of_key(std::string_view text);

std::string player_key(std::string_view player);
std::string email_key(std::string_view email);
std::string game_key(std::string_view game);
std::string session_key(std::string_view id);  // REQUIRES: a ULID
std::string admission_key(std::string_view player);
std::string fence_key(unsigned fence);
std::string posts_key(std::size_t lane, std::uint64_t server);

// The base of the copy of a season, of a board that lives with a server and was created then.
std::string copy_base(std::string_view board, Time created, std::uint64_t season);
bool is_copy_base(std::string_view base);

inline constexpr std::string_view kLeaderboard = "LEADERBOARD#";
inline constexpr std::string_view kProfile = "PROFILE";
inline constexpr std::string_view kSessions = "SESSION#";
inline constexpr std::string_view kOwner = "OWNER";

Json item_key(std::string_view pk, std::string_view sk);
// Of a BatchWriteItem: deletes the item with that key.
Json delete_request(const Json& key);

// The keys of one board's entries, and its items.
class EntryKeys {
 public:
  // `odd_ids`: whether the board has had ids whose keys are other texts. Where the spec's keys are
  // not padded they are those of any score: of copies, whose boards live elsewhere.
  explicit EntryKeys(const Spec& spec, bool odd_ids = false);

  const PaddedKeys& padded() const { return padded_; }
  const ScoreForm& form() const { return form_; }
  Ties ties() const { return ties_; }
  std::size_t partitions() const { return partitions_; }
  // Whether keys of one group may come in another order than their rows stand in: those of equal
  // scores and moments sort as text, or in the wrong direction.
  bool sorts_groups() const { return by_time_ || odd_ids_ || padded_.turned(); }
  // Whether a board with such an id among its equals has to be told of it.
  bool is_odd(std::string_view player) const {
    return !by_time_ && key_text(player, false) != player;
  }

  std::string partition(std::string_view base, std::size_t index) const;
  std::string partition_of(std::string_view base, std::string_view player) const;
  std::string score_key(const Row& row) const;

  // The score item, and the player's pointer to it.
  Json score_item(std::string_view base, const Row& row) const;
  Json pointer_item(std::string_view base, const Row& row) const;
  std::optional<Row> row_of(const Json& item) const;
  // What of a row is written in any item that holds one.
  void write_row(const Row& row, Json& item) const;

 private:
  PaddedKeys padded_;
  ScoreForm form_;
  Ties ties_;
  bool by_time_;
  bool odd_ids_;
  std::size_t partitions_;  // 0: the board is not sharded
};

// The table's form, for CreateTable.
Json table_form(std::string_view table);

}  // namespace laurel::dynamodb
