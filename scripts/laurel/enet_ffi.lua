-- enet_ffi.lua - ENet through LuaJIT's ffi, with the part of lua-enet's interface that a client
-- needs, for programs that have libenet.so.7 but no binding: OBS Studio's scripts, a terminal.
--
--   local enet = require "laurel.enet_ffi"          -- raises without ffi or libenet
--   local host = enet.host_create(nil, 2, 2)        -- a client: peers, channels
--   local peer = host:connect("127.0.0.1:7777", 2, word)
--   local event = host:service(0)                   -- { type =, peer =, channel =, data = } or nil
--   peer:send(bytes, 0, "reliable")                 -- or "unsequenced"; negative when it cannot
--
--   failures  raise with lua-enet's messages: "Failed to resolve host name", "Failed to create
--             peer", "Error during service".
--   blocking  connect blocks while it looks up a host name; it does not block for an address.
--   owner     destroy() or collection ends a host. The same peer is the same object while the
--             script refers to it. After its host has ended, its methods raise.
local ffi = require "ffi"

-- ENet's functions get new names, so that they do not collide with another script's declarations.
ffi.cdef [[
  typedef struct { uint32_t host; uint16_t port; } laurel_enet_address;
  typedef struct {
    size_t references; uint32_t flags; uint8_t *data; size_t size;
  } laurel_enet_packet;
  typedef struct {
    int type; void *peer; uint8_t channel; uint32_t data; laurel_enet_packet *packet;
  } laurel_enet_event;

  int laurel_enet_initialize(void) __asm__("enet_initialize");
  int laurel_enet_address_set_host(laurel_enet_address *, const char *name)
    __asm__("enet_address_set_host");
  void *laurel_enet_host_create(const laurel_enet_address *, size_t peers, size_t channels,
    uint32_t incoming, uint32_t outgoing) __asm__("enet_host_create");
  void laurel_enet_host_destroy(void *host) __asm__("enet_host_destroy");
  void *laurel_enet_host_connect(void *host, const laurel_enet_address *, size_t channels,
    uint32_t data) __asm__("enet_host_connect");
  int laurel_enet_host_service(void *host, laurel_enet_event *, uint32_t milliseconds)
    __asm__("enet_host_service");
  void laurel_enet_host_flush(void *host) __asm__("enet_host_flush");
  laurel_enet_packet *laurel_enet_packet_create(const void *, size_t, uint32_t flags)
    __asm__("enet_packet_create");
  void laurel_enet_packet_destroy(laurel_enet_packet *) __asm__("enet_packet_destroy");
  int laurel_enet_peer_send(void *peer, uint8_t channel, laurel_enet_packet *)
    __asm__("enet_peer_send");
  void laurel_enet_peer_disconnect(void *peer, uint32_t data) __asm__("enet_peer_disconnect");
  void laurel_enet_peer_disconnect_now(void *peer, uint32_t data)
    __asm__("enet_peer_disconnect_now");
  void laurel_enet_peer_disconnect_later(void *peer, uint32_t data)
    __asm__("enet_peer_disconnect_later");
  void laurel_enet_peer_timeout(void *peer, uint32_t limit, uint32_t min, uint32_t max)
    __asm__("enet_peer_timeout");
  void laurel_enet_peer_ping_interval(void *peer, uint32_t milliseconds)
    __asm__("enet_peer_ping_interval");
  void laurel_enet_peer_throttle_configure(void *peer, uint32_t interval, uint32_t acceleration,
    uint32_t deceleration) __asm__("enet_peer_throttle_configure");
]]

local library = ffi.load("libenet.so.7")
if library.laurel_enet_initialize() ~= 0 then error("ENet does not start") end

local EVENT_TYPES = { [1] = "connect", [2] = "disconnect", [3] = "receive" }
local FLAGS = { reliable = 1, unsequenced = 2, unreliable = 0 }

local enet = {}

-- --- peers

local Peer = {}
Peer.__index = Peer

local function pointer_of(peer)
  if not peer.host.pointer then error("the host of this peer was destroyed", 3) end
  return peer.pointer
end

-- A number with the highest bit may be passed as a negative one, as to lua-enet.
local function unsigned(number) return (number or 0) % 2 ^ 32 end

function Peer:send(text, channel, flag)
  local pointer = pointer_of(self)
  local packet = library.laurel_enet_packet_create(text, #text, FLAGS[flag or "reliable"])
  if packet == nil then error("Failed to create packet", 2) end
  local sent = library.laurel_enet_peer_send(pointer, channel or 0, packet)
  if sent < 0 then library.laurel_enet_packet_destroy(packet) end -- not sent: still ours
  return sent
end

function Peer:disconnect(data)
  library.laurel_enet_peer_disconnect(pointer_of(self), unsigned(data))
end

function Peer:disconnect_now(data)
  library.laurel_enet_peer_disconnect_now(pointer_of(self), unsigned(data))
end

function Peer:disconnect_later(data)
  library.laurel_enet_peer_disconnect_later(pointer_of(self), unsigned(data))
end

function Peer:timeout(limit, min, max)
  library.laurel_enet_peer_timeout(pointer_of(self), limit, min, max)
end

function Peer:ping_interval(milliseconds)
  library.laurel_enet_peer_ping_interval(pointer_of(self), milliseconds)
end

function Peer:throttle_configure(interval, acceleration, deceleration)
  library.laurel_enet_peer_throttle_configure(pointer_of(self), interval, acceleration,
    deceleration)
end

-- --- hosts

local Host = {}
Host.__index = Host

local function alive(host)
  if not host.pointer then error("this host was destroyed", 3) end
  return host.pointer
end

local function peer_at(host, pointer)
  local key = tonumber(ffi.cast("uintptr_t", pointer))
  local peer = host.peers[key]
  if not peer then
    peer = setmetatable({ host = host, pointer = pointer }, Peer)
    host.peers[key] = peer
  end
  return peer
end

-- address: nil, for a client.
function enet.host_create(address, peers, channels)
  assert(address == nil, "only clients are made here")
  local pointer = library.laurel_enet_host_create(nil, peers or 64, channels or 1, 0, 0)
  if pointer == nil then return nil, "enet: failed to create host" end
  local host = {
    pointer = ffi.gc(pointer, library.laurel_enet_host_destroy),
    peers = setmetatable({}, { __mode = "v" }),
    event = ffi.new("laurel_enet_event"),
  }
  return setmetatable(host, Host)
end

-- "host:port"
function Host:connect(where, channels, data)
  local pointer = alive(self)
  local name, port = where:match("^(.*):(%d+)$")
  local address = ffi.new("laurel_enet_address")
  if library.laurel_enet_address_set_host(address, name) ~= 0 then
    error("Failed to resolve host name", 2)
  end
  address.port = tonumber(port)
  local peer = library.laurel_enet_host_connect(pointer, address, channels or 1, unsigned(data))
  if peer == nil then error("Failed to create peer", 2) end
  return peer_at(self, peer)
end

function Host:service(milliseconds)
  local event = self.event
  local happened = library.laurel_enet_host_service(alive(self), event, milliseconds or 0)
  if happened < 0 then error("Error during service", 2) end
  if happened == 0 then return nil end
  local told = { type = EVENT_TYPES[event.type], peer = peer_at(self, event.peer) }
  if told.type == "receive" then
    told.channel = event.channel
    told.data = ffi.string(event.packet.data, event.packet.size)
    library.laurel_enet_packet_destroy(event.packet)
  else
    told.data = event.data
  end
  return told
end

function Host:flush() library.laurel_enet_host_flush(alive(self)) end

function Host:destroy()
  if not self.pointer then return end
  library.laurel_enet_host_destroy(ffi.gc(self.pointer, nil))
  self.pointer = nil
end

return enet
