-- What a tick costs the game's thread, in processor time, when the season of a board with a million players
-- ends, and a handler reads the first 1,000.
--
--   luajit tests/budget/season_end_time.lua BUILD [PLAYERS]
--
-- Fails if each of three seasons had a tick over the limit: a machine takes time from its guests.
local build = arg[1]
local players = tonumber(arg[2] or 1000000)
package.cpath = build .. "/?.so;" .. package.cpath
local laurel = require "laurel"

local LIMIT = 5 -- milliseconds
local milliseconds = dofile((arg[0]:gsub("[^/]+$", "thread_clock.lua")))

local folder = os.tmpname()
os.remove(folder)
local now = 1700000000
local failed = false
for _, engine in ipairs { "ranked", "sharded", "paged" } do
  for _, path in ipairs { false, folder .. "-" .. engine } do
    local boards = laurel.open { path = path or nil, clock = function() return now end, log = function() end }
    local board = boards:board("cup", { engine = engine, reset = "0 * * * *" })
    local read = 0
    boards:on_season_end("prizes", function(season) read = read + #season.standings:top(1000) end)
    local shortest = math.huge
    for season = 1, 3 do
      for p = 1, season == 1 and players or players / 10 do
        board:submit("player_" .. p, math.random(0, 999999))
        if p % 10000 == 0 then boards:tick() end
      end
      boards:flush()
      now = now + 3600
      local longest = 0
      for _ = 1, 50 do
        collectgarbage()
        collectgarbage "stop"
        local began = milliseconds()
        boards:tick()
        longest = math.max(longest, milliseconds() - began)
        collectgarbage "restart"
      end
      if season == 1 then
        print(("%s%s, %d players: longest tick %.3f ms"):format(
          engine, path and ", durable" or "", players, longest))
      end
      shortest = math.min(shortest, longest)
    end
    boards:close()
    assert(read == 3000, "the handler read the first 1,000 of each season")
    if shortest > LIMIT then
      print(("%s: a tick took %.3f ms; the limit is %g"):format(engine, shortest, LIMIT))
      failed = true
    end
  end
  os.execute("rm -rf '" .. folder .. "-" .. engine .. "'")
end
os.exit(failed and 1 or 0)
