-- What a tick costs the game's thread, in processor time, while a rule is rehearsed on a full journal of
-- 100,000 submissions: a short rule, and one whose call takes about a tenth of a millisecond.
--
--   luajit tests/budget/rehearsal_time.lua BUILD [JOURNAL]
--
-- Fails if each of three rehearsals had a tick over the limit: a machine takes time from its guests.
local build = arg[1]
local journal = tonumber(arg[2] or 100000)
package.cpath = build .. "/?.so;" .. package.cpath
local laurel = require "laurel"

local LIMIT = 1 -- millisecond
local milliseconds = dofile((arg[0]:gsub("[^/]+$", "thread_clock.lua")))

local RULES = {
  short = "return { accept = function(submission) return submission.score < 9e5 end }",
  long = [[return { score = function(old, new)
    local sum = 0
    for i = 1, 10000 do sum = sum + i % 7 end
    return math.max(old or new, new) + sum * 0
  end }]],
}
local folder = os.tmpname()
os.remove(folder)
os.execute("mkdir '" .. folder .. "'")
for name, text in pairs(RULES) do
  local file = assert(io.open(folder .. "/" .. name .. ".lua", "w"))
  file:write(text)
  file:close()
end

local boards = laurel.open { rules = folder, log = function() end }
local board = boards:board("cup", { journal = journal })
for i = 1, journal do
  board:submit("player_" .. math.random(journal / 10), math.random(0, 999999))
  if i % 10000 == 0 then boards:tick() end
end

local failed = false
for _, name in ipairs { "short", "long" } do
  local judged = name == "short" and journal or journal / 10
  if name == "long" then board = boards:board("cup", { journal = judged }) end
  local shortest, fewest = math.huge, math.huge
  for _ = 1, 3 do
    local report
    laurel.task(function() report = assert(board:rehearse(name)) end)
    local ticks, longest = 0, 0
    while not report do
      collectgarbage()
      collectgarbage "stop"
      local began = milliseconds()
      boards:tick()
      longest = math.max(longest, milliseconds() - began)
      collectgarbage "restart"
      ticks = ticks + 1
    end
    assert(report.judged == judged)
    fewest = math.min(fewest, report.failed) -- a call that the machine interrupts may exceed its time
    print(("a %s rule, %d submissions, %d ticks: the longest %.3f ms"):format(name, judged, ticks, longest))
    shortest = math.min(shortest, longest)
  end
  if fewest > 0 then
    print(("a %s rule: %d or more calls failed in each rehearsal"):format(name, fewest))
    failed = true
  end
  if shortest > LIMIT then
    print(("a %s rule: a tick took %.3f ms; the limit is %g"):format(name, shortest, LIMIT))
    failed = true
  end
end
boards:close()
os.execute("rm -rf '" .. folder .. "'")
os.exit(failed and 1 or 0)
