-- What the terminal overlay shows: a table with movement marks, or a line for each change.
-- Pure: windows and moments in, text out.

local view = {}

local MARK_SECONDS = 1.5 -- how long a mark stays, so that an eye can catch it
local NAME_COLUMNS = 28

local MARKS = {
  up = "\27[32m▲\27[0m",
  down = "\27[31m▼\27[0m",
  new = "\27[33m★\27[0m",
  none = " ",
}

-- Text from players is data: control bytes are shown, never obeyed.
local function harmless(text)
  return (text:gsub("[%z\1-\31\127]", function(byte)
    return ("\\x%02x"):format(byte:byte())
  end))
end

-- Cut or padded to a number of characters; a character of UTF-8 is one column.
local function fitted(text, columns)
  local kept, count = {}, 0
  for character in text:gmatch("[%z\1-\127\194-\244][\128-\191]*") do
    if count == columns then break end
    count = count + 1
    kept[count] = character
  end
  return table.concat(kept) .. (" "):rep(columns - count)
end

local function name_of(entry)
  return harmless(entry.name or entry.player)
end

function view.new(title)
  return setmetatable({ title = title, top = {}, size = 0, moves = {} }, { __index = view })
end

-- Takes a new top; returns what changed, in the order of the table, then who left:
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

-- One line for a change, for where lines cannot be redrawn.
function view.line(change)
  local entry, name = change.entry, name_of(change.entry)
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

-- As many decimals as the score with most of them, so that the points stand below each other.
local function decimals_of(top)
  local most = 0
  for _, entry in ipairs(top) do
    most = math.max(most, #(("%.15g"):format(entry.score):match("%.(%d+)$") or ""))
  end
  return most
end

-- The whole picture as lines for a terminal. notes: { progress =, log = }, lines or nil.
function view:picture(state, notes, now)
  local decimals = decimals_of(self.top)
  local lines = {
    ("\27[1m%s\27[0m  %d players  (%s)"):format(harmless(self.title), self.size, harmless(state)),
  }
  for _, entry in ipairs(self.top) do
    local move = self.moves[entry.player]
    local mark = move and now < move.ends and move.mark or "none"
    lines[#lines + 1] = ("%s %3d  %s %12.*f"):gsub("%*", decimals):format(MARKS[mark], entry.rank,
      fitted(name_of(entry), NAME_COLUMNS), entry.score)
  end
  for _, note in ipairs { notes.progress or "", notes.log or "" } do
    lines[#lines + 1] = "\27[2m" .. harmless(note) .. "\27[0m"
  end
  return lines
end

-- The table as plain lines: what the overlay last knew.
function view:plain()
  local lines = {}
  for _, entry in ipairs(self.top) do
    lines[#lines + 1] = ("%2d  %s  %.15g"):format(entry.rank, name_of(entry), entry.score)
  end
  return lines
end

return view
