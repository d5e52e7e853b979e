-- screen.lua - redraws lines in place on a terminal.
--
-- A line that is too long is cut at the terminal's edge, because a second row would move the
-- others.

local ffi = require "ffi"

ffi.cdef "int isatty(int fd);"

local ERASE, NO_WRAP, WRAP, ERASE_BELOW = "\r\27[K", "\27[?7l", "\27[?7h", "\27[J"

local screen = { is_terminal = ffi.C.isatty(1) == 1 }

local drawn = 0 -- lines

-- Each line resets the terminal's modes, because Ctrl-C may end the program after any line.
function screen.redraw(lines)
  if drawn > 0 then io.stdout:write(("\27[%dA"):format(drawn)) end
  for _, line in ipairs(lines) do io.stdout:write(ERASE, NO_WRAP, line, WRAP, "\n") end
  io.stdout:write(ERASE_BELOW)
  io.stdout:flush()
  drawn = #lines
end

return screen
