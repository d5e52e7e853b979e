-- A game server with everything that metrics tell of: tests/hosts/prometheus starts it.
--
--   luajit tests/hosts/metrics_host.lua FOLDER [SECONDS]     writes FOLDER/laurel.prom each second,
--                                                            for that long, or to standard output if 0
local laurel = require "laurel"
local folder, seconds = arg[1], tonumber(arg[2] or 0)

os.execute("mkdir -p '" .. folder .. "/rules'")
local rule = assert(io.open(folder .. "/rules/even.lua", "w"))
rule:write [[
return {
  accept = function(submission)
    if submission.score < 0 then error("below zero") end
    return submission.score % 2 == 0, "odd"
  end,
}
]]
rule:close()

local boards = laurel.open {
  path = folder .. "/boards", rules = folder .. "/rules", remotes = { main = "redis://127.0.0.1:1" },
  metrics = seconds > 0 and folder .. "/laurel.prom" or nil, metrics_seconds = seconds > 0 and 1 or nil,
  log = function() end,
}
local board = boards:board("season", { keep = "latest", rule = "even" })
boards:board('a "name" with \\ and \n', {}):submit("ada", 1)
boards:board("gr\195\188\195\159e \255", {})
boards:board("shared", { remote = "main" }):post("ada", 5)
boards:on_season_end("prizes", function() error("not yet") end)
board:submit("ada", 2)
board:reset()
local live = assert(boards:serve { port = 0 })
live:publish(board)
local client = assert(laurel.connect { host = "127.0.0.1", port = live:port() })
client:subscribe("season", 5, function() end)

local n = 0
local function work()
  n = n + 1
  board:submit("player " .. n % 50, n)
  if n % 10 == 0 then board:submit("cheater", -1) end
  if n % 500 == 0 then boards:reload_rules() end
  boards:tick()
  client:tick()
end

if seconds == 0 then
  for _ = 1, 200 do work() end
  boards:flush()
  io.write(boards:metrics())
else
  local deadline = os.time() + seconds
  while os.time() < deadline do
    work()
    os.execute("sleep 0.02")
  end
end
boards:close()
