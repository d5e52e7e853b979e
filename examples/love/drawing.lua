-- drawing.lua - draws the overlay.

local fonts = require "fonts"
local layout = require "layout"
local legible = require "laurel.legible"

local drawing = {}
drawing.__index = drawing

local function hex(digits, alpha)
  local value = tonumber(digits, 16)
  return { math.floor(value / 65536) / 255, math.floor(value / 256) % 256 / 255, value % 256 / 255,
    alpha or 1 }
end

local COLOURS = {
  above = hex "18202e", beneath = hex "070a10", -- the backdrop, from top to bottom
  panel = hex("0e141f", 0.86), edge = hex("8fb3e0", 0.22), line = hex("ffffff", 0.09),
  stripe = hex("ffffff", 0.035), moving = hex("1b2433", 0.94),
  own = hex "1d4f8c", own_edge = hex "5aa2f0",
  title = hex "ffffff", text = hex "e9eef6", dim = hex "93a1b5", glow = hex "ffd75e",
  gold = hex "ffcf4a", silver = hex "d3dbe6", bronze = hex "e0985a",
  up = hex "3ddc84", down = hex "ff6b6b", new = hex "ffcf4a", same = hex "93a1b5",
}
local STATES = {
  connecting = hex "f2b134", live = hex "2fd67b", lost = hex "f0524f", refused = hex "f0524f",
}
local MEDALS = { COLOURS.gold, COLOURS.silver, COLOURS.bronze }
local STALE = 0.5 -- the opacity of the rows while the server is not reachable

-- options: board, title, font, backdrop, as options.lua reads them
function drawing.new(options)
  return setmetatable({
    title = fonts.drawable(legible.text(options.title or options.board)),
    backdrop = options.backdrop, fonts = fonts.new(options.font),
  }, drawing)
end

-- A font whose size is in pixels of the design, at the window's scale.
function drawing:font(weight, pixels)
  return self.fonts:of(weight, math.max(1, math.floor(pixels * self.scale + 0.5)))
end

local function colour(of, alpha)
  love.graphics.setColor(of[1], of[2], of[3], (of[4] or 1) * (alpha or 1))
end

local function between(one, other, part)
  local mixed = {}
  for i = 1, 3 do mixed[i] = one[i] + (other[i] - one[i]) * part end
  return mixed
end

-- Prints at whole pixels, because letters between two pixels are blurred. Centres the text in
-- `height`, for fonts of different sizes in one line.
local function write(font, words, x, y, height)
  love.graphics.setFont(font)
  local top = height and y + (height - font:getHeight()) / 2 or y
  love.graphics.print(words, math.floor(x + 0.5), math.floor(top + 0.5))
end

local function write_right(font, words, right, y, height)
  write(font, words, right - font:getWidth(words), y, height)
end

local function star(x, y, radius)
  local points = {}
  for i = 0, 9 do
    local angle = math.pi * (i / 5 - 0.5)
    local reach = i % 2 == 0 and radius or radius * 0.45
    points[#points + 1] = x + math.cos(angle) * reach
    points[#points + 1] = y + math.sin(angle) * reach
  end
  for _, triangle in ipairs(love.math.triangulate(points)) do
    love.graphics.polygon("fill", triangle)
  end
end

local function draw_mark(mark, x, y, size)
  if mark == "new" then
    star(x, y, size * 1.15)
  elseif mark == "same" then
    local thick = math.max(1, math.floor(size * 0.3 + 0.5)) -- whole pixels, as letters have
    love.graphics.rectangle("fill", math.floor(x - size * 0.8), math.floor(y), size * 1.6, thick)
  else
    local tip = mark == "up" and -size or size
    local base = y - tip * 0.75
    love.graphics.polygon("fill", x - size, base, x + size, base, x, y + tip * 0.85)
  end
end

function drawing:draw_backdrop(width, height)
  if self.backdrop then
    love.graphics.clear(self.backdrop)
    return
  end
  self.gradient = self.gradient or love.graphics.newMesh({
    { 0, 0, 0, 0, COLOURS.above[1], COLOURS.above[2], COLOURS.above[3], 1 },
    { 1, 0, 0, 0, COLOURS.above[1], COLOURS.above[2], COLOURS.above[3], 1 },
    { 1, 1, 0, 0, COLOURS.beneath[1], COLOURS.beneath[2], COLOURS.beneath[3], 1 },
    { 0, 1, 0, 0, COLOURS.beneath[1], COLOURS.beneath[2], COLOURS.beneath[3], 1 },
  }, "fan", "static")
  love.graphics.setColor(1, 1, 1)
  love.graphics.draw(self.gradient, 0, 0, 0, width, height)
end

-- What all rows have in common: the decimals and widths of the scores' columns, their titles or
-- nil, and the width of the rank changes, nil if there are none.
function drawing:table_of(entries, board, scale)
  local bold, small = self:font("bold", 16), self:font("plain", 12)
  local decimals, titles = legible.decimals(entries, board), legible.titles(board)
  local common = { decimals = decimals, titles = #entries > 0 and titles or nil, widths = {},
    gap = 14 * scale }
  local function widen(cells, font)
    for i, cell in ipairs(cells) do
      common.widths[i] = math.max(common.widths[i] or 0, font:getWidth(cell))
    end
  end
  for _, entry in ipairs(entries) do widen(legible.cells(entry.score, decimals), bold) end
  if common.titles then widen(common.titles, small) end
  if legible.have_changes(entries) then
    common.changes = 0
    for _, entry in ipairs(entries) do
      local _, amount = legible.movement(entry)
      common.changes = math.max(common.changes, small:getWidth(amount))
    end
  end
  return common
end

-- Writes the cells of a score below each other's, in the columns that end at `right`. Returns where
-- they begin.
local function write_cells(font, cells, common, right, y, height)
  local left = right
  for i = #cells, 1, -1 do
    write_right(font, cells[i], right, y, height)
    left = right - (#cells == 1 and font:getWidth(cells[i]) or common.widths[i] or 0)
    right = left - common.gap
  end
  return left
end

function drawing:draw_header(at, view, state, common)
  local word_font, size_font = self:font("bold", 12), self:font("plain", 12)
  local dot = STATES[state] or STATES.lost
  colour(dot)
  write_right(word_font, state, at.right, at.title_y, 26 * at.scale)
  local word_width = word_font:getWidth(state)
  love.graphics.circle("fill", at.right - word_width - 11 * at.scale, at.title_y + 13 * at.scale,
    4.5 * at.scale, 32)

  local title_font = self:font("bold", 20)
  local room = at.right - at.title_x - word_width - 28 * at.scale
  local function measure(words) return title_font:getWidth(words) end
  colour(COLOURS.title)
  write(title_font, layout.clipped(self.title, room, measure), at.title_x, at.title_y,
    26 * at.scale)
  colour(COLOURS.dim)
  write(size_font, view.size == 1 and "1 player" or view.size .. " players", at.title_x, at.size_y)
  if common.titles then write_cells(size_font, common.titles, common, at.right, at.size_y) end
  colour(COLOURS.line)
  love.graphics.rectangle("fill", at.title_x, at.line_y, at.right - at.title_x,
    math.max(1, at.scale))
end

-- The mark of a movement just now; or, if the board has rank changes, those since its mark. Returns
-- the width that these take.
function drawing:draw_movement(row, common, x, middle, scale, alpha)
  local mark, amount = row.mark, ""
  if common.changes then mark, amount = legible.movement(row.entry) end
  if mark then
    colour(COLOURS[mark], alpha)
    draw_mark(mark, x, middle, 5 * scale)
  end
  local font = self:font("plain", 12)
  if amount ~= "" then
    write(font, amount, x + 9 * scale, middle - font:getHeight() / 2)
  end
  return common.changes and common.changes + 2 * scale or 0
end

function drawing:draw_row(at, row, common, alpha)
  local y, height, scale = at.row_y(row.place), at.row_height, at.scale
  local middle = y + height / 2
  if row.gap then
    colour(COLOURS.dim, alpha)
    local size = math.max(2, math.floor(2.5 * scale + 0.5))
    for i = 0, 2 do
      love.graphics.rectangle("fill", math.floor(at.name_x) + i * 3 * size,
        math.floor(y - 12 * scale), size, size)
    end
  end
  if row.own then
    colour(COLOURS.own, row.alpha)
    love.graphics.rectangle("fill", at.row_x, y, at.row_width, height, 6 * scale)
    colour(COLOURS.own_edge, row.alpha)
    love.graphics.rectangle("fill", at.row_x, y + 5 * scale, 3 * scale, height - 10 * scale)
  else
    colour(row.moving and COLOURS.moving or COLOURS.stripe, alpha) -- hides the row below it
    love.graphics.rectangle("fill", at.row_x, y, at.row_width, height, 6 * scale)
  end

  local entry = row.entry
  local plain, bold = self:font("plain", 16), self:font("bold", 16)
  colour(MEDALS[entry.rank] or row.own and COLOURS.text or COLOURS.dim, alpha)
  local rank, rank_font = legible.rank(entry.rank), self:font("bold", 15)
  local rank_x = math.max(at.rank_right - rank_font:getWidth(rank), at.row_x + 5 * scale)
  local rank_over = rank_x + rank_font:getWidth(rank) - at.rank_right -- > 0: ranks past 9,999
  write(rank_font, rank, rank_x, y, height)
  local moved = self:draw_movement(row, common, at.mark_x + rank_over, middle, scale, alpha)

  colour(between(COLOURS.text, COLOURS.glow, row.glow), alpha)
  local cells = legible.cells(entry.score, common.decimals)
  local scores_x = write_cells(bold, cells, common, at.right, y, height)

  local name_font = row.own and bold or plain
  local name_x = at.name_x + rank_over + moved
  local room = scores_x - common.gap - name_x
  local function measure(words) return name_font:getWidth(words) end
  colour(COLOURS.text, alpha)
  local name = fonts.drawable(legible.name(entry))
  write(name_font, layout.clipped(name, room, measure), name_x, y, height)
end

-- Draws the whole overlay.
--   table_rows  of rows.lua; places: the number of rows of the full table
--   view        a board_view; state, why: the word and the sentence of board_view.state
function drawing:draw(table_rows, places, view, state, why, now)
  local width, height = love.graphics.getDimensions()
  local at = layout.of(width, height, places)
  if self.scale ~= at.scale then
    self.scale = at.scale
    self.fonts:clear()
  end
  self:draw_backdrop(width, height)

  local shown = table_rows:at(now)
  local high = at.panel_height(math.max(table_rows:places(now), #shown == 0 and 1 or 0))
  local panel = COLOURS.panel
  if self.backdrop then panel = { panel[1], panel[2], panel[3], 1 } end -- opaque
  colour(panel)
  love.graphics.rectangle("fill", at.panel_x, at.panel_y, at.panel_width, high, 12 * at.scale)
  colour(COLOURS.edge)
  love.graphics.setLineWidth(math.max(1, at.scale))
  love.graphics.rectangle("line", at.panel_x, at.panel_y, at.panel_width, high, 12 * at.scale)
  local entries = {}
  for i, row in ipairs(shown) do entries[i] = row.entry end
  local common = self:table_of(entries, view.board, at.scale)
  self:draw_header(at, view, state, common)

  love.graphics.setScissor(at.panel_x, at.panel_y, at.panel_width, high)
  for _, row in ipairs(shown) do
    self:draw_row(at, row, common, row.alpha * (state == "live" and 1 or STALE))
  end
  love.graphics.setScissor()
  if #shown == 0 then
    local sentence = state ~= "live" and why or view.reason
      or view.changes > 0 and "nobody is ranked yet" or "waiting for the first standings"
    local font = self:font("plain", 13)
    local function measure(words) return font:getWidth(words) end
    colour(COLOURS.dim)
    write(font, layout.clipped(legible.text(sentence), at.right - at.title_x, measure), at.title_x,
      at.row_y(0), at.row_height)
  end
end

return drawing
