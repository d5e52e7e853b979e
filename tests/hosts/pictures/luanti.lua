-- The window of /top in a Luanti client.
package.path = "tests/hosts/?.lua;tests/hosts/pictures/?.lua;" .. package.path
local Client = require "luanti_client"
local World = require "luanti_world"
local race = require "race"
local processes = require "process_fixture"

local DUG = {
  { "Cleo", 1873 }, { "stone_age", 1640 }, { "ada", 1512 }, { "Mads", 1204 }, { "Juno_W", 987 },
  { "deepdiver", 871 }, { "Odin", 640 }, { "Rhea", 418 }, { "moss", 255 }, { "Kai", 131 }, { "Pia", 42 },
}

-- In this world a week of digging takes a moment, and the test board is removed.
local world = World.make("world")
local function edit(mod, file, from, to)
  local path = world:own_mod(mod) .. "/" .. file
  local text, count = processes.read(path):gsub(from, to)
  assert(count == 1, path)
  processes.write(path, text)
end
edit("leaderboard", "rules/digging.lua", "AT_ONCE = %d+", "AT_ONCE = 10000")
edit("prompter", "init.lua", "\nif minetest.-\nend\n", "\n")
world:start()
for _, row in ipairs(DUG) do
  world:run(("leaderboard.submit('digging', %q, %d)"):format(row[1], row[2]))
end
local client = Client.join(world, "ada", 840, 600, { gui_scaling = 1.55 })
world:await_said("ada in the world", "ada [127.0.0.1] joins game")
client:press "key --delay 300 F2" -- hides the chat
world:run [[minetest.get_player_by_name("ada"):hud_set_flags {
  hotbar = false, healthbar = false, crosshair = false }]]
world:run "minetest.registered_chatcommands.top.func('ada', '')"
os.execute "sleep 6" -- until the client has drawn the world around the window
race.shoot("luanti", "840x600+0+0")
