-- race.lua - the race of examples/run, stopped at an interesting moment.
local ffi = require "ffi"
local processes = require "process_fixture"

local SECONDS, HOUR = 30, 15 -- how long it would take, and when it is stopped
local SIGSTOP = 19

local race = {}
race.__index = race

function race.start()
  local self = setmetatable({ log = processes.scratch .. "/server.log" }, race)
  local library = os.getenv("LUA_CPATH"):gsub("%?", "laurel")
  self.pid = processes.start("server", ("%s --laurel %s --scripts examples/race/scripts"
    .. " --rules examples/race/rules --seconds %d"):format(os.getenv("EXAMPLE_SERVER"), library, SECONDS))
  self.port = processes.await("the race's port", function()
    return tonumber((processes.read(self.log) or ""):match("port (%d+)\n"))
  end)
  return self
end

-- Waits for the moment. Overlays keep their last state until they miss the server.
function race:stop()
  processes.await("the moment", function()
    local hour = (processes.read(self.log) or ""):match(".*\n([%d.]+) of %d+ hours")
    return tonumber(hour or 0) >= HOUR, hour
  end)
  ffi.C.kill(self.pid, SIGSTOP)
end

-- A screenshot of a part of the display, under that name.
function race.shoot(name, part)
  local file = ("%s/%s.png"):format(processes.scratch, name)
  assert(os.execute(("import -window root -crop %s +repage %s"):format(part, file)) == 0)
end

return race
