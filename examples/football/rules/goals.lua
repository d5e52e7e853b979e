-- Each submission is one goal. Edits of this file apply from the next tick on.

return {
  version = "1",
  accept = function(submission)
    return submission.score == 1, "a report is one goal"
  end,
}
