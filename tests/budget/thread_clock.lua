-- The processor time of this thread, in milliseconds: a function.
local ffi = require "ffi"
ffi.cdef [[
  typedef struct { long sec; long nsec; } laurel_timespec;
  int clock_gettime(int clock, laurel_timespec *now);
]]
local THREAD = 3
local moment = ffi.new "laurel_timespec"
return function()
  ffi.C.clock_gettime(THREAD, moment)
  return tonumber(moment.sec) * 1e3 + tonumber(moment.nsec) / 1e6
end
