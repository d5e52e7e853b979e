-- Elo ratings of games between two players: a gameplay script.
--
--   the host emits      "result", winner, loser, drawn     if drawn is true, in any order
--   the script emits    "rated", winner, rating, loser, rating
--                       "unrated", reason                  no rating has changed
--
-- The winner takes points from the loser; the less likely the result was, the more. So the average
-- of all ratings is exactly 1500, to the hundredth. All state is on the board, so nothing is lost
-- if this file is reloaded or the server restarts.
--
-- Source: A. Elo, The Rating of Chessplayers, with the logistic curve that FIDE and USCF use.

local START = 1500 -- the rating of a new player
local K = 32 -- the most points that one game can move
local SPREAD = 400 -- a player with 400 points more is expected to win ten games for each one lost

local ratings = boards:board("elo", {
  keep = "latest",
  decimals = 2, -- exact, so that the gain of one player is the loss of the other
})

-- The expected result of the first player: 1 is a win, 0.5 a draw.
local function expected(rating, other)
  return 1 / (1 + 10 ^ ((other - rating) / SPREAD))
end

-- Changes both ratings and returns them; or changes none and returns nil and why. Each write may be
-- refused, because the player is banned or the id is not valid.
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
