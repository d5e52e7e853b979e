-- dialect.lua - gives later Luas the functions of Lua 5.1 that specifications and documents use. Require it
-- before them.
local globals = _G

local function missing(name, value)
  if rawget(globals, name) == nil then rawset(globals, name, value) end
end

missing("unpack", rawget(table, "unpack"))
missing("loadstring", load)
-- The environment of a chunk that was not called yet is its first upvalue.
missing("setfenv", function(chunk, environment)
  debug.setupvalue(chunk, 1, environment)
  return chunk
end)
-- Later Luas call a finalizer only if the metatable had one when it was set.
missing("newproxy", function() return setmetatable({}, { __gc = true }) end)
