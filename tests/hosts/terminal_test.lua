-- The terminal overlay with a token: the top, and its player below.
package.path = "tests/hosts/?.lua;" .. package.path
local processes = require "process_fixture"

local server = processes.serve()
server:fill()
local command = ("luajit examples/overlay/overlay.lua --port %d --top 3 --follow 1 --token %s")
local function await_output(name, what, words)
  processes.await(what, function()
    local said = (processes.read(processes.scratch .. "/" .. name .. ".log") or ""):gsub("\r", "")
    said = said:gsub("\27%[%?7[lh]", "") -- line wrap off and on
    return said:find(words, 1, true), said:sub(-2000)
  end)
end

-- Without a terminal: a line for each change, including the own player's.
local _, plain = processes.converse("plain", command:format(server.port, server:token()))
await_output("plain", "the leader", "new     1  Alice  450.5\n")
await_output("plain", "the own player", "you    35  Nora  170.5\n")

-- On a terminal: a table, with the own row in reverse video below the top.
local _, terminal = processes.converse("terminal", ("script -q -f -e -c \"%s\" /dev/null"):format(
  command:format(server.port, server:token())))
await_output("terminal", "a table", " players  (connected)")
await_output("terminal", "a gap", "\27[K    …\n")
await_output("terminal", "the own row", "  \27[7m 35  Nora ")
await_output("terminal", "the player behind her, harmlessly", "   36  \\x1b[2J\\xff\\xfe ")

server:run [[board:submit("nora", 420.5)]]
await_output("plain", "the own player, new in the top", "new     2  Nora  420.5\n")
await_output("plain", "and risen", "you     2  Nora  420.5\n")
await_output("terminal", "her row with a mark", "\27[33m★\27[0m \27[7m  2  Nora ")

-- When the input ends, the overlay ends.
plain:close()
terminal:close()
print("the terminal shows its player")
