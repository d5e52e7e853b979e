-- run.lua - runs specifications with the installed module:
--
--   luajit tests/bindings/api/run.lua path/to/laurel.so tests/bindings/api/{,*/}*_spec.lua
--   lua5.4 tests/bindings/api/run.lua path/to/lua5.4/laurel.so tests/bindings/api/{,*/}*_spec.lua
local module, folder = arg[1], arg[0]:match("^(.*)/") or "."
package.cpath = (module:match("^(.*)/") or ".") .. "/?.so"
package.path = folder .. "/?.lua;" .. folder .. "/../../../scripts/?.lua;" .. package.path

local spec = require "spec"
for i = 2, #arg do dofile(arg[i]) end
for _, failure in ipairs(spec.failures) do print("FAILED: " .. failure) end
print(("%d passed, %d failed"):format(spec.passed, #spec.failures))
os.exit(#spec.failures == 0 and spec.passed > 0 and 0 or 1)
