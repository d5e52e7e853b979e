-- window.lua - the entries of a view at one moment, built from the steps of a state.
--
-- A body is a list of steps that build the new window's entries in order, best first. A cursor
-- moves along the base window: it is at the entry after the last one used. copy takes entries from
-- there unchanged; move takes them from another position or with shifted ranks; change takes one
-- with different fields; fresh adds one that the base does not have. The digest is a CRC-32C over
-- epoch, version, size, count and the fresh steps of the whole window, even if a delta was sent.
--
--   a window  { epoch =, version =, size =, format =, entries = }. Windows are immutable and share
--             entries; window.listed makes copies for scripts.
--   a format  of a stream's entries: { version = of the protocol, halves = whether ranks are
--             counted in halves, columns = of a score, or nil }. One window's format is that of
--             its base.
--   damage    a number out of range, bytes left over or a wrong digest: apply returns nil, and the
--             base is unchanged.
--   cost      O(n) for n entries and their bytes.
local bytes = require "laurel.bytes"
local crc32c = require "laurel.crc32c"
local fields = require "laurel.fields"
local wire = require "laurel.wire"

local unpack = rawget(table, "unpack") or unpack -- moved in Lua 5.2

local floor = math.floor

local window = {}

local NAME_BYTES_MAX = 255
local DATA_BYTES_MAX = 1024

-- The longest encoding of a state's other fields: kind, stream, version, back, size, digest and
-- count.
local HEADER_BYTES_MAX = 1 + 5 + 3 * 8 + 4 + 1
local BODY_BYTES_MAX = wire.MESSAGE_BYTES_MAX - HEADER_BYTES_MAX

-- The first number of a step: the kind in the two low bits; above them the run's length or flags.
local COPY, MOVE, CHANGE = 0, 1, 2
local FRESH = 3
local HEAD_MAX = wire.TOP_MAX * 4 + 3

-- --- entries

-- The bits of a step; SCORE and RANK are for changes only, AT and MARKED since version 2.
local SCORE, RANK, NAME, DATA, AT, MARKED = 1, 2, 4, 8, 16, 32

local function has(flags, bit) return flags % (2 * bit) >= bit end

-- An entry with its encoding as a fresh step, which is made for the digest.
--   player, name, data   of the message; name and data may be nil
--   score, score_bytes   a number, or an array of the columns; and how it is encoded
--   rank, marked         in the format's unit; marked: the rank at the board's last mark; 0: none
--   at, at_bytes         in seconds; and how it is encoded; nil: none
local Entry = {}
Entry.__index = Entry

function Entry:with_encoding()
  local head = FRESH + 4 * ((self.name and NAME or 0) + (self.data and DATA or 0)
    + (self.at and AT or 0) + (self.marked > 0 and MARKED or 0))
  self.fresh = table.concat {
    bytes.leb(head), bytes.text(self.player), self.score_bytes, bytes.leb(self.rank),
    self.name and bytes.text(self.name) or "", self.data and bytes.text(self.data) or "",
    self.at and self.at_bytes or "", self.marked > 0 and bytes.leb(self.marked) or "",
  }
  return self
end

function Entry:copy()
  return setmetatable({ player = self.player, score = self.score, score_bytes = self.score_bytes,
    rank = self.rank, name = self.name, data = self.data, at = self.at, at_bytes = self.at_bytes,
    marked = self.marked }, Entry)
end

function Entry:read_score(reader, format)
  local first = reader.at
  if format.columns then
    self.score = {}
    for i, column in ipairs(format.columns) do
      self.score[i] = reader:number()
      if reader.ok and not fields.is_in_column(column, self.score[i]) then reader:fail() end
    end
  else
    self.score = reader:number()
  end
  self.score_bytes = reader.text:sub(first, reader.at - 1)
end

local function read_rank(reader)
  local rank = reader:leb(bytes.NUMBER_MAX)
  if rank < 1 then reader:fail() end
  return rank
end

-- --- steps

local Builder = {}
Builder.__index = Builder

function Builder:add(entry) self.entries[#self.entries + 1] = entry end

function Builder:fresh(reader, flags)
  if flags % NAME ~= 0 or flags > self.flags_max then return reader:fail() end
  local entry = setmetatable({ player = fields.player(reader), marked = 0 }, Entry)
  entry:read_score(reader, self.format)
  entry.rank = read_rank(reader)
  if has(flags, NAME) then entry.name = reader:text_of(1, NAME_BYTES_MAX) end
  if has(flags, DATA) then entry.data = reader:text_of(0, DATA_BYTES_MAX) end
  if has(flags, AT) then entry.at, entry.at_bytes = fields.time(reader) end
  if has(flags, MARKED) then entry.marked = read_rank(reader) end
  if reader.ok then self:add(entry:with_encoding()) end
end

function Builder:change(reader, flags)
  local index = reader:leb(wire.TOP_MAX)
  local from = self.base[index + 1]
  if not reader.ok or flags < 1 or flags > self.flags_max or not from then return reader:fail() end
  local entry = from:copy()
  if has(flags, SCORE) then entry:read_score(reader, self.format) end
  if has(flags, RANK) then entry.rank = read_rank(reader) end
  if has(flags, NAME) then entry.name = reader:optional_text(1, NAME_BYTES_MAX) end
  if has(flags, DATA) then entry.data = reader:optional_text(0, DATA_BYTES_MAX) end
  if has(flags, AT) then entry.at, entry.at_bytes = fields.optional_time(reader) end
  if has(flags, MARKED) then entry.marked = reader:leb(bytes.NUMBER_MAX) end
  if reader.ok then self:add(entry:with_encoding()) end
  self.cursor = index + 1
end

function Builder:run(reader, length, offset, shift)
  local first = self.cursor + offset
  local inside = reader.ok and length >= 1 and length <= self.count - #self.entries and first >= 0
    and first + length <= #self.base
  if not inside then return reader:fail() end
  for i = first + 1, first + length do
    local entry = self.base[i]
    if shift ~= 0 then
      entry = entry:copy()
      entry.rank = entry.rank + shift
      if entry.rank < 1 or entry.rank > bytes.NUMBER_MAX then return reader:fail() end
      entry:with_encoding()
    end
    self:add(entry)
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

window.FORMAT_1 = { version = 1, halves = false } -- of all streams of version 1

local function digest(epoch, version, size, entries)
  local parts = {}
  for i, entry in ipairs(entries) do parts[i] = entry.fresh end
  local body = table.concat(parts)
  if #body > BODY_BYTES_MAX then return nil end -- no server could send it whole
  return crc32c(epoch .. bytes.u64(version) .. bytes.u64(size) .. string.char(#entries) .. body)
end

function window.same_format(a, b)
  if a == b then return true end
  if a.version ~= b.version or a.halves ~= b.halves then return false end
  if not a.columns or not b.columns then return a.columns == b.columns end
  for i = 1, math.max(#a.columns, #b.columns) do
    local one, other = a.columns[i], b.columns[i]
    if not one or not other or one.name ~= other.name or one.order ~= other.order
      or one.decimals ~= other.decimals or one.min ~= other.min or one.max ~= other.max then
      return false
    end
  end
  return true
end

-- Decodes the window of a state; nil if it is damaged or does not match the base.
--   epoch   of the stream
--   base    the window of version state.version - state.back and of the same epoch; nil when
--           state.back is 0
--   format  of the stream; default: that of version 1
function window.apply(state, epoch, base, format)
  format = format or window.FORMAT_1
  local reader = bytes.reader(state.body)
  local builder = setmetatable({ base = base and base.entries or {}, count = state.count,
    cursor = 0, entries = {}, format = format, flags_max = format.version < 2 and 15 or 63 },
    Builder)
  while reader.ok and #builder.entries < state.count do builder:step(reader) end
  if not reader.ok or reader:remaining() > 0 then return nil end
  local entries = builder.entries
  if digest(epoch, state.version, state.size, entries) ~= state.digest then return nil end
  return { epoch = epoch, version = state.version, size = state.size, format = format,
    entries = entries }
end

local function copied(score)
  return type(score) == "table" and { unpack(score) } or score
end

-- Returns new tables of the entries, for scripts.
function window.listed(of)
  local halves = of.format.halves
  local list = {}
  for i, entry in ipairs(of.entries) do
    local change = entry.marked > 0 and entry.marked - entry.rank or nil
    list[i] = { player = entry.player, name = entry.name, score = copied(entry.score),
      rank = halves and entry.rank / 2 or entry.rank, at = entry.at, data = entry.data,
      rank_change = halves and change and change / 2 or change }
  end
  return list
end

return window
