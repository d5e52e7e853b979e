// order.h - the entries of one season as they lie in the table: counted, and read in the board's
// order from any place on.
//
//   walk       one partition's keys in the direction of reading, a Query at a time. Keys of a group
//              (padded_keys.h) that may sort otherwise than their rows stand are read to the
//              group's end and put in order here.
//   gather     partitions are walked together. Each is asked for little more than its fair share
//              and again when its rows have run out, so that the next row is always the best that
//              any of them has left: an exact list.
//   moment     a Query reads consistently what is there at its moment. An answer of several is made
//              of several moments; where nobody writes meanwhile it is exact.
//   cost       a count reads every key of its range; so does a list every row before its first.
//              Groups: of boards with ties by player in the wrong direction (desc with "player",
//              asc with "player_desc"), all equals of the first and the last row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "remote/dynamodb/client.h"
#include "remote/dynamodb/table.h"

namespace laurel::dynamodb {

class Order {
 public:
  // The client and the keys outlive it.
  Order(Client& client, const EntryKeys& keys, std::string base, Time deadline)
      : client_(&client), keys_(&keys), base_(std::move(base)), deadline_(deadline) {}

  const EntryKeys& keys() const { return *keys_; }

  struct Wanted {
    KeyRange range;
    bool best_first = true;
    std::size_t skip = 0;
    std::size_t n = 0;
    const Row* behind = nullptr;  // only rows that come after this one; it outlives the reading
  };
  Task<Result<std::vector<Row>>> read(Wanted wanted) const;
  // The first `each` of every partition, read once, and of them the best n; whether they are
  // certainly the best of all.
  struct Once {
    std::vector<Row> rows;
    bool certain = true;
  };
  Task<Result<Once>> read_once(std::size_t n, std::size_t each) const;

  Task<Result<std::uint64_t>> count(KeyRange range) const;
  // How many rows stand before the row, which is there.
  Task<Result<std::uint64_t>> count_before(Row row) const;
  // How many scores have keys in the range.
  Task<Result<std::uint64_t>> distinct(KeyRange range) const;

  // From the row on to the worst, or to the best, the row and its group included.
  KeyRange from_row(const Row& row, bool to_worst) const;
  // Scores between two, both included.
  KeyRange between(ScoreKey best, ScoreKey worst) const;

 private:
  struct Walk;
  Json query(const std::string& pk, const KeyRange& range) const;
  Task<Result<std::uint64_t>> count_in(std::string pk, KeyRange range) const;
  Task<Status> fetch(Walk& walk, std::size_t n) const;
  void take(Walk& walk, const Json& item) const;
  void release(Walk& walk) const;
  std::vector<std::string> partitions() const;
  std::vector<Walk> begin(const Wanted& wanted) const;
  bool comes_before(const Row& a, const Row& b, bool best_first) const;

  Client* client_;
  const EntryKeys* keys_;
  std::string base_;
  Time deadline_;
};

}  // namespace laurel::dynamodb
