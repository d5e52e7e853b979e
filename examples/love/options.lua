-- Parses the command line. Pure functions.

local options = {}

options.USAGE = [[
usage: love examples/love [OPTION VALUE]...
  --host ADDRESS      of the server: 127.0.0.1
  --port N            its port: 7777
  --board NAME        the board to show: race
  --top N             how many of its first, 1 to 100: 10
  --around N          with a token: that many above and below its player, 0 to 10: 2
  --token TOKEN       what the game gave you to be let in
  --player ID         the player whose row is marked, if no token says it
  --title TEXT        in place of the board's name
  --size WIDTHxHEIGHT of the window; the table is scaled to it
  --font FILE         a TrueType font
  --backdrop RRGGBB   a plain colour behind the table, to be keyed out
  --shot FILE         F12 writes the picture there, as PNG
  --after CONDITION   writes it by itself, then ends: after N seconds, or once the table is
                      live or lost and nothing in it moves]]

local function number(low, high)
  return function(word)
    local value = tonumber(word)
    if value and value >= low and value <= high and value % 1 == 0 then return value end
    return nil, ("a whole number from %d to %d"):format(low, high)
  end
end

local function any(word) return word end

local function colour(word)
  local red, green, blue = word:match("^#?(%x%x)(%x%x)(%x%x)$")
  if not red then return nil, "six hexadecimal digits" end
  return { tonumber(red, 16) / 255, tonumber(green, 16) / 255, tonumber(blue, 16) / 255 }
end

local function condition(word)
  if word == "live" or word == "lost" then return word end
  local seconds = tonumber(word)
  if seconds and seconds >= 0 then return seconds end
  return nil, "seconds, live or lost"
end

local SIZE_MAX = 8192 -- pixels: a common limit of graphics cards

local function size(word)
  local width, height = word:match("^(%d+)x(%d+)$")
  width, height = tonumber(width), tonumber(height)
  if width and width > 0 and height > 0 and math.max(width, height) <= SIZE_MAX then
    return { width = width, height = height }
  end
  return nil, "a size such as 840x1000"
end

local READERS = {
  host = any, port = number(1, 65535), board = any, top = number(1, 100), around = number(0, 10),
  token = any, player = any, title = any,
  size = size, font = any, backdrop = colour, shot = any, after = condition,
}

-- Returns the options by name; or nil and the error.
function options.parse(words)
  local parsed = { host = "127.0.0.1", port = 7777, board = "race", top = 10, around = 2 }
  for i = 1, #words, 2 do
    local name, word = words[i]:match("^%-%-(%a+)$"), words[i + 1]
    local read = READERS[name or ""]
    if not read then return nil, words[i] .. " is no option" end
    if not word then return nil, words[i] .. " wants a value" end
    local value, wanted = read(word)
    if value == nil then return nil, ("%s %s: wanted %s"):format(words[i], word, wanted) end
    parsed[name] = value
  end
  if parsed.after and not parsed.shot then return nil, "--after wants --shot" end
  return parsed
end

return options
