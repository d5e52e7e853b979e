-- live.lua - the live channel: every board for overlays, and /overlay for a player's own.
--
--   settings   leaderboard.bind and leaderboard.port in minetest.conf. On 127.0.0.1 all programs of
--              the machine may connect; on other addresses overlays need a token.
--   the port   is UDP, and not the game's. If it is in use, the game has boards but no overlays.
--   tokens     are shown to one player and never logged. A token is valid for one overlay that
--              starts within ten minutes. That overlay then reconnects by itself, even after a
--              restart of the server.
local boards = ...

local TOKEN_S = 600
local PAUSE_S = 10 -- between two tokens of a player; each is stored until it is used or expires

local bind = minetest.settings:get("leaderboard.bind") or "127.0.0.1"
local port = tonumber(minetest.settings:get("leaderboard.port") or 7777)

-- boards:serve raises for wrong types and ports; an error in minetest.conf must not stop the
-- server.
local function serve()
  local registry, options = boards.registry, { bind = bind, port = port }
  local fine, live, refusal = pcall(registry.serve, registry, options)
  if fine and live then return live end
  return nil, fine and refusal or live
end

local live, reason = serve()
if live then
  minetest.log("action", ("[leaderboard] live on %s, UDP port %d"):format(bind, live:port()))
  minetest.register_on_mods_loaded(function()
    for _, about in ipairs(boards.list) do
      assert(live:publish(about.board, { top = 100, changes = true }))
    end
  end)
else
  minetest.log("warning", ("[leaderboard] there is no live channel: %s (leaderboard.bind = %s,"
    .. " leaderboard.port = %s)"):format(reason, bind, tostring(port)))
end

-- A form, because text in the chat cannot be copied.
local function show(name, words, command)
  minetest.show_formspec(name, "leaderboard:overlay", table.concat {
    "formspec_version[4]size[14,3.5]bgcolor[#14181ff2]",
    "label[0.6,0.7;", minetest.formspec_escape(words), "]",
    "field[0.6,1.2;12.8,0.8;command;;", minetest.formspec_escape(command), "]",
    "button_exit[11.3,2.3;2.1,0.8;close;Close]",
  })
end

local next_token = {} -- by name: the earliest time of the next token, in seconds

minetest.register_chatcommand("overlay", {
  params = "[<board>]",
  description = "Shows how to have a board beside your game or on your stream",
  func = function(name, param)
    if not live or boards.closed then return false, "This server shows no boards to overlays." end
    local chosen, problem = boards.find(param)
    if not chosen then return false, problem end
    local now = minetest.get_us_time() / 1e6
    if now < (next_token[name] or 0) then return false, "Once more in a few seconds." end
    next_token[name] = now + PAUSE_S
    local token, why = live:token(name, TOKEN_S)
    if not token then return false, "No token: " .. why end

    local words = ("To be started within %d minutes, with this server's address in place of HOST:")
      :format(TOKEN_S / 60)
    local command = ("luajit overlay.lua --host HOST --port %d --board %s --follow 1 --token %s")
      :format(live:port(), boards.list[chosen].name, token)
    if not minetest.get_player_by_name(name) then return true, words .. "\n" .. command end
    show(name, words, command)
    return true
  end,
})
minetest.register_on_leaveplayer(function(player) next_token[player:get_player_name()] = nil end)
