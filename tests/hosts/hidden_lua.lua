-- Runs in a host that contains LuaJIT but does not export it: `require` raises an error that names the
-- missing symbol, also the second time, and the script can continue.
for _ = 1, 2 do
  local ok, why = pcall(require, "laurel")
  assert(not ok)
  assert(why:find("undefined symbol: lua", 1, true), why)
  assert(package.loaded.laurel == nil)
end
print "refused where Lua is hidden"
