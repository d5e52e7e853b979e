-- off.lua - the answers of a server that cannot open its boards. The reason is logged once and
-- shown to administrators; other players only learn that the server has no leaderboards.
local reason = ...

minetest.log("error", "[leaderboard] there are no leaderboards: " .. reason)

local function told(name)
  if minetest.check_player_privs(name, "server") then
    return "There are no leaderboards: " .. reason
  end
  return "There are no leaderboards on this server at the moment."
end

minetest.register_on_joinplayer(function(player)
  local name = player:get_player_name()
  if minetest.check_player_privs(name, "server") then
    minetest.chat_send_player(name, "[leaderboard] " .. told(name))
  end
end)

for _, command in ipairs { "top", "overlay" } do
  minetest.register_chatcommand(command, {
    description = "Leaderboards; there are none at the moment",
    func = function(name) return false, told(name) end,
  })
end
