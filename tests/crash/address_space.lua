-- Fills a directory with more than it is mapped with at first, in a process with little address space
-- (address_space), and opens it again.
local laurel = require "laurel"
local path = arg[1]
local SESSIONS, DATA = 200000, ("d"):rep(1000)

local function refused(what) print(what) os.exit(1) end

local is_open, boards = pcall(laurel.open, { path = path })
if not is_open then refused(boards) end
for i = 1, SESSIONS do
  local id, why = boards:record_session { player = "p" .. i % 100, game = "g", score = i, seconds = 1,
    data = DATA }
  if not id then refused(why) end
  if i % 1000 == 0 then
    local flushed, reason = boards:flush()
    if not flushed then refused(reason) end
  end
end
assert(boards:stats().disk_failures == 0)
local function games()
  local count = 0
  for i = 0, 99 do count = count + boards:player("p" .. i).games_played end
  return count
end
local first = games()
boards:close()
boards = laurel.open { path = path }
print(("%d sessions, again %d"):format(first, games()))
boards:close()
