// keys.h - the keys and items of the table: the single-table design of TABLE.md.
//
//   PK, SK     the table's keys. GSI1PK, GSI1SK and GSI2PK, GSI2SK are those of its two indexes.
//   home       LEADERBOARD#<board>: METADATA, fences, lists of items to sweep.
//   keep       the partition of data that outlives seasons: ADMISSION#<player>,
//              ATTEMPTS#<player>, POSTS#<lane>#<server>.
//   result     <keep>#RESULT_<id>: the id of a result that was accepted. Each has a partition of
//              its own, so that ids do not share the throughput of one.
//   base       of a season's scores: its partition key, or the prefix of its partition keys. It is
//              also the sort key of the players' pointers. For copies it is
//              LEADERBOARD#<board>#ARCHIVE_...
//   player     PLAYER#<player>: PROFILE, SESSION#<id>, and the pointers.
//   owner      the owner of an email or of a session's id: PLAYER_EMAIL#<email>, SESSION#<id>.
//   text       keys are UTF-8. Invalid bytes of names and ids, and '#' if more follows, are escaped
//              as U+F700 to U+F7FF. So are those characters themselves, so that keys stay unique.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "board/spec/spec.h"
#include "engine/padded/padded_keys.h"
#include "remote/dynamodb/net/json_item.h"
#include "remote/request/request.h"

namespace laurel::dynamodb {

// A player's entry on a board. Owns its data.
struct Row {
  std::string player;
  ScoreKey score = 0;
  Time at = 0;
  std::optional<std::string> data;

  EngineRow view() const;
  friend bool operator==(const Row&, const Row&) = default;
};

std::string key_text(std::string_view bytes, bool more_follows);
// The inverse of key_text().
std::string bytes_of_key(std::string_view text);

std::string player_key(std::string_view player);
std::string email_key(std::string_view email);
std::string game_key(std::string_view game);
std::string session_key(std::string_view id);  // REQUIRES: a ULID
std::string admission_key(std::string_view player);
std::string attempts_key(std::string_view player);
std::string fence_key(unsigned fence);
std::string posts_key(std::size_t lane, std::uint64_t server);
// The partition of the item that remembers a result's id; its sort key is kResult.
std::string result_key(std::string_view keep, std::string_view id);

// The base of a season's copy, for a board with that creation time.
std::string copy_base(std::string_view board, Time created, std::uint64_t season);
bool is_copy_base(std::string_view base);

inline constexpr std::string_view kLeaderboard = "LEADERBOARD#";
inline constexpr std::string_view kProfile = "PROFILE";
inline constexpr std::string_view kSessions = "SESSION#";
inline constexpr std::string_view kOwner = "OWNER";
inline constexpr std::string_view kResult = "RESULT";

Json item_key(std::string_view pk, std::string_view sk);
// Deletes the item with that key; for BatchWriteItem.
Json delete_request(const Json& key);

// Builds and parses the keys and items of one board's entries.
class EntryKeys {
 public:
  // `odd_ids`: whether some ids of the board are escaped in keys. If the spec's keys are not
  // padded, keys for any score are used: for copies of seasons of other boards.
  explicit EntryKeys(const Spec& spec, bool odd_ids = false);

  const PaddedKeys& padded() const { return padded_; }
  const ScoreForm& form() const { return form_; }
  // Nothing if no entry of the board can have the score. REQUIRES: finite.
  std::optional<ScoreKey> key(double score) const {
    if (columns_ && !columns_->is_whole(score)) return std::nullopt;
    return form_.key(score);
  }
  Ties ties() const { return ties_; }
  std::size_t partitions() const { return partitions_; }
  // Whether keys within a group may sort differently from their rows: rows of equal score and
  // moment sort as text, or in the wrong direction.
  bool sorts_groups() const { return by_time_ || odd_ids_ || padded_.turned(); }
  // Whether this id must be noted in METADATA (oddIds), because it sorts differently as a key.
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
  // Adds the row's attributes to any item.
  void write_row(const Row& row, Json& item) const;

 private:
  PaddedKeys padded_;
  ScoreForm form_;
  ScoreColumns::Ptr columns_;
  Ties ties_;
  bool by_time_;
  bool odd_ids_;
  std::size_t partitions_;  // 0: not sharded
};

// The arguments of CreateTable.
Json table_form(std::string_view table);

}  // namespace laurel::dynamodb
