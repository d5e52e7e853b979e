-- tick_times.lua - how long ticks took, in wall time and in CPU time.
local ffi = require "ffi"

local MOST = 1000000 -- ticks; later ones are not recorded

local TickTimes = {}
TickTimes.__index = TickTimes

local tick_times = {}

function tick_times.new()
  return setmetatable({
    count = 0,
    wall = ffi.new("double[?]", MOST),
    cpu = ffi.new("double[?]", MOST),
  }, TickTimes)
end

function TickTimes:add(wall, cpu)
  if self.count == MOST then return end
  self.wall[self.count], self.cpu[self.count] = wall, cpu
  self.count = self.count + 1
end

-- Median, 99.9th percentile and maximum, in microseconds.
local function text_of(times, count)
  local sorted = {}
  for i = 1, count do sorted[i] = times[i - 1] * 1e6 end
  table.sort(sorted)
  local function at(share) return sorted[math.max(1, math.ceil(count * share))] end
  return ("%.1f %.1f %.1f"):format(at(0.5), at(0.999), at(1))
end

-- "COUNT wall MEDIAN P99.9 LONGEST cpu MEDIAN P99.9 LONGEST"
function TickTimes:text()
  return ("%d wall %s cpu %s"):format(self.count, text_of(self.wall, self.count),
    text_of(self.cpu, self.count))
end

return tick_times
