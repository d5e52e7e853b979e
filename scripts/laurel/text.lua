-- text.lua - escapes untrusted bytes for display, and finds the nearest match of a misspelt word.
local text = {}

local NAMES = { ["\n"] = "\\n", ["\t"] = "\\t", ["\r"] = "\\r", ["\\"] = "\\\\" }

local function shown(control)
  return NAMES[control] or ("\\x%02x"):format(control:byte())
end

-- Escapes control bytes (0 to 31, 127) and backslashes as \n, \t, \\ or \x1b, so that a player's
-- name cannot control a terminal or forge a log line. Cuts the text after `bytes_max` bytes
-- (default 255) and then appends "...".
function text.escaped(raw, bytes_max)
  bytes_max = bytes_max or 255
  local safe = raw:sub(1, bytes_max):gsub("[%z\1-\31\127\\]", shown)
  return #raw > bytes_max and safe .. "..." or safe
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
