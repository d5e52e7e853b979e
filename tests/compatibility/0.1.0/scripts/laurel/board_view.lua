-- board_view.lua - what an overlay shows of a board: its top, and the player's own surroundings
-- beneath where the top does not have him.
--
--   local overlay, board_view = require "laurel.overlay", require "laurel.board_view"
--   local client = overlay.connect { host = "127.0.0.1", port = 7777, token = token }
--   local view = board_view.watch(client, { board = "race", top = 10, around = 2 })
--   while true do
--     client:tick()
--     for _, row in ipairs(view:rows()) do print(row.entry.rank, row.entry.player, row.own) end
--   end
--
--   client      of laurel.overlay, or of laurel.connect
--   own player  the token's, when `around` is given: nobody tells a client whom its token names, so
--               the player is followed alone first, and that one entry says it; then with company
--   failures    of the board are in `reason` ("unknown: ..."); a token that names nobody shows no
--               surroundings, and that is all
--   cost        O(rows)

local board_view = {}
board_view.__index = board_view

-- A view, kept up to date by the client's ticks.
--   options  board; top: how many; around: that many above and below the own player, up to 10, or
--            nil; player: the own player's id where no token names one, or nil
-- Its fields: size, how many are ranked; reason, why there is nothing, or nil; player; changes, a
-- number that grows with every change.
function board_view.watch(client, options)
  local view = setmetatable({
    top = {}, surroundings = {}, size = 0, changes = 0, player = options.player,
  }, board_view)
  client:subscribe(options.board, options.top, function(top, size)
    view.changes = view.changes + 1
    if top then
      view.top, view.size, view.reason = top, size, nil
    else
      view.top, view.surroundings, view.size, view.reason = {}, {}, 0, size
    end
  end)
  if not options.around then return view end

  local function follow(entries)
    view.changes = view.changes + 1
    view.surroundings = entries or {}
  end
  client:follow(options.board, 0, function(entries)
    follow(entries)
    if not entries or not entries[1] then return end
    view.player = entries[1].player
    if options.around > 0 then client:follow(options.board, options.around, follow) end
  end)
  return view
end

local function by_player(entries)
  local found = {}
  for _, entry in ipairs(entries) do found[entry.player] = true end
  return found
end

-- The rows, best first: { entry =, own = is it the own player's?, below = is it beneath the top?,
-- gap = are there others between this row and the one above? }
function board_view:rows()
  local rows = {}
  local function append(entry, below, gap)
    rows[#rows + 1] = {
      entry = entry, own = entry.player == self.player, below = below or false, gap = gap or false,
    }
  end
  for _, entry in ipairs(self.top) do append(entry) end

  local listed = by_player(self.top)
  if listed[self.player or ""] then return rows end
  local gap = self.surroundings[1] ~= nil and not listed[self.surroundings[1].player]
    and self.surroundings[1].rank ~= #self.top + 1
  for _, entry in ipairs(self.surroundings) do
    if not listed[entry.player] then
      append(entry, true, gap)
      gap = false
    end
  end
  return rows
end

-- How the client's connection is, in one word for a light and a sentence for whoever asks why:
-- "connecting", "live", "lost" or "refused".
function board_view.state(client)
  local state = client:state()
  if state == "connected" then return "live", state end
  return state:match("^%a+") or state, state
end

return board_view
