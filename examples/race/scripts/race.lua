-- A race of many hours. Every stride adds to the runner's distance.

local race = boards:board("race", {
  keep = "sum",
  decimals = 1, -- kilometres with one decimal, exactly
  rule = "distance",
})

laurel.on("stride", function(runner, kilometres)
  local change, reason = race:submit_report(runner, kilometres)
  if not change then
    laurel.emit("banner", runner .. ": " .. reason)
  elseif change.previous_rank and change.rank <= 10 and change.passed > 0 then
    laurel.emit("banner", ("%s overtakes %d: now %d."):format(runner, change.passed, change.rank))
  end
end)

-- Announces a new leader.
race:watch(1, function(change)
  local leader = change.top[1]
  if change.entered[1] then
    laurel.emit("banner", ("%s leads with %.1f km"):format(leader.player, leader.score))
  end
end)
