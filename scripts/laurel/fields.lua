-- fields.lua - reads the fields that several messages of the live channel have. PROTOCOL.md
-- specifies them.
--
--   fields.board(reader)      1 to 255 bytes, none of them 0
--   fields.player(reader)     likewise; fields.optional_player: empty stands for none
--   fields.time(reader)       a moment in seconds, and its eight bytes
--   fields.columns(reader)    what a score consists of; nil: it is one number
--
--   damage   makes the reader fail, and the result is of no use. Callers check `ok` at the end.
local floor = math.floor

local fields = {}

fields.ORDERS = { [0] = "desc", "asc" }

fields.BOARD_BYTES_MAX, fields.PLAYER_BYTES_MAX = 255, 255
local TIME_MAX = 2 ^ 33 * 1e6 -- microseconds, before and after 1970
local COLUMNS_MIN, COLUMNS_MAX, COLUMN_NAME_BYTES_MAX, COLUMN_BITS_MAX = 2, 5, 32, 63
local SCALED_MAX = 2 ^ 53

function fields.board(reader)
  local board = reader:text_of(1, fields.BOARD_BYTES_MAX)
  if board:find("\0", 1, true) then reader:fail() end
  return board
end

function fields.optional_player(reader)
  local player = reader:text_of(0, fields.PLAYER_BYTES_MAX)
  if player:find("\0", 1, true) then reader:fail() end
  return player
end

function fields.player(reader)
  local player = fields.optional_player(reader)
  if player == "" then reader:fail() end
  return player
end

function fields.time(reader)
  local first = reader.at
  local microseconds = reader:number()
  if math.abs(microseconds) > TIME_MAX or microseconds ~= floor(microseconds) then reader:fail() end
  return microseconds / 1e6, reader.ok and reader.text:sub(first, first + 7) or ""
end

-- Returns nothing if there is no time.
function fields.optional_time(reader)
  if reader:flag() then return fields.time(reader) end
end

-- --- columns

-- The number times 10^decimals, if it is a number with that many decimals within +-2^53; else nil.
local function scaled(number, decimals)
  local power = 10 ^ decimals
  local nearest = floor(number * power + 0.5)
  for offset = -2, 2 do -- the product and the sum are rounded
    local whole = nearest + offset
    if whole / power == number and math.abs(whole) <= SCALED_MAX then return whole end
  end
end

-- The bits that a column takes in a score; nil if the column cannot be.
local function bits_of(column)
  local low, high = scaled(column.min, column.decimals), scaled(column.max, column.decimals)
  if not low or not high or low >= high then return nil end
  local bits = 0
  while 2 ^ bits <= high - low do bits = bits + 1 end
  local rounded_up = high - low == 2 ^ 54 and high + low ~= 0 -- 2^54 - 1 is not a double
  return rounded_up and bits - 1 or bits
end

local function column_of(reader)
  local column = { name = reader:text_of(1, COLUMN_NAME_BYTES_MAX),
    order = fields.ORDERS[reader:flag() and 1 or 0], decimals = reader:u8(),
    min = reader:number(), max = reader:number() }
  if column.name:find("[^A-Za-z0-9_]") or column.decimals > 9 then reader:fail() end
  return column
end

-- Returns { { name =, order =, decimals =, min =, max = } ... }; nil if a score is one number.
function fields.columns(reader)
  local count = reader:u8()
  if count == 0 then return nil end
  if count < COLUMNS_MIN or count > COLUMNS_MAX then reader:fail() end
  local columns, names, bits = {}, {}, 0
  for i = 1, count do
    if not reader.ok then return nil end
    local column = column_of(reader)
    local taken = reader.ok and not names[column.name] and bits_of(column)
    if not taken then
      reader:fail()
      return nil
    end
    columns[i], names[column.name], bits = column, true, bits + taken
  end
  if bits > COLUMN_BITS_MAX then reader:fail() end
  return columns
end

-- Whether a number may stand in the column: it is between the bounds, and has no more decimals.
function fields.is_in_column(column, number)
  return number >= column.min and number <= column.max and scaled(number, column.decimals) ~= nil
end

return fields
