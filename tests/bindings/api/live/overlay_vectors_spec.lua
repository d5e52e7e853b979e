-- The pure-Lua client's decoder against the vectors of the native client, and against the dumps in
-- PROTOCOL.md; with all optional modules of LuaJIT, and without them.
local spec = require "spec"
local it, eq = spec.it, spec.eq

local here = debug.getinfo(1, "S").source:match("^@(.*)/") or "."
local VECTORS = here .. "/../../../live/vectors.txt"
local PAGE = here .. "/../../../../module/live/PROTOCOL.md"

local function of_hex(digits)
  return (digits:gsub("%x%x", function(two) return string.char(tonumber(two, 16)) end))
end

-- Loads the client's modules again with the named modules hidden, and calls fn.
local function lacking(names, fn)
  local kept, hidden = {}, {}
  for name, loaded in pairs(package.loaded) do
    if name:find("^laurel%.") then kept[name] = loaded end
  end
  for _, name in ipairs(names) do
    kept[name] = package.loaded[name] or false
    hidden[name] = package.preload[name] or false
    package.preload[name] = function() error(name .. " is hidden from this test") end
  end
  for name in pairs(kept) do package.loaded[name] = nil end
  local ok, why = pcall(fn)
  for name in pairs(package.loaded) do
    if name:find("^laurel%.") then package.loaded[name] = nil end
  end
  for name, loaded in pairs(kept) do package.loaded[name] = loaded or nil end
  for name, loader in pairs(hidden) do package.preload[name] = loader or nil end
  if not ok then error(why, 0) end
end

local function optional(text)
  if text == "-" then return nil end
  return of_hex(text:match('^"(%x*)"$'))
end

-- The sequences in the vectors: { title =, { epoch =, bytes =, window = or nil, rejected = or nil } ... }
local function sequences()
  local all, epoch = {}, nil
  for line in assert(io.lines(VECTORS)) do
    local word, rest = line:match("^(%l+) (.*)$")
    local sequence = all[#all]
    local step = sequence and sequence[#sequence]
    if word == "sequence" then
      all[#all + 1] = { title = rest }
    elseif word == "epoch" then
      epoch = of_hex(rest)
    elseif word == "state" then
      sequence[#sequence + 1] = { epoch = epoch, bytes = of_hex(rest) }
    elseif word == "rejected" then
      step.rejected = rest
    elseif word == "window" then
      local version, size, count = rest:match("^(%d+) (%d+) (%d+)$")
      step.window = { version = tonumber(version), size = tonumber(size), count = tonumber(count),
        entries = {} }
    elseif word == "entry" then
      local player, score, rank, name, data = rest:match("^(%x+) (%S+) (%d+) (%S+) (%S+)$")
      step.window.entries[#step.window.entries + 1] = { player = of_hex(player),
        score = tonumber(score), rank = tonumber(rank), name = optional(name),
        data = optional(data) }
    end
  end
  return all
end

-- The window that results from a message; `held` has the known windows by version. nil if it is damaged.
local function take(wire, window, held, epoch, bytes)
  local state = wire.decode(bytes, wire.RELIABLE)
  if not state or state.kind ~= "state" then return nil end
  local base
  if state.back > 0 then
    base = held[state.version - state.back]
    if not base or base.epoch ~= epoch then return nil end
  end
  return window.apply(state, epoch, base)
end

local function check_vectors()
  local wire, window = require "laurel.wire", require "laurel.window"
  local windows, rejections = 0, 0
  for _, sequence in ipairs(sequences()) do
    local held = {}
    for i, step in ipairs(sequence) do
      local where = ("%s, state %d"):format(sequence.title, i)
      local built = take(wire, window, held, step.epoch, step.bytes)
      if step.rejected then
        rejections = rejections + 1
        if built then error(("%s was taken: %s"):format(where, step.rejected)) end
      else
        windows = windows + 1
        if not built then error(where .. " was rejected") end
        held[built.version] = built
        eq({ built.version, built.size, #built.entries },
          { step.window.version, step.window.size, step.window.count })
        eq(window.listed(built), step.window.entries)
      end
    end
  end
  eq(windows > 50 and rejections > 50, true)
end

-- The dumps of PROTOCOL.md: { version =, from_client =, channel =, bytes = }; those of one version, or all.
local function dumps(version)
  local all, inside = {}, false
  for line in assert(io.lines(PAGE)) do
    local second, side, channel = line:match("^```hex(2?) (%l+) (%d)$")
    local of_version = second == "2" and 2 or 1
    if side and (version or of_version) == of_version then
      inside = true
      all[#all + 1] = { version = of_version, from_client = side == "client", channel = tonumber(channel),
        bytes = "" }
    elseif line:find("^```") then
      inside = false
    elseif inside then
      all[#all].bytes = all[#all].bytes .. of_hex(line:gsub(";.*", ""):gsub("%s", "") .. "")
    end
  end
  return all
end

local function check_page()
  local wire, window = require "laurel.wire", require "laurel.window"
  local kinds, epoch, windows = {}, nil, {}
  for _, dump in ipairs(dumps(1)) do
    if not dump.from_client then
      local message = assert(wire.decode(dump.bytes, dump.channel))
      kinds[#kinds + 1] = message.kind
      epoch = message.epoch or epoch
      if message.kind == "state" then
        windows[#windows + 1] = assert(window.apply(message, epoch, windows[#windows]))
      end
    end
  end
  eq(kinds, { "welcome", "subscribed", "error", "bye", "pong", "state", "state" })
  eq(window.listed(windows[1]), { { player = "alice", name = "Ali", score = 100, rank = 1 },
    { player = "bob", score = 90, rank = 2 }, { player = "carol", score = 90, rank = 2 } })
  eq(window.listed(windows[2]), { { player = "carol", score = 105, rank = 1 },
    { player = "alice", name = "Ali", score = 100, rank = 2 },
    { player = "bob", score = 90, rank = 3 } })
  eq({ windows[1].size, windows[2].size, windows[2].version }, { 1539, 1540, 1001 })
end

local COLUMNS = { { name = "laps", order = "desc", decimals = 0, min = 0, max = 999999999 },
  { name = "seconds", order = "asc", decimals = 3, min = 0, max = 100000 } }

local function check_page_of_version_2()
  local wire, window = require "laurel.wire", require "laurel.window"
  local BoardList = require "laurel.board_list"
  local messages, lists, windows, format, epoch = {}, {}, {}, nil, nil
  local list = BoardList.new()
  for _, dump in ipairs(dumps(2)) do
    if not dump.from_client then
      local message = assert(wire.decode(dump.bytes, dump.channel))
      messages[#messages + 1] = message
      if message.kind == "stream_begins" and message.columns then
        epoch = message.epoch
        format = { version = 2, halves = message.halves, columns = message.columns }
      elseif message.kind == "state" then
        windows[#windows + 1] = assert(window.apply(message, epoch, windows[#windows], format))
      elseif message.kind == "board_list" then
        eq(list:take(message), true)
        lists[#lists + 1] = list:listed()
      end
    end
  end
  local kinds = {}
  for i, message in ipairs(messages) do kinds[i] = message.kind end
  eq(kinds, { "welcome", "welcome", "stream_begins", "stream_begins", "player_is", "player_is", "state",
    "state", "board_list", "board_list" })
  eq({ messages[1].role, messages[1].subscriptions, messages[1].player }, { 0, 64, "alice" })
  eq({ messages[2].role, messages[2].subscriptions, messages[2].player }, { 1, 1024, "" })
  eq({ messages[3].columns, messages[3].halves, messages[3].player }, { COLUMNS, false, "" })
  eq({ messages[4].player, messages[4].halves, messages[4].columns }, { "bob", true })
  eq({ messages[5].question, messages[5].player, messages[6].player }, { 3, "alice", "" })
  local eight = 1795680000 -- 2026-11-26 08:00:00
  eq(window.listed(windows[1]), {
    { player = "alice", name = "Ali", score = { 12, 53.21 }, rank = 1, at = eight, rank_change = 2 },
    { player = "bob", score = { 12, 54 }, rank = 2, at = eight + 1, rank_change = -1 },
    { player = "carol", score = { 11, 50.5 }, rank = 3, at = eight + 2 },
  })
  eq(window.listed(windows[2]), {
    { player = "bob", score = { 12, 53 }, rank = 1, at = eight + 60, rank_change = 0 },
    { player = "alice", name = "Ali", score = { 12, 53.21 }, rank = 2, at = eight, rank_change = 1 },
    { player = "carol", score = { 11, 50.5 }, rank = 3, at = eight + 2 },
  })
  local race = { board = "race", size = 1539, order = "desc", columns = COLUMNS, ranking = "competition",
    meta = "Season 3", season = 4, resets_at = eight + 86400 }
  eq(lists[1], { { board = "kills", size = 12, order = "desc", decimals = 2, ranking = "modified",
    season = 1 }, race })
  race.size = 1540
  eq(lists[2], { race })
end

local function in_every_lua(sentence, fn)
  it(sentence, fn)
  it(sentence .. ", in a Lua without ffi", function() lacking({ "ffi" }, fn) end)
  it(sentence .. ", in a Lua without ffi and bits", function()
    lacking({ "ffi", "bit", "bit32" }, fn)
  end)
end

in_every_lua("each vector leads to its window, or is rejected", check_vectors)
in_every_lua("the dumps of the protocol's page are read as it tells", check_page)
in_every_lua("those of version 2, too", check_page_of_version_2)
in_every_lua("the checksum is the one that the page names", function()
  local crc32c = require "laurel.crc32c"
  eq(crc32c("123456789"), 0xE3069283)
  eq(crc32c(""), 0)
end)

it("a compiled decoder and an interpreted one agree", function()
  for _ = 1, 30 do
    check_vectors()
    check_page_of_version_2()
  end
end)

it("the client's messages are those in PROTOCOL.md", function()
  local wire = require "laurel.wire"
  local Credentials = require "laurel.credentials"
  local function said_in(version)
    local said = {}
    for _, dump in ipairs(dumps(version)) do
      if dump.from_client then said[#said + 1] = dump.bytes end
    end
    return said
  end
  local token = Credentials.parse("1122334400112233445566778899AAbbccddeeff")
  eq(token.word, 0x11223344)
  eq(said_in(1), {
    wire.hello("", 1),
    wire.hello(token.secret, 1),
    wire.subscribe("kills", wire.TOP, 3, wire.NO_EPOCH, 0),
    wire.subscribe("kills", wire.AROUND, 2, of_hex("8877665544332211"), 1000),
    wire.unsubscribe("kills"),
    wire.resync(1),
    wire.ack { { stream = 1, version = 1000, received = 1 } },
    wire.ping(7),
  })
  eq(said_in(2), {
    wire.hello(""),
    wire.follow("race", 2, "bob", wire.NO_EPOCH, 0),
    wire.unfollow("race", "bob"),
    wire.ask_boards(wire.NO_EPOCH, 0),
    wire.ask_boards(of_hex("8877665544332211"), 7),
    wire.ask_player(3, "1122334400112233445566778899aabbccddeeff"),
  })
  eq(Credentials.parse("gateway-1122334400112233445566778899aabbccddeeff"), token)
  eq(Credentials.parse("gateway-gateway-1122334400112233445566778899aabb"), nil)
end)

it("reasons have the words and meanings of the native client", function()
  local wire = require "laurel.wire"
  local source = assert(io.open(here .. "/../../../../module/live/wire/wire.cc")):read("*a")
  local found = 0
  for _, reason in ipairs(wire.REASONS) do
    for text in source:gmatch("case Reason::" .. reason.word .. ":%s*return \"([^\"]*)\"") do
      found = found + 1
      eq(text == reason.word or text == reason.meaning, true)
    end
  end
  eq({ #wire.REASONS, found }, { 10, 20 })
end)

it("a server's message that is truncated, too long or on the wrong channel is rejected", function()
  local wire = require "laurel.wire"
  local other = { [wire.RELIABLE] = wire.UNSEQUENCED, [wire.UNSEQUENCED] = wire.RELIABLE }
  for _, dump in ipairs(dumps()) do
    if not dump.from_client then
      local kind = wire.decode(dump.bytes, dump.channel).kind
      if kind ~= "state" and kind ~= "board_list" then -- these extend to the end of the message
        for size = 0, #dump.bytes - 1 do
          eq(wire.decode(dump.bytes:sub(1, size), dump.channel), nil)
        end
        eq(wire.decode(dump.bytes .. "\0", dump.channel), nil)
        eq(wire.decode(dump.bytes, other[dump.channel]), nil)
      end
      eq(wire.decode(dump.bytes, 2), nil)
      eq(wire.decode(dump.bytes .. ("x"):rep(wire.MESSAGE_BYTES_MAX), dump.channel), nil)
    else
      eq(wire.decode(dump.bytes, dump.channel), nil)
    end
  end
end)

it("a server's message with a field out of range is rejected", function()
  local wire = require "laurel.wire"
  local function rejects(digits) eq(wire.decode(of_hex(digits), wire.RELIABLE), nil) end
  local epoch = "8877665544332211"
  assert(wire.decode(of_hex("82016b000301" .. epoch), wire.RELIABLE))
  rejects("8200000301" .. epoch) -- an empty board name
  rejects("8201000003" .. "01" .. epoch) -- a zero byte in the name
  rejects("82016b000001" .. epoch) -- the first 0 entries
  rejects("82016b006501" .. epoch) -- the first 101 entries
  rejects("82016b010b01" .. epoch) -- 11 neighbours
  rejects("82016b020301" .. epoch) -- an unknown view
  rejects("82016b000301" .. "0000000000000000") -- epoch 0
  assert(wire.decode(of_hex("82016b0003ffffffff0f" .. epoch), wire.RELIABLE))
  rejects("82016b0003ffffffff1f" .. epoch) -- a stream beyond 2^32
  assert(wire.decode(of_hex("840a00"), wire.RELIABLE))
  rejects("840000") -- reason 0
  rejects("840b00") -- reason 11
  rejects("84088000") -- an overlong length
  assert(wire.decode(of_hex("8301010100" .. "00"), wire.RELIABLE))
  rejects("8301000100" .. "00") -- version 0
  rejects("8301020100" .. "00") -- versions 2 to 1
  rejects("8408f101" .. ("61"):rep(241)) -- a text of 241 bytes
  assert(wire.decode(of_hex("8408f001" .. ("61"):rep(240)), wire.RELIABLE))
end)

it("numbers are exact up to 2^53 - 1 and rejected beyond", function()
  local bytes = require "laurel.bytes"
  for _, number in ipairs { 0, 1, 127, 128, 16383, 16384, 2 ^ 31, 2 ^ 32 - 1, 2 ^ 32, 2 ^ 49 - 1,
    2 ^ 49, 2 ^ 53 - 2, 2 ^ 53 - 1 } do
    local reader = bytes.reader(bytes.leb(number))
    eq({ reader:leb(bytes.NUMBER_MAX), reader.ok, reader:remaining() }, { number, true, 0 })
    local low, high = bytes.reader(bytes.u64(number)):u32(), bytes.reader(bytes.u64(number):sub(5)):u32()
    eq(high * 2 ^ 32 + low, number)
  end
  for _, digits in ipairs { "8080808080808010", "ffffffffffffff1f", "808080808080808001",
    "ffffffffffffffffff01", "8000", "80", "" } do
    local reader = bytes.reader(of_hex(digits))
    eq({ reader:leb(bytes.NUMBER_MAX), reader.ok }, { 0, false })
  end
end)
