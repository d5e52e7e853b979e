-- lua_block.lua - runs one example of a document in any Lua; documents.lua calls it. Prints what the example
-- prints, and ends with status 1 and a traceback if it raises.
--
--   lua5.4 tests/project/lua_block.lua FILE NAME
require "dialect"

local file = assert(io.open(arg[1]))
local source = file:read("*a")
file:close()
local chunk, why = loadstring(source, "=" .. arg[2])
if not chunk then
  io.stderr:write(why, "\n")
  os.exit(1)
end
local environment = setmetatable({
  print = function(...)
    local words = {}
    for i = 1, select("#", ...) do words[i] = tostring((select(i, ...))) end
    io.write(table.concat(words, " "), "\n")
  end,
}, { __index = _G })
local fine, problem = xpcall(setfenv(chunk, environment), debug.traceback)
if not fine then io.stderr:write(tostring(problem), "\n") end
os.exit(fine and 0 or 1, true)
