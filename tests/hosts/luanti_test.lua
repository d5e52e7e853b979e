-- End to end: a player digs in a real Luanti client, /top shows it there, an overlay shows it live, and
-- a restarted server still has it.
package.path = "tests/hosts/?.lua;" .. package.path
local Client = require "luanti_client"
local World = require "luanti_world"
local picture = require "screenshot"
local processes = require "process_fixture"

local DUG = 12
local OWN_ROW = "#2c4a73" -- the highlight of top_form.lua
-- A small window, in which a form has the least room for its text.
local WIDTH, HEIGHT = 1024, 600
-- The position of the /top window in the client's window; and the enlargement that tesseract needs.
local MIDDLE, ENLARGED = "440x380+292+90", 2
local shot, enlarged = processes.scratch .. "/luanti.png", processes.scratch .. "/luanti-enlarged.png"

local world = World.make("world")
world:start()
local _, overlay = processes.converse("overlay", ("script -q -f -e -c \"luajit"
  .. " examples/overlay/overlay.lua --port %d --board digging\" /dev/null"):format(world.live_port))
local function overlay_said() return processes.read(processes.scratch .. "/overlay.log") or "" end

-- The score of alice on the overlay, from its last frame.
local function score_on_overlay()
  local frame = overlay_said():match(".*\27%[1mdigging(.*)") or ""
  return tonumber(frame:match(" alice +(%d+)\27%[%?7h\r?\n")), frame
end

-- The number of nodes that she dug since the world was created, from Luanti's own log.
local dug_before = 0
local function dug()
  return dug_before + select(2, world:said():gsub("alice digs ", ""))
end

local function await_overlay(what)
  return processes.await(what, function()
    local score, frame = score_on_overlay()
    return score == dug() and score, ("%d dug; %s"):format(dug(), frame)
  end)
end

local client = Client.join(world, "alice", WIDTH, HEIGHT)
local function press(actions) client:press(actions) end

-- Reads the middle of the client's window, as lines and as one text, without the punctuation that
-- tesseract reads in specks.
local function look()
  os.execute(("import -window root -crop %s +repage %s.new.png && convert %s.new.png -resize %d%% %s"
    .. " && mv %s.new.png %s"):format(MIDDLE, shot, shot, 100 * ENLARGED, enlarged, shot, shot))
  local lines, words = picture.lines(enlarged), {}
  for i, line in ipairs(lines) do
    line.text = line.text:gsub("[^%w:, ]", "")
    words[i] = line.text
  end
  return lines, table.concat(words, "\n")
end
local function keep(name) os.rename(shot, processes.scratch .. "/" .. name .. ".png") end

-- Waits until the client shows these patterns, each in a line below the one before; returns the lines.
local function await_shown(what, ...)
  local wanted = { ... }
  return processes.await(what, function()
    local lines, text = look()
    local found = {}
    for _, line in ipairs(lines) do
      if wanted[#found + 1] and line.text:find(wanted[#found + 1]) then found[#found + 1] = line end
    end
    return #found == #wanted and found, text
  end)
end

-- Alice joins, looks down, and holds the button until she has dug enough.
world:run [[
  local say = minetest.chat_send_all
  rawset(_G, "heard", "")
  minetest.chat_send_all = function(text) heard = heard .. text .. "\n" say(text) end]]
world:await_said("alice in the world", "alice [127.0.0.1] joins game")
local joined = os.time()
world:run "minetest.get_player_by_name('alice'):set_look_vertical(math.rad(80))"
processes.await("digging", function()
  press "mousedown 1"
  return dug() >= DUG
end)
press "mouseup 1"

-- /top shows her among others, with her own row marked and her rank below; and later the new order.
world:run "leaderboard.submit('digging', 'Bruno', 90)"
for i, name in ipairs { "Dieter", "Nils", "Edda", "Falk", "Gaia", "Hank", "Ilse", "Kai" } do
  world:run(("leaderboard.submit('digging', %q, %d)"):format(name, 10 - i))
end
local heard = world:run "return heard"
assert(heard:find("*** Bruno leads: Nodes dug, 90\n", 1, true), "a new leader is told of: " .. heard)
assert(not heard:find("alice leads"), "a player who overtook no other is not: " .. heard)
local function is_typed()
  return world:said():find("caught command 'top', issued by 'alice'", 1, true)
end
processes.await("the command, typed", function() -- a busy client misses keys, and the rest becomes chat
  if is_typed() then return true end
  press "key --delay 300 slash type --delay 60 top"
  press "key Return" -- a second one would close the window that the first one opened
  return (pcall(processes.await, "the command", is_typed, 5))
end)
local score = await_overlay("the overlay shows what was dug before that")
assert(score >= DUG, "something was dug")
local lines = await_shown("the window of /top", "1 Bruno +90$", "2 alice +" .. score .. "$",
  "3 Dieter +9$", "4 Nils +8$", "10 Kai +2$", "You: 2nd of 10, " .. score)
local own, row = picture.find(shot, OWN_ROW), lines[2]
assert(own and own.bottom - own.top < 40, "one row is marked")
assert(own.top * ENLARGED < row.top and row.bottom < own.bottom * ENLARGED, "and it is hers")
keep "luanti-top"
world:run "leaderboard.submit('digging', 'Nils', 91)"
await_shown("the new order in the open window", "1 Nils +99$", "2 Bruno +90$", "3 alice +" .. score,
  "You: 3rd of 10, " .. score)
keep "luanti-top-later"

-- A client may send any field. Only existing tabs are accepted.
for _, tab in ipairs { "99", "0", "-1", "1.5", "nan", "x" } do
  world:run(([[for _, receive in ipairs(minetest.registered_on_player_receive_fields) do
    receive(minetest.get_player_by_name("alice"), "leaderboard:top", { board = %q }) end]]):format(tab))
end
world:run [[minetest.registered_chatcommands.top.func("alice", "alive")]]
await_shown("the other tab", "1 alice +0:00:%d%d$", "You: 1st of 1, 0:00:%d%d")
keep "luanti-top-alive"
processes.await("the window closed", function()
  press "key Escape"
  local _, text = look()
  return not text:find("You:", 1, true), text
end)

-- She dies, and her time alive is on the board at once.
local submitted = world:run [[
  local submit, seen = leaderboard.submit, {}
  leaderboard.submit = function(...)
    seen[#seen + 1] = table.concat({ ... }, " ")
    return submit(...)
  end
  minetest.get_player_by_name("alice"):set_hp(0)
  leaderboard.submit = submit
  return table.concat(seen, ", ")]]
local lived, lived_at_most = tonumber(submitted:match("^alive alice (%d+)$")), os.time() - joined + 1
assert(lived and lived >= 1 and lived <= lived_at_most, submitted)
local alive = world:command("top", "alive")
assert(alive:find(("1. alice  0:00:%02d\n"):format(lived), 1, true), alive)
await_shown("what a dead player sees, with nothing before it", "You died", "Respawn")

-- The server shuts down cleanly while a player is connected, and starts again in the same world.
local before = overlay_said()
dug_before = dug()
assert(world:stop() == 0, world:said())
assert(#world:complaints() == 0, table.concat(world:complaints(), "\n"))
processes.await("the overlay says that the server is gone", function()
  return overlay_said():sub(#before):find("(lost", 1, true)
end)
world:start()
assert(world:command("top", "dig"):find(("3. alice  %d\n"):format(score), 1, true), "kept: what was dug")
assert(world:command("top", "alive"):find(("1. alice  0:00:%02d\n"):format(lived), 1, true), "and lived")
processes.await("the overlay is back by itself", function()
  local _, frame = score_on_overlay()
  return frame:find("(connected)", 1, true), frame
end)
assert(await_overlay("the overlay shows what was kept") == score)
assert(world:run "return leaderboard.submit('digging', 'alice', 1)" == tostring(score + 1))
dug_before = dug_before + 1
await_overlay("and what comes to it")
assert(world:stop() == 0, world:said())
assert(#world:complaints() == 0, table.concat(world:complaints(), "\n"))
overlay:close()
print(("alice dug %d nodes and lived %d s: in the game, on the overlay, and in the world's folder")
  :format(score, lived))
