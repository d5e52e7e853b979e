-- decay.lua - points add up and decay: their value halves in each HALF_LIFE.
--
-- The board does not change as time passes, and need not: all points decay by the same factor, so
-- the order of the players stays the same without new submissions. The held score is in points of
-- the time REFERENCE; a point gained one half-life later is worth two of them. To display the value
-- at another time, compute:
--
--   points = score / 2 ^ ((now - REFERENCE) / HALF_LIFE)
--
--   boards:board("form", { rule = "decay" })     -- without `decimals`; `keep` does not matter
--   boards:board("form"):submit("ada", 10)       -- ten points, of now or of `at`
--
-- A late submission with the right `at` counts as if it had arrived in time. Points may be
-- negative. Held scores double with each half-life; they have room for MOST_HALF_LIVES, which is 19
-- years with a half-life of a week. Set REFERENCE to the board's start. Do not change HALF_LIFE or
-- REFERENCE later:

local HALF_LIFE = 7 * 86400 -- seconds
local REFERENCE = 1767225600 -- 2026-01-01, Unix seconds
local MOST_HALF_LIVES = 1000

return {
  version = "decay 1",

  accept = function(submission)
    local half_lives = (submission.at - REFERENCE) / HALF_LIFE
    return half_lives >= -MOST_HALF_LIVES and half_lives <= MOST_HALF_LIVES,
      "too far from the moment that points are counted in"
  end,

  score = function(old, new, submission)
    return (old or 0) + new * 2 ^ ((submission.at - REFERENCE) / HALF_LIFE)
  end,
}
