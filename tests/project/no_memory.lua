-- Writes to two boards at once until the process has no memory, then looks at what the boards hold,
-- drops them, and continues.
--
--   luajit tests/project/no_memory.lua BUILD_FOLDER ENGINE
local build, engine = arg[1], arg[2]
package.cpath = build .. "/?.so;" .. package.cpath
local laurel = require "laurel"

local boards = laurel.open()
local spec = { engine = engine }
if engine == "capped" then spec.cap, spec.reserve = 100000, 100000 end
if engine == "sharded" then spec.shards, spec.of = 4, "ranked" end
local first = assert(boards:board("first", spec))
local second = assert(boards:board("second", spec))
local data = string.rep("x", 1000)

-- Lua's own memory ends, too: then a call raises, with or without having been made.
local function try(call, ...)
  local returned, answer, reason = pcall(call, ...)
  if not returned then return nil, answer end
  return answer, reason
end

local NAMES = { "first", "second" }
local function submit(i) return boards:submit(NAMES, "player " .. i, i, data) end

local refused, raised, taken = 0, 0, 0
for i = 1, 1e6 do
  local answer, reason = try(submit, i)
  if answer then
    taken = taken + 1
  elseif reason == "unavailable: no memory" then
    refused = refused + 1
  else
    assert(tostring(reason):find "not enough memory", reason)
    raised = raised + 1
    collectgarbage()
  end
  if refused + raised == 20 then break end
end
assert(refused + raised == 20, "the memory did not end")
assert(refused > 0, "no write was refused")

-- No submission is on one board only, and none that was refused is on any.
local size = first:size()
assert(size == second:size(), "a submission is torn between boards")
local most = spec.cap or math.huge
assert(size >= math.min(taken, most) and size <= math.min(taken + raised, most),
  ("%d entries after %d submissions"):format(size, taken))
assert(first:count() == size and second:count() == size)
local last = first:bottom(1)[1]
assert(last.rank == size and #last.data == 1000)

-- A board can be dropped without memory. What it held between the parts of another board is in small
-- pieces, so memory is only certain to be there again when both are gone.
assert(boards:drop("second"))
assert(boards:drop("first"))
-- Ticks free them, a slice at a time.
local ticks = 0
local function at_last(call)
  while true do
    local answer = call()
    if answer then return answer end
    boards:tick()
    ticks = ticks + 1
    assert(ticks < 100000, "the memory of dropped boards is not free again")
  end
end
local again = at_last(function() return boards:board("first", spec) end)
for i = 1, 1000 do
  at_last(function() return again:submit("player " .. i, i, data) end)
end
assert(again:size() == 1000)
print(("%s: %d submissions, then %d refused, %d raised by Lua"):format(engine, taken, refused, raised))
