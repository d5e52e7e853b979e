-- screenshot.lua - reads screenshots: lines of text with their positions, and positions of a colour.
local processes = require "process_fixture"

local picture = {}

-- The lines of text from the top, each { text =, top =, bottom = } in pixels, as tesseract reads light
-- letters on a dark background.
function picture.lines(path)
  local table_of_words = processes.output(("convert %s -colorspace gray -negate -level 15%%,70%% png:- |"
    .. " OMP_THREAD_LIMIT=1 tesseract - - --psm 6 tsv 2>/dev/null"):format(path))
  local lines, keys = {}, {}
  for row in table_of_words:gmatch("[^\n]+") do
    local cells = {}
    for cell in (row .. "\t"):gmatch("([^\t]*)\t") do cells[#cells + 1] = cell end
    local word = cells[12]
    if cells[1] == "5" and word and word:find("%S") then
      local key = table.concat({ cells[3], cells[4], cells[5] }, ".")
      local top, height = tonumber(cells[8]), tonumber(cells[10])
      if not keys[key] then
        keys[key] = { text = word, top = top, bottom = top + height }
        lines[#lines + 1] = keys[key]
      else
        local line = keys[key]
        line.text = line.text .. " " .. word
        line.top, line.bottom = math.min(line.top, top), math.max(line.bottom, top + height)
      end
    end
  end
  return lines
end

-- The bounding box of exactly that colour: { left, top, right, bottom }, or nil.
function picture.find(path, colour)
  local words = processes.output(("convert %s -fill black +opaque '%s' -bordercolor black -border 1"
    .. " -format '%%@' info: 2>/dev/null"):format(path, colour))
  local width, height, left, top = words:match("^(%d+)x(%d+)%+(%d+)%+(%d+)")
  width, height, left, top = tonumber(width), tonumber(height), tonumber(left), tonumber(top)
  if not width or width == 0 or height == 0 then return nil end
  return { left = left - 1, top = top - 1, right = left + width - 1, bottom = top + height - 1 }
end

return picture
