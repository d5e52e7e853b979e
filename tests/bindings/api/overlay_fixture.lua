-- overlay_fixture.lua - a fixture for tests of the pure-Lua client: a client, a network in memory and a
-- minimal server.
--
--   local of = room { seed =, loss =, ..., token =, host =, port =, version = of the server }
--   of.network, of.server, of.client
--   of.lines                     the lines that the client logged: "error: ..."
--   run(of, seconds)             advances the time, in frames of ten milliseconds
--   await(of, condition)         advances it until the condition is true, at most ten minutes
--   watch_history(of, new, steps)
--                                posts new(network) as the board kills, at first and at most of the steps,
--                                and checks that the client is shown nothing but these, in their order,
--                                and the newest at last; returns how many it was shown
local hand = require "fake_server"
local lossy_enet = require "lossy_enet"
local overlay = require "laurel.overlay"
local eq = require "spec".eq

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

function overlay_fixture.watch_history(of, new, steps)
  local network, server = of.network, of.server
  local posted, newest, last, calls = {}, nil, 0, 0
  local function post()
    server:post("kills", new(network))
    local windows = server.boards.kills
    newest = windows[#windows].version
    posted[newest] = windows[#windows].entries
  end
  post()
  of.client:subscribe("kills", 20, function(top, size, version)
    calls = calls + 1
    if version <= last then error(("from version %d back to %d"):format(last, version)) end
    last = version
    eq(top, posted[version])
    eq(size, #top)
    -- The list is the script's: what it does with it must not come back.
    for _, entry in ipairs(top) do
      if type(entry.score) == "table" then entry.score[1] = 0 end
      entry.score, entry.player, entry.rank_change, entry.at = 0, nil, 9, 9
    end
  end)
  for _ = 1, steps do
    overlay_fixture.run(of, 0.05)
    if network:chance() < 0.7 then post() end
  end
  overlay_fixture.run(of, 3)
  eq({ last, of.lines }, { newest, {} })
  return calls
end

return overlay_fixture
