-- announce.lua - a chat line when a player takes the first place of a board from another.
--
-- A watch calls back in laurel's tick, after all changes of the step. If two players overtake each
-- other again and again, not every change is announced.
local boards = ...

local PAUSE_S = 30

minetest.register_on_mods_loaded(function()
  for _, entry in ipairs(boards.list) do
    local quiet_until = 0
    entry.board:watch(1, function(change)
      local leader, now = change.entered[1], minetest.get_us_time() / 1e6
      if not leader or not change.left[1] or now < quiet_until then return end
      quiet_until = now + PAUSE_S
      minetest.chat_send_all(("*** %s leads: %s, %s"):format(leader.name or leader.player,
        entry.title, entry.format(leader.score)))
    end)
  end
end)
