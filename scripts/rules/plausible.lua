-- plausible.lua - the best score counts, where it can have been played.
--
--   bounds     no score outside MIN and MAX.
--   at once    no submission more than MOST_AT_ONCE above what is held, or above START for a
--              player's first.
--   with time  nor more than MOST_PER_SECOND for each second since what is held was attained.
--
--   boards:board("arena", { keep = "best", rule = "plausible" })
--
-- It goes by what the board holds, so it means the same after a restart. Times are the submissions'
-- own: a server that takes `at` from clients lets them choose their speed. Copy it, and set:

local MIN, MAX = 0, 1000000
local START = 0 -- what a newcomer is taken to hold
local MOST_AT_ONCE = 5000
local MOST_PER_SECOND = 50

return {
  version = "plausible 1",

  accept = function(submission, old)
    local score = submission.score
    if score < MIN or score > MAX then
      return false, "a score is between " .. MIN .. " and " .. MAX
    end
    local gained = score - (old or START)
    if gained <= 0 then return true end -- nothing is gained, nothing to doubt
    if gained > MOST_AT_ONCE then
      return false, gained .. " more at once, at most " .. MOST_AT_ONCE .. " are plausible"
    end
    local held = submission.held
    if held then
      local seconds = math.max(submission.at - held.at, 0)
      if gained > seconds * MOST_PER_SECOND then
        return false, gained .. " more in " .. seconds .. " s, at most " .. MOST_PER_SECOND
          .. " a second are plausible"
      end
    end
    return true
  end,

  score = function(old, new) return math.max(old or new, new) end,
}
