-- Counts the goals of each scorer.

local goals = boards:board("goals", {
  keep = "sum",
  decimals = 0,
  rule = "goals",
})

laurel.on("goal", function(scorer, team, time, own_goal)
  if own_goal or scorer == "NA" then return end
  -- `time` is the time of the match, so that of two equal scorers the earlier is ranked first.
  local held, reason = goals:submit(scorer, 1, team, time)
  if not held then laurel.emit("banner", scorer .. ": " .. reason) end
end)
