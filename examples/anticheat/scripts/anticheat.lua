-- An afternoon of a moderator: a player has cheated, and the results of some days are taken back.
--
--   the host emits      "result", player, points, proof    proof: where the replay is, for example
--                       "cheated", player, from, to        times: from is included, to is not
--   the script emits    "refused", player, reason
--                       "voided", player, points, at, proof
--                       "holds", player, points            or "nothing"
--                       "top", rank, player, points        each line of the new top ten
--
-- Honest results stay. The player's former best returns, with its time, as if there were no others.

local ladder = boards:board("ladder", {
  keep = "best",
  history = 100, -- results of each player that can be taken back
})

laurel.on("result", function(player, points, proof)
  local held, reason = ladder:submit(player, points, proof)
  if not held then laurel.emit("refused", player, reason) end
end)

laurel.on("cheated", function(player, from, to)
  for _, result in ipairs(ladder:history(player)) do
    if result.at >= from and result.at < to then
      ladder:void(player, result.at)
      laurel.emit("voided", player, result.score, result.at, result.data or "")
    end
  end
  laurel.emit("holds", player, ladder:score(player) or "nothing")
end)

-- The board refills by itself: the eleventh moves up. Watchers and clients see it at the next tick.
ladder:watch(10, function(change)
  for _, entry in ipairs(change.top) do
    laurel.emit("top", entry.rank, entry.player, entry.score)
  end
end)
