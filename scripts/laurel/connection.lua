-- connection.lua - one client's connection to its server: makes it, keeps it alive, reconnects.
--
--   lost      a connection that is silent for too long, or that the server ends, is made again
--             automatically: after BACKOFF_MIN at first, then twice as long each time, up to
--             BACKOFF_MAX, each varied by up to a quarter. After a final refusal it gives up.
--   version   the newest version of the protocol that both sides speak; see `version`, and what a
--             welcome of version 2 says: `role`, `player`, `subscriptions`.
--   binding   a host with lua-enet's interface. Its errors are caught: a failed attempt, a peer
--             slot that is not free yet, or a datagram that ENet rejects.
--   limits    EVENTS_MAX events and ERRORS_MAX failures per tick; PACES.
--   time      seconds of a clock that never goes back; an argument of each call.
local text = require "laurel.text"
local wire = require "laurel.wire"

local Connection = {}
Connection.__index = Connection

local CONNECT_WITHIN = 5
local BACKOFF_MIN, BACKOFF_MAX = 0.25, 10
local PING_EVERY = 2
local DOUBT_AFTER, DOUBT_PING_EVERY = 3, 0.25 -- at least one ping went unanswered
local LOST_AFTER = 10 -- about 30 pings without an answer

-- How many control messages (all except ack and ping) are sent a second, and at once, by version
-- and role. A little below the server's limits, because the two clocks may differ. In version 2 a
-- server takes 64 messages of a round trip.
local PACES = {
  { [wire.CLIENT] = { per_second = 4.5, burst = 19 } },
  { [wire.CLIENT] = { per_second = 18, burst = 48 },
    [wire.GATEWAY] = { per_second = 1800, burst = 48 } },
}
local SENT_IN_ROUND_TRIP = 16 -- besides the burst
local ROUND_TRIP_MIN = 0.005 -- the server answers once in a tick of its own

local EVENTS_MAX = 4096 -- 64 streams of 20 states a second, for three seconds
local ERRORS_MAX = 64 -- oversized datagrams tolerated in one tick

local CHANNELS = 2
-- ENet ends a connection after 30 s without acknowledgement, and never before 20 s. A connection
-- that is being closed holds its peer slot for at most 4 s. In milliseconds.
local TIMEOUT_LIMIT, TIMEOUT_MIN_MS, TIMEOUT_MAX_MS = 64, 20000, 30000
local CLOSING_LIMIT, CLOSING_MIN_MS, CLOSING_MAX_MS = 8, 2000, 4000
local PING_MS = 2000
-- With these values ENet's throttle never drops an unreliable packet.
local THROTTLE_INTERVAL_MS, THROTTLE_UP, THROTTLE_DOWN = 5000, 32, 0

local FLAGS = { [wire.RELIABLE] = "reliable", [wire.UNSEQUENCED] = "unsequenced" }

-- How many subscriptions a server of version 1 allows.
local SUBSCRIPTIONS_OF_VERSION_1 = 16

-- After one of these reasons the client does not reconnect.
local FINAL = { version = true, abuse = true }

-- socket        a host of the binding, used only by this connection
-- host, port    of the server; looked up for each connection, because the address may change
-- credentials   see credentials.lua
-- seed          for the jitter
-- owner         receives events: owner:heard(message, channel, now), owner:lost()
function Connection.new(socket, host, port, credentials, seed, owner)
  return setmetatable({
    socket = socket, host = host, port = port, credentials = credentials, owner = owner,
    random = 1 + seed % 2147483646,
    phase = "away", -- "connecting", "greeting", "welcomed", "refused", "closed"
    why = nil, -- reason of refused and lost
    word = nil, -- for an attempt that waits for a free peer slot
    -- of the last welcome; of this connection while it is "welcomed"
    version = 1, role = wire.CLIENT, player = nil, subscriptions = nil,
    retry_at = 0, backoff = BACKOFF_MIN, pings = 0,
  }, Connection)
end

function Connection:state()
  if self.phase == "welcomed" then return "connected" end
  if self.phase == "refused" then return "refused: " .. self.why end
  if self.phase == "closed" then return "closed" end
  return self.why and "lost: " .. self.why or "connecting"
end

function Connection:serve(now)
  if self.phase == "away" and now >= self.retry_at then self:begin(now) end
  self:drain(now)
  self:serve_timers(now)
end

function Connection:say(channel, message)
  if self.peer then pcall(self.peer.send, self.peer, message, channel, FLAGS[channel]) end
end

-- Counts one control message against the rate limit. Returns false if the limit is reached.
function Connection:may_ask(now)
  local pace = PACES[self.version][self.role]
  local per_second = pace.per_second
  if self.version >= 2 then
    per_second = math.min(per_second, SENT_IN_ROUND_TRIP / self.round_trip)
  end
  self.allowed = math.min(pace.burst, self.allowed + (now - self.allowed_at) * per_second)
  self.allowed_at = now
  if self.allowed < 1 then return false end
  self.allowed = self.allowed - 1
  return true
end

-- The reason for calls that a server of version 1 cannot answer.
function Connection.no_version_2(what)
  return ("unsupported: the server speaks version 1 of the protocol, without %s"):format(what)
end

function Connection:flush()
  if self.socket then pcall(self.socket.flush, self.socket) end
end

function Connection:close()
  if self.phase == "closed" then return end
  self.phase = "closed"
  if self.peer then pcall(self.peer.disconnect_now, self.peer, 0) end
  if self.socket.destroy then pcall(self.socket.destroy, self.socket) end
  self.peer, self.socket = nil, nil
end

-- --- connecting

-- Some bindings take signed numbers, so the highest bit is passed as the sign.
local function signed(word) return word >= 2 ^ 31 and word - 2 ^ 32 or word end

function Connection:begin(now)
  local reason
  if not self.word then self.word, reason = self.credentials:word() end
  if self.phase ~= "away" then return end -- the token's function closed the client
  if not self.word then return self:lose(reason, now) end
  local where = ("%s:%d"):format(self.host, self.port)
  local made, peer = pcall(self.socket.connect, self.socket, where, CHANNELS, signed(self.word))
  if made then
    self.peer, self.phase, self.since, self.word = peer, "connecting", now, nil
    return
  end
  local why = tostring(peer)
  if why:find("create peer", 1, true) then -- earlier connections are still closing
    self.retry_at = now + BACKOFF_MIN -- not in each frame, because each attempt looks the name up
    return
  end
  if why:find("resolve", 1, true) then
    why = ('there is no host "%s"'):format(text.escaped(self.host, 64))
  end
  self:lose(text.escaped(why), now)
end

function Connection:greet(now)
  self.phase = "greeting"
  self.heard_at, self.pinged_at = now, now
  self.version, self.role = 1, wire.CLIENT -- until the welcome
  self.allowed, self.allowed_at = PACES[1][wire.CLIENT].burst, now
  local peer = self.peer
  -- Old bindings may lack these; they are optional.
  pcall(peer.timeout, peer, TIMEOUT_LIMIT, TIMEOUT_MIN_MS, TIMEOUT_MAX_MS)
  pcall(peer.ping_interval, peer, PING_MS)
  pcall(peer.throttle_configure, peer, THROTTLE_INTERVAL_MS, THROTTLE_UP, THROTTLE_DOWN)
  self:may_ask(now)
  self:say(wire.RELIABLE, wire.hello(self.credentials:secret()))
end

-- --- receiving

-- A datagram too large for ENet makes a call fail and ends its batch. So it calls until there is no
-- event. The number of calls is limited, so that a flood does not block the frame.
function Connection:drain(now)
  local errors = 0
  for _ = 1, EVENTS_MAX do
    if not self.socket then return end
    local served, event = pcall(self.socket.service, self.socket, 0)
    if not served then
      errors = errors + 1
      if errors == ERRORS_MAX then return end
    elseif not event then
      return
    elseif self.peer and event.peer == self.peer then -- else of an earlier connection
      self:handle(event, now)
    end
  end
end

function Connection:handle(event, now)
  if event.type == "connect" then return self:greet(now) end
  if event.type == "disconnect" then
    self.peer = nil
    -- ENet may drop a bye that arrives together with the disconnect, but not the reason's number.
    local reason = wire.REASONS[event.data]
    if reason then return self:leave(reason, reason.meaning, now) end
    return self:lose("the server ended the connection", now)
  end
  if event.type ~= "receive" then return end
  self.heard_at = now
  local message = wire.decode(event.data, event.channel)
  if not message then return end -- damaged; the server sends important data again
  if message.kind == "welcome" then return self:welcome(message, now) end
  if message.kind == "bye" then return self:leave(message.reason, message.sentence, now) end
  if message.kind == "error" and message.reason.word == "version" then
    return self:refuse(message.sentence)
  end
  if self.phase ~= "welcomed" then return end
  if message.kind == "pong" then return self:pong(message, now) end
  if message.kind == "player_is" and message.question == 0 and self.version >= 2 then
    self.player = message.player -- it was renamed
    return
  end
  self.owner:heard(message, event.channel, now)
end

function Connection:welcome(message, now)
  if self.phase ~= "greeting" then return end
  if message.version < wire.VERSION_MIN or message.version > wire.VERSION_MAX then
    return self:refuse(
      "the server chose a version of the protocol that this client does not speak")
  end
  self.phase = "welcomed"
  self.backoff = BACKOFF_MIN
  self.credentials:welcomed(message.word)
  self.version, self.role = message.version, message.role or wire.CLIENT
  self.player = message.player or ""
  self.subscriptions = message.subscriptions or SUBSCRIPTIONS_OF_VERSION_1
  self.round_trip = math.max(now - self.pinged_at, ROUND_TRIP_MIN) -- of the hello
  if self.version >= 2 then self.allowed, self.allowed_at = PACES[2][self.role].burst, now end
end

function Connection:pong(message, now)
  if message.number ~= self.pings then return end -- of an earlier ping
  self.round_trip = math.max(now - self.pinged_at, ROUND_TRIP_MIN)
end

-- --- ending

-- The server ended the connection, with a reason.
function Connection:leave(reason, sentence, now)
  local final = FINAL[reason.word]
  -- With a secret the client gets in again, unless another client has the same.
  if reason.word == "replaced" then final = self.credentials:secret() == "" end
  if final then return self:refuse(sentence) end
  if reason.word == "refused" then
    if not self.credentials:refused() then return self:refuse(sentence) end
    self.phase = "away" -- so that lose() does not count the attempt as failed, too
  end
  self:lose(("%s: %s"):format(reason.word, text.escaped(sentence)), now)
end

function Connection:refuse(sentence)
  self:drop_peer()
  self.phase, self.why = "refused", text.escaped(sentence)
  self.owner:lost()
end

function Connection:lose(why, now)
  if self.phase == "connecting" or self.phase == "greeting" then self.credentials:failed() end
  self:drop_peer()
  self.phase, self.why, self.word = "away", why, nil
  -- Jitter, so that clients do not reconnect all at once.
  -- source: the minimal standard generator of Park and Miller, 1988.
  self.random = self.random * 48271 % 2147483647
  self.retry_at = now + self.backoff * (1 + (self.random % 201 - 100) / 400)
  self.backoff = math.min(self.backoff * 2, BACKOFF_MAX)
  self.owner:lost()
end

function Connection:drop_peer()
  local peer = self.peer
  if not peer then return end
  self.peer = nil
  pcall(peer.timeout, peer, CLOSING_LIMIT, CLOSING_MIN_MS, CLOSING_MAX_MS)
  pcall(peer.disconnect_later, peer, 0)
end

-- --- timers

function Connection:serve_timers(now)
  if self.phase == "connecting" or self.phase == "greeting" then
    if now - self.since >= CONNECT_WITHIN then self:lose("the server does not answer", now) end
    return
  end
  if self.phase ~= "welcomed" then return end
  local silence = now - self.heard_at
  if silence >= LOST_AFTER then return self:lose("nothing was heard from the server", now) end
  local every = silence >= DOUBT_AFTER and DOUBT_PING_EVERY or PING_EVERY
  if now - self.pinged_at < every then return end
  self.pinged_at = now
  self.pings = (self.pings + 1) % 2 ^ 32
  self:say(wire.UNSEQUENCED, wire.ping(self.pings))
end

return Connection
