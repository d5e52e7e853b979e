-- The terminal overlay's picture: marks, lines and columns.
package.path = "examples/overlay/?.lua;" .. package.path
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

-- Who overtakes goes up, who is overtaken down, who leaves is told last.
same(lines(shown:update({ entry(1, "cleo", 9), entry(2, "ada", 5.5) }, 3, 10)),
  "new     1  cleo  9\ndown    2  ada  5.5  (was 1)\nleft    2  bea")
same(lines(shown:update({ entry(1, "ada", 10), entry(2, "cleo", 9) }, 3, 20)),
  "up      1  ada  10  (was 2)\ndown    2  cleo  9  (was 1)")
same(lines(shown:update({ entry(1, "ada", 10), entry(2, "cleo", 9) }, 3, 20)), "")

-- A mark stays long enough for an eye, then goes; points stand below each other.
shown:update({ entry(1, "cleo", 10.25), entry(2, "ada", 10) }, 3, 30)
local picture = shown:picture("connected", { progress = "half time" }, 30.1)
assert(picture[2]:find("▲", 1, true) and picture[2]:find("10.25", 1, true), picture[2])
assert(picture[3]:find("▼", 1, true) and picture[3]:find("10.00", 1, true), picture[3])
assert(picture[4]:find("half time", 1, true), picture[4])
picture = shown:picture("connected", {}, 40)
assert(not picture[2]:find("▲", 1, true), picture[2])

-- What a player calls himself cannot move the cursor.
shown:update({ entry(1, "\27[2Jevil\n", 1) }, 1, 50)
picture = shown:picture("connected", {}, 50)
assert(picture[2]:find("\\x1b[2Jevil\\x0a", 1, true), picture[2])

-- A name of many bytes is cut between characters, and columns stay in line.
shown:update({ entry(1, ("é"):rep(60), 1), entry(2, "a", 2) }, 2, 60)
picture = shown:picture("connected", {}, 99)
local function columns(line) return select(2, line:gsub("[^\128-\191]", "")) end
same(columns(picture[2]), columns(picture[3]))

same(table.concat(shown:plain(), "\n"), " 1  " .. ("é"):rep(60) .. "  1\n 2  a  2")
print("the overlay's picture is as it should be")
