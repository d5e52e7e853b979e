-- An overlay's process: a client in pure Lua that follows boards of one server and prints what it
-- receives.
--
--   embedding_host overlay.lua SCRIPTS PORT BOARD...
--
-- It prints "seen BOARD ENTRIES PLAYER SCORE MOMENT" for each list, with its best entry, and "state
-- WORDS" when the connection's state changes. It ends with the input.
local scripts, port = arg[1], tonumber(arg[2])
package.path = arg[0]:gsub("[^/]*$", "") .. "?.lua;" .. scripts .. "/?.lua;" .. package.path
local frames = require "frames"
local overlay = require "laurel.overlay"

local FRAME_MS = 1

local client = assert(overlay.connect { host = "127.0.0.1", port = port })
for i = 3, #arg do
  client:subscribe(arg[i], 10, function(top, size)
    if not top then return frames.say("refused %s %s", arg[i], size) end
    local best = top[1] or { player = "-", score = 0 }
    frames.say("seen %s %d %s %.17g %.6f", arg[i], #top, best.player, best.score, frames.now())
  end)
end

local state
for _ in frames.each(FRAME_MS) do
  client:tick()
  if client:state() ~= state then
    state = client:state()
    frames.say("state %s", state)
  end
end
client:close()
frames.say("closed")
