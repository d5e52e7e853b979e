-- An iterator over the frames of a program that reads lines from standard input. Each step waits
-- for at most one frame, and returns the complete lines that arrived, and the time.
--
--   for lines, now in lines_of.standard_input() do ... end     ends with the input

local ffi = require "ffi"

ffi.cdef [[
  struct pollfd { int fd; short events; short revents; };
  int poll(struct pollfd *fds, unsigned long count, int milliseconds);
  long read(int fd, void *into, unsigned long size);
  struct timespec { long seconds; long nanoseconds; };
  int clock_gettime(int clock, struct timespec *into);
]]

local FRAME_MS = 25
local POLLIN = 1
local CLOCK_MONOTONIC = 1

local lines_of = {}

-- Seconds of a clock that never goes back.
local timespec = ffi.new("struct timespec")
function lines_of.now()
  ffi.C.clock_gettime(CLOCK_MONOTONIC, timespec)
  return tonumber(timespec.seconds) + tonumber(timespec.nanoseconds) / 1e9
end

function lines_of.standard_input()
  local waiting = ffi.new("struct pollfd[1]", { { 0, POLLIN, 0 } })
  local buffer, rest = ffi.new("char[4096]"), ""
  return function()
    ffi.C.poll(waiting, 1, FRAME_MS)
    if waiting[0].revents == 0 then return {}, lines_of.now() end
    local size = ffi.C.read(0, buffer, 4096)
    if size <= 0 then return nil end
    rest = rest .. ffi.string(buffer, size)
    local lines = {}
    rest = rest:gsub("([^\n]*)\n", function(line)
      lines[#lines + 1] = line
      return ""
    end)
    return lines, lines_of.now()
  end
end

return lines_of
