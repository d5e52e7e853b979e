-- alive.lua - the board `alive`: the longest time between two deaths, in seconds of play.
--
--   counts     time in the world. A run stops when the player leaves, and continues when the player
--              joins again. It is stored in the player's metadata.
--   submitted  at death, at leaving, at shutdown, and every EVERY_S seconds. So a run is on the
--              board while it lasts, and a crash loses at most EVERY_S seconds. The board keeps the
--              best: a shorter run changes nothing.
--
-- Returns { record_all = function } for the shutdown.
local EVERY_S = 5
local KEY = "leaderboard:alive"

local function clock_text(seconds)
  return ("%d:%02d:%02d"):format(seconds / 3600, seconds / 60 % 60, seconds % 60)
end

leaderboard.register("alive", {
  title = "Time alive", unit = "h:mm:ss", format = clock_text,
  spec = { keep = "best", decimals = 0 },
})

local began = {} -- by name, for players who are alive: start of the run, in seconds of now()

local function now()
  return minetest.get_us_time() / 1e6 -- never goes back, unlike os.time
end

local function record(player)
  local name = player:get_player_name()
  if not began[name] then return end
  local seconds = math.floor(now() - began[name])
  player:get_meta():set_int(KEY, seconds)
  if seconds > 0 then leaderboard.submit("alive", name, seconds) end
end

local function record_all()
  for _, player in ipairs(minetest.get_connected_players()) do record(player) end
end

minetest.register_on_joinplayer(function(player)
  if player:get_hp() <= 0 then return end -- left while dead: respawns first
  began[player:get_player_name()] = now() - player:get_meta():get_int(KEY)
end)

minetest.register_on_dieplayer(function(player)
  record(player)
  began[player:get_player_name()] = nil
  player:get_meta():set_int(KEY, 0)
end)

minetest.register_on_respawnplayer(function(player)
  began[player:get_player_name()] = now()
end)

minetest.register_on_leaveplayer(function(player)
  record(player)
  began[player:get_player_name()] = nil
end)

local waited = 0
minetest.register_globalstep(function(dtime)
  waited = waited + dtime
  if waited < EVERY_S then return end
  waited = 0
  record_all()
end)

return { record_all = record_all }
