-- subscriptions.lua - a client's subscriptions: the wanted views, their windows and callbacks.
--
-- `wanted` has the views that the script wants; `asked` has those that were requested on this
-- connection. Each tick acknowledges the received states, sends the requests that are missing, as
-- far as the rate limit allows, and calls back with new windows.
--
--   views      a board may have both: its top, and around the token's player.
--   callbacks  run only in `deliver`, each protected, and may change the subscriptions.
local Replica = require "laurel.replica"
local text = require "laurel.text"
local window = require "laurel.window"
local wire = require "laurel.wire"

local Subscriptions = {}
Subscriptions.__index = Subscriptions

local RESYNC_EVERY = 1 -- second

local VIEWS = { wire.TOP, wire.AROUND }

-- protect: see protected.lua
function Subscriptions.new(protect)
  local made = setmetatable({ protect = protect, wanted = {} }, Subscriptions)
  made:lost()
  return made
end

-- --- the wanted views

function Subscriptions:find(board, view)
  for i, one in ipairs(self.wanted) do
    if one.board == board and one.view == view then return one, i end
  end
end

-- The reason for the callback.
local function unknown(board)
  return ('unknown: no board "%s" is published here'):format(text.escaped(board, 128))
end

-- Adds or replaces the subscription to a view of a board. Returns false if there are too many.
function Subscriptions:want(board, view, n, callback)
  local before, at = self:find(board, view)
  if not before and #self.wanted == wire.SUBSCRIPTIONS_MAX then return false end
  -- Makes a new object, because the callback of the old one may be running.
  local after = { board = board, view = view, n = n, callback = callback }
  if before and before.n == n then
    after.replica = before.replica
    after.fresh = after.replica.current ~= nil
    after.told, after.refusal = before.told, before.told
    after.resync_at = before.resync_at
  else
    after.replica = Replica.new()
  end
  self.wanted[at or #self.wanted + 1] = after
  return true
end

function Subscriptions:unwant(board)
  for i = #self.wanted, 1, -1 do
    if self.wanted[i].board == board then table.remove(self.wanted, i) end
  end
  for _, view in ipairs(VIEWS) do
    if self.asked[view][board] then self.asked[view][board] = "anew" end
  end
end

function Subscriptions:unwant_all() self.wanted = {} end

-- --- messages of the server

-- The connection has ended: clears the requests, keeps the windows.
function Subscriptions:lost()
  self.asked = { [wire.TOP] = {}, [wire.AROUND] = {} } -- by board: the requested n; "anew": ended
  for _, one in ipairs(self.wanted) do
    one.replica:detach()
    one.ack_due = nil
  end
end

function Subscriptions:subscribed(message)
  local one = self:find(message.board, message.view)
  -- Ignores the answer to an earlier subscribe.
  local asked = self.asked[message.view][message.board]
  if not one or message.n ~= one.n or asked ~= one.n then return end
  one.replica:attach(message.stream, message.epoch)
end

-- Drops the window until the next state or error. Calls back only once with the same refusal.
local function deny(one, refusal)
  one.replica, one.fresh = Replica.new(), false
  if one.told ~= refusal then one.refusal = refusal end
  one.told = refusal
end

local function hear(one, word, sentence)
  if word == "unknown" then
    deny(one, unknown(one.board))
  elseif word ~= "nobody" then
    one.refusal = "unavailable: " .. sentence
  elseif one.view == wire.AROUND then
    deny(one, "unsupported: " .. sentence)
  end
end

function Subscriptions:error(message)
  for _, view in ipairs(VIEWS) do
    local one = self:find(message.board, view)
    if one then hear(one, message.reason.word, text.escaped(message.sentence)) end
  end
end

function Subscriptions:of_stream(stream)
  for _, one in ipairs(self.wanted) do
    if one.replica.attached and one.replica.stream == stream then return one end
  end
end

-- connection: for a resync
function Subscriptions:take(state, channel, connection, now)
  local one = self:of_stream(state.stream)
  if not one then return end
  local taken = one.replica:take(state)
  if taken == "news" then
    one.fresh, one.refusal, one.told = true, nil, nil
  end
  if taken ~= "useless" then
    -- The server waits for the ack of a reliable state, so that ack must not be lost.
    if one.ack_due ~= wire.RELIABLE then one.ack_due = channel end
  elseif (not one.resync_at or now - one.resync_at >= RESYNC_EVERY) and connection:may_ask(now) then
    one.resync_at = now
    connection:say(wire.RELIABLE, wire.resync(state.stream))
  end
end

-- --- messages of the client

-- Sends one ack for all states that arrived on a channel.
function Subscriptions:acknowledge(channel, connection)
  local held = {}
  for _, one in ipairs(self.wanted) do
    if one.ack_due == channel then
      one.ack_due = nil
      held[#held + 1] = one.replica:ack()
    end
  end
  if #held > 0 then connection:say(channel, wire.ack(held)) end
end

-- Unsubscribes from requested boards that are no longer wanted. An unsubscribe ends both views of a
-- board, so a view that is still wanted is requested again.
function Subscriptions:end_unwanted(connection, now)
  for _, view in ipairs(VIEWS) do
    for board, n in pairs(self.asked[view]) do
      if n == "anew" and not self:find(board, view) then
        if not connection:may_ask(now) then return false end
        connection:say(wire.RELIABLE, wire.unsubscribe(board))
        for _, each in ipairs(VIEWS) do self.asked[each][board] = nil end
      end
    end
  end
  return true
end

-- Sends the requests that lead to the wanted views, as far as the rate limit allows.
function Subscriptions:reconcile(connection, now)
  if not self:end_unwanted(connection, now) then return end
  for _, one in ipairs(self.wanted) do
    if self.asked[one.view][one.board] ~= one.n then
      if not connection:may_ask(now) then return end
      self.asked[one.view][one.board] = one.n
      one.replica:detach()
      local epoch, version = one.replica:held()
      connection:say(wire.RELIABLE, wire.subscribe(one.board, one.view, one.n, epoch, version))
    end
  end
end

-- --- calling back

-- Calls back with new windows and refusals. Iterates over a copy, because callbacks may change
-- `wanted`.
function Subscriptions:deliver()
  local all = {}
  for i, one in ipairs(self.wanted) do all[i] = one end
  for _, one in ipairs(all) do
    if (one.fresh or one.refusal) and self:find(one.board, one.view) == one then
      local refusal, current = one.refusal, one.replica.current
      one.refusal, one.fresh = nil, false
      local title = ('subscription to "%s"'):format(text.escaped(one.board))
      if refusal then
        self.protect(title, one.callback, nil, refusal)
      else
        local list = window.listed(current)
        self.protect(title, one.callback, list, current.size, current.version)
      end
    end
  end
end

return Subscriptions
