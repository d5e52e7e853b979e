-- What the text of metrics of 200 boards costs the game's thread, in processor time.
--
--   luajit tests/budget/metrics_time.lua BUILD
--
-- Fails if the shortest of many takes longer than the limit: a machine takes time from its guests.
package.cpath = arg[1] .. "/?.so;" .. package.cpath
local laurel = require "laurel"

local LIMIT = 1 -- milliseconds
local milliseconds = dofile((arg[0]:gsub("[^/]+$", "thread_clock.lua")))

local boards = laurel.open()
for i = 1, 200 do
  local board = boards:board(("board with a name of a usual length %d"):format(i), {})
  for p = 1, 100 do board:submit("player_" .. p, p) end
end
local shortest = math.huge
for _ = 1, 200 do
  local began = milliseconds()
  boards:metrics()
  shortest = math.min(shortest, milliseconds() - began)
end
print(("metrics of 200 boards: %.2f ms, %d KB"):format(shortest, #boards:metrics() / 1024))
os.exit(shortest <= LIMIT and 0 or 1)
