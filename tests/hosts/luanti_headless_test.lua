-- The Luanti mod on the real server, without players: what the owner of a server sees.
package.path = "tests/hosts/?.lua;" .. package.path
local World = require "luanti_world"
local laurel = require "laurel"
local processes = require "process_fixture"

local NOWHERE = "/nowhere/?.so"
local built = assert(os.getenv("LUA_CPATH")):gsub("%?", "laurel")

local function has(text, words, what)
  assert(text:find(words, 1, true), ("%s: no %q in %q"):format(what, words, text))
end

local function ends_well(world)
  local code = world:stop()
  assert(code == 0, ("the server ended with %s\n%s"):format(code, world:said()))
end

-- A server without boards continues, logs what to do, and gives other mods no functions.
local function is_off(world, words, what)
  has(world:said(), "ERROR[Main]: [leaderboard] there are no leaderboards: ", what)
  has(world:said(), words, what)
  has(world:command("top"), "no leaderboards on this server", what)
  assert(world:run "return minetest.global_exists('leaderboard')" == "false", what)
  ends_well(world)
end

local world = World.make("untrusted")
world:start { ["secure.trusted_mods"] = "irc, mail" }
is_off(world, "secure.trusted_mods = irc, mail, leaderboard\n", "the line for minetest.conf")

world = World.make("missing")
world:start({}, NOWHERE)
has(world:said(), world.folder .. "/worldmods/leaderboard/laurel.so, /nowhere/laurel.so",
  "where it was looked for")
is_off(world, "laurel.so is missing", "no library")

world = World.make("taken")
local other = laurel.open { path = world.folder .. "/leaderboards" }
world:start()
is_off(world, "leaderboards", "a folder that another server has")
other:close()

-- The library in the mod's own folder, and a port that is in use: the boards work, but not the overlays.
world = World.make("crowded")
world:own_mod()
os.execute(("cp %s %s/laurel.so"):format(built, world.mod))
local squatter = laurel.open()
assert(squatter:serve { port = world.live_port })
world:start({}, NOWHERE)
has(world:said(), "WARNING[Main]: [leaderboard] there is no live channel: unavailable", "the port")
assert(world:run "return leaderboard.submit('digging', 'ada', 7)" == "7")
has(world:command("top", "dig"), "1. ada  7", "a board without overlays")
has(world:command("overlay"), "shows no boards to overlays", "no token without overlays")
squatter:close()

-- An edited rule is used by the running server.
assert(world:run "return select(2, leaderboard.submit('digging', 'bea', 101))"
  == "rejected: nobody digs that fast")
local rule = world.mod .. "/rules/digging.lua"
processes.write(rule, (processes.read(rule):gsub("AT_ONCE = 100", "AT_ONCE = 1000")))
processes.await("the edited rule", function()
  return world:run "return leaderboard.submit('digging', 'bea', 101)" == "101"
end)
ends_well(world)

-- Invalid settings are logged, and stop nothing.
world:start({ ["leaderboard.port"] = "seven", ["leaderboard.bind"] = "the moon" }, NOWHERE)
has(world:said(), "leaderboard.bind = the moon", "a setting that cannot be")
has(world:command("top", "dig"), "2. ada  7", "what was kept")
ends_well(world)

-- Beyond loopback an overlay presents a token from /overlay, and follows its player.
world = World.make("open")
world:start { ["leaderboard.bind"] = "0.0.0.0" }
world:run "for i = 1, 30 do leaderboard.submit('digging', 'p' .. i, i) end"
world:run "leaderboard.submit('digging', 'console', 12)"
local answer = world:command("overlay")
local token = assert(answer:match("%-%-token (%x+)"), answer)
has(world:command("overlay"), "few seconds", "one token at a time")
has(world:command("overlay", "nothing"), "there are: digging, alive, prompter:lap", "no such board")
local overlay = ("luajit examples/overlay/overlay.lua --port %d --board %s --top 3")
  :format(world.live_port, "digging")
local _, stranger = processes.converse("stranger", overlay)
local _, own = processes.converse("console", overlay .. " --follow 1 --token " .. token)
processes.await("the player's own overlay", function()
  return processes.read(processes.scratch .. "/console.log"):find("you    19  console  12\n", 1, true)
end)
assert(not processes.read(processes.scratch .. "/stranger.log"):find("p30", 1, true),
  "a stranger sees nothing")
stranger:close()
own:close()
assert(not world:said():find(token, 1, true), "no token is in the log")

-- Other mods can have a board of their own, but neither laurel nor a way out of their sandbox.
assert(world:run "return leaderboard.submit('prompter:lap', 'ada', 41.5)" == "41.5")
has(world:command("top", "prompter"), "Fastest lap - All time\n1. ada  41.5\nYou: not among the 1 yet",
  "another mod's board")
has(world:run "leaderboard.register('late', {})", "while mods load", "a late board")
has(world:command("top", "nothing"), "there are: digging, alive, prompter:lap", "no such board")
assert(world:run [[
  local words = {}
  for name, value in pairs(leaderboard) do words[#words + 1] = name .. ":" .. type(value) end
  table.sort(words)
  return table.concat(words, " ") .. tostring(rawget(_G, "laurel")) .. tostring(package.loaded)]]
  == "register:function submit:functionnilnil")

-- The time alive counts time in the world, from one death to the next, over several visits. The test
-- supplies the clock and the player.
local lives = world:run [[
  local seconds, meta, hp = 0, 0, 20
  local real_clock, player = minetest.get_us_time, {
    get_player_name = function() return "nora" end, get_hp = function() return hp end,
    get_meta = function()
      return { get_int = function() return meta end, set_int = function(_, _, n) meta = n end }
    end,
  }
  minetest.get_us_time = function() return seconds * 1e6 end
  local held = {}
  local function at(now, what)
    seconds = now
    for _, callback in ipairs(minetest["registered_on_" .. what .. "players"]) do
      if minetest.callback_origins[callback].mod == "leaderboard" then callback(player) end
    end
    local text = select(2, minetest.registered_chatcommands.top.func("nora", "alive"))
    held[#held + 1] = text:match("You: 1st of 1, (.*)") or "none"
  end
  at(1000, "join") at(1010, "leave") at(2000, "join") at(2005.9, "die") at(2100, "leave")
  at(2150, "join") at(2152, "leave") hp = 0
  at(2200, "join") at(2300, "leave") at(2400, "join") at(2500, "respawn") hp = 20 at(2507, "leave")
  at(2600, "join") at(6195, "die")
  minetest.get_us_time = real_clock
  return table.concat(held, " ")]]
assert(lives == "none 0:00:10 0:00:10" .. (" 0:00:15"):rep(10) .. " 1:00:02", lives)

-- Nodes that were not dug by a player count for no player.
local machines = world:run [[
  local function player(is_fake)
    return { is_player = function() return true end, is_fake_player = is_fake,
      get_player_name = function() return "miner" end }
  end
  local digging = {}
  for _, callback in ipairs(minetest.registered_on_dignodes) do
    if minetest.callback_origins[callback].mod == "leaderboard" then digging[1] = callback end
  end
  digging[1]({}, {}, nil)
  digging[1]({}, {}, { is_player = function() return false end })
  digging[1]({}, {}, player(true))
  digging[1]({}, {}, player(nil))
  return (select(2, minetest.registered_chatcommands.top.func("miner", "dig")):match("You: .*"))]]
assert(machines == "You: 31st of 32, 1", machines)

-- Luanti may take a step after on_shutdown: the mod then finds the boards closed, and raises no error.
world:run "for _, ended in ipairs(minetest.registered_on_shutdown) do ended() end"
assert(world:run "return select(2, leaderboard.submit('digging', 'ada', 1))"
  == "closed: the server is shutting down")
has(world:command("top"), "shutting down", "/top at the end")
has(world:command("overlay"), "shows no boards to overlays", "/overlay at the end")
ends_well(world)
assert(#world:complaints() == 0, table.concat(world:complaints(), "\n"))
print("a Luanti server has boards, or goes on without and says why")
