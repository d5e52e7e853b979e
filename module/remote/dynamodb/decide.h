// decide.h - decides a submission from the player's entry, with the rules and refusals of a local
// board (submission/judge.cc).
//
//   held       the player's listed entry; a hidden entry does not count.
//   pure       reads no clock and no network.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "board/spec/spec.h"
#include "remote/dynamodb/keys.h"
#include "remote/request/request.h"
#include "remote/request/running_season.h"

namespace laurel::dynamodb {

// A player's state besides the entry.
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
  // The references outlive this object.
  Judge(const Spec& spec, std::string_view board) : spec_(spec), board_(board) {}

  // Fails with not_finite, bad_player, bad_data, out_of_range.
  Status check(const OwnedSubmission& what) const;
  // Fails with closed, banned, not_joined. A moderator, to whom no season applies, may write
  // outside the hours.
  Status admit(std::string_view player, const Admission& admission, const RunningSeason* season,
               Time now) const;
  // Fails with out_of_range.
  Result<Decision> decide(WriteMode how, const OwnedSubmission& what,
                          const std::optional<Row>& held, Time default_at) const;
  bool sees(const HeldEntry& seen, const std::optional<Row>& held) const;

 private:
  Status check_fits(ScoreKey score) const;
  Result<ScoreKey> key_of(const OwnedSubmission& what) const;
  Result<ScoreKey> sum(const OwnedSubmission& what, const std::optional<Row>& held) const;

  const Spec& spec_;
  std::string_view board_;
};

}  // namespace laurel::dynamodb
