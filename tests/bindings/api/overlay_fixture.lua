-- overlay_fixture.lua - a fixture for tests of the pure-Lua client: a client, a network in memory and a
-- minimal server.
--
--   local of = room { seed =, loss =, ..., token =, host =, port =, version = of the server }
--   of.network, of.server, of.client
--   of.lines                     the lines that the client logged: "error: ..."
--   run(of, seconds)             advances the time, in frames of ten milliseconds
--   await(of, condition)         advances it until the condition is true, at most ten minutes
local hand = require "fake_server"
local lossy_enet = require "lossy_enet"
local overlay = require "laurel.overlay"

local overlay_fixture = {}

overlay_fixture.FRAME = 0.01

function overlay_fixture.room(options)
  options = options or {}
  local network, lines = lossy_enet.new(options), {}
  local client = assert(overlay.connect { enet = network.binding, clock = network.clock,
    token = options.token, host = options.host, port = options.port,
    log = function(level, text) lines[#lines + 1] = level .. ": " .. text end })
  local server = hand.new(network)
  server.version = options.version or 1
  return { network = network, server = server, client = client, lines = lines }
end

function overlay_fixture.run(of, seconds)
  local until_ = of.network.now + seconds
  while of.network.now < until_ do
    of.network:advance(overlay_fixture.FRAME)
    of.server:serve()
    if tostring(of.client) == "client: closed" then return end
    of.client:tick()
  end
end

function overlay_fixture.await(of, condition)
  local deadline = of.network.now + 600
  while not condition() do
    if of.network.now > deadline then error("waited ten minutes", 2) end
    overlay_fixture.run(of, overlay_fixture.FRAME)
  end
end

return overlay_fixture
