-- game.lua - a game server's script in plain Lua 5.1, which does not know the host that runs it.
--
--   dofile("game.lua")(frame)    the host passes `frame`, which is called between two ticks
--
-- It plays, closes, and plays again on the data in $SCRATCH. It raises if a result is wrong.
local laurel = require "laurel"

local SCRATCH = assert(os.getenv "SCRATCH", "run by tests/hosts/in_host")
local SECONDS = 20 -- for what takes a few frames; a machine may be busy

local RULE = [[return {
  accept = function(submission) return submission.score < 1e6, "too good to be true" end,
}]]

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

local function eq(actual, expected)
  if actual ~= expected then
    error(("got %s, expected %s"):format(tostring(actual), tostring(expected)), 2)
  end
end

local function names(entries)
  local players = {}
  for i, entry in ipairs(entries) do players[i] = entry.player end
  return table.concat(players, " ")
end

-- Runs frames until the condition is true.
local function await(what, condition, boards, frame, client)
  local deadline = os.time() + SECONDS
  while not condition() do
    if os.time() > deadline then error("awaited: " .. what) end
    boards:tick()
    if client then client:tick() end
    frame()
  end
end

local function open()
  return assert(laurel.open { path = SCRATCH .. "/boards", rules = SCRATCH })
end

local function first_evening(frame)
  local boards = open()
  local race = boards:board("race", { rule = "race", ties = "earliest" })
  eq(race:submit("ada", 30), 30)
  race:submit("bea", 50)
  race:submit("cleo", 50)
  local held, reason = race:submit("mallory", 1e9)
  eq(held, nil)
  eq(reason, "rejected: too good to be true")
  eq(names(race:top(10)), "bea cleo ada")
  local rank, size = race:rank("ada")
  eq(rank, 3)
  eq(size, 3)

  local watched
  race:watch(3, function(change) watched = names(change.top) end)
  race:submit("ada", 60)
  await("the watcher", function() return watched == "ada bea cleo" end, boards, frame)

  local live = assert(boards:serve { port = 0 })
  live:publish(race, { top = 10 })
  local client = laurel.connect { port = live:port() }
  local shown
  client:subscribe("race", 10, function(entries) shown = names(entries) end)
  await("the top at a client", function() return shown == "ada bea cleo" end, boards, frame, client)
  race:submit("cleo", 70)
  await("the change at a client", function() return shown == "cleo ada bea" end, boards, frame, client)
  client:close()
  eq(boards:close(), true)
  eq((pcall(boards.names, boards)), false)
end

local function next_evening(frame)
  local boards = open()
  local race = assert(boards:board("race"))
  eq(names(race:top(10)), "cleo ada bea")
  eq(race:score("cleo"), 70)
  eq(race:add("bea", 25), 75)
  boards:tick()
  frame()
  eq(boards:flush(), true)
  eq(names(race:top(1)), "bea")
  eq(boards:close(), true)
end

return function(frame)
  write(SCRATCH .. "/race.lua", RULE)
  first_evening(frame)
  next_evening(frame)
  eq((collectgarbage("collect")), 0)
end
