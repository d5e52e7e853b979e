-- subscriptions.lua - a client's subscriptions: the wanted views, their windows and callbacks.
--
-- `wanted` has the views that the script wants; `asked` has those that were requested on this
-- connection. Each tick acknowledges the received states, sends the requests that are missing, as
-- far as the rate limit allows, and calls back with new windows.
--
--   views      a board may have several: its top, around the token's player, and, for gateways,
--              around any players. Only views of the last kind name a player; in others it is "".
--   callbacks  run only in `deliver`, each protected, and may change the subscriptions.
local Replica = require "laurel.replica"
local text = require "laurel.text"
local window = require "laurel.window"
local wire = require "laurel.wire"

local Subscriptions = {}
Subscriptions.__index = Subscriptions

local RESYNC_EVERY = 1 -- second

-- protect: see protected.lua
function Subscriptions.new(protect)
  local made = setmetatable({ protect = protect, wanted = {}, by_view = {} }, Subscriptions)
  made:lost()
  return made
end

-- --- the wanted views

-- A text that no other view has: the name of a board has no zero byte.
local function key_of(board, view, player) return board .. "\0" .. view .. player end

-- The reason for the callback.
local function unknown(board)
  return ('unknown: no board "%s" is published here'):format(text.escaped(board, 128))
end

-- Adds or replaces the subscription to a view of a board. Returns false if there would be more than
-- `most`.
function Subscriptions:want(board, view, player, n, callback, most)
  local key = key_of(board, view, player)
  local before = self.by_view[key]
  if not before and #self.wanted >= most then return false end
  -- Makes a new object, because the callback of the old one may be running.
  local after = { key = key, board = board, view = view, player = player, n = n,
    callback = callback }
  if before and before.n == n then
    after.replica = before.replica
    after.fresh = after.replica.current ~= nil
    after.told, after.refusal = before.told, before.told
    after.resync_at = before.resync_at
  else
    after.replica = Replica.new()
  end
  after.place = before and before.place or #self.wanted + 1
  self.wanted[after.place], self.by_view[key] = after, after
  return true
end

-- Ends the views for which `is_ended` is true.
function Subscriptions:unwant_if(is_ended)
  local kept, by_view = {}, {}
  for _, one in ipairs(self.wanted) do
    if not is_ended(one) then
      kept[#kept + 1] = one
      one.place, by_view[one.key] = #kept, one
    end
  end
  self.wanted, self.by_view = kept, by_view
  for _, view in pairs(self.asked) do
    if is_ended(view) then view.n = nil end
  end
end

-- player: nil for all views of the board; else only the follow of that player
function Subscriptions:unwant(board, player)
  self:unwant_if(function(one)
    return one.board == board
      and (not player or one.view == wire.AROUND and one.player == player)
  end)
end

function Subscriptions:unwant_all() self.wanted, self.by_view = {}, {} end

-- --- messages of the server

-- The connection has ended: clears the requests, keeps the windows.
function Subscriptions:lost()
  -- By key: { board =, view =, player =, n = as requested }. If n is nil, the view is no longer
  -- wanted, and an unsubscribe is due.
  self.asked = {}
  for _, one in ipairs(self.wanted) do
    one.replica:detach()
    one.ack_due = nil
  end
end

-- message: a subscribed, or a stream_begins, which has a format
function Subscriptions:subscribed(message, format)
  local key = key_of(message.board, message.view, message.player)
  local one, asked = self.by_view[key], self.asked[key]
  -- Ignores the answer to an earlier subscribe.
  if not one or not asked or message.n ~= one.n or asked.n ~= one.n then return end
  one.replica:attach(message.stream, message.epoch, format)
end

local function word_of(refusal) return refusal:match("^[%a_]+") end

-- Drops the window until the next state or error. Calls back only once with the same word.
local function deny(one, refusal)
  one.replica, one.fresh = Replica.new(), false
  if not one.told or word_of(one.told) ~= word_of(refusal) then one.refusal = refusal end
  one.told = refusal
end

local function hear(one, word, sentence)
  if word == "unknown" then
    deny(one, unknown(one.board))
  elseif word ~= "nobody" then
    one.refusal = "unavailable: " .. sentence
  elseif one.view == wire.AROUND and one.player == "" then
    deny(one, "unsupported: " .. sentence)
  end
end

function Subscriptions:error(message)
  for _, one in ipairs(self.wanted) do
    if one.board == message.board then
      hear(one, message.reason.word, text.escaped(message.sentence))
    end
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

-- Sends the acks for all states that arrived on a channel.
function Subscriptions:acknowledge(channel, connection)
  local held = {}
  for _, one in ipairs(self.wanted) do
    if one.ack_due == channel then
      one.ack_due = nil
      held[#held + 1] = one.replica:ack()
      if #held == wire.ACK_STREAMS_MAX then
        connection:say(channel, wire.ack(held))
        held = {}
      end
    end
  end
  if #held > 0 then connection:say(channel, wire.ack(held)) end
end

-- Ends requested views that are no longer wanted. An unsubscribe ends all views of a board, so a
-- view that is still wanted is requested again. Returns false if the rate limit was met, as
-- ask_for_wanted does.
function Subscriptions:end_unwanted(connection, now)
  for key, view in pairs(self.asked) do
    if not view.n and not self.by_view[key] then
      if not connection:may_ask(now) then return false end
      if view.player ~= "" then
        connection:say(wire.RELIABLE, wire.unfollow(view.board, view.player))
        self.asked[key] = nil
      else
        connection:say(wire.RELIABLE, wire.unsubscribe(view.board))
        for other, each in pairs(self.asked) do
          if each.board == view.board then self.asked[other] = nil end
        end
      end
    end
  end
  return true
end

-- Why the server would not take a subscription on this connection; nil if it may.
local function not_allowed(one, connection)
  if one.place > connection.subscriptions then
    return ("out_of_range: this server takes %.0f subscriptions of this client"):format(
      connection.subscriptions)
  end
  if one.player == "" or connection.role == wire.GATEWAY then return nil end
  return connection.version < 2 and connection.no_version_2 "follows of any player"
    or "unsupported: only a gateway follows any player"
end

function Subscriptions:ask_for_wanted(connection, now)
  for _, one in ipairs(self.wanted) do
    local asked, refusal = self.asked[one.key], not_allowed(one, connection)
    if refusal then
      if one.told ~= refusal then deny(one, refusal) end
    elseif not asked or asked.n ~= one.n then
      if not connection:may_ask(now) then return false end
      self.asked[one.key] = { board = one.board, view = one.view, player = one.player, n = one.n }
      one.replica:detach()
      local epoch, version = one.replica:held()
      connection:say(wire.RELIABLE, one.player == ""
        and wire.subscribe(one.board, one.view, one.n, epoch, version)
        or wire.follow(one.board, one.n, one.player, epoch, version))
    end
  end
  return true
end

-- Sends the requests that lead to the wanted views, as far as the rate limit allows.
function Subscriptions:reconcile(connection, now)
  return self:end_unwanted(connection, now) and self:ask_for_wanted(connection, now)
end

-- --- calling back

-- Calls back with new windows and refusals. Iterates over a copy, because callbacks may change
-- `wanted`.
function Subscriptions:deliver()
  local due = {}
  for _, one in ipairs(self.wanted) do
    if one.fresh or one.refusal then due[#due + 1] = one end
  end
  for _, one in ipairs(due) do
    if self.by_view[one.key] == one then
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
