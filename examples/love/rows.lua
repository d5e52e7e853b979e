-- rows.lua - animates the rows of a board_view: computes the position of each row at a time, while
-- it moves to a new place or fades in or out, and its mark.
--
--   place    from 0, in rows from the top of the table; a fraction while a row moves
--   times    seconds of any clock that does not go back
--   pure     does not use LÖVE
--   cost     O(rows) per call

local legible = require "laurel.legible"

local rows = {
  GAP_PLACES = 0.6, -- the space between rows that are not neighbours on the board
}
rows.__index = rows

local GLIDE_SECONDS = 0.45
local FADE_SECONDS = 0.3
local MARK_SECONDS = 4 -- long enough for a viewer who looked away
local GLOW_SECONDS = 1.2
local LEAVING_MAX = 100  -- the size of a top; bounds the rows that fade out

function rows.new()
  return setmetatable({ shown = {}, leaving = {}, height = nil, known = false }, rows)
end

-- A number that moves to a target, slower and slower.
local function travel(from, to, now, seconds)
  return { from = from, to = to, began = now, seconds = seconds }
end

local function position(way, now)
  local part = math.min(math.max((now - way.began) / way.seconds, 0), 1)
  return way.to + (way.from - way.to) * (1 - part) ^ 3
end

local function arrived(way, now)
  return way.from == way.to or now >= way.began + way.seconds
end

-- Changes the target of a number, from its current position.
local function redirect(way, to, now)
  if way.to == to then return way end
  return travel(position(way, now), to, now, way.seconds)
end

local function prune(leaving, now)
  local kept = {}
  for _, row in ipairs(leaving) do
    if not arrived(row.fade, now) then kept[#kept + 1] = row end
  end
  while #kept > LEAVING_MAX do table.remove(kept, 1) end
  return kept
end

-- The change of an entry since the last list: "up", "down", "new" or nil.
local function movement(before, row, known)
  if not before then return known and not row.below and "new" or nil end
  if row.entry.rank == before.rank then return nil end
  return row.entry.rank < before.rank and "up" or "down"
end

-- Updates the rows from `board_view:rows`. The rows of the first list fade in without marks,
-- because they are not new on the board.
function rows:take(list, now)
  local before, shown, place = {}, {}, 0
  for _, row in ipairs(prune(self.leaving, now)) do before[row.entry.player] = row end
  for _, row in ipairs(self.shown) do before[row.entry.player] = row end
  for i, given in ipairs(list) do
    if given.gap then place = place + rows.GAP_PLACES end
    local entry = given.entry
    local was = before[entry.player]
    before[entry.player] = nil
    local returns = was and was.fade.to == 0
    local row = {
      entry = entry, own = given.own, below = given.below, gap = given.gap,
      way = was and redirect(was.way, place, now) or travel(place, place, now, GLIDE_SECONDS),
      fade = was and redirect(was.fade, 1, now) or travel(0, 1, now, FADE_SECONDS),
      mark = was and was.mark, marked = was and was.marked, scored = was and was.scored,
    }
    local moved = movement(not returns and was and was.entry or nil, given, self.known)
    if moved then row.mark, row.marked = moved, now end
    if was and not legible.same_score(was.entry.score, entry.score) then row.scored = now end
    shown[i] = row
    place = place + 1
  end

  local leaving = {}
  for _, list_before in ipairs { self.leaving, self.shown } do
    for _, row in ipairs(list_before) do
      if before[row.entry.player] == row then
        row.fade = redirect(row.fade, 0, now)
        leaving[#leaving + 1] = row
      end
    end
  end
  self.leaving = prune(leaving, now)
  self.shown, self.known = shown, true
  self.height = self.height and redirect(self.height, place, now)
    or travel(place, place, now, GLIDE_SECONDS)
end

-- The remaining part of a duration, from 1 to 0.
local function left_of(began, seconds, now)
  return began and math.max(0, 1 - (now - began) / seconds) or 0
end

-- Layers from the bottom, 1: rows that leave, rows that stay or fall, rows that rise, the own row.
local function layer_of(row, leaving, now)
  if leaving then return 1 end
  if row.own then return 4 end
  return row.way.to < position(row.way, now) and 3 or 2
end

-- Returns the rows to draw, in drawing order: a rising row is drawn over a falling one. Each is {
-- entry, own, place, moving, gap, alpha (0 to 1), mark = "up" | "down" | "new" or nil, glow (1 to 0
-- since the score changed), leaving = whether it fades out }
function rows:at(now)
  local layers = { {}, {}, {}, {} }
  local function add(row, leaving)
    local layer = layers[layer_of(row, leaving, now)]
    layer[#layer + 1] = {
      entry = row.entry, own = row.own, gap = row.gap and not leaving, leaving = leaving,
      place = position(row.way, now), moving = not arrived(row.way, now),
      alpha = position(row.fade, now),
      mark = left_of(row.marked, MARK_SECONDS, now) > 0 and row.mark or nil,
      glow = left_of(row.scored, GLOW_SECONDS, now),
    }
  end
  for _, row in ipairs(prune(self.leaving, now)) do add(row, true) end
  for _, row in ipairs(self.shown) do add(row, false) end
  local drawn = {}
  for _, layer in ipairs(layers) do
    for _, row in ipairs(layer) do drawn[#drawn + 1] = row end
  end
  return drawn
end

-- The current height of the table in rows.
function rows:places(now)
  return self.height and position(self.height, now) or 0
end

-- Whether all rows have stopped moving and fading.
function rows:still(now)
  if self.height and not arrived(self.height, now) then return false end
  for _, row in ipairs(self.shown) do
    if not arrived(row.way, now) or not arrived(row.fade, now) then return false end
  end
  return #prune(self.leaving, now) == 0
end

return rows
