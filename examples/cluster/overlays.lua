-- Two overlays side by side, one for each game server. The clients of both servers see the runners
-- of both.
--
--   luajit overlays.lua PORT PORT
--
-- Lines from standard input are shown below. The overlays end with the input. If standard output is
-- not a terminal, only these lines are written. laurel.so is found through LUA_CPATH.

local laurel = require "laurel"
local here = arg[0]:gsub("[^/]*$", "")
package.path = here .. "../overlay/?.lua;" .. here .. "../../scripts/?.lua;" .. package.path
local board_view = require "laurel.board_view"
local view = require "view"
local lines_of = require "lines_of"
local screen = require "screen"

local NOTES = 6
local SECOND_COLUMN = 40
local NAME_COLUMNS = 14

local sides, notes = {}, {}
for i, port in ipairs { arg[1], arg[2] } do
  local client = assert(laurel.connect { host = "127.0.0.1", port = tonumber(port) })
  sides[i] = {
    client = client,
    board = board_view.watch(client, { board = "race", top = 10 }),
    table = view.new("server " .. i, NAME_COLUMNS),
    taken = 0,
  }
end

local function picture(now)
  local left = sides[1].table:picture(sides[1].client:state(), {}, now)
  local right = sides[2].table:picture(sides[2].client:state(), {}, now)
  local lines = {}
  for i = 1, math.max(#left, #right) do
    lines[i] = ("%s\27[%dG%s"):format(left[i] or "", SECOND_COLUMN, right[i] or "")
  end
  for i = 1, NOTES do lines[#lines + 1] = "\27[2m" .. (notes[i] or "") .. "\27[0m" end
  return lines
end

for lines, now in lines_of.standard_input() do
  for _, side in ipairs(sides) do
    side.client:tick()
    if side.board.changes > side.taken then
      side.taken = side.board.changes
      side.table:update(side.board.top, side.board.size, now)
    end
  end
  for _, line in ipairs(lines) do
    notes[#notes + 1] = line
    if #notes > NOTES then table.remove(notes, 1) end
    if not screen.is_terminal then io.stdout:write(line, "\n") end
  end
  if screen.is_terminal then screen.redraw(picture(now)) end
  io.stdout:flush()
end
for _, side in ipairs(sides) do side.client:close() end
