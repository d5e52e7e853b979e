-- Elo ratings of games between two: a gameplay script.
--
--   the host emits   "result", winner, loser, drawn     with drawn = true in either order
--   and is told      "rated", winner, his rating, loser, his rating
--                    "unrated", reason                  and nothing has changed
--
-- Who wins takes points from who loses, the more the less it was to be expected; so the sum of all
-- ratings is 1500 for each player, to the hundredth. The board holds all there is: a reload of this
-- file or a restart of the server forgets nothing.
--
-- Source: A. Elo, The Rating of Chessplayers, with the logistic curve that FIDE and USCF use.

local START = 1500 -- of a newcomer
local K = 32 -- points that one game is about
local SPREAD = 400 -- so many points more are expected to win ten games for each one lost

local ratings = boards:board("elo", {
  keep = "latest",
  decimals = 2, -- exact, so that what one gains is what the other loses
})

-- What the first of two is expected to score: 1 for a win, 0.5 for a draw.
local function expected(rating, other)
  return 1 / (1 + 10 ^ ((other - rating) / SPREAD))
end

-- Both ratings, or none and why. Either can be refused: a player may be banned, an id no id.
local function rate(winner, loser, gained)
  local before = ratings:get(winner)
  local won, reason = ratings:set(winner, (before and before.score or START) + gained)
  if not won then return nil, reason end
  local lost
  lost, reason = ratings:set(loser, (ratings:score(loser) or START) - gained)
  if lost then return won, lost end
  if before then
    ratings:set(winner, before.score, before.data, before.at)
  else
    ratings:remove(winner)
  end
  return nil, reason
end

laurel.on("result", function(winner, loser, drawn)
  if winner == loser then return laurel.emit("unrated", winner .. " cannot play alone") end
  local chance = expected(ratings:score(winner) or START, ratings:score(loser) or START)
  local gained = K * ((drawn and 0.5 or 1) - chance)
  gained = math.floor(gained * 100 + 0.5) / 100
  local won, lost = rate(winner, loser, gained)
  if not won then return laurel.emit("unrated", lost) end
  laurel.emit("rated", winner, won, loser, lost)
end)
