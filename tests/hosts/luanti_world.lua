-- luanti_world.lua - a Luanti server in a new world, with the leaderboard mod and a mod that runs the
-- test's code.
--
--   worlds     are created for each test: in an old one the existing hole is out of reach
--   witness    Luanti's own log, which is independent of boards, says what was dug
local ffi = require "ffi"
local laurel = require "laurel"
local processes = require "process_fixture"

local SIGTERM = 15
local MOD = "examples/luanti/leaderboard"
local PROGRAM = "/usr/lib/minetest/minetestserver"

local World = {}
World.__index = World

local root = processes.output("pwd"):match("[^\n]+")

-- A UDP port that is not in use.
local function free_port()
  local boards = laurel.open()
  local port = assert(boards:serve { port = 0 }):port()
  boards:close()
  return port
end

-- A folder for a world, with ports for its server and the mod that runs the test's code.
function World.at(folder)
  os.execute(("mkdir -p %s/worldmods; ln -sfn %s/tests/hosts/luanti_prompter %s/worldmods/prompter")
    :format(folder, root, folder))
  return setmetatable({ folder = folder, port = free_port(), live_port = free_port(), starts = 0 },
    World)
end

-- A world in a folder of that name, with the leaderboard mod; not started.
function World.make(name)
  local self = World.at(processes.scratch .. "/" .. name)
  self.name, self.mod = name, self.folder .. "/worldmods/leaderboard"
  os.execute(("ln -s %s/%s %s"):format(root, MOD, self.mod))
  processes.write(self.folder .. "/world.mt", "gameid = devtest\nbackend = sqlite3\n"
    .. "player_backend = sqlite3\nauth_backend = sqlite3\nmod_storage_backend = sqlite3\n")
  return self
end

-- Replaces a mod's link by a copy that can be changed, by default the leaderboard's. Returns its folder.
function World:own_mod(name)
  local folder = ("%s/worldmods/%s"):format(self.folder, name or "leaderboard")
  os.execute(("cp -rL %s %s.own && rm %s && mv %s.own %s"):format(folder, folder, folder, folder, folder))
  return folder
end

-- Starts the server and waits until it listens. settings: additional lines of minetest.conf, by name;
-- false removes a line. cpath: where laurel.so is, if it is not the one under test.
function World:start(settings, cpath)
  local lines, conf = {}, {
    bind_address = "127.0.0.1", port = self.port, ipv6_server = "false", server_announce = "false",
    mg_name = "flat", mg_flags = "nocaves,nodungeons", time_speed = 0, world_start_time = 12000,
    dedicated_server_step = 0.05, ["secure.enable_security"] = "true",
    ["secure.trusted_mods"] = "leaderboard", ["leaderboard.port"] = self.live_port,
  }
  for key, value in pairs(settings or {}) do conf[key] = value end
  for key, value in pairs(conf) do
    if value then lines[#lines + 1] = ("%s = %s\n"):format(key, value) end
  end
  self.starts = self.starts + 1
  local name = ("%s-%d"):format(self.name, self.starts)
  local stem = ("%s/%s"):format(processes.scratch, name)
  self.log, self.code = stem .. ".log", stem .. ".code"
  processes.write(self.folder .. "/minetest.conf", table.concat(lines))
  self.pid = processes.start(name, ("%s%s --world %s --config %s/minetest.conf --color never"):format(
    cpath and ("env LUA_CPATH=\"%s\" "):format(cpath) or "", PROGRAM, self.folder, self.folder))
  processes.await("Luanti's server", function()
    local said = processes.read(self.log) or ""
    assert(not processes.read(self.code), said)
    return said:find("listening on", 1, true)
  end)
end

-- The log of the running server.
function World:said()
  return processes.read(self.log) or ""
end

function World:await_said(what, words)
  return processes.await(what, function() return self:said():find(words, 1, true) end)
end

-- Runs Lua in a mod of the server, and returns its result as text.
function World:run(chunk)
  local ask, answer = self.folder .. "/ask.lua", self.folder .. "/answer.txt"
  os.remove(answer)
  processes.write(ask .. ".new", chunk)
  assert(os.rename(ask .. ".new", ask))
  return processes.await("the answer of a mod", function()
    assert(not processes.read(self.code), self:said())
    return processes.read(answer)
  end)
end

-- The answer to a chat command from a player that is not in the world.
function World:command(name, param)
  return self:run(("return select(2, minetest.registered_chatcommands[%q].func('console', %q))")
    :format(name, param or ""))
end

-- Asks the server to shut down, like an init system, and returns its exit code; raises if it takes long.
function World:stop()
  ffi.C.kill(self.pid, SIGTERM)
  return processes.await("the server's end", function()
    return tonumber(processes.read(self.code) or "")
  end, 10)
end

-- The lines of the log at these levels.
function World:complaints()
  local found = {}
  for line in self:said():gmatch("[^\n]+") do
    if line:find("ERROR%[") or line:find("WARNING%[") then found[#found + 1] = line end
  end
  return found
end

return World
