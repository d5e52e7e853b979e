-- fake_server.lua - a minimal server of the live channel for tests of a client: its messages as bytes,
-- and a server that sends them.
--
--   hand.welcome(word)                       the bytes of a welcome
--   hand.state(stream, window, base)         bytes of a state; window { epoch, version, size, entries }
--   local server = hand.new(network)         answers hellos and subscribes, sends until acknowledged
--   server:post("kills", entries)            sets the current state of the board
--   server:serve()                           handles messages and sends; called after each step of time
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

local function fresh(entry)
  local head = 3 + (entry.name and 16 or 0) + (entry.data and 32 or 0)
  local step = bytes.leb(head) .. bytes.text(entry.player) .. f64(entry.score)
    .. bytes.leb(entry.rank)
  if entry.name then step = step .. bytes.text(entry.name) end
  if entry.data then step = step .. bytes.text(entry.data) end
  return step
end

local function whole(entries)
  local steps = {}
  for i, entry in ipairs(entries) do steps[i] = fresh(entry) end
  return table.concat(steps)
end

-- One operation for each entry: correct, but not the shortest encoding.
local function delta(base, entries)
  local steps, places, cursor = {}, {}, 0
  for i, entry in ipairs(base) do places[entry.player] = i end
  for i, entry in ipairs(entries) do
    local at = places[entry.player]
    local before = base[at]
    if not before or before.name ~= entry.name or before.data ~= entry.data then
      steps[i] = fresh(entry)
    elseif before.score ~= entry.score then
      steps[i] = bytes.leb(3 * 4 + 2) .. bytes.leb(at - 1) .. f64(entry.score)
        .. bytes.leb(entry.rank)
      cursor = at
    else
      local offset, shift = at - 1 - cursor, entry.rank - before.rank
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
    .. bytes.u64(window.size) .. u8(#entries) .. whole(entries))
  return "\133" .. bytes.leb(stream) .. bytes.leb(window.version)
    .. bytes.leb(base and window.version - base.version or 0) .. bytes.leb(window.size)
    .. bytes.u32(digest) .. u8(#entries)
    .. (base and delta(base.entries, entries) or whole(entries))
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
    next_tick = 0, streams = 0, left = 0 }, Server)
end

-- Sets the board's current entries, in a new version.
function Server:post(board, entries)
  local windows = self.boards[board] or {}
  self.boards[board] = windows
  local newest = windows[#windows]
  windows[#windows + 1] = { epoch = self.epoch, version = (newest and newest.version or 0) + 1,
    size = #entries, entries = entries }
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
  self.network:send(peer, hand.subscribed(message.board, message.view, message.n, mine.stream,
    self.epoch), 0)
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
  if message.kind == "hello" then self.network:send(event.peer, hand.welcome(self.word), 0) end
  if message.kind == "ping" then self.network:send(event.peer, hand.pong(message.number), 1) end
  if message.kind == "subscribe" then self:subscribe(event.peer, message) end
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

-- Whether the client's messages are within a server's limits: 5 control messages a second, 20 at once.
function Server:within_limits()
  local left, at = 20, 0
  for _, message in ipairs(self.said) do
    if message.kind ~= "ack" and message.kind ~= "ping" then
      left = math.min(20, left + (message.at - at) * 5) - 1
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
