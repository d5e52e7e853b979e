-- bytes.lua - reading and writing byte strings within bounds, in any Lua.
--
-- Integers are little-endian; variable-length ones are LEB128 in its shortest form, the only form a
-- reader takes. A reader that meets damage fails once and for all: every later read returns zero or
-- nothing, so a decoder may read on and ask `ok` at the end.
--
--   numbers   Lua's are doubles: integers up to 2^53 - 1 are exact. What may be larger, an epoch,
--             stays a string of eight bytes. Doubles are put together by arithmetic, bit for bit:
--             in LuaJIT 9 ns each, so that a second way, by ffi, is not worth having.
--   source    LEB128: DWARF 5, section 7.6.
local byte, char, sub = string.byte, string.char, string.sub
local floor, ldexp = math.floor, math.ldexp

local bytes = {}

bytes.NUMBER_MAX = 2 ^ 53 - 1 -- of a LEB128 number: exact in a double
bytes.U32_MAX = 2 ^ 32 - 1

local Reader = {}
Reader.__index = Reader

function bytes.reader(text)
  return setmetatable({ text = text, at = 1, ok = true }, Reader)
end

-- Damage that only the caller can see.
function Reader:fail()
  self.text, self.at, self.ok = "", 1, false
end

function Reader:remaining() return #self.text - self.at + 1 end

-- The next `size` bytes.
function Reader:take(size)
  local first = self.at
  if size > #self.text - first + 1 then
    self:fail()
    return ""
  end
  self.at = first + size
  return sub(self.text, first, first + size - 1)
end

function Reader:u8()
  local value = byte(self.text, self.at)
  if not value then
    self:fail()
    return 0
  end
  self.at = self.at + 1
  return value
end

function Reader:u32()
  local a, b, c, d = byte(self:take(4), 1, 4)
  if not d then return 0 end
  return a + 256 * (b + 256 * (c + 256 * d))
end

-- A LEB128 number of at most `max`; a larger, longer than needed or unfinished one is damage. Eight
-- bytes carry 56 bits: a ninth is too many already, and what a double rounds is beyond any `max`.
function Reader:leb(max)
  local value, unit = 0, 1
  for i = 1, 8 do
    local one = self:u8()
    if not self.ok or (i > 1 and one == 0) then break end
    value = value + one % 128 * unit
    if one < 128 then
      if value > max then break end
      return value
    end
    unit = unit * 128
  end
  self:fail()
  return 0
end

-- A `leb` that stands for a signed number of at most `max` before it was folded.
function Reader:zigzag(max)
  local value = self:leb(max)
  if value % 2 == 1 then return -(value + 1) / 2 end
  return value / 2
end

-- A length and as many bytes: from `min` to `max` of them.
function Reader:text_of(min, max)
  local size = self:leb(max)
  if size < min then self:fail() end
  return self:take(size)
end

-- The double in eight bytes, or nil when it is not finite or is -0.
function bytes.finite(eight)
  local a, b, c, d, e, f, g, h = byte(eight, 1, 8)
  local low = a + 256 * (b + 256 * (c + 256 * d))
  local high = e + 256 * (f + 256 * (g % 16)) -- the upper 20 bits of the fraction
  local exponent = h % 128 * 16 + floor(g / 16)
  local fraction = high * 2 ^ 32 + low
  if exponent == 2047 then return nil end
  if exponent > 0 then
    fraction = fraction + 2 ^ 52
  elseif fraction == 0 then
    return h < 128 and 0 or nil
  else
    exponent = 1
  end
  local value = ldexp(fraction, exponent - 1075)
  return h < 128 and value or -value
end

function bytes.u32(value)
  return char(value % 256, floor(value / 256) % 256, floor(value / 65536) % 256,
    floor(value / 16777216) % 256)
end

-- Of a number up to 2^53 - 1.
function bytes.u64(value)
  return bytes.u32(value % 2 ^ 32) .. bytes.u32(floor(value / 2 ^ 32))
end

function bytes.leb(value)
  if value < 128 then return char(value) end
  local low = value % 128
  return char(low + 128) .. bytes.leb((value - low) / 128)
end

function bytes.text(text) return bytes.leb(#text) .. text end

return bytes
