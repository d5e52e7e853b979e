-- init.lua - leaderboards in a Luanti world: brings laurel in and starts the parts.
--
--   boards.lua    the boards in the world's folder, and the global `leaderboard` for other mods
--   digging.lua   scores from digging
--   alive.lua     scores from staying alive
--   announce.lua  a line of chat for a new leader
--   top.lua       /top; top_form.lua what it shows
--   live.lua      the live channel, and /overlay
--   off.lua       what a server says that cannot have boards
--   rules/        what laurel judges scores by; edit one while the server runs
--
-- A server without its boards is still a server: whatever is missing is logged as an error, in one
-- line that says what to do, and /top says it too.
local mod = minetest.get_current_modname()
local folder = minetest.get_modpath(mod) .. "/"

-- Mod security disables `require`; a mod's own files are loaded by their path.
local function part(name, ...)
  return assert(loadfile(folder .. name .. ".lua"))(...)
end

-- Answered in the main chunk of a trusted mod's init.lua and nowhere else: in a function it is
-- nil. It holds io, os and ffi without a sandbox, so neither it nor what it loads ever becomes a
-- global or goes to another mod.
local unsandboxed = minetest.request_insecure_environment()

-- The library, from this folder or where LuaJIT looks for C modules (LUA_CPATH, an installed
-- laurel); or nil and why there is none.
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
  package.cpath = usual -- it is every trusted mod's
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

-- Last words in the order in which they must be said: the callbacks of other parts would run in the
-- order of their registration.
minetest.register_on_shutdown(function()
  alive.record_all()
  boards.close()
end)
