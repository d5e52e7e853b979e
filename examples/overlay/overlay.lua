-- A board's top ten in the terminal, live. If standard output is a terminal, the table is redrawn
-- in place; otherwise each change is written as a line.
--
--   luajit overlay.lua --port N [--host ADDRESS] [--board NAME] [--top N] [--token TOKEN]
--                      [--follow N] [--report FILE]
--
-- With a token, --follow also shows its player, below the top, with N entries above and below. The
-- last log line ("warn: ...") and the last other line from standard input are shown below the
-- table. The overlay ends with the input, and then writes its last state to FILE.
-- laurel.so is found through LUA_CPATH.

local laurel = require "laurel"
local here = arg[0]:gsub("[^/]*$", "")
package.path = here .. "?.lua;" .. here .. "../../scripts/?.lua;" .. package.path
local board_view = require "laurel.board_view"
local view = require "view"
local lines_of = require "lines_of"
local screen = require "screen"

local function parse(words)
  local options = { host = "127.0.0.1", board = "race", top = 10 }
  for i = 1, #words, 2 do
    local name = words[i]:match("^%-%-(%a+)$")
    if not name or not words[i + 1] then
      io.stderr:write("usage: overlay.lua --port N [--host ADDRESS] [--board NAME] [--top N]",
        " [--token TOKEN] [--follow N] [--report FILE]\n")
      os.exit(2)
    end
    options[name] = words[i + 1]
  end
  return options
end

local options = parse(arg)
local table_view = view.new(options.board)
local notes = {}
local LEVELS = { info = true, warn = true, error = true }

local function say(line)
  io.stdout:write(line, "\n")
  io.stdout:flush()
end

local client = assert(laurel.connect {
  host = options.host, port = tonumber(options.port), token = options.token,
})
local board = board_view.watch(client, {
  board = options.board, top = tonumber(options.top), around = tonumber(options.follow),
})

local function redraw(now)
  screen.redraw(table_view:picture(client:state(), notes, now, board.board))
end

-- Updates the table from the board. Without a terminal, writes the changes.
local function take(now)
  local lines = {}
  if board.reason then
    lines[1] = board.reason
  else
    for i, change in ipairs(table_view:update(board.top, board.size, now)) do
      lines[i] = view.line(change)
    end
    lines[#lines + 1] = table_view:follow(board:rows())
  end
  if screen.is_terminal then return end
  for _, line in ipairs(lines) do say(line) end
end

local changes_taken = 0
for lines, now in lines_of.standard_input() do
  client:tick()
  if board.changes > changes_taken then
    changes_taken = board.changes
    take(now)
  end
  for _, line in ipairs(lines) do
    notes[LEVELS[line:match("^(%l+): ")] and "log" or "progress"] = line
    if not screen.is_terminal then say(line) end
  end
  if screen.is_terminal then redraw(now) end
end

client:tick()
if board.changes > changes_taken then take(lines_of.now()) end
if screen.is_terminal then redraw(lines_of.now()) end
if options.report then
  local file = assert(io.open(options.report, "w"))
  file:write(table.concat(table_view:plain(), "\n"), "\n")
  file:close()
end
client:close()
