-- until_told.lua - a game that runs until its host gets SIGTERM; each host reports that in its own way. It
-- writes its points to a file, and the boards must have kept them.
local laurel = require "laurel"

local SCRATCH = assert(os.getenv "SCRATCH", "run by tests/hosts/in_host")
local FRAMES_BEFORE = 20 -- before the signal is sent

local boards = laurel.open { path = SCRATCH .. "/boards" }
local score = boards:board("score", { keep = "sum" })
local points = 0

local function say(...)
  local file = assert(io.open(SCRATCH .. "/said", "a"))
  file:write(...)
  file:close()
end

local function frame()
  score:submit("all", 1)
  points = points + 1
  boards:tick()
  if points == FRAMES_BEFORE then say "playing\n" end
end

local function end_of_game() say("points ", points, "\n") end

if rawget(_G, "love") then
  -- A signal is a quit event. LÖVE closes its Lua state afterwards, which closes the boards.
  love.update = frame
  love.quit = end_of_game
else
  -- Tarantool exits without closing its Lua state: a trigger closes the boards.
  local fiber = require "fiber"
  local box = rawget(_G, "box")
  local ends = false
  box.ctl.on_shutdown(function()
    ends = true
    assert(boards:close())
    end_of_game()
  end)
  fiber.create(function()
    while not ends do
      frame()
      fiber.sleep(0.001)
    end
  end)
  box.cfg { work_dir = SCRATCH, wal_mode = "none" } -- the process now outlives the script
end
