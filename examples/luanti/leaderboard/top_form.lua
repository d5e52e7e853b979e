-- top_form.lua - what /top shows of a board, as a formspec and as lines of chat.
--
--   text    of players and mods is data: escaped for the formspec, without control bytes, which
--           begin Luanti's colour codes.
--   table   right-aligned columns have no `width`: Luanti takes every cell to be that wide, and
--           aligns nothing; their heads have spaces in front instead. It has no font of its own:
--           Luanti measures it in the usual one. Its name says which row is selected: under the
--           name that it had, the client selects what was selected before.
--   lines   the same numbers for who has no window: the console, a bridge to another chat.
--
-- Returns { formspec = function, lines = function }.
local SHOWN = 10
local PLAIN, HEAD, OWN = "#e8e8e8", "#a9b4c6", "#ffd75e"

local function shown(text)
  return (text:gsub("%c", "?"))
end

local function escaped(text)
  return minetest.formspec_escape(shown(text))
end

local function ordinal(n)
  local tens, ones = n % 100, n % 10
  if tens >= 11 and tens <= 13 then return n .. "th" end
  return n .. (({ "st", "nd", "rd" })[ones] or "th")
end

-- "You: 211th of 1539, 42"
local function own_line(about, player)
  local rank, size = about.board:rank(player)
  if not rank then return ("You: not among the %d yet"):format(about.board:size()) end
  return ("You: %s of %d, %s"):format(ordinal(rank), size, about.format(about.board:score(player)))
end

-- "Season 3, 2 d 4 h left".
local function season_line(about)
  local info = about.board:info()
  if not info.resets_at then return "All time" end
  local left = math.max(0, info.resets_at - os.time())
  local words = left >= 86400 and ("%d d %d h"):format(left / 86400, left % 86400 / 3600)
    or left >= 3600 and ("%d h"):format(left / 3600) or ("%d min"):format(left / 60)
  return ("Season %d, %s left"):format(info.season, words)
end

local top_form = {}

-- The window of the chosen one among `list`, as `player` sees it. The tabs are the field "board".
function top_form.formspec(list, chosen, player)
  local about, titles = list[chosen], {}
  for i, each in ipairs(list) do titles[i] = escaped(each.title) end

  local cells, own = { HEAD, "     ", "Player", escaped(("%16s"):format(about.unit)) }, 0
  for row, entry in ipairs(about.board:top(SHOWN)) do
    local is_own = entry.player == player
    if is_own then own = row + 1 end
    for _, cell in ipairs { is_own and OWN or PLAIN, tostring(entry.rank), escaped(entry.player),
      escaped(about.format(entry.score)) } do
      cells[#cells + 1] = cell
    end
  end
  return table.concat {
    "formspec_version[4]size[9.6,8.4]bgcolor[#14181ff2]",
    "tabheader[0,0;board;", table.concat(titles, ","), ";", chosen, ";false;true]",
    "label[0.65,0.6;", escaped(season_line(about)), "]",
    "tableoptions[background=#00000000;border=false;highlight=#2c4a73;highlight_text=", OWN, "]",
    "tablecolumns[color,span=3;text,align=right,padding=0.5;text,width=19,padding=1;",
    "text,align=right,padding=0.5]",
    "table[0.5,1.1;8.6,5.9;", ("top%d_%d"):format(chosen, own), ";",
    table.concat(cells, ","), ";", own, "]",
    "label[0.65,7.6;", escaped(own_line(about, player)), "]",
    "button_exit[7,7.2;2.1,0.8;close;Close]",
  }
end

function top_form.lines(about, player)
  local lines = { ("%s - %s"):format(about.title, season_line(about)) }
  for _, entry in ipairs(about.board:top(SHOWN)) do
    lines[#lines + 1] = ("%d. %s  %s"):format(entry.rank, shown(entry.player),
      about.format(entry.score))
  end
  lines[#lines + 1] = own_line(about, player)
  return table.concat(lines, "\n")
end

return top_form
