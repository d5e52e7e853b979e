-- The LÖVE overlay on a display: its picture shows what the server has.
package.path = "scripts/?.lua;tests/hosts/?.lua;" .. package.path
local legible = require "laurel.legible"
local picture = require "screenshot"
local processes = require "process_fixture"

local OWN, LIVE, LOST = "#1d4f8c", "#2fd67b", "#f0524f" -- of drawing.lua
local TOP, AROUND = 5, 1
local shot = processes.scratch .. "/love.png"

local server = processes.serve()
server:fill()
local pid = processes.start("love", ("love examples/love --port %d --top %d --around %d --token %s"
  .. " --size 700x800 --shot %s"):format(server.port, TOP, AROUND, server:token { clear = true }, shot))
local window = processes.await("a window", function()
  return processes.output("xdotool search --onlyvisible --name race 2>/dev/null"):match("%d+")
end)

-- The screenshot that the overlay takes when F12 is pressed.
local function shoot()
  os.remove(shot)
  processes.await("a picture of its own", function()
    assert(processes.is_running(pid),
      "the overlay ended: " .. processes.read(processes.scratch .. "/love.log"))
    if processes.read(shot) then return true end
    os.execute(("xdotool windowfocus %s key F12 2>/dev/null"):format(window))
    return processes.read(shot) ~= nil
  end)
  return shot
end

local function keep(name)
  processes.write(processes.scratch .. "/" .. name .. ".png", processes.read(shot))
end

-- The lines that show these entries, from top to bottom in this order.
local function found_in(lines, entries)
  local places, seen = {}, {}
  for i, line in ipairs(lines) do
    local entry = entries[#places + 1]
    local words = " " .. line.text:gsub("[^%w%. ]", "") .. " "
    seen[i] = line.text
    if entry and words:find("%s" .. entry.rank .. "[%s%.]")
      and (words:find(legible.text(entry.name), 1, true) or entry.player == "evil")
      and tonumber(words:match("([%d%.]+)%s*$")) == tonumber(entry.score) then
      places[#places + 1] = line
    end
  end
  return places, table.concat(seen, "\n")
end

-- Waits until the picture shows what the server has, with Nora's row, and no other, marked. Returns the
-- positions of the rows, from the top, and the index of her row.
local function await_table(what)
  local entries, own_row = server:shown(TOP, AROUND), nil
  for i, entry in ipairs(entries) do
    if entry.own then own_row = i end
  end
  local places = processes.await(what, function()
    local own = picture.find(shoot(), OWN) -- nil while the row fades in
    if not own then return nil, "no own row" end
    local places, seen = found_in(picture.lines(shot), entries)
    if #places < #entries then return nil, seen end
    local place = places[own_row]
    local middle = (place.top + place.bottom) / 2
    assert(own.bottom - own.top < 100, "one row is marked")
    return own.top < middle and middle < own.bottom and places,
      ("own row at %d, Nora at %d"):format(own.top, middle)
  end)
  return places, own_row
end

local function await_colour(what, colour)
  return processes.await(what, function() return picture.find(shoot(), colour) end)
end

local before, own_before = await_table("the top, and Nora's surroundings beneath")
assert(#before == TOP + 3 and own_before == TOP + 2, "one above and one below her")
assert(picture.find(shot, LIVE) and not picture.find(shot, LOST), "the light is green")
keep "love-before"

server:run [[board:submit("nora", 900.5)]]
shoot()
keep "love-moving"
local after, own_after = await_table("the new order after a change")
assert(#after == TOP and own_after == 1, "she leads, and nothing is beneath the top")
assert(after[1].bottom < before[2].top, "the leader stands where the leader stood")
keep "love-after"

-- A copy of the folder with `laurel` beside its files, as a user makes one, started in another directory. It
-- takes one screenshot by itself and exits.
os.execute(("cp -r examples/love %s/copy; cp -r scripts/laurel %s/copy"):format(processes.scratch,
  processes.scratch))
local taken = processes.scratch .. "/love-copy.png"
processes.start("copy", ("sh -c \"cd / && exec love %s/copy --port %d --top 5 --token %s"
  .. " --backdrop 00ff00 --size 640x480 --shot %s --after live\""):format(processes.scratch, server.port,
  server:token { clear = true }, taken))
processes.await("the copy's picture", function() return processes.read(taken) end)
local backdrop = picture.find(taken, "#00ff00")
assert(backdrop.left == 0 and backdrop.top == 0 and backdrop.right == 640, "the backdrop is as asked")
assert(picture.find(taken, LIVE), "the copy is live")

server:kill()
await_colour("a red light once the server is gone", LOST)
assert(not picture.find(shot, LIVE), "and no green one")
keep "love-lost"

server = processes.serve(server.port)
await_colour("a green light once it is back", LIVE)
server:run [[board:submit("elena", 1000.25)]]
await_table("the order of the server that came back")
keep "love-again"
print("the LÖVE overlay shows what the server has")
