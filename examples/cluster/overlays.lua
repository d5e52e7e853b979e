-- Two overlays side by side, each a client of another game server: what one server's runners do
-- the other server's clients see.
--
--   luajit overlays.lua PORT PORT
--
-- Lines on standard input are shown beneath; when they end, so do the overlays. Where standard
-- output is no terminal, only these lines are shown. laurel.so is found through LUA_CPATH.

local ffi = require "ffi"
local laurel = require "laurel"
local here = arg[0]:gsub("[^/]*$", "")
package.path = here .. "../overlay/?.lua;" .. here .. "../../scripts/?.lua;" .. package.path
local board_view = require "laurel.board_view"
local view = require "view"
local lines_of = require "lines_of"

ffi.cdef "int isatty(int fd);"

local NOTES = 6
local SECOND_COLUMN = 40
local NAME_COLUMNS = 14

local on_terminal = ffi.C.isatty(1) == 1
local sides, notes, drawn = {}, {}, 0
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

local function redraw(now)
  local lines = picture(now)
  if drawn > 0 then io.stdout:write(("\27[%dA"):format(drawn)) end
  for _, line in ipairs(lines) do io.stdout:write("\r\27[K", line, "\n") end
  io.stdout:flush()
  drawn = #lines
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
    if not on_terminal then io.stdout:write(line, "\n") end
  end
  if on_terminal then redraw(now) end
  io.stdout:flush()
end
for _, side in ipairs(sides) do side.client:close() end
