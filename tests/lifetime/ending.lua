-- ending.lua - a running game that ends in a given way. Each tick writes; the writer thread and the
-- live channel are at work.
--
--   ending_host LIBRARY ending.lua DIRECTORY FRAMES WAY
--
-- It prints "flushed N" when the N points played so far are known to be on disk, and continues for
-- FRAMES frames.
package.cpath = arg[1]:match("^(.*)/") .. "/?.so"
local laurel = require "laurel"
local directory, frames, way = arg[3], tonumber(arg[4]), arg[5]

local POINTS = 50 -- per frame
local FLUSHED_AFTER = 3 -- frames

local boards = laurel.open { path = directory }
local score = boards:board("score", { keep = "sum" })
local live = assert(boards:serve { port = 0, rate = 1000 })
live:publish(score, { top = 10 })
local client = laurel.connect { port = live:port() }
client:subscribe("score", 3, function() end)

local points = 0
local function frame()
  for _ = 1, POINTS do
    score:submit("all", 1)
    score:submit("p" .. points % 500, 1)
    points = points + 1
  end
  boards:tick()
  client:tick()
end

for _ = 1, FLUSHED_AFTER do frame() end
assert(boards:flush())
io.stdout:write("flushed ", points, "\n")
io.stdout:flush()
for _ = 1, frames do frame() end

local ways = {
  os_exit = function() os.exit(7) end,
  os_exit_in_a_watch = function()
    score:watch(3, function() os.exit(7) end)
    frame()
  end,
  os_exit_while_the_state_closes = function()
    local last = newproxy(true)
    getmetatable(last).__gc = function() os.exit(7) end
  end,
  another_thread = function()
    exit_in_another_thread() -- luacheck: ignore 113
    while true do frame() end
  end,
  signal = function()
    while true do frame() end
  end,
  error = function() error "a mistake in the script" end,
  never_closed = function() end,
  closed = function() end,
}
ways[way]()
