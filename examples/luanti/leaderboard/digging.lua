-- digging.lua - the board `digging`: nodes dug this week.
--
-- A season is a week and begins on Monday 00:00 UTC; four past seasons are kept. rules/digging.lua
-- limits how fast a player can dig.
leaderboard.register("digging", {
  title = "Nodes dug", unit = "nodes",
  spec = {
    keep = "sum", decimals = 0,
    reset = "0 0 * * 1", archive = 4,
    marks = "0 0 * * *", -- the form and overlays show who climbed since midnight
    rule = "digging",
  },
})

minetest.register_on_dignode(function(_, _, digger)
  -- Machines of other mods dig too, without a player or with a fake player.
  if not digger or not digger:is_player() or digger.is_fake_player then return end
  local name = digger:get_player_name()
  local held, reason = leaderboard.submit("digging", name, 1)
  -- Luanti itself logs each dig at this level.
  if not held then minetest.log("action", ("[leaderboard] %s: %s"):format(name, reason)) end
end)
