-- top.lua - /top: a form with the top of each board, refreshed while it is open.
--
--   refreshed  once a second, and sent if it has changed. A watch reports only changes of the top;
--              the player's own rank may change without one.
--   closing    is reported by the client. If a refresh crosses with this message, the form opens
--              again, and the player has to close it again.
--   fields     come from the client, so they are not trusted. They are used only while the form is
--              open, and only if they name an existing tab.
local boards, top_form = ...

local FORM = "leaderboard:top"
local EVERY_S = 1

local open = {} -- by name: { chosen = index of the tab, sent = the form that was sent last }

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
    open[name] = nil -- so that it is sent even if the closing was not reported
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
minetest.register_on_dieplayer(forget) -- the form must not cover the respawn dialog

local waited = 0
minetest.register_globalstep(function(dtime)
  waited = waited + dtime
  if waited < EVERY_S or boards.closed then return end
  waited = 0
  for name, state in pairs(open) do show(name, state.chosen) end
end)
