-- text.lua - escapes untrusted bytes for display, and finds the nearest match of a misspelt word.
--
--   source  Unicode 15, table 3-7 (well-formed UTF-8) and section 23.2 (layout controls)
local text = {}

-- Returns the number of bytes of the well-formed character at i, or nil.
local function length_at(bytes, i)
  local first, second, third, fourth = bytes:byte(i, i + 3)
  local function follows(byte) return byte and byte >= 0x80 and byte <= 0xbf end
  if first < 0x80 then return 1 end
  if first < 0xc2 or first > 0xf4 or not follows(second) then return nil end
  if first < 0xe0 then return 2 end
  if not follows(third) then return nil end
  if first < 0xf0 then
    local overlong = first == 0xe0 and second < 0xa0
    local surrogate = first == 0xed and second > 0x9f
    return not overlong and not surrogate and 3 or nil
  end
  local out_of_range = first == 0xf0 and second < 0x90 or first == 0xf4 and second > 0x8f
  return not out_of_range and follows(fourth) and 4 or nil
end

-- Whether a well-formed character changes how others are shown: C1 controls, direction marks and
-- overrides, line separators, and characters without width (except the joiners, which scripts and
-- emoji need).
local function is_layout(character)
  local first, second, third = character:byte(1, 3)
  if first == 0xc2 then return second < 0xa0 end
  if first == 0xd8 then return second == 0x9c end
  if first == 0xe2 and second == 0x80 then
    return third == 0x8b or third == 0x8e or third == 0x8f or third >= 0xa8 and third <= 0xae
  end
  return first == 0xe2 and second == 0x81 and third >= 0xa0 and third <= 0xaf
    or character == "\239\187\191"
end

-- Iterates over the characters of a text. Yields the place of each, the character, and whether it
-- is to be escaped: it is a control or a layout character, or a byte that is not UTF-8.
function text.characters(bytes)
  local i = 1
  return function()
    if i > #bytes then return nil end
    local place, length = i, length_at(bytes, i)
    local character = bytes:sub(i, i + (length or 1) - 1)
    i = i + #character
    local control = character:find("^[%z\1-\31\127]") ~= nil
    return place, character, not length or control or is_layout(character)
  end
end

-- The bytes as \x1b.
function text.as_bytes(character)
  return (character:gsub(".", function(byte) return ("\\x%02x"):format(byte:byte()) end))
end

local NAMES = { ["\n"] = "\\n", ["\t"] = "\\t", ["\r"] = "\\r", ["\\"] = "\\\\" }

-- Escapes controls, layout characters, bytes that are not UTF-8, and backslashes as \n, \t, \\ or
-- \x1b, so that a player's name cannot control a terminal or forge a log line. Cuts the text before
-- the character at `bytes_max` (default 255) and then appends "...".
function text.escaped(raw, bytes_max)
  bytes_max = bytes_max or 255
  if #raw <= bytes_max and not raw:find("[^%[%] -Z^-~]") then return raw end
  local parts = {}
  for place, character, hidden in text.characters(raw) do
    if place - 1 + #character > bytes_max then
      parts[#parts + 1] = "..."
      break
    end
    parts[#parts + 1] = NAMES[character] or hidden and text.as_bytes(character) or character
  end
  return table.concat(parts)
end

-- The Levenshtein distance, with one row of the table at a time.
local function edit_distance(a, b)
  local row = {}
  for j = 0, #b do row[j] = j end
  for i = 1, #a do
    local diagonal = row[0]
    row[0] = i
    for j = 1, #b do
      local substituted = diagonal + (a:byte(i) == b:byte(j) and 0 or 1)
      diagonal = row[j]
      row[j] = math.min(row[j] + 1, row[j - 1] + 1, substituted)
    end
  end
  return row[#b]
end

-- Returns the candidate with the smallest edit distance to the word; nil if more than half of the
-- word's letters differ from every candidate.
function text.nearest(word, candidates)
  local best, best_distance = nil, math.floor(#word / 2) + 1
  for _, candidate in ipairs(candidates) do
    local distance = edit_distance(word:sub(1, 64), candidate)
    if distance < best_distance then best, best_distance = candidate, distance end
  end
  return best
end

return text
