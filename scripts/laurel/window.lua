-- window.lua - the entries of a view at one moment, built from the steps of a state.
--
-- A body is a list of steps that build the new window's entries in order, best first. A cursor
-- moves along the base window: it is at the entry after the last one used. copy takes entries from
-- there unchanged; move takes them from another position or with shifted ranks; change takes one
-- with different fields; fresh adds one that the base does not have. The digest is a CRC-32C over
-- epoch, version, size, count and the fresh steps of the whole window, even if a delta was sent.
--
--   a window  { epoch =, version =, size =, entries = }. Windows are immutable and share entries;
--             window.listed makes copies for scripts.
--   damage    a number out of range, bytes left over or a wrong digest: apply returns nil, and the
--             base is unchanged.
--   cost      O(n) for n entries and their bytes.
local bytes = require "laurel.bytes"
local crc32c = require "laurel.crc32c"
local wire = require "laurel.wire"

local floor = math.floor

local window = {}

local PLAYER_BYTES_MAX = 255
local NAME_BYTES_MAX = 255
local DATA_BYTES_MAX = 1024

-- The longest encoding of a state's other fields: kind, stream, version, back, size, digest and
-- count.
local HEADER_BYTES_MAX = 1 + 5 + 3 * 8 + 4 + 1
local BODY_BYTES_MAX = wire.MESSAGE_BYTES_MAX - HEADER_BYTES_MAX

-- The first number of a step: the kind in the two low bits; above them the run's length or flags.
local COPY, MOVE, CHANGE = 0, 1, 2
local FRESH, FRESH_NAME, FRESH_DATA = 3, 4 * 4, 4 * 8
local HEAD_MAX = wire.TOP_MAX * 4 + 3

-- --- entries

-- An entry, with its encoding as a fresh step for the digest.
local function entry_of(player, score, bits, rank, name, data)
  local head = FRESH + (name and FRESH_NAME or 0) + (data and FRESH_DATA or 0)
  local fresh = bytes.leb(head) .. bytes.text(player) .. bits .. bytes.leb(rank)
  if name then fresh = fresh .. bytes.text(name) end
  if data then fresh = fresh .. bytes.text(data) end
  return { player = player, score = score, bits = bits, rank = rank, name = name, data = data,
    fresh = fresh }
end

-- Returns the score, and its eight bytes.
local function read_score(reader)
  local bits = reader:take(8)
  local score = reader.ok and bytes.finite(bits)
  if not score then reader:fail() end
  return score, bits
end

local function read_rank(reader)
  local rank = reader:leb(bytes.NUMBER_MAX)
  if rank < 1 then reader:fail() end
  return rank
end

-- Reads a length plus one, and the bytes; 0 stands for none.
local function read_optional(reader, min, max)
  local size = reader:leb(max + 1) - 1
  if size < 0 then return nil end
  if size < min then reader:fail() end
  return reader:take(size)
end

-- --- steps

local Builder = {}
Builder.__index = Builder

function Builder:add(entry) self.entries[#self.entries + 1] = entry end

function Builder:fresh(reader, flags)
  if flags % 4 ~= 0 or flags > 12 then return reader:fail() end
  local player = reader:text_of(1, PLAYER_BYTES_MAX)
  if player:find("\0", 1, true) then reader:fail() end
  local score, bits = read_score(reader)
  local rank = read_rank(reader)
  local name = flags % 8 >= 4 and reader:text_of(1, NAME_BYTES_MAX) or nil
  local data = flags >= 8 and reader:text_of(0, DATA_BYTES_MAX) or nil
  if reader.ok then self:add(entry_of(player, score, bits, rank, name, data)) end
end

function Builder:change(reader, flags)
  local index = reader:leb(wire.TOP_MAX)
  local from = self.base[index + 1]
  if not reader.ok or flags < 1 or flags > 15 or not from then return reader:fail() end
  local score, bits, rank, name, data = from.score, from.bits, from.rank, from.name, from.data
  if flags % 2 >= 1 then score, bits = read_score(reader) end
  if flags % 4 >= 2 then rank = read_rank(reader) end
  if flags % 8 >= 4 then name = read_optional(reader, 1, NAME_BYTES_MAX) end
  if flags >= 8 then data = read_optional(reader, 0, DATA_BYTES_MAX) end
  if reader.ok then self:add(entry_of(from.player, score, bits, rank, name, data)) end
  self.cursor = index + 1
end

function Builder:run(reader, length, offset, shift)
  local first = self.cursor + offset
  local inside = reader.ok and length >= 1 and length <= self.count - #self.entries and first >= 0
    and first + length <= #self.base
  if not inside then return reader:fail() end
  for i = first + 1, first + length do
    local from = self.base[i]
    local rank = from.rank + shift
    if rank < 1 or rank > bytes.NUMBER_MAX then return reader:fail() end
    self:add(shift == 0 and from
      or entry_of(from.player, from.score, from.bits, rank, from.name, from.data))
  end
  self.cursor = first + length
end

function Builder:step(reader)
  local head = reader:leb(HEAD_MAX)
  local kind, above = head % 4, floor(head / 4)
  if kind == COPY then return self:run(reader, above, 0, 0) end
  if kind == CHANGE then return self:change(reader, above) end
  if kind ~= MOVE then return self:fresh(reader, above) end
  local offset, shift = reader:zigzag(2 * wire.TOP_MAX), reader:zigzag(bytes.NUMBER_MAX)
  if offset == 0 and shift == 0 then return reader:fail() end -- must be a copy
  self:run(reader, above, offset, shift)
end

-- --- windows

local function digest(epoch, version, size, entries)
  local parts = {}
  for i, entry in ipairs(entries) do parts[i] = entry.fresh end
  local body = table.concat(parts)
  if #body > BODY_BYTES_MAX then return nil end -- no server could send it whole
  return crc32c(epoch .. bytes.u64(version) .. bytes.u64(size) .. string.char(#entries) .. body)
end

-- Decodes the window of a state; nil if it is damaged or does not match the base.
--   epoch   of the stream
--   base    the window of version state.version - state.back and of the same epoch; nil when
--           state.back is 0
function window.apply(state, epoch, base)
  local reader = bytes.reader(state.body)
  local builder = setmetatable(
    { base = base and base.entries or {}, count = state.count, cursor = 0, entries = {} }, Builder)
  while reader.ok and #builder.entries < state.count do builder:step(reader) end
  if not reader.ok or reader:remaining() > 0 then return nil end
  local entries = builder.entries
  if digest(epoch, state.version, state.size, entries) ~= state.digest then return nil end
  return { epoch = epoch, version = state.version, size = state.size, entries = entries }
end

-- Returns new tables of the entries, for scripts.
function window.listed(of)
  local list = {}
  for i, entry in ipairs(of.entries) do
    list[i] = { player = entry.player, name = entry.name, score = entry.score, rank = entry.rank,
      data = entry.data }
  end
  return list
end

return window
