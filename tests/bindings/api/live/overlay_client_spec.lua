-- What the pure-Lua client promises its script, and what it requests from a server, over a network in
-- memory.
local hand = require "fake_server"
local laurel = require "laurel"
local lossy_enet = require "lossy_enet"
local overlay = require "laurel.overlay"
local overlay_fixture = require "overlay_fixture"
local spec = require "spec"
local it, eq, raises, refuses, contains = spec.it, spec.eq, spec.raises, spec.refuses, spec.contains
local FRAME, room, run = overlay_fixture.FRAME, overlay_fixture.room, overlay_fixture.run

local function entry(player, score, rank) return { player = player, score = score, rank = rank } end

-- --- calls

-- Calls both clients, which must raise the same errors.
local function both()
  local network = lossy_enet.new {}
  return { assert(laurel.connect { port = 9 }),
    assert(overlay.connect { port = 9, enet = network.binding }) }
end

-- The error of a call, without the position that Lua code adds.
local function raised(fn, ...)
  local ok, why = pcall(fn, ...)
  assert(not ok, "nothing was raised")
  return (why:gsub("^[^ ]+:%d+: ", ""))
end

it("wrong types raise and bad values are refused with the messages of laurel.connect", function()
  local native, pure = unpack(both())
  local function alike(name, ...)
    eq(raised(pure[name], pure, ...), raised(native[name], native, ...))
  end
  alike("subscribe")
  alike("subscribe", 1, 2, print)
  alike("subscribe", "b", "2", print)
  alike("subscribe", "b", 2)
  alike("subscribe", "b", 2.5, print)
  alike("subscribe", "b", 0 / 0, print)
  alike("subscribe", "b", 2, {})
  alike("unsubscribe")
  alike("unsubscribe", 5)
  alike("unsubscribe", "b", 5)
  alike("follow", "b", "2", print)
  alike("follow", "b", 2, print, 5)
  alike("on_boards")
  alike("on_boards", 5)
  alike("player_of")
  alike("player_of", 5, print)
  alike("player_of", "x")
  local function refused_alike(name, ...)
    local _, reason = pure[name](pure, ...)
    local _, expected = native[name](native, ...)
    eq(reason, expected)
    refuses("out_of_range", pure[name](pure, ...))
  end
  refused_alike("subscribe", "b", 0, print)
  refused_alike("subscribe", "b", -3, print)
  refused_alike("subscribe", "b", 101, print)
  refused_alike("subscribe", "", 1, print)
  refused_alike("subscribe", ("b"):rep(256), 1, print)
  refused_alike("subscribe", "b\0\n", 1, print)
  refused_alike("follow", "b", 11, print)
  for _, player in ipairs { "", ("p"):rep(256), "p\0" } do
    local _, reason = pure:follow("b", 1, print, player)
    local _, expected = native:follow("b", 1, print, player)
    eq(reason, expected)
    refuses("bad_player", pure:follow("b", 1, print, player))
  end
  refused_alike("player_of", "", print)
  refused_alike("player_of", ("x"):rep(256), print)
  for i = 1, 64 do
    eq(pure:subscribe("b" .. i, 1, print), true)
    eq(native:subscribe("b" .. i, 1, print), true)
  end
  refused_alike("subscribe", "b65", 1, print)
  refused_alike("follow", "b1", 1, print)
  eq({ pure:subscribe("b64", 2, print) }, { true })
  for _ = 1, 1024 do
    eq({ pure:player_of("x", print), native:player_of("x", print) }, { true, true })
  end
  local _, reason = pure:player_of("x", print)
  local _, expected = native:player_of("x", print)
  eq(reason, expected)
  eq({ pure:boards(), pure:player() }, { {}, nil })
  contains(raised(pure.tick, nil), "bad self to 'tick' (client expected, got nil; call it as")
  raises("bad self to 'close'", pure.close, {})
  native:close()
  pure:close()
  alike("subscribe", 1)
  alike("unsubscribe")
  alike("tick")
  alike("state")
  alike("boards")
  alike("on_boards", print)
  alike("player")
  alike("player_of", "x", print)
  eq({ tostring(pure), pure:close() }, { tostring(native), true })
end)

it("wrong options raise with the messages of laurel.connect", function()
  local function alike(options)
    eq(raised(overlay.connect, options), raised(laurel.connect, options))
  end
  alike("x")
  alike { hots = "x" }
  alike { [1] = "x" }
  alike { something = 1 }
  alike { host = 1 }
  alike { port = "7777" }
  alike { port = 0 }
  alike { port = 65536 }
  alike { port = 1.5 }
  alike { host = "" }
  raises("bad argument #1 to 'connect' (", overlay.connect, { host = "::1" })
  alike { token = 5 }
  raises("field 'clock': function expected", overlay.connect, { clock = 5 })
end)

it("connect without ENet is unsupported, and without a socket unavailable", function()
  local enet, ffi = package.loaded.enet, package.loaded["laurel.enet_ffi"]
  package.loaded.enet, package.loaded["laurel.enet_ffi"] = nil, nil
  package.preload["laurel.enet_ffi"] = function() error("no libenet") end
  local client, reason = overlay.connect {}
  package.preload["laurel.enet_ffi"] = nil
  package.loaded.enet, package.loaded["laurel.enet_ffi"] = enet, ffi
  refuses("unsupported", client, reason)
  refuses("unavailable", overlay.connect { enet = { host_create = function() end } })
end)

it("the default address is 127.0.0.1:7777", function()
  local of = room()
  run(of, 0.05)
  eq(of.network.attempts[1].where, "127.0.0.1:7777")
  of = room { host = "203.0.113.7", port = 9 }
  run(of, 0.05)
  eq(of.network.attempts[1].where, "203.0.113.7:9")
end)

it("an unreferenced client is collected, and a closed one releases its socket", function()
  local of = room()
  local kept = setmetatable({ of.client }, { __mode = "v" })
  local client = of.client
  client:subscribe("kills", 3, function() client:tick() end)
  client:tick()
  client, of.client = nil, nil -- luacheck: ignore 311
  collectgarbage()
  collectgarbage()
  eq(kept[1], nil)
  of = room()
  kept[1] = function() return of end
  of.client:subscribe("kills", 3, kept[1])
  of.server:post("kills", {})
  run(of, 0.05)
  eq(of.network.hosts, 1)
  of.client:close()
  collectgarbage()
  collectgarbage()
  eq({ of.network.hosts, kept[1] }, { 0, nil })
end)

-- --- callbacks

it("a callback may subscribe, tick, raise and close, and its error is logged", function()
  local of = room()
  of.server:post("kills", { entry("p", 1, 1) })
  of.server:post("laps", { entry("q", 1, 1) })
  local calls = {}
  of.client:subscribe("kills", 5, function(top)
    calls[#calls + 1] = top[1].player
    eq(of.client:tick(), true)
    of.client:subscribe("laps", 5, function(laps)
      calls[#calls + 1] = laps[1].player
      if #calls == 4 then of.client:close() end
      error("a bad day\27")
    end)
    error({})
  end)
  run(of, 0.3)
  eq(calls, { "p", "q" })
  of.server:post("kills", { entry("r", 2, 1) })
  run(of, 0.3)
  eq(calls, { "p", "q", "r", "q" }) -- a new subscription gets the known state at once
  raises("closed: this client is closed", of.client.tick, of.client)
  eq(#of.lines, 4)
  eq(of.lines[1], "error: subscription to \"kills\": (the error is a table)")
  contains(of.lines[2], "error: subscription to \"laps\": ")
  contains(of.lines[2], "a bad day\\x1b\nstack traceback:")
end)

it("after a callback that ends another subscription, that one is not called", function()
  local of = room()
  local calls = {}
  of.server:post("kills", { entry("p", 1, 1) })
  of.server:post("laps", { entry("q", 1, 1) })
  local function only(board, other)
    return function()
      calls[#calls + 1] = board
      of.client:unsubscribe(other)
    end
  end
  of.client:subscribe("kills", 5, only("kills", "laps"))
  of.client:subscribe("laps", 5, only("laps", "kills"))
  run(of, 0.5)
  eq(#calls, 1)
end)

it("an error in the log function does not stop a client", function()
  local network = lossy_enet.new {}
  local server = hand.new(network)
  server:post("kills", { entry("p", 1, 1) })
  local kept, calls = io.stderr, 0
  io.stderr = { write = function(_, ...) calls = calls + #table.concat({ ... }) end } -- luacheck: ignore 122
  local client = overlay.connect { enet = network.binding, clock = network.clock,
    log = function() error("no disk") end }
  client:subscribe("kills", 5, function() error("x") end)
  run({ network = network, server = server, client = client }, 0.5)
  io.stderr = kept -- luacheck: ignore 122
  eq({ calls > 0, client:state() }, { true, "connected" })
end)

it("a board that is not published calls back once, and again with the list when it is published", function()
  local of = room()
  local server = of.server
  server.silent = true
  local heard = {}
  of.client:subscribe("kills", 3, function(top, size) heard[#heard + 1] = top and #top or size end)
  of.client:follow("kills", 1, function(near, size) heard[#heard + 1] = near and -#near or size end)
  run(of, 0.05)
  local peer = server:last("hello").peer
  of.network:send(peer, hand.welcome(), 0)
  run(of, 0.05)
  for _ = 1, 3 do
    of.network:send(peer, hand.error(2, "kills", "no such board"), 0)
    run(of, 0.05)
  end
  local unknown = "unknown: no board \"kills\" is published here"
  eq(heard, { unknown, unknown })
  of.network:send(peer, hand.subscribed("kills", 0, 3, 4, 99), 0)
  local window = { epoch = 99, version = 1, size = 1, entries = { entry("p", 1, 1) } }
  run(of, 0.05)
  of.network:send(peer, hand.state(4, window), 1)
  run(of, 0.05)
  eq(heard, { unknown, unknown, 1 })
  of.network:send(peer, hand.error(9, "kills", "the client showed no token"), 0)
  run(of, 0.05)
  eq(heard, { unknown, unknown, 1, "unsupported: the client showed no token" })
  of.network:send(peer, hand.error(2, "kills", "no such board"), 0)
  run(of, 0.05)
  eq(heard[5], unknown)
end)

-- --- subscriptions

it("top and neighbours of a board are two subscriptions, and unsubscribe ends both", function()
  local of = room()
  of.server:post("kills", { entry("p", 1, 1) })
  of.client:subscribe("kills", 3, function() end)
  of.client:follow("kills", 2, function() end)
  for i = 1, 14 do of.client:subscribe("b" .. i, 1, function() end) end
  for i = 1, 14 do of.server:post("b" .. i, {}) end
  run(of, 0.2)
  refuses("out_of_range", of.client:follow("laps", 2, function() end)) -- a server of version 1
  local views = {}
  for _, message in ipairs(of.server.said) do
    if message.kind == "subscribe" and message.board == "kills" then
      views[#views + 1] = message.view .. " " .. message.n
    end
  end
  eq(views, { "0 3", "1 2" })
  of.client:unsubscribe("kills")
  of.client:subscribe("kills", 4, function() end)
  run(of, 0.5)
  eq({ of.server:last("unsubscribe").board, of.server:count("unsubscribe") }, { "kills", 1 })
  eq({ of.server:last("subscribe").view, of.server:last("subscribe").n }, { 0, 4 })
  eq(of.server.said[#of.server.said].kind ~= "unsubscribe", true)
end)

it("an answer to an earlier subscription is ignored after a new one", function()
  local of = room()
  local server = of.server
  server.silent = true
  local heard = {}
  of.client:subscribe("kills", 3, function(top) heard[#heard + 1] = #top end)
  run(of, 0.05)
  local peer = server:last("hello").peer
  of.network:send(peer, hand.welcome(), 0)
  run(of, 0.05)
  of.client:subscribe("kills", 5, function(top) heard[#heard + 1] = #top end)
  run(of, 0.05)
  of.network:send(peer, hand.subscribed("kills", 0, 3, 4, 99), 0)
  local window = { epoch = 99, version = 1, size = 1, entries = { entry("p", 1, 1) } }
  run(of, 0.05)
  of.network:send(peer, hand.state(4, window), 1)
  run(of, 0.05)
  eq(heard, {})
  of.network:send(peer, hand.subscribed("kills", 0, 5, 5, 99), 0)
  run(of, 0.05)
  of.network:send(peer, hand.state(5, window), 1)
  run(of, 0.05)
  eq(heard, { 1 })
end)

it("a state on the reliable channel is acknowledged there, also beside an unreliable one", function()
  for _, channels in ipairs { { 0, 1 }, { 1, 0 } } do
    local of = room()
    of.server.silent = true
    of.client:subscribe("kills", 3, function() end)
    run(of, 0.05)
    local peer = of.server:last("hello").peer
    of.network:send(peer, hand.welcome(), 0)
    run(of, 0.05)
    of.network:send(peer, hand.subscribed("kills", 0, 3, 4, 99), 0)
    run(of, 0.05)
    local window = { epoch = 99, version = 1, size = 1, entries = { entry("p", 1, 1) } }
    for _, channel in ipairs(channels) do of.network:send(peer, hand.state(4, window), channel) end
    run(of, 0.05)
    local acks = {}
    for _, message in ipairs(of.server.said) do
      if message.kind == "ack" then acks[#acks + 1] = message.channel end
    end
    eq(acks, { 0 })
  end
end)

it("a script that subscribes and unsubscribes constantly stays within the server's limits", function()
  local of = room { seed = 5 }
  for i = 1, 30 do of.server:post("board " .. i, { entry("p", i, 1) }) end
  local called = 0
  for _ = 1, 3000 do
    for _ = 1, 10 do
      local board = "board " .. 1 + math.floor(of.network:chance() * 30)
      if of.network:chance() < 0.5 then
        of.client:unsubscribe(board)
      else
        of.client:subscribe(board, 1 + math.floor(of.network:chance() * 20), function()
          called = called + 1
        end)
      end
    end
    run(of, FRAME)
  end
  eq(of.server:within_limits(), true)
  eq(called > 10, true)
end)

-- --- connections that the server ends

it("the reason of a goodbye decides whether the client connects again", function()
  local FOLLOWED = { [5] = "late", [6] = "slow", [8] = "closing" }
  for reason = 1, 10 do
    for _, how in ipairs { "bye", "disconnect" } do
      local of = room()
      run(of, 0.05)
      local peer = of.server:last("hello").peer
      if how == "bye" then
        of.network:send(peer, hand.bye(reason, "so it is\n"), 0)
      else
        of.network:finish(peer, reason)
      end
      run(of, 0.05)
      local state = of.client:state()
      run(of, 20)
      if reason == 1 or reason == 4 or reason == 7 or reason == 10 then
        eq({ state:match("^refused: ") ~= nil, of.server:count("hello") }, { true, 1 })
      else
        eq({ state:match("^lost: ") ~= nil, of.server:count("hello") }, { true, 2 })
      end
      if how == "bye" and FOLLOWED[reason] then
        eq(state, ("lost: %s: so it is\\n"):format(FOLLOWED[reason]))
      end
    end
  end
end)

it("an error about the protocol version is final", function()
  local of = room()
  of.server.silent = true
  run(of, 0.05)
  of.network:send(of.server:last("hello").peer,
    hand.error(1, "", "this server speaks versions 9 to 9"), 0)
  run(of, 60)
  eq({ of.client:state(), of.server:count("hello") },
    { "refused: this server speaks versions 9 to 9", 1 })
  eq(of.client:tick(), true)
end)

it("a binding without timeout, ping_interval and throttle_configure works", function()
  local of = room()
  local host_create = of.network.binding.host_create
  of.network.binding.host_create = function(...)
    local host = host_create(...)
    local connect = host.connect
    function host.connect(...)
      local peer = connect(...)
      peer.timeout, peer.ping_interval, peer.throttle_configure = false, false, false
      return peer
    end
    host.destroy = nil
    return host
  end
  of.client = assert(overlay.connect { enet = of.network.binding, clock = of.network.clock })
  run(of, 0.1)
  eq(of.client:state(), "connected")
  of.network:finish(of.server:last("hello").peer, 8)
  run(of, 1)
  eq(of.client:state(), "connected")
  of.client:close()
end)
