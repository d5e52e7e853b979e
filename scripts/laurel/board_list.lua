-- board_list.lua - a client's copy of the list of boards that its server publishes.
--
--   list       always one state that the server's list had. A change may take several messages;
--              `current` is replaced when the last of them has arrived.
--   asking     begins when a script wants the list. After each answer the client asks for what is
--              newer than `epoch` and `version`.
--   limits     BOARDS_MAX boards; a message that leads to more is refused.
--   callbacks  run only in `deliver`, protected.
--   cost       O(items) for each message, and O(boards) for each new state.
local bytes = require "laurel.bytes"
local fields = require "laurel.fields"
local wire = require "laurel.wire"

local BoardList = {}
BoardList.__index = BoardList

local BOARDS_MAX = 131072 -- a server publishes at most half as many
local META_BYTES_MAX = 4096
local GONE, SIZE, DESCRIBED = 0, 1, 2 -- the forms of an item
local RANKINGS = { [0] = "competition", "modified", "dense", "ordinal", "fractional" }
local DECIMALS_MAX = 9
local RETRY_AFTER = 1 -- second, after a useless answer

-- protect: see protected.lua
-- current: nil before the first list; else an array of items in the order of their names, not to be
-- changed. An item is { board =, size =, description =, bytes = of the description }.
function BoardList.new(protect)
  return setmetatable({
    protect = protect, epoch = wire.NO_EPOCH, version = 0, items = {}, count = 0, current = nil,
    wanted = false, -- a script asked for the list
    asked = false, -- the server, on this connection, and no answer yet
    retry_at = nil,
    callback = nil,
    told = nil, -- the list that the callback was called with; false: `unsupported`
  }, BoardList)
end

-- --- decoding

local function description_of(reader)
  local description = { order = fields.ORDERS[reader:flag() and 1 or 0] }
  local decimals = reader:u8() - 1
  if decimals > DECIMALS_MAX then reader:fail() end
  if decimals >= 0 then description.decimals = decimals end
  description.columns = fields.columns(reader)
  description.ranking = RANKINGS[reader:u8()]
  if not description.ranking then reader:fail() end
  description.meta = reader:optional_text(0, META_BYTES_MAX)
  local season = reader:leb(bytes.NUMBER_MAX)
  if season > 0 then description.season = season end
  description.resets_at = fields.optional_time(reader)
  description.closes_at = fields.optional_time(reader)
  return description
end

-- Puts the item that the reader is at into the changes of the items by name; false: it has gone.
-- Damage makes the reader fail.
local function take_item(reader, items, changes)
  local board, form = fields.board(reader), reader:u8()
  if form == GONE then
    changes[board] = false
    return
  end
  local held = changes[board]
  if held == nil then held = items[board] end
  if form > DESCRIBED or form == SIZE and not held then return reader:fail() end
  local item = { board = board, size = reader:leb(bytes.NUMBER_MAX) }
  if form == SIZE then
    item.description, item.bytes = held.description, held.bytes
  else
    local first = reader.at
    item.description = description_of(reader)
    item.bytes = reader.text:sub(first, reader.at - 1)
  end
  if reader.ok then changes[board] = item end
end

-- --- the list

local function sorted(items)
  local list = {}
  for _, item in pairs(items) do list[#list + 1] = item end
  table.sort(list, function(a, b) return a.board < b.board end)
  return list
end

local function same(list, other)
  if not other or #list ~= #other then return false end
  for i, item in ipairs(list) do
    local each = other[i]
    if item.board ~= each.board or item.size ~= each.size or item.bytes ~= each.bytes then
      return false
    end
  end
  return true
end

-- Applies a message. Returns false if it is damaged or does not continue from what is held; then
-- nothing has changed.
function BoardList:take(message)
  local is_whole = message.from == 0
  local goes_on = message.epoch == self.epoch and message.from == self.version
  if not is_whole and not goes_on then return false end
  local items, count, changes = is_whole and {} or self.items, is_whole and 0 or self.count, {}
  local reader = bytes.reader(message.items)
  while reader.ok and reader:remaining() > 0 do take_item(reader, items, changes) end
  if not reader.ok then return false end
  for board, item in pairs(changes) do
    count = count + (item and 1 or 0) - (items[board] and 1 or 0)
  end
  if count > BOARDS_MAX then return false end
  for board, item in pairs(changes) do items[board] = item or nil end
  self.items, self.count, self.epoch, self.version = items, count, message.epoch, message.to
  if message.to == message.newest then
    local list = sorted(items)
    if not same(list, self.current) then self.current = list end
  end
  return true
end

-- --- asking the server

-- The connection has ended.
function BoardList:lost() self.asked = false end

-- Sends the question for what is newer, as far as the rate limit allows.
function BoardList:serve(connection, now)
  if not self.wanted or self.asked or connection.version < 2 then return end
  if self.retry_at and now < self.retry_at then return end
  if not connection:may_ask(now) then return end
  self.asked, self.retry_at = true, nil
  connection:say(wire.RELIABLE, wire.ask_boards(self.epoch, self.version))
end

-- After a useless answer, asks for the whole list. Keeps `current`.
function BoardList:hear(message, now)
  if not self.asked then return end
  self.asked = false
  if self:take(message) then return end
  self.items, self.count, self.epoch, self.version = {}, 0, wire.NO_EPOCH, 0
  self.retry_at = now + RETRY_AFTER
end

-- --- for scripts

-- Why there can be no list; nil if there can.
local function refusal(connection)
  if connection.phase ~= "welcomed" or connection.version >= 2 then return nil end
  return connection.no_version_2 "a list of boards"
end

-- Replaces the callback, which `deliver` calls with the list when it is known, and at each change.
function BoardList:tell(callback) self.wanted, self.told, self.callback = true, nil, callback end

function BoardList:deliver(connection)
  local callback, reason = self.callback, refusal(connection)
  if not callback then return end
  if reason then
    if self.told == false then return end
    self.told = false
    self.protect("on_boards", callback, nil, reason)
  elseif self.current and self.current ~= self.told then
    self.told = self.current
    self.protect("on_boards", callback, self:listed())
  end
end

-- Returns the list as new tables; or nil and a reason.
function BoardList:get(connection)
  self.wanted = true
  local reason = refusal(connection)
  if reason then return nil, reason end
  return self:listed()
end

-- Returns new tables of the current list; empty before the first one.
function BoardList:listed()
  local list = {}
  for i, item in ipairs(self.current or {}) do
    local board = { board = item.board, size = item.size }
    for name, value in pairs(item.description) do board[name] = value end
    if board.columns then
      local columns = {}
      for place, column in ipairs(board.columns) do
        columns[place] = { name = column.name, order = column.order, decimals = column.decimals,
          min = column.min, max = column.max }
      end
      board.columns = columns
    end
    list[i] = board
  end
  return list
end

return BoardList
