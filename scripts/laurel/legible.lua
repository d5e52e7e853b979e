-- legible.lua - makes players' names and scores safe to display.
--
-- A name is untrusted: up to 255 arbitrary bytes. legible.text turns it into valid UTF-8 of
-- printable characters, which is safe for terminals, fonts and settings files.
--
--   legible.text("Ada\27[2J")    --> Ada\x1b[2J
--   legible.points(83.5, 2)      --> 83.50
--   legible.fitted("Ada", 5)     --> "Ada  "
--
--   lua     any; only the standard library
--   cost    O(bytes)
local text = require "laurel.text"

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

-- Cuts or pads a legible text to a number of characters; pads on the left if `before`. Counts each
-- character as one column, although East Asian ones are wider.
function legible.fitted(shown, columns, before)
  local kept, count = {}, 0
  for character in shown:gmatch("[%z\1-\127\194-\244][\128-\191]*") do
    if count == columns then break end
    count = count + 1
    kept[count] = character
  end
  local space = (" "):rep(columns - count)
  return before and space .. table.concat(kept) or table.concat(kept) .. space
end

-- The number of characters of a legible text.
function legible.columns(shown)
  return select(2, shown:gsub("[^\128-\191]", ""))
end

-- The largest number of decimals of the scores, so that the decimal points can be aligned.
function legible.decimals(entries)
  local most = 0
  for _, entry in ipairs(entries) do
    most = math.max(most, #(EXACT_DIGITS:format(entry.score):match("%.(%d+)$") or ""))
  end
  return most
end

-- Formats a score with that many decimals. A very large or very small score has an exponent
-- instead.
function legible.points(score, decimals)
  local exact = EXACT_DIGITS:format(score)
  return exact:find("e", 1, true) and exact or ("%." .. decimals .. "f"):format(score)
end

local NAME_COLUMNS = 28 -- a longer name is cut, so that one player cannot push the points away
local FIELD = "{(%a+)}"
local RIGHT = { rank = true, score = true } -- aligned by their last character

-- Returns the rows of a board_view as lines of text, with columns aligned for a monospaced font.
--   format  of a line, such as "{mark}{rank}. {name}  {score}". {player} is the id. Other text in
--           braces is unchanged
--   mark    the value of {mark} in the own row; in other rows it is spaces of the same width
function legible.lines(rows, format, mark)
  local entries = {}
  for i, row in ipairs(rows) do entries[i] = row.entry end
  local decimals = legible.decimals(entries)

  local fields, widths = {}, {}
  for i, row in ipairs(rows) do
    local entry = row.entry
    fields[i] = {
      rank = ("%.0f"):format(entry.rank), score = legible.points(entry.score, decimals),
      name = legible.name(entry), player = legible.text(entry.player),
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
    local line = format:gsub(FIELD, function(name)
      local field = fields[i][name]
      return field and legible.fitted(field, widths[name], RIGHT[name])
    end)
    lines[#lines + 1] = (line:gsub(" +$", ""))
  end
  return lines
end

return legible
