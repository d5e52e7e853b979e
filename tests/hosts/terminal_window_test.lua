-- The terminal overlay in a real terminal that is narrower than a line: the table stays in its place.
package.path = "tests/hosts/?.lua;" .. package.path
local picture = require "screenshot"
local processes = require "process_fixture"

local LONG = "error: " .. ("a rule that is broken "):rep(9)
local GREEN = "#00ff00" -- the colour of "▲"
local shot = processes.scratch .. "/terminal.png"

local server = processes.serve()
server:fill()
local fifo = processes.scratch .. "/notes"
os.execute("mkfifo " .. fifo)
processes.start("terminal", ("xterm -geometry 48x14 -b 20 -fa \"DejaVu Sans Mono\" -fs 18 +sb -bg black"
  .. " -fg white -xrm \"*color2: %s\" -e sh -c \"luajit examples/overlay/overlay.lua --port %d --token %s"
  .. " --top 5 <%s\""):format(GREEN, server.port, server:token(), fifo))
local notes = assert(io.open(fifo, "w"))
notes:write(LONG, "\n")
notes:flush()

-- Waits until the terminal shows a line for each pattern, from top to bottom, and no other lines.
local function await_table(what, ...)
  local wanted = { ... }
  processes.await(what, function()
    os.execute(("import -window root -crop 800x600+0+0 +repage %s"):format(shot))
    local seen, found = {}, 0
    for i, line in ipairs(picture.lines(shot)) do
      seen[i] = line.text
      if wanted[found + 1] and line.text:find(wanted[found + 1]) then found = found + 1 end
    end
    return found == #wanted and #seen == #wanted, table.concat(seen, "\n")
  end)
end

await_table("the top and the note", "^race .*connected", "1 Alice .*450.5", "2 Bruno .*400.5",
  "3 Carla .*350.5", "4 Dieter .*300.5", "5 Elena .*250.5", "a rule that is broken")
server:run [[board:submit("carla", 500)]]
processes.await("a mark for a player who rose", function()
  os.execute(("import -window root -crop 800x600+0+0 +repage %s"):format(shot))
  return picture.find(shot, GREEN)
end)
await_table("the new order in the same place", "^race .*connected", "1 Carla .*500.0", "2 Alice .*450.5",
  "3 Bruno .*400.5", "4 Dieter .*300.5", "5 Elena .*250.5", "a rule that is broken")
notes:close()
print("a line that is too long leaves the table in its place")
