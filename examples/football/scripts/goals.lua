-- Who scored how many goals, as the matches report them.

local goals = boards:board("goals", {
  keep = "sum",
  decimals = 0,
  rule = "goals",
})

laurel.on("goal", function(scorer, team, time, own_goal)
  if own_goal or scorer == "NA" then return end
  -- The moment is the match's own: of two equal scorers the earlier stands first.
  local held, reason = goals:submit(scorer, 1, team, time)
  if not held then laurel.emit("banner", scorer .. ": " .. reason) end
end)
