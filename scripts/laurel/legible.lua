-- legible.lua - makes entries safe to display: players' names, ranks, scores and rank changes.
--
-- A name is untrusted: up to 255 arbitrary bytes. legible.text turns it into valid UTF-8 of
-- printable characters, which is safe for terminals, fonts and settings files.
--
--   legible.text("Ada\27[2J")    --> Ada\x1b[2J
--   legible.points(83.5, 2)      --> 83.50
--   legible.fitted("Ada", 5)     --> "Ada  "
--   legible.change(entry)        --> ▲3
--
--   scores  a number, or an array of numbers on a board with columns.
--   board   the board's description of client:boards(), or nil if it is not known. It says how many
--           decimals the scores have; without it, the scores themselves do.
--   widths  in columns of a terminal, see character_width.lua.
--   lua     any; only the standard library
--   cost    O(bytes)
local text = require "laurel.text"
local width_of = require "laurel.character_width"

local unpack = rawget(table, "unpack") or unpack -- moved in Lua 5.2

local legible = {}

local EXACT_DIGITS = "%.15g" -- a double preserves 15 digits

-- Returns the bytes as valid UTF-8. Bytes that are not valid, controls and layout characters are
-- escaped as \x1b.
function legible.text(bytes)
  if not bytes:find("[^\32-\126]") then return bytes end
  local parts = {}
  for _, character, hidden in text.characters(bytes) do
    parts[#parts + 1] = hidden and text.as_bytes(character) or character
  end
  return table.concat(parts)
end

-- The display name of an entry's player.
function legible.name(entry)
  return legible.text(entry.name or entry.player)
end

-- --- widths

local CHARACTER = "[%z\1-\127\194-\244][\128-\191]*"

-- Cuts or pads a legible text to a number of columns; pads on the left if `before`.
function legible.fitted(shown, columns, before)
  local kept, width = {}, 0
  for character in shown:gmatch(CHARACTER) do
    local more = width_of(character)
    if width + more > columns then break end
    width = width + more
    kept[#kept + 1] = character
  end
  local space = (" "):rep(columns - width)
  return before and space .. table.concat(kept) or table.concat(kept) .. space
end

-- The columns that a legible text takes.
function legible.columns(shown)
  if not shown:find("[\128-\255]") then return #shown end
  local width = 0
  for character in shown:gmatch(CHARACTER) do width = width + width_of(character) end
  return width
end

-- --- ranks and rank changes

-- A rank of any ranking: "12", "2.5".
function legible.rank(rank) return ("%.15g"):format(rank) end

-- Whether there are rank changes to show: the board has a mark, and is published with changes.
function legible.have_changes(entries)
  for _, entry in ipairs(entries) do
    if entry.rank_change then return true end
  end
  return false
end

local SIGNS = { up = "▲", down = "▼", same = "=", new = "★" }

-- How the player's rank changed since the board's mark: "up", "down", "same", or "new" for a player
-- who was not ranked then; and by how much, a text.
function legible.movement(entry)
  local change = entry.rank_change
  if not change then return "new", "" end
  if change == 0 then return "same", "" end
  return change > 0 and "up" or "down", legible.rank(math.abs(change))
end

-- The same as one text: "▲3". Returns "up", "down", "same" or "new", too.
function legible.change(entry)
  local which, amount = legible.movement(entry)
  return SIGNS[which] .. amount, which
end

-- --- scores

local function values_of(score) return type(score) == "table" and score or { score } end

-- Whether two scores are equal.
function legible.same_score(one, other)
  local values, others = values_of(one), values_of(other)
  if #values ~= #others then return false end
  for i, value in ipairs(values) do
    if value ~= others[i] then return false end
  end
  return true
end

-- A score with all its digits: "12", "12 / 53.21".
function legible.exact(score)
  local parts = {}
  for i, value in ipairs(values_of(score)) do parts[i] = EXACT_DIGITS:format(value) end
  return table.concat(parts, " / ")
end

-- The number of decimals of the scores, so that the decimal points can be aligned: an array with
-- one for each column, or with one.
function legible.decimals(entries, board)
  local most = {}
  for _, entry in ipairs(entries) do
    for i, value in ipairs(values_of(entry.score)) do
      local column = board and board.columns and board.columns[i]
      most[i] = column and column.decimals or board and board.decimals
        or math.max(most[i] or 0, #(EXACT_DIGITS:format(value):match("%.(%d+)$") or ""))
    end
  end
  return most
end

-- Formats a number with that many decimals. A very large or very small one has an exponent instead.
function legible.points(number, decimals)
  local exact = EXACT_DIGITS:format(number)
  return exact:find("e", 1, true) and exact or ("%." .. decimals .. "f"):format(number)
end

-- The texts of a score, one for each column. decimals: of legible.decimals
function legible.cells(score, decimals)
  local cells = {}
  for i, value in ipairs(values_of(score)) do cells[i] = legible.points(value, decimals[i] or 0) end
  return cells
end

-- The names of the columns; nil if there are none, or they are not known.
function legible.titles(board)
  if not board or not board.columns then return nil end
  local titles = {}
  for i, column in ipairs(board.columns) do titles[i] = column.name end
  return titles
end

-- The scores of the entries as texts of the same width, with their columns below each other; and
-- the columns' names in the same form, if `titled` and they are known.
function legible.scores(entries, board, titled)
  local decimals, titles = legible.decimals(entries, board), titled and legible.titles(board)
  local rows, widths = {}, {}
  for i, entry in ipairs(entries) do rows[i] = legible.cells(entry.score, decimals) end
  for _, cells in ipairs { titles or {}, unpack(rows) } do
    for i, cell in ipairs(cells) do widths[i] = math.max(widths[i] or 0, legible.columns(cell)) end
  end
  local function joined(cells)
    local parts = {}
    for i, width in ipairs(widths) do parts[i] = legible.fitted(cells[i] or "", width, true) end
    return table.concat(parts, "  ")
  end
  local texts = {}
  for i, cells in ipairs(rows) do texts[i] = joined(cells) end
  return texts, titles and joined(titles) or nil
end

-- --- lines

local NAME_COLUMNS = 28 -- a longer name is cut, so that one player cannot push the points away
local FIELD = "{(%a+)}( ?)"
local RIGHT = { rank = true } -- aligned by their last character

-- Returns the rows of a board_view as lines of text, with columns aligned for a monospaced font.
--   format  of a line, such as "{mark}{rank}. {change} {name}  {score}". {change} is the rank
--           change since the board's mark, {player} the id. A field that is empty in all rows goes
--           with the space after it. Other text in braces is unchanged
--   board   the board's description, or nil
--   mark    the value of {mark} in the own row; in other rows it is spaces of the same width
function legible.lines(rows, format, mark, board)
  local entries = {}
  for i, row in ipairs(rows) do entries[i] = row.entry end
  local scores, has_changes = legible.scores(entries, board), legible.have_changes(entries)

  local fields, widths = {}, {}
  for i, row in ipairs(rows) do
    local entry = row.entry
    fields[i] = {
      rank = legible.rank(entry.rank), change = has_changes and (legible.change(entry)) or "",
      score = scores[i], name = legible.name(entry), player = legible.text(entry.player),
      mark = row.own and mark or (" "):rep(legible.columns(mark)),
    }
    for name, field in pairs(fields[i]) do
      local most = (name == "name" or name == "player") and NAME_COLUMNS or math.huge
      widths[name] = math.min(math.max(widths[name] or 0, legible.columns(field)), most)
    end
  end

  local lines = {}
  for i, row in ipairs(rows) do
    if row.gap then lines[#lines + 1] = "…" end
    local line = format:gsub(FIELD, function(name, space)
      local field, width = fields[i][name], widths[name]
      if not field then return nil end
      return width == 0 and "" or legible.fitted(field, width, RIGHT[name]) .. space
    end)
    lines[#lines + 1] = (line:gsub(" +$", ""))
  end
  return lines
end

return legible
