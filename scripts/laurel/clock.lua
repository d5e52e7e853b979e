-- clock.lua - a clock in seconds that never goes back, from the best source available.
--
-- Sources: LÖVE's timer; else, on Linux, the system's monotonic clock by ffi; else os.time, whose
-- whole seconds only make a client's timers coarser. If the source goes back, the clock stops for
-- that step. The caller may give any source.
local clock = {}

local CLOCK_MONOTONIC = 1 -- Linux's number

local function of_love()
  local love = rawget(_G, "love")
  return love and love.timer and love.timer.getTime
end

local function of_linux()
  local found, ffi = pcall(require, "ffi")
  if not found or ffi.os ~= "Linux" then return nil end
  ffi.cdef [[
    typedef struct { long seconds, nanoseconds; } laurel_timespec;
    int laurel_clock_gettime(int clock, laurel_timespec *) __asm__("clock_gettime");
  ]]
  local now = ffi.new("laurel_timespec")
  return function()
    ffi.C.laurel_clock_gettime(CLOCK_MONOTONIC, now)
    return tonumber(now.seconds) + tonumber(now.nanoseconds) / 1e9
  end
end

-- Returns a function that returns the seconds since this call. source: nil, or a function.
function clock.steady(source)
  source = source or of_love() or of_linux() or os.time
  local now, before = 0, source()
  return function()
    local read = source()
    if read > before then now = now + (read - before) end
    before = read
    return now
  end
end

return clock
