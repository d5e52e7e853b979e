-- decay.lua - points add up and fade: after HALF_LIFE half of them are left, and so on.
--
-- What a board holds is not touched as time passes, and need not be: all points fade by the same
-- factor, so who stands above whom does not change while nobody plays. The score that is held is in
-- points of the moment REFERENCE; a point gained one half-life later is worth two of them. What it
-- comes to at another moment is for whoever shows it:
--
--   points = score / 2 ^ ((now - REFERENCE) / HALF_LIFE)
--
--   boards:board("form", { rule = "decay" })     -- without `decimals`; `keep` does not matter
--   boards:board("form"):submit("ada", 10)       -- ten points, of now or of `at`
--
-- A late submission with its `at` counts as if it had come in time. Points may be negative. Held
-- numbers double with each half-life: they have room for MOST_HALF_LIVES of them, 19 years with a
-- week each. Set REFERENCE to when the board begins, and change neither of them afterwards:

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
