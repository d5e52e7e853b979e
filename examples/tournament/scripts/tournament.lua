-- A weekly tournament: each Saturday from 20:00 to 22:00 in Berlin, three attempts a player, and
-- prizes for all.
--
--   the host emits      "register", player            at any time, for all Saturdays to come
--                       "result", player, match, points
--                       "ceremony"                    gives the prizes now
--   the script emits    "accepted", player, best, attempts left
--                       "refused", player, reason
--                       "prize", player, bracket, coins  after a crash perhaps once more
--
-- Prizes are given when a season ends: at the ceremony, or when the next tournament begins. Each
-- player gets one, once, also if the server crashes, or was down when the season ended.

local ATTEMPTS = 3

-- A player gets the prize of the first bracket that their rank reaches. Equal scores share a rank.
local BRACKETS = {
  { name = "winner", coins = 1000, reaches = function() return 1 end },
  { name = "top ten", coins = 250, reaches = function() return 10 end },
  { name = "top 10 %", coins = 100, reaches = function(size) return math.ceil(size / 10) end },
  { name = "took part", coins = 25, reaches = function(size) return size end },
}

local cup = boards:board("cup", {
  keep = "best",
  join = "required",
  attempts = ATTEMPTS,
  reset = "0 20 * * 6",
  zone = "Europe/Berlin", -- 20:00 there, in summer and in winter
  duration = 7200,
  archive = 52, -- a year of results to look back at
})

local coins = boards:board("coins", { keep = "sum", decimals = 0 })

laurel.on("register", function(player)
  local joined, reason = cup:join(player)
  if joined == nil then laurel.emit("refused", player, reason) end
end)

-- The match makes the result's id: a result that is reported twice takes one attempt.
laurel.on("result", function(player, match, points)
  local best, reason = cup:submit(player, points, match, nil, match .. "/" .. player)
  if not best then return laurel.emit("refused", player, reason) end
  local _, left = cup:attempts(player)
  laurel.emit("accepted", player, best, left)
end)

laurel.on("ceremony", function()
  if cup:size() > 0 then cup:reset() end
end)

local function bracket_of(rank, size)
  for _, bracket in ipairs(BRACKETS) do
    if rank <= bracket.reaches(size) then return bracket end
  end
end

-- What this writes is one transaction with the note that the season is done. If an error ends it
-- halfway, it is called again, and because of the ids no coins are given twice.
boards:on_season_end("tournament prizes", function(season)
  if season.board ~= "cup" then return end
  for entry in season.standings:each() do
    local bracket = bracket_of(entry.rank, season.size)
    local id = season.id .. "/" .. entry.player -- at most 64 bytes; a season's has 26
    local held, reason = coins:add(entry.player, bracket.coins, nil, nil, id)
    if held then
      laurel.emit("prize", entry.player, bracket.name, bracket.coins)
    else
      laurel.emit("refused", entry.player, reason) -- banned since
    end
  end
end)
