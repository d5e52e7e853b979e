-- A game server for tests of overlays: keeps a board, serves it, and runs commands from standard input.
--
--   luajit tests/hosts/server.lua DIRECTORY PORT AUTH
--
-- Each line of input is a chunk of Lua that can use `boards`, `board` and `live`; its result is printed as
-- a line. The first line printed is the port. The server ends at the end of its input.
local ffi = require "ffi"
local laurel = require "laurel"

ffi.cdef [[
  struct pollfd { int fd; short events; short revents; };
  int poll(struct pollfd *fds, unsigned long count, int milliseconds);
  long read(int fd, void *into, unsigned long size);
]]

local TICK_MS = 10
local LINE_BYTES = 65536

local boards = assert(laurel.open { path = arg[1] })
local board = assert(boards:board("race", {}))
local live = assert(boards:serve { port = tonumber(arg[2]), auth = arg[3], rate = 50 })
assert(live:publish(board, { top = 100 }))

local function say(...)
  io.stdout:write(table.concat({ ... }, "\t"), "\n")
  io.stdout:flush()
end

local function run(line)
  local chunk = assert(loadstring(line))
  setfenv(chunk, setmetatable({ boards = boards, board = board, live = live }, { __index = _G }))
  say(tostring((chunk())))
end

say(live:port())
local waiting = ffi.new("struct pollfd[1]", { { 0, 1, 0 } })
local buffer, rest = ffi.new("char[?]", LINE_BYTES), ""
while true do
  ffi.C.poll(waiting, 1, TICK_MS)
  if waiting[0].revents ~= 0 then
    local size = ffi.C.read(0, buffer, LINE_BYTES)
    if size <= 0 then break end
    rest = (rest .. ffi.string(buffer, size)):gsub("([^\n]*)\n", function(line)
      run(line)
      return ""
    end)
  end
  boards:tick()
end
boards:close()
