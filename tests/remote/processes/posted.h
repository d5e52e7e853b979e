// posted.h - what servers posted, as their notes say, and what a board may contain as a result.
//
//   sure     post returned true: it must count. A post that a kill interrupted may count.
//   order    known among the posts of one server only. Boards are therefore such that the order
//            between servers does not matter: each player uses one server, or `keep` is best or
//            sum.
//   oracle   board/oracle.h, over the merged history.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "board/fixture.h"

namespace laurel {

struct Posted {
  std::string board;
  std::string player;
  double score = 0;
  bool sure = false;
};

// The posts in a server's notes, in order, without those that were refused.
std::vector<Posted> read_posted(const std::string& notes);

// An entry as a server read it.
struct ShownEntry {
  std::uint64_t rank = 0;
  std::string player;
  double score = 0;

  friend bool operator==(const ShownEntry&, const ShownEntry&) = default;
};

// A board that servers share.
struct SharedBoard {
  std::string name;
  Fields fields;     // except `remote`
  bool own = false;  // each player uses one server only
  int low = 0;       // scores are low to high, divided by parts
  int high = 999;
  int parts = 1;

  Spec spec() const { return *laurel::spec(fields).create(); }
  // open("name", { engine = "ranked", ..., remote = "main" })
  std::string opening() const;
  // { "name", own = true, low = 0, high = 999, parts = 1 }
  std::string playing() const;
};

// What is wrong with the entries, which are listed best first; one line each. Empty if they are
// what the posts to that board result in, without the banned players.
std::string wrong_with(const SharedBoard& board, const std::vector<Posted>& posted,
                       const std::vector<ShownEntry>& shown, const std::set<std::string>& banned);

}  // namespace laurel
