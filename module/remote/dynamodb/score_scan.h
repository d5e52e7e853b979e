// score_scan.h - counts the entries of one season, and reads them in the board's order from any
// position.
//
//   walk       reads one partition's keys in order, one Query at a time. If keys of a group
//              (padded_keys.h) may sort differently from their rows, the group is read completely
//              and sorted locally.
//   gather     merges the walks of all partitions into an exact list (engine/gather/list_search.h).
//   moment     a Query reads a consistent state of its moment. An answer from several queries
//              combines several moments; it is exact without concurrent writes.
//   cost       a count reads every key of its range. A list also reads every row before its first.
//              Boards with ties by player in the wrong direction (desc with "player", asc with
//              "player_desc") also read all ties of the first and the last row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/gather/row_merge.h"
#include "remote/dynamodb/keys.h"
#include "remote/dynamodb/net/client.h"

namespace laurel::dynamodb {

class Order {
 public:
  // The client and the keys outlive this object.
  Order(Client& client, const EntryKeys& keys, std::string base, Time deadline)
      : client_(&client), keys_(&keys), base_(std::move(base)), deadline_(deadline) {}

  const EntryKeys& keys() const { return *keys_; }

  struct Wanted {
    KeyRange range;
    bool best_first = true;
    std::size_t skip = 0;
    std::size_t n = 0;
    const Row* behind = nullptr;  // only rows after this one; it must outlive the read
  };
  Task<Result<std::vector<Row>>> read(Wanted wanted) const;
  // Reads the first `each` rows of every partition once, and returns the best n of them. `certain`
  // says whether they are the best of all.
  struct Once {
    std::vector<Row> rows;
    bool certain = true;
  };
  Task<Result<Once>> read_once(std::size_t n, std::size_t each) const;

  Task<Result<std::uint64_t>> count(KeyRange range) const;
  // The number of rows before an existing row.
  Task<Result<std::uint64_t>> count_before(Row row) const;
  // The number of distinct scores in the range.
  Task<Result<std::uint64_t>> distinct(KeyRange range) const;

  // From the row to the worst, or to the best. Includes the row and its group.
  KeyRange from_row(const Row& row, bool to_worst) const;
  // The range between two scores, both included.
  KeyRange between(ScoreKey best, ScoreKey worst) const;

 private:
  struct Walk;
  Json query(const std::string& pk, const KeyRange& range) const;
  Task<Result<std::uint64_t>> count_in(std::string pk, KeyRange range) const;
  Task<Status> fetch(Walk& walk, std::size_t n) const;
  void take(Walk& walk, const Json& item) const;
  void add(Walk& walk, Row row) const;
  void release(Walk& walk) const;
  Task<Result<Once>> gather(std::vector<Walk>& walks, std::size_t n, Asking asking) const;
  std::vector<std::string> partitions() const;
  std::vector<Walk> begin(const Wanted& wanted) const;
  bool comes_before(const Row& a, const Row& b, bool best_first) const;

  Client* client_;
  const EntryKeys* keys_;
  std::string base_;
  Time deadline_;
};

}  // namespace laurel::dynamodb
