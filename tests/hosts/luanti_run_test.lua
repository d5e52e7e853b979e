-- The whole command ./examples/run luanti, on a terminal: it starts a world, the server and an overlay, and
-- shuts them down cleanly.
package.path = "tests/hosts/?.lua;" .. package.path
local World = require "luanti_world"
local processes = require "process_fixture"

local CTRL_C = "\3"

-- Started a second time it uses the world that it made.
local folder, code = processes.scratch .. "/world", processes.scratch .. "/code"
for start, sum in ipairs { 40, 80 } do
  local name = "run" .. start
  local world = World.at(folder)
  local script = ("%s/%s.sh"):format(processes.scratch, name)
  os.remove(code)
  processes.write(script, ("./examples/run luanti --world %s --port %d --live-port %d\necho $? >%s\n")
    :format(folder, world.port, world.live_port, code))
  -- A background process ignores Ctrl-C, and so do its children unless the signal is reset.
  local _, terminal = processes.converse(name, ("script -q -f -c \"env --default-signal=INT bash %s\""
    .. " /dev/null"):format(script))
  local function said() return processes.read(("%s/%s.log"):format(processes.scratch, name)) or "" end
  local function await_said(what, words)
    processes.await(what, function()
      assert(not processes.read(code), said())
      return said():find(words, 1, true), said():sub(-2000)
    end, 90) -- the library may have to be built
  end
  await_said("how to join", ("minetest --go --address 127.0.0.1 --port %d --name"):format(world.port))
  await_said("where the boards are live", ("UDP port %d"):format(world.live_port))
  world.log, world.code = folder .. "/server.log", code
  assert(world:run "return leaderboard.submit('digging', 'ada', 40)" == tostring(sum))
  await_said("the overlay's row", ("    1  %-28s %12d"):format("ada", sum))

  terminal:write(CTRL_C)
  terminal:flush()
  local ended = processes.await("the end", function() return (processes.read(code) or ""):match("%d+") end)
  assert(ended == "130", "Ctrl-C ends it: " .. ended)
  assert(said():find("The world is kept in " .. folder, 1, true), said():sub(-500))
  assert(not said():find("traceback", 1, true), said():sub(-500))
  assert(#world:complaints() == 0, table.concat(world:complaints(), "\n"))
  terminal:close()
end
print("one command makes a world, shows its board live, and ends in order")
