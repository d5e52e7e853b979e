-- A league with three divisions: each Monday the best 10 % of a division go up, the last 20 % down.
--
--   the host emits      "result", player, points
--   the script emits    "refused", player, reason
--                       "promoted", player, division
--                       "relegated", player, division
--
-- Only players with a result in the week are moved. New players begin in bronze.

local DIVISIONS = { "bronze", "silver", "gold" }
local UP, DOWN = 10, 20 -- percent

local tables = {} -- the board of each division
local level_of_board = {}
for level, name in ipairs(DIVISIONS) do
  tables[level] = boards:board("league_" .. name, {
    keep = "sum",
    decimals = 0,
    reset = "0 4 * * 1", -- Monday at 4:00, when few play
    zone = "Europe/Berlin",
    archive = 10,
  })
  level_of_board["league_" .. name] = level
end

-- The division of each player: 1 is bronze. It has no seasons.
local levels = boards:board("league_levels", { keep = "latest", decimals = 0 })

laurel.on("result", function(player, points)
  local held, reason = tables[levels:score(player) or 1]:submit(player, points)
  if not held then laurel.emit("refused", player, reason) end
end)

-- What the player has won since the new week began goes along.
local function move(player, from, to, event)
  if not levels:set(player, to) then return end -- banned since
  local score = tables[from]:score(player)
  if score then
    tables[from]:remove(player)
    tables[to]:add(player, score)
  end
  laurel.emit(event, player, DIVISIONS[to])
end

-- Called once for each division and week that has results, with the division's final table.
boards:on_season_end("league", function(season)
  local level = level_of_board[season.board]
  if not level then return end
  if level < #DIVISIONS then
    for _, entry in ipairs(season.standings:top(math.ceil(season.size * UP / 100))) do
      move(entry.player, level, level + 1, "promoted")
    end
  end
  if level > 1 then
    for _, entry in ipairs(season.standings:bottom(math.floor(season.size * DOWN / 100))) do
      move(entry.player, level, level - 1, "relegated")
    end
  end
end)
