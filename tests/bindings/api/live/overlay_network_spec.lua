-- The pure-Lua client on a network with loss, delays and blackouts.
local hand = require "fake_server"
local lossy_enet = require "lossy_enet"
local overlay = require "laurel.overlay"
local overlay_fixture = require "overlay_fixture"
local spec = require "spec"
local it, eq, players = spec.it, spec.eq, spec.players
local FRAME, room, run = overlay_fixture.FRAME, overlay_fixture.room, overlay_fixture.run
local watch_history = overlay_fixture.watch_history

-- Twelve players with random places.
local function shuffled(network, count)
  local entries = {}
  for i = 1, count do
    entries[i] = { player = ("player%02d"):format(i), score = math.floor(network:chance() * 40) / 2 }
  end
  table.sort(entries, function(a, b)
    if a.score ~= b.score then return a.score > b.score end
    return a.player < b.player
  end)
  for i, entry in ipairs(entries) do
    local tied = i > 1 and entries[i - 1].score == entry.score
    entry.rank = tied and entries[i - 1].rank or i
    if network:chance() < 0.2 then entry.name = "name " .. i end
  end
  return entries
end

it("under loss, damage and reordering, a list is always a state of the board, and the newest arrives",
  function()
    for seed = 1, 12 do
      local of = room { seed = seed, loss = seed % 4 * 0.1, damage = seed % 3 * 0.05,
        delay = { 0.01, 0.12 } }
      local function new(network) return shuffled(network, 4 + math.floor(network:chance() * 9)) end
      local same, calls = pcall(watch_history, of, new, 300)
      if not same then error(("seed %d: %s"):format(seed, calls)) end
      eq(calls > 100, true)
    end
  end)

it("after a blackout the next state brings the newest list", function()
  local of = room { seed = 3, delay = { 0.05, 0.05 } }
  local newest
  of.server:post("kills", shuffled(of.network, 5))
  of.client:subscribe("kills", 5, function(_, _, version) newest = version end)
  run(of, 1)
  of.network.blackout = true
  for _ = 1, 80 do
    of.server:post("kills", shuffled(of.network, 5))
    run(of, 0.05)
  end
  of.network.blackout = false
  run(of, 0.15)
  eq({ newest, of.client:state() }, { 81, "connected" })
end)

it("a delta may start from any window since the oldest in use", function()
  local Replica = require "laurel.replica"
  local wire = require "laurel.wire"
  local network = lossy_enet.new { seed = 7 }
  local windows = {}
  for version = 1, 40 do
    windows[version] = { epoch = 5, version = version, size = 6, entries = shuffled(network, 6) }
  end
  local function state(version, base)
    return wire.decode(hand.state(1, windows[version], windows[base]), wire.UNSEQUENCED)
  end
  local replica = Replica.new()
  replica:attach(1, hand.epoch(5))
  eq(replica:take(state(1)), "news")
  for version = 2, 33 do eq(replica:take(state(version, 1)), "news") end
  -- 32 windows are kept: the oldest, which the server still uses, and the newest.
  eq(replica:take(state(34, 2)), "useless")
  eq(replica:take(state(34, 3)), "news")
  eq(replica:take(state(35, 1)), "useless") -- the server used 3 as a base, so 1 was dropped
  eq(replica:take(state(35, 34)), "news")
  eq(replica:take(state(34, 33)), "stale")
  eq(replica:ack(), { stream = 1, version = 35, received = 38 })
  replica:attach(2, hand.epoch(5)) -- on another connection
  eq(replica:take(state(35, 34)), "stale")
  eq(replica:ack(), { stream = 2, version = 35, received = 1 })
  replica:attach(3, hand.epoch(6))
  eq({ replica.current.version, replica:ack() }, { 35, nil })
  eq(replica:take(state(36, 35)), "useless")
end)

it("every readable state is acknowledged, on the channel on which it came", function()
  local of = room()
  local server, network = of.server, of.network
  server.silent = true
  of.client:subscribe("kills", 3, function() end)
  of.client:subscribe("laps", 3, function() end)
  run(of, 0.05)
  local peer = server:last("hello").peer
  network:send(peer, hand.welcome(), 0)
  run(of, 0.05)
  network:send(peer, hand.subscribed("kills", 0, 3, 4, 99), 0)
  network:send(peer, hand.subscribed("laps", 0, 3, 5, 98), 0)
  run(of, 0.05)
  local function window(epoch, version, score)
    return { epoch = epoch, version = version, size = 1,
      entries = { { player = "p", score = score, rank = 1 } } }
  end
  local one = window(99, 10, 1)
  network:send(peer, hand.state(4, one), 1)
  network:send(peer, hand.state(4, one), 1)
  network:send(peer, hand.state(5, window(98, 7, 2)), 1)
  run(of, FRAME)
  eq(server:count("ack"), 0) -- not sent yet
  run(of, 0.03)
  local ack = server:last("ack")
  eq({ ack.channel, ack[1], ack[2], #ack }, { 1, { stream = 4, version = 10, received = 2 },
    { stream = 5, version = 7, received = 1 }, 2 })
  eq(server:count("ack"), 1)
  network:send(peer, hand.state(4, window(99, 11, 3), one), 0)
  run(of, 0.05)
  ack = server:last("ack")
  eq({ ack.channel, ack[1] }, { 0, { stream = 4, version = 11, received = 3 } })
  network:send(peer, hand.state(6, window(99, 12, 3)), 1) -- an unknown stream
  run(of, 0.05)
  eq({ server:count("ack"), server:count("resync") }, { 2, 0 })
  network:send(peer, hand.state(4, window(98, 12, 3)), 1) -- the digest of another epoch
  run(of, 0.05)
  network:send(peer, hand.state(4, window(99, 14, 3), window(99, 13, 4)), 1) -- an unknown base
  run(of, 0.5)
  eq({ server:count("ack"), server:count("resync"), server:last("resync").stream }, { 2, 1, 4 })
  run(of, 0.6)
  network:send(peer, hand.state(4, window(98, 12, 3)), 1)
  run(of, 0.05)
  eq(server:count("resync"), 2) -- at most one a second
end)

it("a client pings every two seconds, and more often when the server is silent", function()
  local of = room()
  run(of, 0.05)
  eq(of.client:state(), "connected")
  run(of, 11)
  eq(of.server:count("ping"), 5)
  of.server.silent = true -- one second after its last message
  local before = of.server:count("ping")
  run(of, 8.5)
  eq(of.client:state(), "connected")
  local pings = of.server:count("ping") - before
  eq(pings >= 20 and pings <= 30, true)
  run(of, 1.6)
  eq({ of.client:state(), of.server.left }, { "lost: nothing was heard from the server", 1 })
end)

it("late messages of an abandoned connection are ignored", function()
  local of = room()
  run(of, 0.05)
  local former = of.server:last("hello").peer
  of.network:finish(former, 8)
  run(of, 1)
  eq({ of.server:count("hello"), of.client:state() }, { 2, "connected" })
  of.network:send(former, hand.bye(10, "the same client connected again"), 0)
  of.network:finish(former, 10)
  run(of, 0.1)
  eq(of.client:state(), "connected")
end)

it("resyncs of sixteen unreadable boards stay within the server's limits", function()
  local of = room()
  local server, network = of.server, of.network
  for i = 1, 16 do
    server:post("board " .. i, shuffled(network, 2))
    of.client:subscribe("board " .. i, 5, function() end)
  end
  run(of, 1)
  server.silent = true
  local before, damaged = server:count("resync"), { epoch = 1, version = 9, size = 0, entries = {} }
  for _ = 1, 60 do
    for stream = 1, 16 do
      network:send(server:last("hello").peer, hand.state(stream, damaged), 1)
    end
    run(of, 0.1)
  end
  eq({ server:count("resync") - before >= 20, server:within_limits() }, { true, true })
end)

it("a server that does not answer is tried again with growing pauses, at most ten seconds", function()
  for seed = 1, 10 do
    local of = room { seed = seed }
    of.network.deaf = true
    of.client:tick()
    eq(of.client:state(), "connecting")
    run(of, 120)
    eq(of.client:state(), "lost: the server does not answer")
    local attempts, expected = of.network.attempts, 0.25
    eq(#attempts > 8, true)
    for i = 2, #attempts do
      local pause = attempts[i].at - attempts[i - 1].at - 5
      if pause < expected * 0.75 - 0.001 or pause > expected * 1.25 + 3 * FRAME then
        error(("pause %d is %g, around %g"):format(i, pause, expected))
      end
      expected = math.min(2 * expected, 10)
    end
  end
end)

it("clients that lost their server together reconnect at different times", function()
  local pauses, different = {}, 0
  for _ = 1, 8 do
    local of = room()
    of.network.deaf = true
    run(of, 12)
    local pause = of.network.attempts[2].at - of.network.attempts[1].at
    if not pauses[pause] then different = different + 1 end
    pauses[pause] = true
  end
  eq(different > 1, true)
end)

it("a client that reconnects sends the version that it has, and continues from it", function()
  local of = room()
  local server = of.server
  server:post("kills", shuffled(of.network, 5))
  local newest
  of.client:subscribe("kills", 5, function(top, _, version) newest = { version, players(top) } end)
  run(of, 0.3)
  eq(newest[1], 1)
  eq({ server:last("subscribe").epoch, server:last("subscribe").version },
    { hand.epoch(0), 0 })
  of.network:finish(server:last("hello").peer, 0)
  run(of, 0.05)
  eq(of.client:state(), "lost: the server ended the connection")
  server:post("kills", shuffled(of.network, 5))
  run(of, 1)
  eq({ server:last("subscribe").epoch, server:last("subscribe").version },
    { hand.epoch(99), 1 })
  eq(newest[1], 2)
  -- A restarted server has another epoch: the known state cannot be a base, and stays visible
  -- meanwhile.
  of.network:finish(server:last("hello").peer, 8)
  run(of, 0.05)
  eq(of.client:state(), "lost: closing: the server ends")
  server.epoch, server.boards = 100, {}
  server:post("kills", shuffled(of.network, 3))
  run(of, 1)
  eq({ newest[1], newest[2] },
    { 1, players(server.boards.kills[1].entries) })
end)

it("a flood is handled over several ticks, and errors of ENet's service are survived", function()
  local of = room()
  of.server:post("kills", shuffled(of.network, 5))
  local calls = 0
  of.client:subscribe("kills", 5, function() calls = calls + 1 end)
  run(of, 0.2)
  local peer = of.server:last("hello").peer
  for i = 1, 9000 do of.network:send(peer, hand.pong(i), 1) end
  of.network:advance(0.01)
  of.client:tick()
  eq(#of.network.to_client > 3000, true)
  of.network.failures = 1000
  of.client:tick()
  eq(of.network.failures, 936)
  of.server:post("kills", shuffled(of.network, 5))
  run(of, 0.5)
  eq({ calls, #of.network.to_client, of.client:state() }, { 2, 0, "connected" })
end)

it("a clock that is set back or jumps does not stop a client", function()
  local network = lossy_enet.new {}
  local server, shift = hand.new(network), 0
  local client = assert(overlay.connect { enet = network.binding,
    clock = function() return network.now + shift end })
  local of = { network = network, server = server, client = client }
  run(of, 1)
  shift = -3600
  run(of, 5)
  eq({ client:state(), server:count("ping") }, { "connected", 2 })
  shift = 3600
  run(of, 5)
  eq(client:state(), "connected")
end)

it("an unknown host name, and no free peer, count as failed attempts", function()
  local of = room()
  of.network.no_such_host = true
  run(of, 0.1)
  eq(of.client:state(), "lost: there is no host \"127.0.0.1\"")
  of.network.no_such_host, of.network.refuses_peers = nil, true
  run(of, 2)
  of.network.refuses_peers = nil
  run(of, 0.3)
  eq(of.client:state(), "connected")
end)
