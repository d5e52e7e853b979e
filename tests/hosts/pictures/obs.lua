-- OBS Studio with the overlay's script and the race of examples/run.
package.path = "tests/hosts/?.lua;tests/hosts/pictures/?.lua;" .. package.path
local obs_studio = require "obs_studio"
local race = require "race"
local processes = require "process_fixture"

local running = race.start()
obs_studio.start("tests/hosts/pictures/obs.json", { PORT = tostring(running.port) })
local window = processes.await("a window", function()
  return processes.output("xdotool search --onlyvisible --name '^OBS 29' 2>/dev/null"):match("%d+")
end)
os.execute(("xdotool windowsize %s 1120 800 windowmove %s 0 0"):format(window, window))
running:stop()
os.execute("sleep 1") -- until it has redrawn its window
race.shoot("obs", "1120x800+0+0 -resize 840x600")
