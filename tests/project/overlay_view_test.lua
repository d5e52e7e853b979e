-- The output of the terminal overlay: marks, lines and columns.
package.path = "examples/overlay/?.lua;scripts/?.lua;" .. package.path
local view = require "view"

local function same(got, wanted)
  assert(got == wanted, ("got\n%s\nwanted\n%s"):format(got, wanted))
end

local function entry(rank, player, score)
  return { rank = rank, player = player, score = score }
end

local function lines(changes)
  local text = {}
  for i, change in ipairs(changes) do text[i] = view.line(change) end
  return table.concat(text, "\n")
end

local shown = view.new("race")
same(lines(shown:update({ entry(1, "ada", 5), entry(2, "bea", 3) }, 2, 0)),
  "new     1  ada  5\nnew     2  bea  3")

-- A rising player is marked "up", a falling one "down", and a player that left is listed last.
same(lines(shown:update({ entry(1, "cleo", 9), entry(2, "ada", 5.5) }, 3, 10)),
  "new     1  cleo  9\ndown    2  ada  5.5  (was 1)\nleft    2  bea")
same(lines(shown:update({ entry(1, "ada", 10), entry(2, "cleo", 9) }, 3, 20)),
  "up      1  ada  10  (was 2)\ndown    2  cleo  9  (was 1)")
same(lines(shown:update({ entry(1, "ada", 10), entry(2, "cleo", 9) }, 3, 20)), "")

-- A mark stays long enough to be seen, then disappears; decimal points are aligned.
shown:update({ entry(1, "cleo", 10.25), entry(2, "ada", 10) }, 3, 30)
local picture = shown:picture("connected", { progress = "half time" }, 30.1)
assert(picture[2]:find("▲", 1, true) and picture[2]:find("10.25", 1, true), picture[2])
assert(picture[3]:find("▼", 1, true) and picture[3]:find("10.00", 1, true), picture[3])
assert(picture[4]:find("half time", 1, true), picture[4])
picture = shown:picture("connected", {}, 40)
assert(not picture[2]:find("▲", 1, true), picture[2])

-- A player's name cannot move the cursor.
shown:update({ entry(1, "\27[2Jevil\n", 1) }, 1, 50)
picture = shown:picture("connected", {}, 50)
assert(picture[2]:find("\\x1b[2Jevil\\x0a", 1, true), picture[2])

-- A long name is cut between characters, and columns stay aligned.
shown:update({ entry(1, ("é"):rep(60), 1), entry(2, "a", 2) }, 2, 60)
picture = shown:picture("connected", {}, 99)
local function columns(line) return select(2, line:gsub("[^\128-\191]", "")) end
same(columns(picture[2]), columns(picture[3]))

-- The own player below the top is marked, and reported once.
local function row(rank, player, score, own, gap)
  return { entry = entry(rank, player, score), own = own, below = true, gap = gap }
end
shown = view.new("race")
shown:update({ entry(1, "ada", 5), entry(2, "bea", 3) }, 40, 70)
local rows = { row(20, "cleo", 1.5, false, true), row(21, "me", 1.25, true) }
same(shown:follow(rows), "you    21  me  1.25")
same(shown:follow(rows), nil)
picture = shown:picture("connected", {}, 99)
assert(picture[2]:find("5.00", 1, true), picture[2])
assert(picture[4]:find("…", 1, true), picture[4])
assert(picture[5]:find("cleo", 1, true) and not picture[5]:find("\27[7m", 1, true), picture[5])
assert(picture[6]:find("\27[7m 21  me", 1, true), picture[6])
assert(#picture == 8, #picture)

-- A player in the top is marked there.
same(shown:follow { { entry = entry(2, "bea", 3), own = true } }, "you     2  bea  3")
picture = shown:picture("connected", {}, 99)
assert(picture[3]:find("\27[7m  2  bea", 1, true), picture[3])

shown = view.new("race")
shown:update({ entry(1, ("é"):rep(60), 1), entry(2, "a", 2) }, 2, 100)
same(table.concat(shown:plain(), "\n"), " 1  " .. ("é"):rep(60) .. "  1\n 2  a  2")
-- Columns stand below their names, rank changes have a column of their own, and wide names move neither.
local function columns_of(line) return require("laurel.legible").columns((line:gsub("\27%[[%d;]*%a", ""))) end
local clans = { columns = { { name = "laps", decimals = 0 }, { name = "seconds", decimals = 3 } } }
shown = view.new("race", 20)
local long = "名前が長すぎる人のなまえです"
local function two(seconds) return { entry(1, "ada", { 12, 53.25 }), entry(2.5, long, { 9, seconds }) } end
same(lines(shown:update(two(7), 2, 0)), "new     1  ada  12 / 53.25\nnew    2.5  " .. long .. "  9 / 7")
same(lines(shown:update(two(8), 2, 9)), "score  2.5  " .. long .. "  9 / 8")
shown.top[1].rank_change, shown.top[2].rank_change = 10, -1
picture = shown:picture("connected", {}, 99, clans)
assert(picture[2]:find("laps  seconds", 1, true), picture[2])
assert(picture[3]:find("  1  \27[32m▲10  \27[0mada ", 1, true), picture[3])
assert(picture[3]:find("  12   53.250", 1, true), picture[3])
assert(picture[4]:find("2.5  \27[31m▼1   \27[0m名前", 1, true), picture[4])
assert(picture[4]:find("   9    8.000", 1, true), picture[4])
same(columns_of(picture[3]), columns_of(picture[2]))
same(columns_of(picture[4]), columns_of(picture[2]))
shown:follow { { entry = shown.top[1], own = true } }
same(shown:picture("connected", {}, 99, clans)[3]:match("\27%[7m.*"), "\27[7m  1  ▲10  "
  .. "ada                    12   53.250\27[0m")
same(table.concat(shown:plain(), "\n"), " 1  ada  12 / 53.25\n2.5  " .. long .. "  9 / 8")
same(#view.new("race"):picture("connecting", {}, 0, clans), 3) -- nothing to show yet

print("the overlay's picture is as it should be")
