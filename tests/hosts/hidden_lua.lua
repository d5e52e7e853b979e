-- In a host that has LuaJIT inside and does not show it: `require` raises and names what is missing,
-- again at the second try, and the script goes on.
for _ = 1, 2 do
  local ok, why = pcall(require, "laurel")
  assert(not ok)
  assert(why:find("undefined symbol: lua", 1, true), why)
  assert(package.loaded.laurel == nil)
end
print "refused where Lua is hidden"
