-- What the LÖVE overlay computes without LÖVE: options, moving rows, and the layout.
package.path = "examples/love/?.lua;scripts/?.lua;" .. package.path
local layout = require "layout"
local options = require "options"
local rows = require "rows"

local function same(got, wanted, what)
  assert(got == wanted, ("%s: got %s, wanted %s"):format(what, tostring(got), tostring(wanted)))
end

local function parse(line)
  local words = {}
  for word in line:gmatch("%S+") do words[#words + 1] = word end
  return options.parse(words)
end

-- Options.
local asked = assert(parse "--port 9000 --top 100 --backdrop 00ff00 --size 840x1000 --shot a --after 2.5")
same(asked.port, 9000, "a number is a number")
same(asked.host, "127.0.0.1", "what is not said has its default")
same(asked.backdrop[2], 1, "a colour has its parts from 0 to 1")
same(asked.size.height, 1000, "a size has two numbers")
same(asked.after, 2.5, "seconds may have decimals")
same(parse("--shot a --after lost").after, "lost", "a condition has a name")
for _, line in ipairs { "--top 0", "--top 101", "--top x", "--top 1.5", "--port 65536", "--around 11",
  "--backdrop green", "--size 0x5", "--size 9000x1", "--after 3", "--shot a --after soon", "--color red",
  "race", "--host" } do
  local parsed, why = parse(line)
  assert(parsed == nil and #why > 0, line .. " is refused")
end

-- Rows. list("ada bea") makes the rows of a top in that order, with ranks from 1.
local function list(words, own)
  local made = {}
  for player in words:gmatch("%S+") do
    local gap = player:sub(1, 1) == "_"
    made[#made + 1] = { gap = gap, below = gap, own = player == own,
      entry = { player = player, rank = #made + 1, score = 100 - #made } }
  end
  return made
end

local function row_of(shown, player, now)
  local found
  for _, row in ipairs(shown:at(now)) do
    if row.entry.player == player then
      assert(not found, player .. " is drawn twice")
      found = row
    end
  end
  return found
end

local shown = rows.new()
same(shown:still(0), true, "an empty table does not move")
shown:take(list "ada bea cleo", 0)
same(row_of(shown, "ada", 0).alpha, 0, "the first rows fade in")
same(row_of(shown, "ada", 1).alpha, 1, "and are there soon")
same(row_of(shown, "ada", 1).mark, nil, "without a mark: nobody saw them come")
same(row_of(shown, "cleo", 1).place, 2, "each in its place")
same(shown:still(0.1), false, "fading moves")
same(shown:still(1), true, "and ends")

shown:take(list "bea ada cleo", 10)
same(row_of(shown, "bea", 10).place, 1, "a row begins where it stood")
local halfway = row_of(shown, "bea", 10.1).place
assert(halfway > 0 and halfway < 1, "a row glides")
same(row_of(shown, "bea", 10.1).moving, true, "and says so")
same(row_of(shown, "bea", 11).place, 0, "to its new place")
same(row_of(shown, "bea", 11).mark, "up", "a player who rose is marked")
same(row_of(shown, "ada", 11).mark, "down", "a player who fell is marked")
same(row_of(shown, "cleo", 11).mark, nil, "a player who stayed is not")
same(row_of(shown, "bea", 20).mark, nil, "a mark goes")

-- A row whose direction changes on the way continues from its current place.
shown:take(list "ada bea cleo", 30)
local before = row_of(shown, "bea", 30.1).place
shown:take(list "bea ada cleo", 30.1)
same(row_of(shown, "bea", 30.1).place, before, "no row jumps")

-- A rising row is drawn over a falling one, and the own row over all.
shown:take(list "ada cleo bea", 40)
shown:take(list("cleo bea ada", "ada"), 50)
local order = shown:at(50.1)
same(order[#order].entry.player, "ada", "the own row is drawn last")

-- Rows that appear and disappear.
shown:take(list "cleo dora bea", 60)
same(row_of(shown, "dora", 61).mark, "new", "a new player is marked")
same(row_of(shown, "ada", 60.1).leaving, true, "a player who leaves fades out")
assert(row_of(shown, "ada", 60.1).alpha < 1)
same(row_of(shown, "ada", 61), nil, "and is gone")
shown:take(list "cleo bea", 70)
shown:take(list "cleo dora bea", 70.1)
assert(row_of(shown, "dora", 70.1).alpha > 0.1, "a player who returns at once does not fade in again")
shown:take(list "cleo dora bea _me", 80)
same(row_of(shown, "_me", 81).mark, nil, "surroundings come unmarked")
same(row_of(shown, "_me", 81).place, 3 + rows.GAP_PLACES, "beneath a gap")
same(shown:places(82), 4 + rows.GAP_PLACES, "the table grows by both")

-- A random history: each row of the last table is drawn once, at rest in its place; other rows are bounded.
local seed = tonumber(os.getenv("SEED")) or os.time()
math.randomseed(seed)
shown = rows.new()
local now, last = 0, {}
for _ = 1, 2000 do
  local players, listed = {}, {}
  for _ = 1, math.random(0, 100) do
    local player = "p" .. math.random(1, 400)
    if not listed[player] then
      listed[player] = true
      players[#players + 1] = player
    end
  end
  now = now + math.random() * 0.2
  last = list(table.concat(players, " "))
  shown:take(last, now)
  assert(#shown:at(now) <= 200, "ghosts pile up, seed " .. seed)
  local drawn = {}
  for _, row in ipairs(shown:at(now)) do
    assert(not drawn[row.entry.player], "drawn twice, seed " .. seed)
    drawn[row.entry.player] = row
    assert(row.alpha >= 0 and row.alpha <= 1 and row.place >= 0 and row.place <= 100)
  end
end
assert(#shown:at(now + 5) == #last, "ghosts stay, seed " .. seed)
for i, row in ipairs(last) do
  same(row_of(shown, row.entry.player, now + 5).place, i - 1, "a row at rest, seed " .. seed)
end

-- The layout: everything is inside the window, for any size.
for _, size in ipairs { { 420, 458 }, { 200, 2000 }, { 3000, 300 }, { 840, 916 } } do
  local at = layout.of(size[1], size[2], 10)
  assert(at.panel_y + at.panel_height(10) <= size[2], "the table is as high as the window at most")
  assert(at.panel_x + at.panel_width < size[1], "and as wide")
  assert(at.row_y(9) + at.row_height < at.panel_y + at.panel_height(10), "the last row is in it")
  assert(at.rank_right < at.mark_x and at.mark_x < at.name_x and at.name_x < at.right)
end
same(layout.of(840, 916, 10).scale, 2, "twice the window is twice the letters")
local width, height = layout.window(10)
same(layout.of(width, height, 10).scale, 1, "the window that it was designed for")

local function measure(words) return select(2, words:gsub("[^\128-\191]", "")) end
same(layout.clipped("Ada", 3, measure), "Ada", "what fits is whole")
same(layout.clipped("Grace", 3, measure), "Gr…", "what does not is cut")
same(layout.clipped("éééé", 3, measure), "éé…", "between characters")
same(layout.clipped("Grace", 1, measure), "…", "down to the dots")
same(layout.clipped("Grace", 0, measure), "", "or to nothing")
print("rows glide, and the table fits")
