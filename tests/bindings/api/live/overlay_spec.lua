-- The pure-Lua client with a real server, over ENet by ffi, compared with laurel.connect: both get the
-- same answers. Without ffi only its absence is tested.
local laurel = require "laurel"
local overlay = require "laurel.overlay"
local spec = require "spec"
local it, eq, refuses, contains, players = spec.it, spec.eq, spec.refuses, spec.contains, spec.players
local until_ = spec.until_

if not pcall(require, "laurel.enet_ffi") then
  it("without ffi there is no ENet, and connect says so", function()
    refuses("unsupported", overlay.connect {})
  end)
  return
end

local function serve(options)
  local boards = laurel.open()
  options = options or {}
  options.port, options.rate = options.port or 0, options.rate or 200
  return boards, boards:board("season", {}), assert(boards:serve(options))
end

local function connect(live, options)
  options = options or {}
  options.port = live:port()
  return assert(overlay.connect(options))
end

-- Subscribes to a board, and records each list by its version.
local function noted(client, board, n)
  local seen = { by_version = {} }
  assert(client:subscribe(board, n, function(top, size, version)
    seen.top, seen.size, seen.version = top, size, version
    if version then seen.by_version[version] = { top, size } end
  end))
  return seen
end

local function same_places(top, expected)
  for i = 1, math.max(#top, #expected) do
    local one, other = top[i], expected[i]
    if not one or not other or not pcall(eq, { one.player, one.score, one.rank, one.rank_change },
      { other.player, other.score, other.rank, other.rank_change }) then
      return false
    end
  end
  return true
end

it("a client gets the top at once, then after each change", function()
  local boards, board, live = serve()
  board:submit("anna", 10, "d", 1000.25)
  board:submit("bob", 5, nil, -7)
  boards:save_player { id = "anna", name = "Anna B." }
  live:publish(board, { top = 10, data = true })
  local client = connect(live)
  eq({ client:state(), tostring(client) }, { "connecting", "client: connecting" })
  local seen = noted(client, "season", 10)
  until_(function() return seen.top end, client, boards)
  eq({ client:state(), tostring(client) }, { "connected", "client: connected" })
  eq(seen.top, { { player = "anna", name = "Anna B.", score = 10, rank = 1, at = 1000.25, data = "d" },
    { player = "bob", score = 5, rank = 2, at = -7 } })
  eq(seen.size, 2)
  board:submit("cleo", 20)
  until_(function() return #seen.top == 3 end, client, boards)
  eq(players(seen.top), "cleo anna bob")
  client:close()
  until_(function() return live:stats().clients == 0 end, boards)
  eq(live:stats().offences, 0)
  boards:close()
end)

local COLUMNS = { { name = "laps", max = 30 }, { name = "seconds", order = "asc", decimals = 2, min = -5 } }

it("both clients see the same lists, of ties, decimals, extremes, columns and rank changes", function()
  for _, kind in ipairs { { spec = {}, seed = 1 }, { spec = { decimals = 3 }, seed = 2 },
    { spec = { order = "asc", ranking = "dense" }, seed = 3 }, { spec = { columns = COLUMNS }, seed = 4 },
    { spec = { ranking = "fractional" }, seed = 5 } } do
    local boards, _, live = serve()
    local board = assert(boards:board("kind", kind.spec))
    live:publish(board, { top = 100, data = true, changes = true })
    local native, pure = assert(laurel.connect { port = live:port() }), connect(live)
    local by_native, by_pure = noted(native, "kind", 40), noted(pure, "kind", 40)
    until_(function() return by_native.top and by_pure.top end, native, pure, boards)
    local random = kind.seed
    local function below(n)
      random = random * 48271 % 2147483647
      return random % n
    end
    local function settled(seen)
      return seen.size == board:size() and same_places(seen.top, board:top(40))
    end
    for _ = 1, 100 do
      for _ = 0, below(4) do
        local player = ("player \255 %d"):format(below(60))
        local score = kind.spec.decimals and below(30) / 1000
          or ({ below(20) / 8, below(20) * 1e300, -below(9) * 5e-324, 2 ^ 53 - below(9) })[1 + below(4)]
        if kind.spec.columns then score = { below(30), below(1000) / 100 - 5 } else score = score + 0 end
        if below(20) == 0 then board:mark() end
        if below(8) == 0 then
          board:remove(player)
        else
          assert(board:set(player, score, below(3) == 0 and "data" .. below(5) or nil))
        end
      end
      boards:tick()
      until_(function() return settled(by_native) and settled(by_pure) end, native, pure, boards)
    end
    until_(function() return by_native.version == by_pure.version end, native, pure, boards)
    local shared = 0
    for version, list in pairs(by_pure.by_version) do
      if by_native.by_version[version] then
        shared = shared + 1
        local others = by_native.by_version[version]
        local same, why = pcall(eq, list, others)
        if not same then error(("seed %d, version %d: %s"):format(kind.seed, version, why)) end
      end
    end
    eq(shared > 50, true)
    eq(live:stats().offences, 0)
    native:close()
    pure:close()
    boards:close()
  end
end)

it("a hundred entries with long ids arrive, as full states and as deltas", function()
  local boards, board, live = serve()
  local function id(i) return ("%03d"):format(i) .. ("x"):rep(200) end
  for i = 1, 100 do board:submit(id(i), i) end
  live:publish(board, { top = 100 })
  local client = connect(live)
  local seen = noted(client, "season", 100)
  until_(function() return seen.top end, client, boards)
  eq(#seen.top, 100)
  for i = 1, 10 do
    board:submit(id(i), 1000 + i)
    until_(function() return seen.top[1].player == id(i) end, client, boards)
  end
  eq(live:stats().resyncs, 0)
  client:close()
  boards:close()
end)

it("a board is unknown before it is published, and after it is unpublished or dropped", function()
  local boards, board, live = serve()
  local client = connect(live)
  local seen = noted(client, "season", 5)
  until_(function() return seen.size end, client, boards)
  refuses("unknown", seen.top, seen.size)
  live:publish(board)
  until_(function() return seen.top end, client, boards)
  live:unpublish(board)
  until_(function() return not seen.top end, client, boards)
  refuses("unknown", seen.top, seen.size)
  live:publish(board)
  until_(function() return seen.top end, client, boards)
  boards:drop("season")
  until_(function() return not seen.top end, client, boards)
  client:close()
  boards:close()
end)

it("a client sees a reset board become empty", function()
  local boards, board, live = serve()
  board:submit("anna", 1)
  live:publish(board)
  local client = connect(live)
  local seen = noted(client, "season", 5)
  until_(function() return seen.top end, client, boards)
  board:reset()
  until_(function() return #seen.top == 0 end, client, boards)
  board:submit("bob", 2)
  until_(function() return #seen.top == 1 end, client, boards)
  eq(players(seen.top), "bob")
  client:close()
  boards:close()
end)

it("many boards can be followed at once, and an unsubscribed one no longer calls back", function()
  local boards, _, live = serve()
  local client, seen, list = connect(live), {}, {}
  for i = 1, 64 do
    list[i] = boards:board("board " .. i, {})
    live:publish(list[i])
    seen[i] = noted(client, "board " .. i, 3)
  end
  refuses("out_of_range", client:subscribe("season", 3, function() end))
  until_(function()
    for i = 1, 64 do if not seen[i].top then return false end end
    return true
  end, client, boards)
  client:unsubscribe("board 1")
  for i = 1, 64 do list[i]:submit("anna", i) end
  until_(function()
    for i = 2, 64 do if #seen[i].top == 0 then return false end end
    return true
  end, client, boards)
  until_(function() return live:stats().subscriptions == 63 end, client, boards)
  eq(#seen[1].top, 0)
  client:close()
  boards:close()
end)

it("a client reconnects to a server that restarts", function()
  local boards, board, live = serve()
  board:submit("anna", 1)
  live:publish(board)
  local port = live:port()
  local client = connect(live)
  local seen = noted(client, "season", 5)
  until_(function() return seen.top end, client, boards)
  live:close()
  until_(function() return client:state() ~= "connected" end, client, boards)
  contains(client:state(), "lost: closing: ")
  live = assert(boards:serve { port = port, rate = 200 })
  live:publish(board)
  board:submit("bob", 2)
  until_(function() return #seen.top == 2 end, client, boards)
  eq({ players(seen.top), client:state() }, { "bob anna", "connected" })
  client:close()
  boards:close()
end)

it("a callback may subscribe, tick, raise and close, and the client still works", function()
  local boards, board, live = serve()
  live:publish(board)
  local lines = {}
  local client = connect(live, { log = function(_, text) lines[#lines + 1] = text end })
  local calls, done = 0, false
  client:subscribe("season", 5, function()
    calls = calls + 1
    eq(client:tick(), true)
    client:subscribe("season", 3, function()
      calls = calls + 1
      done = true
      client:close()
      error("after the end")
    end)
    error("a bad day")
  end)
  until_(function()
    if not done then client:tick() end
    return done
  end, boards)
  eq({ calls, tostring(client), #lines }, { 2, "client: closed", 2 })
  contains(lines[1], "subscription to \"season\": ")
  contains(lines[2], "after the end")
  boards:close()
end)

it("a client with a token is admitted, and follow shows its player with neighbours", function()
  local boards, board, live = serve { auth = "token" }
  for i = 1, 9 do board:submit("player" .. i, i) end
  live:publish(board)
  local token = assert(live:token("player4", 60, { clear = true }))
  local asked = 0
  local client = connect(live, { token = function()
    asked = asked + 1
    if asked < 2 then return nil, "logging in" end
    return token
  end })
  local near, size
  eq(client:follow("season", 1, function(...) near, size = ... end), true)
  local seen = noted(client, "season", 2)
  until_(function() return client:state() == "lost: no token yet: logging in" end, client)
  until_(function() return near and seen.top end, client, boards)
  eq({ players(near), near[2].rank, size, players(seen.top) },
    { "player5 player4 player3", 6, 9, "player9 player8" })
  board:submit("player4", 100)
  until_(function() return near[1].player == "player4" end, client, boards)
  eq({ #near, players(seen.top) }, { 3, "player4 player9" })
  board:remove("player4")
  until_(function() return #near == 0 end, client, boards)

  local stranger = connect(live, { token = "" })
  local spent = connect(live, { token = token }) -- the token had one use
  until_(function() return spent:state():find("^refused: ") end, client, stranger, spent, boards)
  until_(function() return stranger:state():find("^refused: ") end, client, stranger, spent, boards)
  eq(client:state(), "connected")
  client:close()
  boards:close()
end)

it("a token for an encrypted connection is refused, and its secret is not sent", function()
  local boards, board, live = serve { auth = "token" }
  live:publish(board)
  local token = live:token("player4", 60)
  local refusal = "the token is for an encrypted connection, which needs laurel.so"
  for _, each in ipairs { token, live:gateway_token() } do
    local client, why = overlay.connect { port = live:port(), token = each }
    eq(client, nil)
    contains(why, "unsupported: " .. refusal)
  end
  local client = connect(live, { token = function() return token end })
  until_(function() return client:state():find(refusal, 1, true) end, client, boards)
  eq(live:stats().clients, 0)
  client:close()
  boards:close()
end)

it("a client that lost its connection is admitted again without another token", function()
  local boards, board, live = serve { auth = "token" }
  board:submit("anna", 1)
  live:publish(board)
  -- A binding whose connections a test can break.
  local enet, peers = require "laurel.enet_ffi", {}
  local breaking = { host_create = function(...)
    local host = enet.host_create(...)
    return {
      connect = function(_, ...)
        peers[#peers + 1] = host:connect(...)
        return peers[#peers]
      end,
      service = function(_, ...) return host:service(...) end,
      flush = function() host:flush() end,
      destroy = function() host:destroy() end,
    }
  end }
  local client = connect(live, { token = live:token("anna", 60, { clear = true }), enet = breaking })
  local seen = noted(client, "season", 5)
  until_(function() return seen.top end, client, boards)
  for i = 1, 3 do
    peers[#peers]:disconnect(0)
    until_(function() return #peers == i + 1 and client:state() == "connected" end, client, boards)
    board:submit("bob" .. i, i)
    until_(function() return #seen.top == 1 + i end, client, boards)
  end
  client:close()
  boards:close()
end)

it("follow without a token is unsupported", function()
  local boards, board, live = serve()
  live:publish(board)
  local client, native = connect(live), assert(laurel.connect { port = live:port() })
  local heard, expected
  client:follow("season", 1, function(...) heard = { ... } end)
  native:follow("season", 1, function(...) expected = { ... } end)
  until_(function() return heard and expected end, client, native, boards)
  eq(heard, expected)
  refuses("unsupported", unpack(heard, 1, 2))
  client:close()
  native:close()
  boards:close()
end)

it("a bad host name and a port without a server are reported by state", function()
  local lost = assert(overlay.connect { host = "no.such.host.invalid" })
  until_(function() return lost:state() ~= "connecting" end, lost)
  eq(lost:state(), "lost: there is no host \"no.such.host.invalid\"")
  lost:close()
  local nobody = assert(overlay.connect { port = 9 })
  nobody:tick()
  eq(nobody:state(), "connecting")
  nobody:close()
end)

it("a hundred clients in a row release their sockets", function()
  local boards, board, live = serve()
  live:publish(board)
  for _ = 1, 100 do
    local client = connect(live)
    local seen = noted(client, "season", 1)
    until_(function() return seen.top end, client, boards)
    client:close()
  end
  until_(function() return live:stats().clients == 0 end, boards)
  boards:close()
end)
