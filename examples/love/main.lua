-- A board's top in a window, live, for a stream or a second screen. LÖVE 11.4.
--
--   love examples/love --host 127.0.0.1 --port 7777 --board race --token TOKEN
--
-- `love examples/love --help` lists more options. F12 writes a picture to the file of --shot;
-- Escape ends. A window capture of OBS can show it; with --backdrop 00ff00 a colour key removes all
-- but the table.
--
-- Needs only LÖVE and the folder `laurel` of laurel's scripts. It uses a copy beside this file,
-- also in a .love archive; else the repository's; else that of an installed laurel, on Lua's path.
-- It does not need laurel.so: the client is in pure Lua and uses LÖVE's own enet.

package.path = love.filesystem.getSource() .. "/../../scripts/?.lua;" .. package.path

local board_view = require "laurel.board_view"
local drawing = require "drawing"
local layout = require "layout"
local options = require "options"
local overlay = require "laurel.overlay"
local rows = require "rows"

local IDLE_SECONDS = 0.03 -- between two frames while nothing moves

local asked, client, view, look
local table_rows, changes_taken = rows.new(), 0
local shooting = false

local function now()
  return love.timer.getTime()
end

-- The rows of the full table. The layout uses them from the start, so that the scale never changes.
local function full_places()
  local own = asked.token and 2 * asked.around + 1 + rows.GAP_PLACES or 0
  return math.max(asked.top + own, table_rows:places(now()))
end

-- The size of --size, or that of the design; at most as high as the screen.
local function open_window()
  local width, height = layout.window(full_places())
  local _, screen = love.window.getDesktopDimensions()
  local size = asked.size or { width = width, height = math.min(height, screen * 0.9) }
  love.window.setMode(size.width, size.height, {
    resizable = true, minwidth = 160, minheight = 120, msaa = 4,
  })
end

-- Writes the next frame to the file atomically, so that a program that waits for it never reads
-- half.
local function shoot(then_quit)
  if shooting or not asked.shot then return end
  shooting = true
  love.graphics.captureScreenshot(function(image)
    local part = asked.shot .. ".part"
    local file = assert(io.open(part, "wb"))
    file:write(image:encode("png"):getString())
    file:close()
    assert(os.rename(part, asked.shot))
    shooting = false
    if then_quit then love.event.quit(0) end
  end)
end

local function end_with_usage(why)
  io.stderr:write(why and why .. "\n" or "", options.USAGE, "\n")
  os.exit(why and 2 or 0)
end

function love.load(words)
  if words[1] == "--help" then end_with_usage() end
  local why
  asked, why = options.parse(words)
  if not asked then end_with_usage(why) end
  open_window()
  look = drawing.new(asked)
  love.window.setTitle(look.title)
  client = assert(overlay.connect {
    host = asked.host, port = asked.port, token = asked.token, enet = require "enet",
  })
  view = board_view.watch(client, {
    board = asked.board, top = asked.top, around = asked.token and asked.around,
    player = asked.player,
  })
end

function love.update()
  client:tick()
  if view.changes > changes_taken then
    changes_taken = view.changes
    table_rows:take(view:rows(), now())
  end
  local still = table_rows:still(now())
  if type(asked.after) == "number" then
    if now() >= asked.after then shoot(true) end
  elseif asked.after and still and board_view.state(client) == asked.after
    and (changes_taken > 0 or asked.after == "lost") then
    shoot(true)
  end
  if still then love.timer.sleep(IDLE_SECONDS) end
end

function love.draw()
  local state, why = board_view.state(client)
  look:draw(table_rows, full_places(), view, state, why, now())
end

function love.keypressed(key)
  if key == "escape" then love.event.quit(0) end
  if key == "f12" then shoot(false) end
end

function love.quit()
  if client then client:close() end
end
