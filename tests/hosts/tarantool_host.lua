-- Tarantool: the game runs in one fiber, which yields between two ticks, beside others with registries
-- of their own from the same module. No call of laurel yields, so fibers need no lock for one call; the
-- host must guard a sequence of calls, as with any table.
local fiber = require "fiber"
local laurel = require "laurel"

local folder = arg[0]:match("^(.*)/")
local boards = laurel.open()
local guests = boards:board("guests", { keep = "sum" })
local ended = false

local others = {}
for i = 1, 8 do
  others[i] = fiber.new(function()
    local submitted = 0
    repeat
      guests:submit("all", 1)
      submitted = submitted + 1
      fiber.sleep(0)
    until ended
    return submitted
  end)
  others[i]:set_joinable(true)
end

dofile(folder .. "/game.lua")(function() fiber.sleep(0.001) end)

ended = true
local submitted = 0
for _, other in ipairs(others) do
  local ok, count = other:join()
  assert(ok, count)
  submitted = submitted + count
end
assert(submitted >= #others)
assert(guests:score("all") == submitted)
boards:close()
print "played"
os.exit(0)
