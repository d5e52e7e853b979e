-- bytes.lua - bounds-checked reading and writing of byte strings, in any Lua.
--
-- Integers are little-endian. Variable-length integers are LEB128; a reader accepts only the
-- shortest form. A reader that finds damage stays failed: all later reads return zero or an empty
-- string, so a decoder may continue and check `ok` at the end.
--
--   numbers   Lua's numbers are doubles: integers up to 2^53 - 1 are exact. An epoch may be larger,
--             so it stays a string of eight bytes. Doubles are decoded exactly, by arithmetic: 9 ns
--             each in LuaJIT, so a variant with ffi is not worth it.
--   source    LEB128: DWARF 5, section 7.6.
local byte, char, sub = string.byte, string.char, string.sub
local floor = math.floor
-- Lua 5.4 may lack ldexp. Its powers of two are exact; those of others underflow early.
local ldexp = math.ldexp or function(fraction, exponent) return fraction * 2 ^ exponent end
-- Whole numbers are integers where Lua has them.
local as_integer = rawget(math, "tointeger") or function() end

local bytes = {}

bytes.NUMBER_MAX = 2 ^ 53 - 1 -- the largest LEB128 number: exact in a double
bytes.U32_MAX = 2 ^ 32 - 1

local Reader = {}
Reader.__index = Reader

function bytes.reader(text)
  return setmetatable({ text = text, at = 1, ok = true }, Reader)
end

-- Marks the reader as failed. Callers use it for damage that they detect.
function Reader:fail()
  self.text, self.at, self.ok = "", 1, false
end

function Reader:remaining() return #self.text - self.at + 1 end

-- Returns the next `size` bytes.
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

-- Reads a LEB128 number. It is damage if the number is above `max`, longer than needed or
-- incomplete. Eight bytes have 56 bits, so a ninth is always too many; a number that a double
-- cannot hold exactly is above any `max`.
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

-- Reads a signed number in zigzag encoding, whose `leb` is at most `max`.
function Reader:zigzag(max)
  local value = self:leb(max)
  if value % 2 == 1 then return -(value + 1) / 2 end
  return value / 2
end

-- Reads a length and that number of bytes, from `min` to `max`.
function Reader:text_of(min, max)
  local size = self:leb(max)
  if size < min then self:fail() end
  return self:take(size)
end

-- Reads a length plus one, and the bytes, from `min` to `max`; 0 stands for none.
function Reader:optional_text(min, max)
  local size = self:leb(max + 1) - 1
  if size < 0 then return nil end
  if size < min then self:fail() end
  return self:take(size)
end

function Reader:flag()
  local value = self:u8()
  if value > 1 then self:fail() end
  return value == 1
end

-- Reads a double that is finite and not -0. Returns 0 after damage.
function Reader:number()
  local eight = self:take(8)
  local value = self.ok and bytes.finite(eight)
  if not value then
    self:fail()
    return 0
  end
  return value
end

-- Decodes a double of eight bytes; nil if it is not finite or is -0.
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
  if value <= 2 ^ 53 then value = as_integer(value) or value end
  return h < 128 and value or -value
end

function bytes.u32(value)
  return char(value % 256, floor(value / 256) % 256, floor(value / 65536) % 256,
    floor(value / 16777216) % 256)
end

-- value: at most 2^53 - 1
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
