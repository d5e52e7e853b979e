-- board_view.lua - the rows that an overlay shows of a board: the top, and below it the entries
-- around the own player, if the top does not have that player.
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
--   own player  with `around`, the token's player. A server of 0.1.0 does not tell a client which
--               player its token names. So the view first follows with n = 0, learns the player
--               from that one entry, then follows with n = `around`
--   board       what client:boards() tells of the board, such as its columns, once it is known.
--               The views of a client use its on_boards, so the script cannot use it for itself
--   failures    of the board are in `reason` ("unknown: ..."). If the token names no player, the
--               view has only the top
--   cost        O(rows)

local board_view = {}
board_view.__index = board_view

-- The views of each client. Neither is kept alive by this table: a client is held by its views, and
-- they by the script.
local views_of = setmetatable({}, { __mode = "k" })

local function hear_of_boards(client, view, name)
  if not client.on_boards then return end
  local views = views_of[client]
  if not views then
    views = setmetatable({}, { __mode = "k" })
    views_of[client] = views
    client:on_boards(function(list)
      for each, board in pairs(views) do each:describe(list or {}, board) end
    end)
  end
  views[view] = name
end

-- Returns a view, which the client's ticks keep up to date.
--   options  board; top: the number of entries; around: the number above and below the own player,
--            up to 10, or nil; player: the own player's id if no token names one, or nil
-- Its fields: size, the number of ranked players; reason, why it is empty, or nil; player; board,
-- the board's description, or nil; changes, a number that grows with every change.
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
  hear_of_boards(client, view, options.board)
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

-- Takes the board's description from the list of boards.
function board_view:describe(list, name)
  local found
  for _, board in ipairs(list) do
    if board.board == name then found = board end
  end
  if not found and not self.board then return end
  self.board, self.changes = found, self.changes + 1
end

local function by_player(entries)
  local found = {}
  for _, entry in ipairs(entries) do found[entry.player] = true end
  return found
end

-- Returns the rows, best first: { entry =, own = whether it is the own player's, below = whether it
-- is below the top, gap = whether other entries are between this row and the one above }
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

-- The state of the client's connection: one word ("connecting", "live", "lost" or "refused"), and a
-- sentence with the reason.
function board_view.state(client)
  local state = client:state()
  if state == "connected" then return "live", state end
  return state:match("^%a+") or state, state
end

return board_view
