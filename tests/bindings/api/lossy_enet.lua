-- lossy_enet.lua - an ENet in memory, with lua-enet's interface for one client. The test controls the
-- server's end. Unsequenced messages are lost, delayed and reordered, and those to the client also
-- damaged, by a seed.
--
--   local network = lossy_enet.new { seed = 1, loss = 0.2, delay = { 0.02, 0.08 } }
--   overlay.connect { enet = network.binding, clock = network.clock }
--   network:advance(0.01)              -- the only way in which time passes
--   for event in network:heard() do end    -- { type =, peer =, data =, channel =, flag = }
--   network:send(peer, bytes, channel)
--   network:finish(peer, reason)           -- ends a connection, with the disconnect's data
--
--   deaf            while true, connects are not answered
--   blackout        while true, nothing arrives; reliable messages arrive afterwards
--   failures        the next `failures` calls of service raise
--   refuses_peers   connect raises, as it does while earlier connections are closing; counted in
--                   peers_refused
--   no_such_host    connect raises, as it does for an unknown host name
local lossy_enet = {}

local Network = {}
Network.__index = Network

-- source: Park and Miller, 1988; gives the same sequence in every Lua.
function Network:chance()
  self.random = self.random * 48271 % 2147483647
  return self.random / 2147483647
end

-- options: seed, loss, damage (probabilities), delay = { min, max } in seconds
function lossy_enet.new(options)
  local network = setmetatable({
    random = options.seed or 1, loss = options.loss or 0, damage = options.damage or 0,
    delay = options.delay or { 0.001, 0.001 },
    now = 0, flying = {}, to_client = {}, to_server = {}, attempts = {}, hosts = 0,
    last_reliable = 0, sent = 0, peers_refused = 0,
  }, Network)
  network.clock = function() return network.now end
  network.binding = { host_create = function(address, peers, channels)
    assert(address == nil and peers == 2 and channels == 2)
    return network:host()
  end }
  return network
end

local function flipped(network, bytes)
  if #bytes == 0 or network:chance() >= network.damage then return bytes end
  local at = 1 + math.floor(network:chance() * #bytes)
  local byte = (bytes:byte(at) + 1 + math.floor(network:chance() * 255)) % 256
  return bytes:sub(1, at - 1) .. string.char(byte) .. bytes:sub(at + 1)
end

-- Puts an event in flight towards a queue; an unsequenced event may be lost.
function Network:fly(queue, event)
  local delay = self.delay[1] + self:chance() * (self.delay[2] - self.delay[1])
  local at = self.now + delay
  if event.flag == "unsequenced" then
    if self:chance() < self.loss then return end
    if queue == self.to_client then event.data = flipped(self, event.data) end
  else
    at = math.max(at, self.last_reliable) -- in order
    self.last_reliable = at
  end
  self.sent = self.sent + 1
  self.flying[#self.flying + 1] = { at = at, order = self.sent, queue = queue, event = event }
end

function Network:advance(seconds)
  self.now = self.now + seconds
  local arriving, staying = {}, {}
  for _, one in ipairs(self.flying) do
    if one.at > self.now or (self.blackout and one.event.flag ~= "unsequenced") then
      staying[#staying + 1] = one
    elseif not self.blackout then
      arriving[#arriving + 1] = one
    end
  end
  self.flying = staying
  table.sort(arriving, function(a, b)
    if a.at ~= b.at then return a.at < b.at end
    return a.order < b.order
  end)
  for _, one in ipairs(arriving) do table.insert(one.queue, one.event) end
end

-- --- the client's end

local Peer = {}
Peer.__index = Peer

function Peer:send(bytes, channel, flag)
  if not self.connected then return -1 end
  self.network:fly(self.network.to_server,
    { type = "receive", peer = self, data = bytes, channel = channel, flag = flag })
  return 0
end

function Peer:leave(data)
  self.connected = false
  self.network:fly(self.network.to_server, { type = "disconnect", peer = self, data = data })
end

Peer.disconnect_later, Peer.disconnect_now = Peer.leave, Peer.leave
function Peer:timeout(...) self.timeouts = { ... } end
function Peer:ping_interval(milliseconds) self.pings_every = milliseconds end
function Peer:throttle_configure(...) self.throttle = { ... } end

function Network:host()
  self.hosts = self.hosts + 1
  local host, network = {}, self
  function host.connect(_, where, channels, word)
    assert(channels == 2)
    if network.refuses_peers then
      network.peers_refused = network.peers_refused + 1
      error("Failed to create peer")
    end
    if network.no_such_host then error("Failed to resolve host name") end
    local peer = setmetatable({ network = network, word = word, where = where }, Peer)
    network.attempts[#network.attempts + 1] = { at = network.now, word = word, where = where }
    if not network.deaf then
      network:fly(network.to_client, { type = "connect", peer = peer, data = 0 })
    end
    return peer
  end
  function host.service()
    if (network.failures or 0) > 0 then
      network.failures = network.failures - 1
      error("Error during service")
    end
    local event = table.remove(network.to_client, 1)
    if event and event.type == "connect" then event.peer.connected = true end
    if event and event.type == "disconnect" then event.peer.connected = false end
    return event
  end
  function host.flush() end
  function host.destroy() network.hosts = network.hosts - 1 end
  return host
end

-- --- the server's end

function Network:heard()
  return function() return table.remove(self.to_server, 1) end
end

function Network:send(peer, bytes, channel)
  self:fly(self.to_client, { type = "receive", peer = peer, data = bytes, channel = channel,
    flag = channel == 1 and "unsequenced" or "reliable" })
end

function Network:finish(peer, data)
  self:fly(self.to_client, { type = "disconnect", peer = peer, data = data or 0 })
end

return lossy_enet
