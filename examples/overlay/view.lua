-- The text of the terminal overlay: a table with movement marks, or a line for each change. Pure
-- functions.

local legible = require "laurel.legible"

local view = {}

local MARK_SECONDS = 1.5 -- how long a mark is visible

local MARKS = {
  up = "\27[32m▲\27[0m",
  down = "\27[31m▼\27[0m",
  new = "\27[33m★\27[0m",
  none = " ",
}

-- columns: the width of names; default 28
function view.new(title, columns)
  return setmetatable({
    title = title, columns = columns or 28, top = {}, beneath = {}, size = 0, moves = {},
  }, { __index = view })
end

-- Updates the top. Returns the changes, in the order of the table, then the players who left:
-- { { what = "new" | "up" | "down" | "score" | "left", entry =, previous = rank or nil }, … }
function view:update(top, size, now)
  local before, changes = {}, {}
  for _, entry in ipairs(self.top) do before[entry.player] = entry end
  for _, entry in ipairs(top) do
    local was = before[entry.player]
    before[entry.player] = nil
    local what
    if not was then
      what = "new"
    elseif was.rank ~= entry.rank then
      what = entry.rank < was.rank and "up" or "down"
    elseif was.score ~= entry.score then
      what = "score"
    end
    if what then
      changes[#changes + 1] = { what = what, entry = entry, previous = was and was.rank }
      if MARKS[what] then self.moves[entry.player] = { mark = what, ends = now + MARK_SECONDS } end
    end
  end
  for _, entry in ipairs(self.top) do
    if before[entry.player] then
      changes[#changes + 1] = { what = "left", entry = entry, previous = entry.rank }
      self.moves[entry.player] = nil
    end
  end
  self.top, self.size = top, size
  return changes
end

-- Updates the rows below the top and the own player, from the rows of a board_view. Returns the own
-- row's line if it has changed.
function view:follow(rows)
  local own
  self.beneath, self.own = {}, nil
  for _, row in ipairs(rows) do
    if row.below then self.beneath[#self.beneath + 1] = row end
    if row.own then own, self.own = row.entry, row.entry.player end
  end
  local line = own and ("you    %2d  %s  %.15g"):format(own.rank, legible.name(own), own.score)
  if not line or line == self.own_line then return nil end
  self.own_line = line
  return line
end

-- One line for a change, for output that cannot be redrawn.
function view.line(change)
  local entry, name = change.entry, legible.name(change.entry)
  if change.what == "new" then
    return ("new    %2d  %s  %.15g"):format(entry.rank, name, entry.score)
  elseif change.what == "left" then
    return ("left   %2d  %s"):format(entry.rank, name)
  elseif change.what == "score" then
    return ("score  %2d  %s  %.15g"):format(entry.rank, name, entry.score)
  end
  return ("%-6s %2d  %s  %.15g  (was %d)"):format(change.what, entry.rank, name, entry.score,
    change.previous)
end

-- The whole overlay as lines for a terminal. notes: { progress =, log = }, lines or nil.
function view:picture(state, notes, now)
  local entries = {}
  for _, entry in ipairs(self.top) do entries[#entries + 1] = entry end
  for _, row in ipairs(self.beneath) do entries[#entries + 1] = row.entry end
  local decimals = legible.decimals(entries)

  local lines = {
    ("\27[1m%s\27[0m  %d players  (%s)"):format(legible.text(self.title), self.size,
      legible.text(state)),
  }
  local function add(entry, mark)
    local line = ("%3d  %s %12s"):format(entry.rank,
      legible.fitted(legible.name(entry), self.columns), legible.points(entry.score, decimals))
    if entry.player == self.own then line = "\27[7m" .. line .. "\27[0m" end
    lines[#lines + 1] = MARKS[mark] .. " " .. line
  end
  for _, entry in ipairs(self.top) do
    local move = self.moves[entry.player]
    add(entry, move and now < move.ends and move.mark or "none")
  end
  for _, row in ipairs(self.beneath) do
    if row.gap then lines[#lines + 1] = "    …" end
    add(row.entry, "none")
  end
  for _, note in ipairs { notes.progress or "", notes.log or "" } do
    lines[#lines + 1] = "\27[2m" .. legible.text(note) .. "\27[0m"
  end
  return lines
end

-- The last known table as plain lines.
function view:plain()
  local lines = {}
  for _, entry in ipairs(self.top) do
    lines[#lines + 1] = ("%2d  %s  %.15g"):format(entry.rank, legible.name(entry), entry.score)
  end
  return lines
end

return view
