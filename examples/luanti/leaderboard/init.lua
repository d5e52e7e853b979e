-- init.lua - leaderboards in a Luanti world: loads laurel and the parts of the mod.
--
--   boards.lua    the boards in the world's folder, and the global `leaderboard` for other mods
--   digging.lua   scores from digging
--   alive.lua     scores from staying alive
--   announce.lua  a chat line for a new leader
--   top.lua       /top; top_form.lua is its form
--   live.lua      the live channel, and /overlay
--   off.lua       replaces the others if the boards cannot be opened
--   rules/        the boards' rules, which can be edited while the server runs
--
-- The server also runs without its boards. The reason is logged as an error, in one line that says
-- what to do, and /top shows it too.
local mod = minetest.get_current_modname()
local folder = minetest.get_modpath(mod) .. "/"

-- Mod security disables `require`; a mod's own files are loaded by their path.
local function part(name, ...)
  return assert(loadfile(folder .. name .. ".lua"))(...)
end

-- Must be called in the main chunk of a trusted mod's init.lua; in a function it returns nil. It
-- has io, os and ffi without a sandbox, so neither it nor what it loads may become a global or be
-- passed to another mod.
local unsandboxed = minetest.request_insecure_environment()

-- Loads the library from this folder or LuaJIT's path of C modules (LUA_CPATH, an installed
-- laurel). Returns it, or nil and why it cannot be loaded.
local function library()
  if not unsandboxed then
    local trusted = minetest.settings:get("secure.trusted_mods") or ""
    return nil, "the mod is not trusted with a C library. Put this line into minetest.conf:"
      .. " secure.trusted_mods = " .. (trusted == "" and mod or trusted .. ", " .. mod)
  end
  local package = unsandboxed.package
  local usual = package.cpath
  package.cpath = folder .. "?.so;" .. usual
  local found, laurel = pcall(unsandboxed.require, "laurel")
  package.cpath = usual -- all trusted mods share it
  if found then return laurel end

  local text, looked = tostring(laurel), {}
  for file in text:gmatch("no file '([^']*laurel%.so)'") do looked[#looked + 1] = file end
  if #looked == 0 then return nil, text end
  return nil, "laurel.so is missing. It was looked for here: " .. table.concat(looked, ", ")
end

local laurel, reason = library()
local boards
if laurel then boards, reason = part("boards", laurel, folder .. "rules") end
if not boards then return part("off", reason) end

leaderboard = boards.api
part "digging"
local alive = part "alive"
part("announce", boards)
part("top", boards, part "top_form")
part("live", boards)

-- The shutdown of all parts is in one callback, because separate ones would run in the order of
-- their registration.
minetest.register_on_shutdown(function()
  alive.record_all()
  boards.close()
end)
