-- plausible.lua - the best score counts, if it is plausible.
--
--   bounds     a score must be from MIN to MAX.
--   at once    a submission may be at most MOST_AT_ONCE above the held score, or above START for a
--              player's first.
--   with time  it may gain at most MOST_PER_SECOND for each second since the held score was
--              attained.
--
--   boards:board("arena", { keep = "best", rule = "plausible" })
--
-- It uses only the board's entries, so a restart does not change it. Times are the submissions'
-- own: a server that accepts `at` from clients lets them choose their speed. Copy this file, and
-- set:

local MIN, MAX = 0, 1000000
local START = 0 -- the assumed score of a new player
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
    if gained <= 0 then return true end -- no gain, so no check is needed
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
