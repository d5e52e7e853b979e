// judge.h - what a submission comes to on a board of which one entry is known: what a local board
// decides (board.cc), in its words, on values.
//
//   held       what the player holds and is listed; a hidden entry is not.
//   pure       reads no clock and no network.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "board/spec.h"
#include "remote/ask.h"
#include "remote/dynamodb/table.h"

namespace laurel::dynamodb {

// What is known of a player besides the entry.
struct Admission {
  bool banned = false;
  bool joined = false;
};

struct Decision {
  bool changed = false;
  Row row;  // to be held
};

class Judge {
 public:
  // Both outlive it.
  Judge(const Spec& spec, std::string_view board) : spec_(spec), board_(board) {}

  // Fails with not_finite, bad_player, bad_data, out_of_range of the values.
  Status check(const OwnedSubmission& what) const;
  // Fails with closed, banned, not_joined. A moderator's word counts at any time.
  Status admit(std::string_view player, const Admission& admission, bool moderator, Time now) const;
  // Fails with out_of_range.
  Result<Decision> decide(Writing how, const OwnedSubmission& what, const std::optional<Row>& held,
                          Time default_at) const;
  bool sees(const Seen& seen, const std::optional<Row>& held) const;

 private:
  Status check_fits(ScoreKey score) const;

  const Spec& spec_;
  std::string_view board_;
};

}  // namespace laurel::dynamodb
