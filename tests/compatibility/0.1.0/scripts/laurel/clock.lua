-- clock.lua - seconds that never go back, from whatever the program at hand offers.
--
-- LÖVE's timer; else the system's monotonic clock, by ffi on Linux; else os.time, whose whole
-- seconds only make the pauses of a client coarser. A clock that is set back stands still instead,
-- and one that is handed in may be any.
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

-- A function that returns seconds since some moment, from `source` where one is given.
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
