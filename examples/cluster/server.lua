-- A game server of the cluster's race, in Lua. Its runners post their strides to a board that all
-- servers share, and its clients see that board.
--
--   luajit server.lua --name NAME --remote URL --path DIRECTORY [--runners N] [--seconds N]
--
-- Prints "port N" for overlays, then a line whenever the state of the remote changes. When the time
-- is over and every stride is acknowledged, it prints "ran N tenths", the sum of its own runners.
-- After a line on standard input it prints "board N tenths of M runners", the sum of the board, and
-- ends.
-- laurel.so is found through LUA_CPATH.

local laurel = require "laurel"
package.path = arg[0]:gsub("[^/]*$", "") .. "../overlay/?.lua;" .. package.path
local lines_of = require "lines_of"

local STRIDES_A_FRAME = 4

local options = { runners = "100", seconds = "30" }
for i = 1, #arg, 2 do options[arg[i]:match("^%-%-(%a+)$") or ""] = arg[i + 1] end
if not (options.name and options.remote and options.path) then
  io.stderr:write("usage: server.lua --name NAME --remote URL --path DIRECTORY [--runners N]",
    " [--seconds N]\n")
  os.exit(2)
end

local function say(...)
  io.stdout:write(options.name, ": ", string.format(...), "\n")
  io.stdout:flush()
end

local boards = laurel.open {
  path = options.path, -- strides that are not acknowledged survive a restart
  remotes = { main = options.remote },
  log = function(level, text)
    if level ~= "debug" then say("%s: %s", level, text) end
  end,
}
local race = boards:board("race", {
  engine = "sharded", shards = 16, keep = "sum", decimals = 1, remote = "main",
})
local live = boards:serve { port = 0 }
live:publish(race, { top = 10 })
io.stdout:write("port ", live:port(), "\n")
io.stdout:flush()

-- Posts one stride. It counts in tenths of a kilometre, so that sums are exact.
local ran, state = 0, "up"
local function stride()
  local tenths = math.random(1, 9)
  local runner = ("%s %03d"):format(options.name, math.random(tonumber(options.runners)))
  local kept, reason = race:post(runner, tenths / 10)
  if kept then ran = ran + tenths else say("%s", reason) end
end

-- Prints changes of the remote's state; returns the number of strides that wait.
local function look_at_remote()
  local remote = race:remote()
  if remote.state ~= state then
    state = remote.state
    say("%s, %d strides wait", state, remote.pending)
  end
  return remote.pending
end

-- Prints the sum of all servers' runners.
local function count_board()
  local total, runners = 0, 0
  for entry in race:each() do
    total, runners = total + math.floor(entry.score * 10 + 0.5), runners + 1
  end
  say("board %d tenths of %d runners", total, runners)
end

math.randomseed(#options.name * 7919 + options.name:byte())
local ends = lines_of.now() + tonumber(options.seconds)
local told, counted = false, false
for lines, now in lines_of.standard_input() do -- a frame
  if now < ends then
    for _ = 1, STRIDES_A_FRAME do stride() end
  end
  boards:tick()
  if look_at_remote() == 0 and now >= ends and not told then
    told = true
    say("ran %d tenths", ran)
  end
  if lines[1] then
    laurel.task(function()
      count_board()
      counted = true
    end)
  end
  if counted then break end
end
boards:close()
