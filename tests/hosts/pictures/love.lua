-- The LÖVE overlay with the race of examples/run.
package.path = "tests/hosts/?.lua;tests/hosts/pictures/?.lua;" .. package.path
local race = require "race"
local processes = require "process_fixture"

local shot = processes.scratch .. "/love.png"

local running = race.start()
processes.start("love", ("love examples/love --port %d --size 840x600 --title \"24-hour race\""
  .. " --player \"Eino Quill\" --shot %s"):format(running.port, shot))
local window = processes.await("a window", function()
  return processes.output("xdotool search --onlyvisible --name race 2>/dev/null"):match("%d+")
end)
running:stop()
os.execute("sleep 1.5") -- until rows are at rest and scores no longer glow; marks stay longer
processes.await("the picture", function()
  os.execute(("xdotool windowfocus %s key F12"):format(window))
  return processes.read(shot)
end)
