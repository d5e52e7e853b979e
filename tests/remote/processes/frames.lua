-- frames.lua - the frames of a process that receives commands as lines on standard input.
--
--   for lines in frames.each(milliseconds) do ... end     one round per frame; ends with the input
--   frames.now()          seconds, by a clock that all processes of a machine share
--   frames.worked()       CPU seconds of this thread
--   frames.say(...)       writes a line to standard output, at once
--   frames.notes(file)    returns a function that appends text to the file in one write: the text
--                         is there even if the process is killed right after the call
local ffi = require "ffi"

ffi.cdef [[
  struct laurel_polled { int fd; short events; short revents; };
  struct laurel_moment { long seconds; long nanoseconds; };
  int laurel_ppoll(struct laurel_polled *, unsigned long count, const struct laurel_moment *,
    const void *signals) __asm__("ppoll");
  int laurel_clock(int clock, struct laurel_moment *) __asm__("clock_gettime");
  int laurel_open(const char *path, int flags, int mode) __asm__("open");
  long laurel_read(int fd, void *into, unsigned long size) __asm__("read");
  long laurel_write(int fd, const void *from, unsigned long size) __asm__("write");
]]

local POLLIN = 1
local CLOCK_MONOTONIC, CLOCK_THREAD = 1, 3
local O_WRONLY_CREAT_APPEND = 1 + 64 + 1024

local frames = {}

local moment = ffi.new("struct laurel_moment")
local function read_clock(clock)
  ffi.C.laurel_clock(clock, moment)
  return tonumber(moment.seconds) + tonumber(moment.nanoseconds) / 1e9
end
function frames.now() return read_clock(CLOCK_MONOTONIC) end
function frames.worked() return read_clock(CLOCK_THREAD) end

function frames.say(...)
  io.stdout:write(string.format(...), "\n")
  io.stdout:flush()
end

function frames.notes(file)
  local fd = ffi.C.laurel_open(file, O_WRONLY_CREAT_APPEND, tonumber("644", 8))
  assert(fd >= 0, "cannot write to " .. file)
  return function(text)
    assert(ffi.C.laurel_write(fd, text, #text) == #text, "the disk is full")
  end
end

function frames.each(milliseconds)
  local polled = ffi.new("struct laurel_polled[1]", { { 0, POLLIN, 0 } })
  local left = ffi.new("struct laurel_moment")
  local buffer, rest = ffi.new("char[65536]"), ""
  local due = frames.now()
  return function()
    local now = frames.now()
    if now >= due then due = math.max(due + milliseconds / 1000, now) end
    left.nanoseconds = math.max(0, math.min(due - now, 0.999)) * 1e9
    ffi.C.laurel_ppoll(polled, 1, left, nil)
    if polled[0].revents == 0 then return {} end
    local size = ffi.C.laurel_read(0, buffer, 65536)
    if size <= 0 then return nil end
    rest = rest .. ffi.string(buffer, size)
    local lines = {}
    rest = rest:gsub("([^\n]*)\n", function(line)
      lines[#lines + 1] = line
      return ""
    end)
    return lines
  end
end

return frames
