-- fake_server.lua - a minimal server of the live channel for tests of a client: its messages as bytes,
-- and a server that sends them.
--
--   hand.welcome(word)                       the bytes of a welcome
--   hand.state(stream, window, base)         bytes of a state; window { epoch, version, size, entries }.
--                                            In version 2 it has a `format`: { halves =, columns = }
--   local server = hand.new(network)         answers hellos and subscribes, sends until acknowledged
--   server:post("kills", entries)            sets the current state of the board
--   server:serve()                           handles messages and sends; called after each step of time
--
-- The server speaks the version of the protocol in `server.version`, 1 unless a test sets it. In version 2
-- `server.role`, `allowed` (subscriptions) and `player` are those of the welcome, `format` that of all its
-- boards, and `lists` what it answers to questions about the boards, in their order.
--
-- `server.said` has the decoded messages of clients: { kind =, at =, channel =, ... }; `server.left` is
-- the number of connections that clients ended.
local bytes = require "laurel.bytes"
local crc32c = require "laurel.crc32c"

local hand = {}

-- --- numbers and entries as bytes

-- A finite double in eight bytes. Exact for the scores in the tests; subnormals are not supported.
local function f64(value)
  if value == 0 then return ("\0"):rep(8) end
  local fraction, exponent = math.frexp(math.abs(value))
  local mantissa = (fraction * 2 - 1) * 2 ^ 52
  local high = math.floor(mantissa / 2 ^ 32) + (exponent + 1022) * 2 ^ 20
  if value < 0 then high = high + 2 ^ 31 end
  return bytes.u32(mantissa % 2 ^ 32) .. bytes.u32(high)
end

local function zigzag(value) return bytes.leb(value < 0 and -2 * value - 1 or 2 * value) end

-- Version 1's format is nil.
local function score(entry, format)
  if type(entry.score) ~= "table" then return f64(entry.score) end
  assert(format and format.columns, "only boards with columns have such scores")
  local parts = {}
  for i, value in ipairs(entry.score) do parts[i] = f64(value) end
  return table.concat(parts)
end

local function unit(format) return format and format.halves and 2 or 1 end

-- The rank at the mark, 0 if there is none.
local function marked(entry, format)
  return entry.rank_change and (entry.rank + entry.rank_change) * unit(format) or 0
end

local function time(seconds) return f64(math.floor(seconds * 1e6 + 0.5)) end

local function fresh(entry, format)
  local at, mark = format and entry.at, marked(entry, format)
  local head = 3 + (entry.name and 16 or 0) + (entry.data and 32 or 0) + (at and 64 or 0)
    + (mark > 0 and 128 or 0)
  local step = bytes.leb(head) .. bytes.text(entry.player) .. score(entry, format)
    .. bytes.leb(entry.rank * unit(format))
  if entry.name then step = step .. bytes.text(entry.name) end
  if entry.data then step = step .. bytes.text(entry.data) end
  if at then step = step .. time(at) end
  if mark > 0 then step = step .. bytes.leb(mark) end
  return step
end

local function whole(entries, format)
  local steps = {}
  for i, entry in ipairs(entries) do steps[i] = fresh(entry, format) end
  return table.concat(steps)
end

local function same_score(one, other)
  if type(one) ~= "table" then return one == other end
  for i, value in ipairs(one) do
    if value ~= other[i] then return false end
  end
  return true
end

-- A change of the score, the rank, and what else differs in version 2.
local function change(at, before, entry, format)
  local flags, more = 3, ""
  if format and before.at ~= entry.at then
    flags, more = flags + 16, entry.at and "\1" .. time(entry.at) or "\0"
  end
  if marked(before, format) ~= marked(entry, format) then
    flags, more = flags + 32, more .. bytes.leb(marked(entry, format))
  end
  return bytes.leb(flags * 4 + 2) .. bytes.leb(at - 1) .. score(entry, format)
    .. bytes.leb(entry.rank * unit(format)) .. more
end

-- One operation for each entry: correct, but not the shortest encoding.
local function delta(base, entries, format)
  local steps, places, cursor = {}, {}, 0
  for i, entry in ipairs(base) do places[entry.player] = i end
  for i, entry in ipairs(entries) do
    local at = places[entry.player]
    local before = base[at]
    if not before or before.name ~= entry.name or before.data ~= entry.data then
      steps[i] = fresh(entry, format)
    elseif not same_score(before.score, entry.score) or format and before.at ~= entry.at
      or marked(before, format) ~= marked(entry, format) then
      steps[i] = change(at, before, entry, format)
      cursor = at
    else
      local offset, shift = at - 1 - cursor, (entry.rank - before.rank) * unit(format)
      steps[i] = offset == 0 and shift == 0 and bytes.leb(4)
        or bytes.leb(5) .. zigzag(offset) .. zigzag(shift)
      cursor = at
    end
  end
  return table.concat(steps)
end

-- --- messages

local function u8(value) return string.char(value) end

-- Converts the small number that a test uses as an epoch.
function hand.epoch(number) return bytes.u64(number) end

function hand.welcome(word)
  return "\129\1" .. bytes.u32(word or 0) .. bytes.leb(50000)
end

function hand.welcome_2(word, role, subscriptions, player)
  return "\129\2" .. bytes.u32(word or 0) .. bytes.leb(50000) .. u8(role or 0)
    .. bytes.leb(subscriptions or 64) .. bytes.text(player or "")
end

function hand.columns(columns)
  local parts = { u8(#(columns or {})) }
  for i, column in ipairs(columns or {}) do
    parts[i + 1] = bytes.text(column.name) .. u8(column.order == "asc" and 1 or 0)
      .. u8(column.decimals) .. f64(column.min) .. f64(column.max)
  end
  return table.concat(parts)
end

function hand.stream_begins(board, view, n, player, stream, epoch, format)
  return "\135" .. bytes.text(board) .. u8(view) .. u8(n) .. bytes.text(player) .. bytes.leb(stream)
    .. bytes.u64(epoch) .. u8(format.halves and 1 or 0) .. hand.columns(format.columns)
end

function hand.player_is(question, player)
  return "\136" .. bytes.leb(question) .. bytes.text(player)
end

-- items: what the next three functions return, joined
function hand.board_list(epoch, from, to, newest, items)
  return "\137" .. bytes.u64(epoch) .. bytes.leb(from) .. bytes.leb(to) .. bytes.leb(newest) .. items
end

function hand.gone(board) return bytes.text(board) .. "\0" end

function hand.sized(board, size) return bytes.text(board) .. "\1" .. bytes.leb(size) end

-- A board that is ordered by the plain score, best first.
function hand.described(board, size, meta)
  return bytes.text(board) .. "\2" .. bytes.leb(size) .. "\0\0\0\0"
    .. (meta and bytes.leb(#meta + 1) .. meta or "\0") .. bytes.leb(1) .. "\0\0"
end

function hand.subscribed(board, view, n, stream, epoch)
  return "\130" .. bytes.text(board) .. u8(view) .. u8(n) .. bytes.leb(stream)
    .. bytes.u64(epoch)
end

function hand.error(reason, board, sentence)
  return "\131" .. u8(reason) .. "\1\1" .. bytes.text(board) .. bytes.text(sentence)
end

function hand.bye(reason, sentence) return "\132" .. u8(reason) .. bytes.text(sentence) end

function hand.pong(number) return "\134" .. bytes.u32(number) end

-- base: a window, or nil for a full state
function hand.state(stream, window, base)
  local entries = window.entries
  local digest = crc32c(bytes.u64(window.epoch) .. bytes.u64(window.version)
    .. bytes.u64(window.size) .. u8(#entries) .. whole(entries, window.format))
  return "\133" .. bytes.leb(stream) .. bytes.leb(window.version)
    .. bytes.leb(base and window.version - base.version or 0) .. bytes.leb(window.size)
    .. bytes.u32(digest) .. u8(#entries)
    .. (base and delta(base.entries, entries, window.format) or whole(entries, window.format))
end

-- Decodes a message of a client; nil if it is malformed.
function hand.decode(text)
  local reader = bytes.reader(text)
  local kind = reader:u8()
  local message
  if kind == 1 then
    message = { kind = "hello", magic = reader:take(3), version_min = reader:u8(),
      version_max = reader:u8(), secret = reader:text_of(0, 16) }
  elseif kind == 2 then
    message = { kind = "subscribe", board = reader:text_of(1, 255), view = reader:u8(),
      n = reader:u8(), epoch = reader:take(8), version = reader:leb(bytes.NUMBER_MAX) }
  elseif kind == 3 then
    message = { kind = "unsubscribe", board = reader:text_of(1, 255) }
  elseif kind == 4 then
    message = { kind = "resync", stream = reader:leb(bytes.U32_MAX) }
  elseif kind == 5 then
    message = { kind = "ack" }
    for i = 1, reader:u8() do
      message[i] = { stream = reader:leb(bytes.U32_MAX), version = reader:leb(bytes.NUMBER_MAX),
        received = reader:leb(bytes.U32_MAX) }
    end
  elseif kind == 6 then
    message = { kind = "ping", number = reader:u32() }
  elseif kind == 7 then
    message = { kind = "follow", board = reader:text_of(1, 255), view = 1, n = reader:u8(),
      player = reader:text_of(1, 255), epoch = reader:take(8), version = reader:leb(bytes.NUMBER_MAX) }
  elseif kind == 8 then
    message = { kind = "unfollow", board = reader:text_of(1, 255), player = reader:text_of(1, 255) }
  elseif kind == 9 then
    message = { kind = "ask_boards", epoch = reader:take(8), version = reader:leb(bytes.NUMBER_MAX) }
  elseif kind == 10 then
    message = { kind = "ask_player", question = reader:leb(bytes.U32_MAX), token = reader:text_of(1, 255) }
  end
  return message and reader.ok and reader:remaining() == 0 and message or nil
end

-- --- a server

local Server = {}
Server.__index = Server

local KEPT = 32 -- windows kept for each board
local TICK = 0.05

function hand.new(network)
  return setmetatable({ network = network, said = {}, boards = {}, subscriptions = {}, epoch = 99,
    next_tick = 0, streams = 0, left = 0, version = 1, format = {}, lists = {} }, Server)
end

-- Sets the board's current entries, in a new version.
function Server:post(board, entries)
  local windows = self.boards[board] or {}
  self.boards[board] = windows
  local newest = windows[#windows]
  windows[#windows + 1] = { epoch = self.epoch, version = (newest and newest.version or 0) + 1,
    size = #entries, entries = entries, format = self.version >= 2 and self.format or nil }
  if #windows > KEPT then table.remove(windows, 1) end
end

local function find(windows, version)
  for _, window in ipairs(windows) do
    if window.version == version then return window end
  end
end

function Server:subscribe(peer, message)
  local windows = assert(self.boards[message.board], "the test posts before")
  self.streams = self.streams + 1
  local mine = { peer = peer, windows = windows, stream = self.streams }
  if message.epoch == hand.epoch(self.epoch) then mine.acknowledged = message.version end
  self.subscriptions[message.board] = mine
  self.network:send(peer, self.version < 2
    and hand.subscribed(message.board, message.view, message.n, mine.stream, self.epoch)
    or hand.stream_begins(message.board, message.view, message.n, message.player or "", mine.stream,
      self.epoch, self.format), 0)
end

function Server:greet(peer)
  self.network:send(peer, self.version < 2 and hand.welcome(self.word)
    or hand.welcome_2(self.word, self.role, self.allowed, self.player), 0)
end

function Server:handle(event)
  if event.type == "disconnect" then
    self.left = self.left + 1
    self.subscriptions = {}
    return
  end
  local message = assert(hand.decode(event.data), "no client says this")
  message.at, message.channel, message.peer = self.network.now, event.channel, event.peer
  self.said[#self.said + 1] = message
  if self.silent then return end
  if message.kind == "hello" then self:greet(event.peer) end
  if message.kind == "ping" then self.network:send(event.peer, hand.pong(message.number), 1) end
  if message.kind == "subscribe" or message.kind == "follow" then
    self:subscribe(event.peer, message)
  end
  if message.kind == "ask_boards" and self.lists[1] then
    self.network:send(event.peer, table.remove(self.lists, 1), 0)
  end
  for _, mine in pairs(self.subscriptions) do
    if message.kind == "resync" and message.stream == mine.stream then mine.acknowledged = nil end
    for _, held in ipairs(message) do
      if held.stream == mine.stream then
        mine.acknowledged = math.max(mine.acknowledged or 0, held.version)
      end
    end
  end
end

-- Handles the client's messages. At each tick it sends the newest state, as a delta from the acknowledged
-- one, to each subscription that has not acknowledged it yet.
function Server:serve()
  for event in self.network:heard() do self:handle(event) end
  if self.network.now < self.next_tick then return end
  self.next_tick = self.network.now + TICK
  for _, mine in pairs(self.subscriptions) do
    local newest = mine.windows[#mine.windows]
    if mine.acknowledged ~= newest.version then
      local base = mine.acknowledged and find(mine.windows, mine.acknowledged)
      self.network:send(mine.peer, hand.state(mine.stream, newest, base), 1)
    end
  end
end

-- How many messages of a kind were received.
function Server:count(kind)
  local count = 0
  for _, message in ipairs(self.said) do
    if message.kind == kind then count = count + 1 end
  end
  return count
end

-- Whether the client's messages are within a server's limits, for control messages a second and at once.
function Server:within_limits()
  local per_second, burst = 5, 20
  if self.version >= 2 then
    local is_gateway = self.role == 1
    per_second, burst = is_gateway and 2000 or 20, is_gateway and 1044 or 84
  end
  local left, at = burst, 0
  for _, message in ipairs(self.said) do
    if message.kind ~= "ack" and message.kind ~= "ping" then
      left = math.min(burst, left + (message.at - at) * per_second) - 1
      at = message.at
      if left < 0 then return false end
    end
  end
  return true
end

-- The last message of a kind, or nil.
function Server:last(kind)
  for i = #self.said, 1, -1 do
    if self.said[i].kind == kind then return self.said[i] end
  end
end

return hand
