-- layout.lua - the positions of all parts in a window of any size, in pixels. Pure functions.
--
-- The design is for a window 420 wide. It is scaled to the window's width, or to its height if the
-- table would not fit.

local layout = {}

local WIDTH = 420
local MARGIN = 12
local PADDING = 16
local HEADER = 62
local ROW = 36
local FOOT = 12
local ROW_GAP = 3 -- between two rows' backgrounds
local SCALE_MIN = 0.25 -- smaller letters are not readable
local SCALE_MAX = 8

-- The design size of a window with `places` rows.
function layout.window(places)
  return WIDTH, 2 * MARGIN + HEADER + math.ceil(places * ROW) + FOOT
end

-- The layout of a window of this size, for a table of at most `places` rows.
function layout.of(width, height, places)
  local _, wanted = layout.window(places)
  local scale = math.min(math.max(math.min(width / WIDTH, height / wanted), SCALE_MIN), SCALE_MAX)
  local inner = width / scale - 2 * MARGIN
  local self = {
    scale = scale,
    panel_x = MARGIN * scale,
    panel_y = MARGIN * scale,
    panel_width = inner * scale,
    title_x = (MARGIN + PADDING) * scale,
    title_y = (MARGIN + 10) * scale,
    size_y = (MARGIN + 36) * scale,
    right = (MARGIN + inner - PADDING) * scale,
    line_y = (MARGIN + HEADER - 4) * scale,
    row_x = (MARGIN + 6) * scale,
    row_width = (inner - 12) * scale,
    row_height = (ROW - ROW_GAP) * scale,
    rank_right = (MARGIN + PADDING + 30) * scale,
    mark_x = (MARGIN + PADDING + 45) * scale,
    name_x = (MARGIN + PADDING + 60) * scale,
  }

  -- The top edge of the row at a place.
  function self.row_y(place)
    return (MARGIN + HEADER + place * ROW) * scale
  end

  -- The panel's height with that many rows.
  function self.panel_height(shown)
    return (HEADER + shown * ROW + FOOT) * scale
  end

  return self
end

-- Cuts a text that is wider than `width` between two characters, and appends dots. Returns an empty
-- text if not even the dots fit. measure: function that returns the width of a text.
function layout.clipped(text, width, measure)
  if measure(text) <= width then return text end
  local ends = { 0 } -- ends[i + 1]: the last byte of the i-th character
  for _, next_character in text:gmatch("()[%z\1-\127\194-\244][\128-\191]*()") do
    ends[#ends + 1] = next_character - 1
  end
  local low, high = 0, #ends -- low characters fit, high do not
  while high - low > 1 do
    local middle = math.floor((low + high) / 2)
    if measure(text:sub(1, ends[middle]) .. "…") <= width then low = middle else high = middle end
  end
  return low == 0 and "" or text:sub(1, ends[low]) .. "…"
end

return layout
