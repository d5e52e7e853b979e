-- The text of the terminal overlay: a table with movement marks, or a line for each change. Pure
-- functions.
--
--   ▲   1  ▲2  Ali                          12  53.210
--   the mark of a movement just now, rank, rank change since the board's mark, name, score

local legible = require "laurel.legible"

local view = {}

local MARK_SECONDS = 1.5 -- how long a mark is visible

local MARKS = {
  up = "\27[32m▲\27[0m",
  down = "\27[31m▼\27[0m",
  new = "\27[33m★\27[0m",
  none = " ",
}
local CHANGES = { up = "\27[32m", down = "\27[31m", new = "\27[33m", same = "\27[2m" }
local RANK_COLUMNS, SCORE_COLUMNS = 3, 12 -- at least

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
    elseif not legible.same_score(was.score, entry.score) then
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
  local line = own and ("you    %2s  %s  %s"):format(legible.rank(own.rank), legible.name(own),
    legible.exact(own.score))
  if not line or line == self.own_line then return nil end
  self.own_line = line
  return line
end

-- One line for a change, for output that cannot be redrawn.
function view.line(change)
  local entry = change.entry
  local line = ("%-6s %2s  %s"):format(change.what, legible.rank(entry.rank), legible.name(entry))
  if change.what == "left" then return line end
  line = line .. "  " .. legible.exact(entry.score)
  if change.what == "new" or change.what == "score" then return line end
  return ("%s  (was %s)"):format(line, legible.rank(change.previous))
end

-- The width of the widest of the texts, at least `least`.
local function widest(texts, least)
  for _, text in ipairs(texts) do least = math.max(least, legible.columns(text)) end
  return least
end

-- The texts of the entries: ranks and scores, and, if there are any, rank changes with their
-- colours; the titles of the scores' columns, or nil; and the columns before the names.
local function cells_of(entries, board)
  local scores, titles = legible.scores(entries, board, true)
  local ranks, changes, colours = {}, {}, {}
  local have_changes = legible.have_changes(entries)
  for i, entry in ipairs(entries) do
    ranks[i] = legible.rank(entry.rank)
    if have_changes then changes[i], colours[i] = legible.change(entry) end
  end
  local rank_width, change_width = widest(ranks, RANK_COLUMNS), widest(changes, 0)
  local score_width = widest(scores, SCORE_COLUMNS)
  local cells = {}
  for i in ipairs(entries) do
    cells[i] = { rank = legible.fitted(ranks[i], rank_width, true), change = "",
      score = legible.fitted(scores[i], score_width, true) }
    if have_changes then
      cells[i].change = legible.fitted(changes[i], change_width) .. "  "
      cells[i].colour = CHANGES[colours[i]]
    end
  end
  local before = rank_width + 2 + (have_changes and change_width + 2 or 0)
  return cells, titles and legible.fitted(titles, score_width, true), before
end

-- The whole overlay as lines for a terminal. notes: { progress =, log = }, lines or nil. board: the
-- board's description, or nil; see board_view.
function view:picture(state, notes, now, board)
  local entries = {}
  for _, entry in ipairs(self.top) do entries[#entries + 1] = entry end
  for _, row in ipairs(self.beneath) do entries[#entries + 1] = row.entry end
  local cells, titles, before = cells_of(entries, board)

  local lines = {
    ("\27[1m%s\27[0m  %d players  (%s)"):format(legible.text(self.title), self.size,
      legible.text(state)),
  }
  if titles and #entries > 0 then
    lines[2] = ("\27[2m%s %s\27[0m"):format((" "):rep(2 + before + self.columns), titles)
  end
  local function add(i, mark)
    local entry, cell = entries[i], cells[i]
    local own = entry.player == self.own and "\27[7m" or ""
    local change = cell.change
    if cell.colour and own == "" then change = cell.colour .. change .. "\27[0m" end
    lines[#lines + 1] = ("%s %s%s  %s%s %s%s"):format(MARKS[mark], own, cell.rank, change,
      legible.fitted(legible.name(entry), self.columns), cell.score, own ~= "" and "\27[0m" or "")
  end
  for i, entry in ipairs(self.top) do
    local move = self.moves[entry.player]
    add(i, move and now < move.ends and move.mark or "none")
  end
  for i, row in ipairs(self.beneath) do
    if row.gap then lines[#lines + 1] = "    …" end
    add(#self.top + i, "none")
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
    lines[#lines + 1] = ("%2s  %s  %s"):format(legible.rank(entry.rank), legible.name(entry),
      legible.exact(entry.score))
  end
  return lines
end

return view
