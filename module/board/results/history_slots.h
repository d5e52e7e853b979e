// history_slots.h - reads kept results in the form that they had before they were a log
// (result_history.h): rows of numbered slots for each player.
//
//   key      the player's id, a zero byte, which no id has, and the slot, 1 byte.
//   value    a packed result (kept_result.h), whose number counts the player's results.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "board/results/kept_result.h"
#include "store/space.h"

namespace laurel {

// Visits the results of all players, oldest first, player by player. The visit may write to other
// spaces. False if a row is damaged.
using VisitSlots =
    std::function<void(std::string_view player, const std::vector<KeptResult>& results)>;
bool each_in_slots(const Space& space, const VisitSlots& visit);

}  // namespace laurel
