-- The pure-Lua client in version 2 of the protocol, on a network in memory, and its way back to version 1.
local bytes = require "laurel.bytes"
local BoardList = require "laurel.board_list"
local hand = require "fake_server"
local lossy_enet = require "lossy_enet"
local overlay_fixture = require "overlay_fixture"
local spec = require "spec"
local window = require "laurel.window"
local wire = require "laurel.wire"
local it, eq, refuses = spec.it, spec.eq, spec.refuses
local room, run = overlay_fixture.room, overlay_fixture.run
local watch_history = overlay_fixture.watch_history

local TOKEN = "0000000100112233445566778899aabbccddeeff"
local COLUMNS = { { name = "laps", order = "desc", decimals = 0, min = 0, max = 1000 },
  { name = "seconds", order = "asc", decimals = 3, min = -10, max = 2000 } }

local function entry(player, score, rank) return { player = player, score = score, rank = rank } end

local function nothing() end

-- Random entries with all that version 2 has.
local function random_entries(network, format, count)
  local entries = {}
  for i = 1, count do
    local chance = network:chance()
    local first = math.floor(chance * 40)
    entries[i] = { player = ("player%02d"):format(i), rank = i,
      score = format.columns and { first, math.floor(network:chance() * 9000) / 1000 } or first / 8 }
    if network:chance() < 0.2 then entries[i].name = "name " .. i end
    if network:chance() < 0.9 then entries[i].at = math.floor(network:chance() * 4) * 1e8 - 1.5 end
  end
  for i = count, 2, -1 do
    local other = 1 + math.floor(network:chance() * i)
    entries[i].player, entries[other].player = entries[other].player, entries[i].player
  end
  for i, each in ipairs(entries) do
    if format.halves and i < count and network:chance() < 0.3 then each.rank = i + 0.5 end
    if network:chance() < 0.7 then
      each.rank_change = 1 + math.floor(network:chance() * 15) - each.rank
    end
  end
  return entries
end

it("under loss, damage and reordering, a list of version 2 is always a state of the board", function()
  for seed = 1, 6 do
    local of = room { seed = seed, loss = seed % 4 * 0.1, damage = seed % 3 * 0.05,
      delay = { 0.01, 0.12 }, version = 2 }
    local format = { halves = seed % 2 == 0, columns = seed % 3 == 0 and COLUMNS or nil }
    of.server.format = format
    local function new(network)
      return random_entries(network, format, 4 + math.floor(network:chance() * 9))
    end
    local same, calls = pcall(watch_history, of, new, 200)
    if not same then error(("seed %d: %s"):format(seed, calls)) end
    eq(calls > 60, true)
  end
end)

it("a server of version 1 refuses what only version 2 has, with the word unsupported", function()
  local of = room { token = "gateway-" .. TOKEN }
  local told, followed, asked, top, over = {}, nil, nil, nil, nil
  eq(of.client:boards(), {})
  of.client:on_boards(function(...) told[#told + 1] = { ... } end)
  of.client:follow("kills", 1, function(...) followed = { ... } end, "p")
  of.client:player_of(TOKEN, function(...) asked = { ... } end)
  of.client:subscribe("kills", 3, function(list) top = list end)
  for i = 1, 14 do
    of.server:post("b" .. i, {})
    of.client:subscribe("b" .. i, 1, nothing)
  end
  of.client:subscribe("b15", 1, function(...) over = { ... } end)
  of.server:post("kills", { entry("p", 1, 1) })
  run(of, 0.3)
  eq(top, { entry("p", 1, 1) })
  eq(#told, 1)
  local without = "unsupported: the server speaks version 1 of the protocol, without "
  eq(told[1], { nil, without .. "a list of boards" })
  eq(followed, { nil, without .. "follows of any player" })
  eq(asked, { nil, without .. "questions about tokens" })
  eq(over, { nil, "out_of_range: this server takes 16 subscriptions of this client" })
  eq({ of.client:boards() }, { nil, without .. "a list of boards" })
  eq(of.client:player(), nil)
  eq({ of.server:last("hello").version_min, of.server:last("hello").version_max }, { 1, 2 })
  for _, kind in ipairs { "follow", "unfollow", "ask_boards", "ask_player" } do
    eq(of.server:count(kind), 0)
  end
  run(of, 5)
  eq(#told, 1)
end)

it("a client continues with a server that speaks another version after a restart", function()
  local of = room { version = 2 }
  of.server:post("kills", { { player = "p", score = 1, rank = 1, at = 5, rank_change = 2 } })
  local top
  of.client:subscribe("kills", 3, function(list) top = list end)
  run(of, 0.3)
  eq(top[1], { player = "p", score = 1, rank = 1, at = 5, rank_change = 2 })
  for _, version in ipairs { 1, 2 } do
    of.server.version, of.server.boards, of.server.epoch = version, {}, of.server.epoch + 1
    of.server:post("kills", { { player = "q", score = 1, rank = 1, at = 6 } })
    of.server:post("kills", { { player = "q", score = 2, rank = 1, at = 7 } })
    of.network:finish(of.server:last("hello").peer, 8)
    run(of, 2)
    eq(top[1], { player = "q", score = 2, rank = 1, at = version == 2 and 7 or nil })
  end
end)

it("a window of another format is no base, although the epoch is the same", function()
  local Replica = require "laurel.replica"
  local function state(version, format, base)
    local function at(number)
      return { epoch = 5, version = number, size = 1, format = format, entries = { entry("p", number, 1) } }
    end
    return wire.decode(hand.state(1, at(version), base and at(base)), wire.UNSEQUENCED)
  end
  local halves = { version = 2, halves = true }
  local replica = Replica.new()
  replica:attach(1, hand.epoch(5))
  eq(replica:take(state(1)), "news")
  replica:attach(1, hand.epoch(5), halves)
  eq({ replica:ack(), replica:take(state(2, halves, 1)) }, { nil, "useless" })
  eq(replica:take(state(2, halves)), "news")
  replica:attach(1, hand.epoch(5), { version = 2, halves = true })
  eq(replica:take(state(3, halves, 2)), "news")
  replica:attach(1, hand.epoch(5), { version = 2, halves = true, columns = COLUMNS })
  eq(replica:ack(), nil)
end)

it("a version that the client does not speak is refused", function()
  for _, version in ipairs { 0, 3 } do
    local of = room()
    of.server.silent = true
    run(of, 0.05)
    local bytes_of_it = (version < 2 and hand.welcome() or hand.welcome_2()):gsub("^\129.",
      "\129" .. string.char(version))
    of.network:send(of.server:last("hello").peer, bytes_of_it, 0)
    run(of, 0.05)
    eq(of.client:state(),
      "refused: the server chose a version of the protocol that this client does not speak")
  end
end)

it("messages of the other version are ignored", function()
  for version = 1, 2 do
    local of = room { version = version }
    of.server.silent = true
    local heard = 0
    of.client:subscribe("kills", 3, function() heard = heard + 1 end)
    of.client:on_boards(function(list) if list then heard = heard + 1 end end)
    run(of, 0.05)
    local peer = of.server:last("hello").peer
    of.server:greet(peer)
    run(of, 0.05)
    of.network:send(peer, version == 2 and hand.subscribed("kills", 0, 3, 4, 99)
      or hand.stream_begins("kills", 0, 3, "", 4, 99, {}), 0)
    if version == 1 then
      of.network:send(peer, hand.player_is(0, "p"), 0)
      of.network:send(peer, hand.board_list(1, 0, 1, 1, hand.described("kills", 1)), 0)
    end
    run(of, 0.05)
    local whole = { epoch = 99, version = 1, size = 1, entries = { entry("p", 1, 1) } }
    of.network:send(peer, hand.state(4, whole), 1)
    run(of, 0.05)
    eq({ heard, of.server:count("ack"), of.client:player() }, { 0, 0, nil })
  end
end)

-- --- limits

it("64 subscriptions are asked for in two round trips, within the server's limits", function()
  local of = room { version = 2, delay = { 0.1, 0.1 } }
  local seen = 0
  for i = 1, 64 do
    of.server:post("b" .. i, { entry("p", i, 1) })
    eq(of.client:subscribe("b" .. i, 1, function() seen = seen + 1 end), true)
  end
  refuses("out_of_range", of.client:subscribe("b65", 1, nothing))
  run(of, 0.45) -- connect, hello, welcome, subscribe
  eq(of.server:count("subscribe"), 48)
  run(of, 1.5)
  eq({ of.server:count("subscribe"), seen, of.server:within_limits() }, { 64, 64, true })
  for i = 1, 64 do of.server:post("b" .. i, { entry("q", i, 1) }) end
  run(of, 0.5)
  eq(seen, 128)
  local most = 0
  for _, message in ipairs(of.server.said) do
    if message.kind == "ack" then most = math.max(most, #message) end
  end
  eq(most, 16)
end)

it("a gateway may have the subscriptions that its welcome says, and sends few messages in a round trip",
  function()
    local of = room { token = "gateway-" .. TOKEN, version = 2, delay = { 0.1, 0.1 } }
    of.server.role, of.server.allowed = 1, 1000
    of.server:post("kills", { entry("p", 1, 1) })
    local answers = {}
    for i = 1, 1024 do
      local called = function(list, why) answers[i] = list or why end
      eq(of.client:follow("kills", 0, called, "player " .. i), true)
    end
    refuses("out_of_range", of.client:follow("kills", 0, nothing, "player 1025"))
    run(of, 0.45)
    local first = of.server:count("follow")
    eq(first >= 48 and first <= 64, true)
    run(of, 30)
    eq({ of.server:count("follow"), of.server:within_limits() }, { 1000, true })
    eq(answers[1001], "out_of_range: this server takes 1000 subscriptions of this client")
    of.client:unsubscribe("kills", "player 7")
    run(of, 0.5)
    eq({ of.server:last("unfollow").player, of.server:count("unsubscribe") }, { "player 7", 0 })
    of.client:unsubscribe "kills"
    run(of, 60)
    eq({ of.server:count("unfollow"), of.server:within_limits() }, { 1001, true }) -- 1001 had come in for 7
  end)

-- --- players

it("a client knows its player while it is connected, also by another name", function()
  local of = room { version = 2 }
  of.server.player = "ada"
  eq(of.client:player(), nil)
  run(of, 0.1)
  eq(of.client:player(), "ada")
  of.network:send(of.server:last("hello").peer, hand.player_is(0, "countess"), 0)
  run(of, 0.1)
  eq(of.client:player(), "countess")
  of.server.silent = true
  of.network:finish(of.server:last("hello").peer, 8)
  run(of, 0.05)
  eq(of.client:player(), nil)
end)

it("questions whose a token is are answered once, refused, or asked again on the next connection", function()
  local of = room { token = "gateway-" .. TOKEN, version = 2 }
  of.server.role = 1
  local heard = {}
  local function ask(token)
    eq(of.client:player_of(token, function(player, why) heard[#heard + 1] = player or why end), true)
  end
  ask "a"
  ask "b"
  run(of, 0.1)
  local peer = of.server:last("hello").peer
  eq({ of.server:count("ask_player"), of.server:last("ask_player").question }, { 2, 2 })
  for _ = 1, 2 do
    of.network:send(peer, hand.player_is(2, ""), 0)
    of.network:send(peer, hand.player_is(9, "nobody asked"), 0)
  end
  run(of, 0.1)
  eq(heard, { "unknown: the server knows no such token" })
  of.network:finish(peer, 8)
  run(of, 1)
  eq(of.server:count("ask_player"), 3)
  of.network:send(of.server:last("hello").peer, hand.player_is(1, "ada"), 0)
  run(of, 0.1)
  eq(heard[2], "ada")
  ask "c"
  run(of, 10.2)
  eq(heard[3], "unavailable: the server did not answer within 10 s")
  ask "d"
  run(of, 0.1)
  of.network:finish(of.server:last("hello").peer, 7)
  run(of, 0.1)
  eq(heard[4], "unavailable: " .. of.client:state())
  refuses("unavailable", of.client:player_of("e", nothing))
  local other = room { version = 2 }
  other.client:player_of("f", function(player, why) heard[5] = player or why end)
  run(other, 0.1)
  eq({ heard[5], other.server:count("ask_player") },
    { "unsupported: only a gateway asks whose a token is", 0 })
end)

-- --- the list of boards

local function names(list)
  local text = {}
  for i, board in ipairs(list) do text[i] = board.board .. ":" .. board.size end
  return table.concat(text, " ")
end

it("the list of boards is shown when it is complete, at each change, and continues after damage", function()
  local of = room { version = 2 }
  local told = {}
  of.client:on_boards(function(list) told[#told + 1] = names(list) end)
  of.server.lists = {
    hand.board_list(5, 0, 1, 3, hand.described("b", 1, "meta")),
    hand.board_list(5, 1, 3, 3, hand.described("a", 2) .. hand.sized("b", 7)),
  }
  run(of, 0.1)
  eq(told, { "a:2 b:7" })
  local asked = of.server:last("ask_boards")
  eq({ asked.epoch, asked.version, of.server:count("ask_boards") }, { hand.epoch(5), 3, 3 })
  local list = of.client:boards()
  eq(list, { { board = "a", size = 2, order = "desc", ranking = "competition", season = 1 },
    { board = "b", size = 7, order = "desc", ranking = "competition", meta = "meta", season = 1 } })
  list[1].board = "x"
  eq(of.client:boards()[1].board, "a")
  local peer = of.server:last("hello").peer
  of.network:send(peer, hand.board_list(5, 3, 4, 4, hand.sized("b", 7)), 0) -- as it was
  run(of, 0.1)
  of.network:send(peer, hand.board_list(5, 4, 5, 5, hand.gone("a") .. hand.gone("never there")), 0)
  run(of, 0.1)
  eq(told, { "a:2 b:7", "b:7" })
  for _, damaged in ipairs {
    hand.board_list(6, 5, 6, 6, hand.sized("b", 8)), -- another epoch
    hand.board_list(5, 4, 6, 6, hand.sized("b", 8)), -- not from what is held
    hand.board_list(5, 5, 6, 6, hand.sized("c", 8)), -- never described
    hand.board_list(5, 5, 6, 6, hand.sized("b", 8) .. "\1"),
  } do
    of.network:send(of.server:last("hello").peer, damaged, 0)
    run(of, 0.1)
    local count = of.server:count("ask_boards")
    run(of, 0.8)
    eq(of.server:count("ask_boards"), count) -- after a second
    run(of, 0.2)
    eq({ of.server:count("ask_boards"), of.server:last("ask_boards").version }, { count + 1, 0 })
    eq({ told[#told], names(of.client:boards()) }, { "b:7", "b:7" })
    of.network:send(of.server:last("hello").peer,
      hand.board_list(5, 0, 5, 5, hand.described("b", 7, "meta")), 0)
    run(of, 0.1)
    eq(#told, 2)
  end
  of.network:finish(of.server:last("hello").peer, 8)
  run(of, 1)
  eq(of.server:last("ask_boards").version, 5)
end)

it("a list of more boards than a server publishes is refused", function()
  local list, version = BoardList.new(), 0
  local function take(count)
    local items = {}
    for i = 1, count do items[i] = hand.described(("board %d %d"):format(version, i), i) end
    local message = { epoch = hand.epoch(1), from = version, to = version + 1, newest = 99,
      items = table.concat(items) }
    local taken = list:take(message)
    if taken then version = version + 1 end
    return taken
  end
  for _ = 1, 128 do eq(take(1024), true) end
  eq({ take(1), list.version }, { false, 128 })
end)

-- --- damage

-- Messages that are as they should be, of every kind that version 2 has.
local function samples()
  local format = { version = 2, halves = true, columns = COLUMNS }
  local network = lossy_enet.new { seed = 3 }
  local base = { epoch = 9, version = 1, size = 20, format = format,
    entries = random_entries(network, format, 12) }
  local newer = { epoch = 9, version = 2, size = 20, format = format,
    entries = random_entries(network, format, 12) }
  local meta = ("m"):rep(300)
  return format, base, newer, {
    hand.welcome_2(7, 1, 1024, "ada"),
    hand.stream_begins("kills", 1, 10, "bob", 2 ^ 32 - 1, 9, format),
    hand.player_is(2 ^ 32 - 1, "ada"),
    hand.board_list(9, 0, 2 ^ 40, 2 ^ 40, hand.described("kills", 12, meta) .. hand.sized("kills", 4)
      .. hand.gone("laps")),
    hand.state(4, base), hand.state(4, newer, base),
  }
end

it("no cut and no changed byte of a message raises, and no damaged one counts", function()
  local format, base, _, messages = samples()
  local network = lossy_enet.new { seed = 11 }
  local first = window.apply(wire.decode(hand.state(4, base), 0), hand.epoch(9), nil, format)
  eq(window.listed(first), base.entries)
  local accepted = 0
  local function take(text)
    local message = wire.decode(text, 0)
    if not message then return end
    if message.kind == "state" then
      local built = window.apply(message, hand.epoch(9), message.back > 0 and first or nil, format)
      if built then accepted = accepted + 1 end
    elseif message.kind == "board_list" then
      local list = BoardList.new()
      if list:take(message) then
        for _, board in ipairs(list:listed()) do
          if #board.board < 1 or #board.board > 255 then error "a name of no board" end
        end
      else
        eq({ list.version, next(list.items) }, { 0, nil })
      end
    end
  end
  for _, text in ipairs(messages) do
    assert(wire.decode(text, 0))
    take(text)
    local ends_with_field = text:byte() ~= 0x85 and text:byte() ~= 0x89
    for size = 0, #text - 1 do
      if ends_with_field then eq(wire.decode(text:sub(1, size), 0), nil) end
      take(text:sub(1, size))
    end
    if ends_with_field then eq(wire.decode(text .. "\0", 0), nil) end
    for _ = 1, 3000 do
      local at = 1 + math.floor(network:chance() * #text)
      local damaged = text:sub(1, at - 1) .. string.char(math.floor(network:chance() * 256))
        .. text:sub(at + 1)
      if network:chance() < 0.3 then
        damaged = damaged:sub(1, math.floor(network:chance() * (#damaged + 1)))
      end
      if damaged ~= text then take(damaged) end
    end
  end
  -- The two states that are whole; and some whose stream was changed, which no digest covers.
  eq(accepted >= 2 and accepted < 400, true)
end)

-- The bytes of one double.
local function f64(value)
  local columns = hand.columns { { name = "c", order = "desc", decimals = 0, min = value, max = 0 } }
  return columns:sub(6, 13)
end

it("columns that cannot be are rejected", function()
  local function rejects(columns)
    eq(wire.decode(hand.stream_begins("k", 0, 1, "", 1, 9, { columns = columns }), 0), nil)
  end
  local function with(changes)
    local changed = {}
    for i, column in ipairs(COLUMNS) do
      changed[i] = {}
      for name, value in pairs(column) do changed[i][name] = value end
    end
    for name, value in pairs(changes) do changed[2][name] = value end
    return changed
  end
  assert(wire.decode(hand.stream_begins("k", 0, 1, "", 1, 9, { columns = with {} }), 0))
  rejects { COLUMNS[1] }
  rejects { COLUMNS[1], COLUMNS[2], COLUMNS[1] } -- a name twice
  rejects(with { name = "" })
  rejects(with { name = ("n"):rep(33) })
  rejects(with { name = "a b" })
  rejects(with { decimals = 10 })
  rejects(with { min = 2000 })
  rejects(with { min = 0.0001 })
  rejects(with { max = 2 ^ 53 })
  rejects(with { name = "six", decimals = 0, max = 2 ^ 53, min = -2 ^ 53 }) -- 10 and 55 bits
  assert(wire.decode(hand.stream_begins("k", 0, 1, "", 1, 9,
    { columns = with { decimals = 0, min = -2 ^ 52, max = 2 ^ 52 - 1 } }), 0)) -- 10 and 53 bits
  assert(wire.decode(hand.stream_begins("k", 0, 1, "", 1, 9,
    { columns = with { decimals = 9, min = -1 } }), 0))
  local six = {}
  for i = 1, 6 do six[i] = { name = "c" .. i, order = "asc", decimals = 0, min = 0, max = 1 } end
  rejects(six)
  six[6] = nil
  assert(wire.decode(hand.stream_begins("k", 0, 1, "", 1, 9, { columns = six }), 0))
end)

it("fields of version 2 that are out of range are rejected", function()
  local function rejects(text) eq(wire.decode(text, 0), nil) end
  assert(wire.decode(hand.welcome_2(0, 1, 2 ^ 32 - 1, ("p"):rep(255)), 0))
  rejects(hand.welcome_2(0, 2))
  rejects(hand.welcome_2(0, 0, 2 ^ 32))
  rejects(hand.welcome_2(0, 0, 1, ("p"):rep(256)))
  rejects(hand.welcome_2(0, 0, 1, "p\0"))
  rejects(hand.stream_begins("k", 0, 1, "p", 1, 9, {})) -- a player of a top
  rejects(hand.stream_begins("k", 1, 11, "p", 1, 9, {}))
  rejects(hand.stream_begins("k", 1, 1, "p", 1, 0, {}))
  rejects(hand.player_is(2 ^ 32, "p"))
  rejects(hand.board_list(0, 0, 1, 1, ""))
  rejects(hand.board_list(1, 2, 1, 2, ""))
  rejects(hand.board_list(1, 0, 2, 1, ""))
  local function takes(items)
    return BoardList.new():take { epoch = hand.epoch(1), from = 0, to = 1, newest = 1, items = items }
  end
  local function item(fields) return bytes.text "k" .. "\2" .. fields end
  eq(takes(item "\1\0\0\0\4\0\0\0\0"), true)
  for _, fields in ipairs {
    "\1\2\0\0\4\0\0\0\0", -- an order
    "\1\0\11\0\4\0\0\0\0", -- ten decimals
    "\1\0\0\1\4\0\0\0\0", -- one column
    "\1\0\0\0\5\0\0\0\0", -- a ranking
    "\1\0\0\0\4" .. bytes.leb(4098) .. ("m"):rep(4097) .. "\0\0\0",
    "\1\0\0\0\4\0\0\2\0", -- a flag
    "\1\0\0\0\4\0\0\1" .. f64(0.5) .. "\0", -- a time in half microseconds
    "\1\0\0\0\4\0\0\1" .. f64(2 ^ 33 * 1e6 + 1) .. "\0",
  } do eq(takes(item(fields)), false) end
  eq(takes(item("\1\0\0\0\4\0\0\1" .. f64(-2 ^ 33 * 1e6) .. "\0")), true)
  eq(takes "\1k\3", false)
  eq(takes "\0\0", false)
end)

it("entries of version 2 that cannot be are rejected under their true digest", function()
  local plain, with_columns = { version = 2 }, { version = 2, columns = COLUMNS }
  local function taken(format, ...)
    local whole = { epoch = 9, version = 1, size = 1, format = format, entries = { ... } }
    local text = hand.state(4, whole)
    return window.apply(wire.decode(text, 0), hand.epoch(9), nil, format) ~= nil
  end
  local function scored(...) return taken(with_columns, entry("p", { ... }, 1)) end
  eq({ scored(12, 53.21), scored(1000, -10), scored(0, 2000) }, { true, true, true })
  eq({ scored(12.5, 0), scored(1, 0.0001), scored(1001, 0), scored(-1, 0), scored(0, -10.001) },
    { false, false, false, false, false })
  local function at(moment) return taken(plain, { player = "p", score = 1, rank = 1, at = moment }) end
  eq({ at(0), at(-2 ^ 33), at(2 ^ 33), at(2 ^ 33 + 1) }, { true, true, true, false })
  local function marked(change)
    return taken(plain, { player = "p", score = 1, rank = 5, rank_change = change })
  end
  eq({ marked(-4), marked(2 ^ 53 - 6), marked(2 ^ 53 - 5) }, { true, true, false })
  -- A client of version 1 does not know the bits of version 2.
  local whole = { epoch = 9, version = 1, size = 1, format = plain,
    entries = { { player = "p", score = 1, rank = 1, at = 0 } } }
  eq(window.apply(wire.decode(hand.state(4, whole), 0), hand.epoch(9), nil), nil)
end)
