-- wire.lua - encodes a client's messages of the live channel as bytes, and decodes a server's
-- messages as tables. PROTOCOL.md specifies them.
--
--   wire.ack { { stream = 1, version = 1000, received = 1 } }   --> "\5\1\1\232\7\1"
--   wire.decode("\134\7\0\0\0", 1)                               --> { kind = "pong", number = 7 }
--
--   channel   0 is reliable and ordered, 1 is unsequenced. Each kind of message has its channel.
--   decoding  returns nil for a message with a number out of range, a length beyond the end, or
--             bytes left over.
--   epochs    are strings of eight bytes; wire.NO_EPOCH: none.
--   versions  a message that only version 2 has is decoded in any case. Whether the connection may
--             have it is the caller's to check.
local bytes = require "laurel.bytes"
local fields = require "laurel.fields"

local char = string.char

local wire = {}

wire.RELIABLE, wire.UNSEQUENCED = 0, 1
wire.TOP, wire.AROUND = 0, 1 -- views: the first n; the token's player with n above and n below
wire.VERSION_MIN, wire.VERSION_MAX = 1, 2
wire.CLIENT, wire.GATEWAY = 0, 1 -- roles
wire.NO_EPOCH = ("\0"):rep(8)

-- Limits of the protocol.
wire.TOP_MAX = 100 -- entries: one screen
wire.AROUND_MAX = 10 -- above a followed player, and below
wire.SENTENCE_BYTES_MAX = 240
wire.ACK_STREAMS_MAX = 16 -- of one ack
wire.TOKEN_BYTES_MAX = 255 -- of a question
wire.MESSAGE_BYTES_MAX = 32 * 1024 -- 100 entries of the longest ids
wire.SECRET_BYTES = 16

-- The reasons of an error or a bye: the word, and a sentence for people if the message has none.
wire.REASONS = {
  { word = "version", meaning = "the server speaks other versions of the protocol" },
  { word = "unknown", meaning = "no such board is published" },
  { word = "limit", meaning = "too many subscriptions" },
  { word = "refused", meaning = "the token is missing, used up, too old or not of this server" },
  { word = "late", meaning = "the client said no hello in time" },
  { word = "slow", meaning = "nothing was acknowledged for too long" },
  { word = "abuse", meaning = "too many messages were damaged or not allowed" },
  { word = "closing", meaning = "the server ends" },
  { word = "nobody", meaning = "only a player can be followed, and the client showed no token" },
  { word = "replaced", meaning = "the same client connected again" },
}

-- --- messages of a client

-- secret: of a token, 16 bytes; or empty. version_max: default: VERSION_MAX
function wire.hello(secret, version_max)
  return "\1LRL" .. char(wire.VERSION_MIN, version_max or wire.VERSION_MAX) .. bytes.text(secret)
end

-- epoch, version: of the window that the client holds for this board, view and n.
function wire.subscribe(board, view, n, epoch, version)
  return "\2" .. bytes.text(board) .. char(view, n) .. epoch .. bytes.leb(version)
end

function wire.unsubscribe(board) return "\3" .. bytes.text(board) end

-- epoch, version: of the window that the client holds for this board, n and player.
function wire.follow(board, n, player, epoch, version)
  return "\7" .. bytes.text(board) .. char(n) .. bytes.text(player) .. epoch .. bytes.leb(version)
end

function wire.unfollow(board, player) return "\8" .. bytes.text(board) .. bytes.text(player) end

-- epoch, version: of the list that the client holds.
function wire.ask_boards(epoch, version) return "\9" .. epoch .. bytes.leb(version) end

function wire.ask_player(question, token)
  return "\10" .. bytes.leb(question) .. bytes.text(token)
end

function wire.resync(stream) return "\4" .. bytes.leb(stream) end

-- held: 1 to 16 of { stream =, version =, received = }
function wire.ack(held)
  local parts = { "\5", char(#held) }
  for _, one in ipairs(held) do
    parts[#parts + 1] = bytes.leb(one.stream) .. bytes.leb(one.version) .. bytes.leb(one.received)
  end
  return table.concat(parts)
end

function wire.ping(number) return "\6" .. bytes.u32(number) end

-- --- messages of a server

local function view_of(reader)
  local view, n = reader:u8(), reader:u8()
  local in_range = view == wire.TOP and n >= 1 and n <= wire.TOP_MAX
    or view == wire.AROUND and n <= wire.AROUND_MAX
  if not in_range then reader:fail() end
  return view, n
end

local function reason_of(reader)
  local reason = wire.REASONS[reader:u8()]
  if not reason then reader:fail() end
  return reason
end

local function epoch_of(reader)
  local epoch = reader:take(8)
  if epoch == wire.NO_EPOCH then reader:fail() end
  return epoch
end

local function welcome(reader)
  local message = { kind = "welcome", version = reader:u8(), word = reader:u32(),
    interval = reader:leb(bytes.NUMBER_MAX) }
  if message.version < 2 then return message end
  message.role = reader:u8()
  if message.role > wire.GATEWAY then reader:fail() end
  message.subscriptions = reader:leb(bytes.U32_MAX)
  message.player = fields.optional_player(reader)
  return message
end

local function subscribed(reader)
  local message = { kind = "subscribed", board = fields.board(reader), player = "" }
  message.view, message.n = view_of(reader)
  message.stream, message.epoch = reader:leb(bytes.U32_MAX), epoch_of(reader)
  return message
end

local function stream_begins(reader)
  local message = { kind = "stream_begins", board = fields.board(reader) }
  message.view, message.n = view_of(reader)
  message.player = fields.optional_player(reader)
  if message.player ~= "" and message.view ~= wire.AROUND then reader:fail() end
  message.stream, message.epoch = reader:leb(bytes.U32_MAX), epoch_of(reader)
  message.halves, message.columns = reader:flag(), fields.columns(reader)
  return message
end

local function player_is(reader)
  return { kind = "player_is", question = reader:leb(bytes.U32_MAX),
    player = fields.optional_player(reader) }
end

-- board_list.lua decodes the items.
local function board_list(reader)
  local message = { kind = "board_list", epoch = epoch_of(reader),
    from = reader:leb(bytes.NUMBER_MAX), to = reader:leb(bytes.NUMBER_MAX),
    newest = reader:leb(bytes.NUMBER_MAX) }
  if message.from > message.to or message.to > message.newest then reader:fail() end
  message.items = reader:take(reader:remaining())
  return message
end

local function error_(reader)
  local message = { kind = "error", reason = reason_of(reader) }
  local lowest, highest = reader:u8(), reader:u8()
  if lowest < 1 or lowest > highest then reader:fail() end
  message.board = reader:text_of(0, fields.BOARD_BYTES_MAX)
  message.sentence = reader:text_of(0, wire.SENTENCE_BYTES_MAX)
  return message
end

local function bye(reader)
  return { kind = "bye", reason = reason_of(reader),
    sentence = reader:text_of(0, wire.SENTENCE_BYTES_MAX) }
end

local function pong(reader) return { kind = "pong", number = reader:u32() } end

-- window.lua decodes the body.
local function state(reader)
  local message = { kind = "state", stream = reader:leb(bytes.U32_MAX),
    version = reader:leb(bytes.NUMBER_MAX), back = reader:leb(bytes.NUMBER_MAX),
    size = reader:leb(bytes.NUMBER_MAX), digest = reader:u32(), count = reader:u8() }
  if message.count > wire.TOP_MAX or message.back > message.version then reader:fail() end
  message.body = reader:take(reader:remaining())
  return message
end

-- By channel, then by the message's first byte.
local KINDS = {
  [wire.RELIABLE] = { [0x81] = welcome, [0x82] = subscribed, [0x83] = error_, [0x84] = bye,
    [0x85] = state, [0x87] = stream_begins, [0x88] = player_is, [0x89] = board_list },
  [wire.UNSEQUENCED] = { [0x85] = state, [0x86] = pong },
}

-- Returns the message, or nil if the text is not exactly one message that a server may send on that
-- channel.
function wire.decode(text, channel)
  if #text > wire.MESSAGE_BYTES_MAX then return nil end
  local reader = bytes.reader(text)
  local kinds = KINDS[channel]
  local read = kinds and kinds[reader:u8()]
  if not read then return nil end
  local message = read(reader)
  return reader.ok and reader:remaining() == 0 and message or nil
end

return wire
