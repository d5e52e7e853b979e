-- top_form.lua - the content of /top, as a formspec and as chat lines.
--
--   text    of players and mods is not trusted: it is escaped for the formspec and its markup, and
--           controls, which begin Luanti's colour codes or turn a line's direction, are removed.
--   layout  is in units of the form, which scale with the client's window; letters do not. Each
--           cell is a separate hypertext, because these can be aligned. The columns of a table are
--           measured in letters, so in a small window the scores would be outside of it.
--   lines   have the same numbers, for the console or a bridge to another chat.
--
-- Returns { formspec = function, lines = function }.
local SHOWN = 10
local PLAIN, HEAD, OWN, OWN_ROW = "#e8e8e8", "#a9b4c6", "#ffd75e", "#2c4a73ff"
local UP, DOWN = "#3ddc84", "#ff6b6b" -- of rank changes
local WIDTH, LEFT, RIGHT = 10.4, 0.5, 9.9 -- the width of the form, and both ends of its rows
local TOP, ROW = 1.1, 0.56 -- the top edge of the first row, and the height of each
local CELL = 1.2 -- cell height, enough for letters in a small window; centred on its row

-- C0 and C1, line separators, and marks of direction.
local CONTROLS = {
  "%c", "\194[\128-\159]", "\216\156", "\226\128[\142\143\168-\174]", "\226\129[\166-\169]",
}

local function shown(text)
  for _, control in ipairs(CONTROLS) do text = text:gsub(control, "?") end
  return text
end

local function escaped(text)
  return minetest.formspec_escape(shown(text))
end

local function ordinal(n)
  local tens, ones = n % 100, n % 10
  if tens >= 11 and tens <= 13 then return n .. "th" end
  return n .. (({ "st", "nd", "rd" })[ones] or "th")
end

-- "▲3": how far the player climbed or fell since the board's mark, and a colour. "" on boards
-- without one, and for a player who was not in the table then.
local function change_of(entry)
  local change = entry.rank_change
  if not change then return "", PLAIN end
  if change == 0 then return "=", HEAD end
  return ("%s%.14g"):format(change > 0 and "▲" or "▼", math.abs(change)), change > 0 and UP or DOWN
end

-- "You: 211th of 1539, 42"
local function own_line(about, player)
  local rank, size = about.board:rank(player)
  if not rank then return ("You: not among the %d yet"):format(about.board:size()) end
  local score = about.board:get(player).score
  return ("You: %s of %d, %s"):format(ordinal(rank), size, about.format(score))
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

-- A cell at x with a width, in a row.
local function cell(row, x, width, side, colour, text)
  local middle = TOP + (row + 0.5) * ROW
  return ("hypertext[%g,%g;%g,%g;;%s]"):format(x, middle - CELL / 2, width, CELL,
    minetest.formspec_escape(("<global margin=0 valign=middle halign=%s color=%s>%s")
      :format(side, colour, (shown(text):gsub("[\\<>]", "\\%0")))))
end

local function row_of(row, colour, rank, player, score)
  return cell(row, LEFT, 0.9, "right", colour, rank)
    .. cell(row, LEFT + 2.1, 4.5, "left", colour, player)
    .. cell(row, LEFT + 2.1, RIGHT - LEFT - 2.4, "right", colour, score)
end

-- The form for `player`, with the chosen board of `list`. The tabs are the field "board".
function top_form.formspec(list, chosen, player)
  local about, titles = list[chosen], {}
  for i, each in ipairs(list) do titles[i] = escaped(each.title) end

  local rows = { row_of(0, HEAD, "", "Player", about.unit) }
  for row, entry in ipairs(about.board:top(SHOWN)) do
    local is_own = entry.player == player
    if is_own then
      rows[#rows + 1] = ("box[%g,%g;%g,%g;%s]"):format(LEFT, TOP + row * ROW, RIGHT - LEFT, ROW,
        OWN_ROW)
    end
    rows[#rows + 1] = row_of(row, is_own and OWN or PLAIN, ("%.14g"):format(entry.rank),
      entry.player, about.format(entry.score))
    local change, colour = change_of(entry)
    if change ~= "" then rows[#rows + 1] = cell(row, LEFT + 1.1, 0.9, "left", colour, change) end
  end
  local foot = TOP + (SHOWN + 1) * ROW + 0.3
  return table.concat {
    ("formspec_version[4]size[%g,%g]bgcolor[#14181ff2]"):format(WIDTH, foot + 1.3),
    "tabheader[0,0;board;", table.concat(titles, ","), ";", chosen, ";false;true]",
    ("label[%g,0.6;"):format(LEFT + 0.15), escaped(season_line(about)), "]",
    table.concat(rows),
    ("label[%g,%g;"):format(LEFT + 0.15, foot + 0.4), escaped(own_line(about, player)), "]",
    ("button_exit[%g,%g;2.1,0.8;close;Close]"):format(RIGHT - 2.1, foot),
  }
end

function top_form.lines(about, player)
  local lines = { ("%s - %s"):format(about.title, season_line(about)) }
  for _, entry in ipairs(about.board:top(SHOWN)) do
    local change = change_of(entry)
    if change ~= "" then change = change .. "  " end
    lines[#lines + 1] = ("%.14g. %s%s  %s"):format(entry.rank, change, shown(entry.player),
      about.format(entry.score))
  end
  lines[#lines + 1] = own_line(about, player)
  return table.concat(lines, "\n")
end

return top_form
