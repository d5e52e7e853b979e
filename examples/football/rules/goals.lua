-- A report is one goal. Edit this file while a season plays: it counts from the next tick on.

return {
  version = "1",
  accept = function(submission)
    return submission.score == 1, "a report is one goal"
  end,
}
