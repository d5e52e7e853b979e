-- top.lua - /top: a window with the top of each board, refreshed while it is open.
--
--   refreshed  once a second, and sent when it says something else than before. A watch would tell
--              of the top alone; the own rank changes without it.
--   closing    is told by the client. A window that crosses with this message opens once more, and
--              is closed once more: the price of a window that the server draws.
--   fields     come from a client, which may send any: they count while the window is open, and
--              choose among the tabs that there are.
local boards, top_form = ...

local FORM = "leaderboard:top"
local EVERY_S = 1

local open = {} -- by name: { chosen = index of the tab, sent = what the client shows }

local function show(name, chosen)
  local text = top_form.formspec(boards.list, chosen, name)
  if open[name] and open[name].sent == text then return end
  open[name] = { chosen = chosen, sent = text }
  minetest.show_formspec(name, FORM, text)
end

minetest.register_chatcommand("top", {
  params = "[<board>]",
  description = "Shows the leaderboards: /top, or /top dig for one of them",
  func = function(name, param)
    if boards.closed then return false, "The server is shutting down." end
    local chosen, problem = boards.find(param)
    if not chosen then return false, problem end
    if not minetest.get_player_by_name(name) then -- the console
      return true, top_form.lines(boards.list[chosen], name)
    end
    open[name] = nil -- so that it is sent even to who closed it unheard
    show(name, chosen)
    return true
  end,
})

minetest.register_on_player_receive_fields(function(player, form, fields)
  if form ~= FORM then return end
  local name = player:get_player_name()
  if fields.quit then
    open[name] = nil
  elseif open[name] and not boards.closed then
    local chosen = tonumber(fields.board)
    if boards.list[chosen or 0] then show(name, chosen) end
  end
  return true
end)

local function forget(player) open[player:get_player_name()] = nil end
minetest.register_on_leaveplayer(forget)
minetest.register_on_dieplayer(forget) -- its window must not cover the one that lets him respawn

local waited = 0
minetest.register_globalstep(function(dtime)
  waited = waited + dtime
  if waited < EVERY_S or boards.closed then return end
  waited = 0
  for name, state in pairs(open) do show(name, state.chosen) end
end)
