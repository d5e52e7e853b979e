// decision.h - what Board::decide() has decided of a submission, for Board::apply().
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "board/board.h"
#include "board/results/id_hash.h"
#include "engine/rolling/activity.h"

namespace laurel {

struct Board::Decision {
  explicit Decision(Time moment) : at(moment) {}

  Player player;
  bool changed = false;
  bool repeats = false;  // its id was accepted before: it changes nothing
  ScoreKey score = 0;    // the score to hold
  Time at;
  std::optional<std::string_view> data;   // the submission's, or the held one
  std::optional<std::string> ruled_data;  // from the rule, replaces `data`; a copy, because the
                                          // next judgement overwrites the original
  std::optional<EngineRow> held;
  std::optional<Activity> activity;  // on a rolling board, instead of a score
  std::optional<IdHash> id;          // of the submission's id, if it was prefetched
};

}  // namespace laurel
