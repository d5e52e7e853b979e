-- The LÖVE overlay with the race of examples/run.
package.path = "tests/hosts/?.lua;tests/hosts/pictures/?.lua;" .. package.path
local race = require "race"
local stage = require "stage"

local shot = stage.scratch .. "/love.png"

local running = race.start()
stage.start("love", ("love examples/love --port %d --size 840x600 --title \"24-hour race\""
  .. " --player \"Eino Quill\" --shot %s"):format(running.port, shot))
local window = stage.await("a window", function()
  return stage.output("xdotool search --onlyvisible --name race 2>/dev/null"):match("%d+")
end)
running:stop()
os.execute("sleep 1.5") -- until rows are at rest and scores no longer glow; marks stay longer
stage.await("the picture", function()
  os.execute(("xdotool windowfocus %s key F12"):format(window))
  return stage.read(shot)
end)
