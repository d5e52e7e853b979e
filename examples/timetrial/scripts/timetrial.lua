-- A time trial over many maps: a board for each map, and boards over all of them.
--
--   the host emits      "lap", player, map, seconds
--   the script emits    "best", player, map, seconds, rank    the player was never faster on it
--                       "record", player, map, seconds        no player was
--                       "refused", player, reason
--
-- The boards: "lap_01" to "lap_40" with the best times; "records", on how many maps a player holds
-- the record; "finished", how many maps a player has finished; and "points", those of all maps.
-- A map that is added to MAPS needs nothing else: boards over a pattern take it in.

-- The name of each map, and the time for which it gives 1000 points.
local MAPS = {}
for i = 1, 40 do MAPS[i] = { name = ("%02d"):format(i), par = 60 + i } end

local POINTS_AT_PAR, POINTS_MAX = 1000, 2000

local laps, pars = {}, {}
for _, map in ipairs(MAPS) do
  pars[map.name] = map.par
  laps[map.name] = boards:board("lap_" .. map.name, { order = "asc", decimals = 3 })
  -- A sum of times would favour players who finish few maps: so each map has a board of points.
  boards:board("points_" .. map.name, { decimals = 0 })
end

-- Made from the maps' boards, so nothing is written to them.
boards:board("records", { engine = "combined", sources = "lap_*", take = "firsts" })
boards:board("finished", { engine = "combined", sources = "lap_*", take = "count" })
boards:board("points", { engine = "combined", sources = "points_*", take = "sum" })

local function points_of(seconds, par)
  return math.min(POINTS_MAX, math.floor(POINTS_AT_PAR * par / seconds + 0.5))
end

laurel.on("lap", function(player, map, seconds)
  local lap = laps[map]
  if not lap then return laurel.emit("refused", player, "unknown: no map is called " .. map) end
  if seconds ~= seconds or seconds <= 0 then
    return laurel.emit("refused", player, "out_of_range: no lap takes so little")
  end
  local before = lap:score(player)
  -- Both boards or none.
  local held, reason = boards:submit_each(player,
    { ["lap_" .. map] = seconds, ["points_" .. map] = points_of(seconds, pars[map]) })
  if not held then return laurel.emit("refused", player, reason) end
  local best = held["lap_" .. map] -- rounded to the millisecond
  if before and best >= before then return end
  local rank = lap:rank(player)
  laurel.emit("best", player, map, best, rank)
  -- Two equal times both have rank 1, and the earlier one is the record.
  if lap:top(1)[1].player == player then laurel.emit("record", player, map, best) end
end)
