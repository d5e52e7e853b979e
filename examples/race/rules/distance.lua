-- Strides that nobody can run are somebody's mistake, or somebody's trick.
-- Edit this file while the race runs: it counts from the next tick on.

local FASTEST = 42 -- kilometres in one report

return {
  version = "1",
  accept = function(submission)
    return submission.score > 0 and submission.score <= FASTEST, "nobody runs that far at once"
  end,
}
