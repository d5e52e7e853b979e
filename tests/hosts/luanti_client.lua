-- luanti_client.lua - a real Luanti client on the display, controlled with keys and clicks.
local processes = require "process_fixture"

local Client = {}
Client.__index = Client

-- A client that joins a world, in a window of that size. settings: additional lines of its minetest.conf,
-- by name.
function Client.join(world, player, width, height, settings)
  local lines, conf = {}, {
    video_driver = "opengl", enable_sound = "false", enable_shaders = "false", fps_max = 20,
    viewing_range = 30, show_debug = "false", screen_w = width, screen_h = height,
  }
  for key, value in pairs(settings or {}) do conf[key] = value end
  for key, value in pairs(conf) do lines[#lines + 1] = ("%s = %s\n"):format(key, value) end
  processes.write(processes.scratch .. "/client.conf", table.concat(lines))
  local self = setmetatable({}, Client)
  self.pid = processes.start("client", ("/usr/games/minetest --config %s/client.conf --go"
    .. " --address 127.0.0.1 --port %d --name %s --password \"\""):format(
    processes.scratch, world.port, player))
  return self
end

-- Sends xdotool actions to the client's window, such as "key Escape".
function Client:press(actions)
  local window = processes.await("the client's window", function()
    assert(processes.is_running(self.pid), processes.read(processes.scratch .. "/client.log"))
    return processes.output("xdotool search --onlyvisible --name Minetest 2>/dev/null"):match("%d+")
  end)
  os.execute(("xdotool windowfocus %s %s 2>/dev/null"):format(window, actions))
end

return Client
