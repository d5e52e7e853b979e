// posted.h - what servers posted, as their notes say, and what a board may have of it.
//
//   sure     post returned true: it must count. One that a kill interrupted may.
//   order    of the posts of one server its own; between servers there is none, so that only what
//            does not depend on it is asked: players of one server each, or `keep` best and sum.
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

// Of a server's notes, in its order; what was refused is left out.
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
  Fields fields;     // but `remote`
  bool own = false;  // its players are of one server each
  int low = 0;       // scores are low to high, by parts
  int high = 999;
  int parts = 1;

  Spec spec() const { return *laurel::spec(fields).create(); }
  // open("name", { engine = "ranked", ..., remote = "main" })
  std::string opening() const;
  // { "name", own = true, low = 0, high = 999, parts = 1 }
  std::string playing() const;
};

// What is wrong with the entries, best first, a line each; empty where they are what the posts make
// of that board, without the players that are banned.
std::string wrong_with(const SharedBoard& board, const std::vector<Posted>& posted,
                       const std::vector<ShownEntry>& shown, const std::set<std::string>& banned);

}  // namespace laurel
