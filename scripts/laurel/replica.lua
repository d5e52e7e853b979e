-- replica.lua - a client's copy of one stream: always exactly one state that the board had.
--
-- The server's deltas start from the last version whose acknowledgement it received. That version
-- may be older than the replica's newest, so the replica keeps the windows from the last used base
-- on.
--
--   keeps   at most WINDOWS_KEPT windows, which share equal entries.
--   cost    take: O(n) for n entries.
local wire = require "laurel.wire"
local window = require "laurel.window"

local Replica = {}
Replica.__index = Replica

local WINDOWS_KEPT = 32 -- the server keeps the same number
local RECEIVED_MAX = 2 ^ 32 - 1

function Replica.new()
  return setmetatable({ attached = false, received = 0, bases = {} }, Replica)
end

-- Begins a stream that the server announced. Keeps `current`, and uses it as a base if the epoch is
-- the same. format: of its entries, see window.lua; default: that of version 1
function Replica:attach(stream, epoch, format)
  self.attached, self.stream, self.epoch = true, stream, epoch
  self.format = format or window.FORMAT_1
  self.received = 0
  self.bases = {}
  if self:holds() then self.bases[1] = self.current end
end

-- The connection or the stream has ended. Keeps `current`.
function Replica:detach() self.attached = false end

-- Whether the newest window is of the stream's epoch. A board whose entries get another format gets
-- another epoch, so a window of another format is none.
function Replica:holds()
  return self.current ~= nil and self.current.epoch == self.epoch
    and window.same_format(self.current.format, self.format)
end

-- The epoch and version for a subscribe.
function Replica:held()
  if not self.current then return wire.NO_EPOCH, 0 end
  return self.current.epoch, self.current.version
end

function Replica:base_of(state)
  for _, base in ipairs(self.bases) do
    if base.version == state.version - state.back then return base end
  end
end

-- Applies a state of the stream. Returns:
--   "news"      `current` is a newer window now
--   "stale"     not newer than `current`; the client must acknowledge it all the same
--   "useless"   damaged, or its base is not held; `current` is unchanged
function Replica:take(state)
  if self.received < RECEIVED_MAX then self.received = self.received + 1 end
  if self:holds() and state.version <= self.current.version then return "stale" end
  local base
  if state.back > 0 then
    base = self:base_of(state)
    if not base then return "useless" end
  end
  local built = window.apply(state, self.epoch, base, self.format)
  if not built then return "useless" end
  -- A whole window means that the server has no acknowledgement yet; the next may be of any window.
  self:keep(built, base and base.version or 0)
  return "news"
end

function Replica:keep(built, oldest_of_use)
  self.current = built
  -- Acknowledged versions only increase, so the server will not use an older base than this one.
  while self.bases[1] and self.bases[1].version < oldest_of_use do table.remove(self.bases, 1) end
  -- If all acknowledgements are lost, the server keeps using the oldest base, so the second oldest
  -- is dropped.
  if #self.bases == WINDOWS_KEPT then table.remove(self.bases, 2) end
  self.bases[#self.bases + 1] = built
end

-- The acknowledgement to send; nil if no window of this epoch is held.
function Replica:ack()
  if not self.attached or not self:holds() then return nil end
  return { stream = self.stream, version = self.current.version, received = self.received }
end

return Replica
