-- replica.lua - a client's copy of one stream: always exactly one state that the board had.
--
-- The server's deltas start from the version that it last heard acknowledged, which may be older
-- than the newest one here; so the windows since the last base that it used are kept.
--
--   keeps   at most WINDOWS_KEPT windows, which share what they have in common.
--   cost    take: O(n) for n entries.
local wire = require "laurel.wire"
local window = require "laurel.window"

local Replica = {}
Replica.__index = Replica

local WINDOWS_KEPT = 32 -- as many as the server keeps
local RECEIVED_MAX = 2 ^ 32 - 1

function Replica.new()
  return setmetatable({ attached = false, received = 0, bases = {} }, Replica)
end

-- Begins with a stream as the server announced it. What was held stays, and stays useful when the
-- epoch is the same.
function Replica:attach(stream, epoch)
  self.attached, self.stream, self.epoch = true, stream, epoch
  self.received = 0
  self.bases = {}
  if self:holds() then self.bases[1] = self.current end
end

-- The connection, or the stream, is gone; what is held stays.
function Replica:detach() self.attached = false end

-- Whether the newest window is of the stream's epoch.
function Replica:holds()
  return self.current ~= nil and self.current.epoch == self.epoch
end

-- What a subscribe says is held.
function Replica:held()
  if not self.current then return wire.NO_EPOCH, 0 end
  return self.current.epoch, self.current.version
end

function Replica:base_of(state)
  for _, base in ipairs(self.bases) do
    if base.version == state.version - state.back then return base end
  end
end

-- Takes a state of the stream:
--   "news"      `current` is newer than it was
--   "stale"     an older one, or the same again; to be acknowledged all the same
--   "useless"   damaged, or its base is not here; `current` is what it was
function Replica:take(state)
  if self.received < RECEIVED_MAX then self.received = self.received + 1 end
  if self:holds() and state.version <= self.current.version then return "stale" end
  local base
  if state.back > 0 then
    base = self:base_of(state)
    if not base then return "useless" end
  end
  local built = window.apply(state, self.epoch, base)
  if not built then return "useless" end
  -- A whole window is sent while the server heard no acknowledgement yet: it may still hear of any.
  self:keep(built, base and base.version or 0)
  return "news"
end

function Replica:keep(built, oldest_of_use)
  self.current = built
  -- Acknowledgements only go up: the server will not come back to an older base than this one.
  while self.bases[1] and self.bases[1].version < oldest_of_use do table.remove(self.bases, 1) end
  -- When all acknowledgements are lost the server keeps using the oldest: the second one goes.
  if #self.bases == WINDOWS_KEPT then table.remove(self.bases, 2) end
  self.bases[#self.bases + 1] = built
end

-- What is to be acknowledged; nil when no window of this epoch is held.
function Replica:ack()
  if not self.attached or not self:holds() then return nil end
  return { stream = self.stream, version = self.current.version, received = self.received }
end

return Replica
