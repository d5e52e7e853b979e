-- The terminal overlay in xterm, as examples/run shows it.
package.path = "tests/hosts/?.lua;tests/hosts/pictures/?.lua;" .. package.path
local race = require "race"
local processes = require "process_fixture"

local LOOKS = table.concat({
  "-geometry 49x14", "-b 28", "-bw 0", "+sb",
  "-fa \"DejaVu Sans Mono\"", "-fs 19.5", "-xrm \"*scaleHeight: 1.2\"",
  "-bg \"#0e141f\"", "-fg \"#e9eef6\"", "-cr \"#0e1520\"", -- a cursor of exactly that colour would be white
  "-xrm \"*color1: #ff6b6b\"", "-xrm \"*color2: #3ddc84\"", "-xrm \"*color3: #ffcf4a\"",
}, " ")

local running = race.start()
processes.start("terminal", ("xterm %s -e sh -c \"tail -n +1 -f %s | luajit examples/overlay/overlay.lua"
  .. " --port %d\""):format(LOOKS, running.log, running.port))
running:stop()
os.execute("sleep 0.3") -- for packets in flight; marks stay longer
race.shoot("terminal", "840x600+0+0")
