-- process_fixture.lua - runs real programs for a test: a game server, programs that show its board,
-- and waits for conditions.
--
--   processes  end with the process group of the test, which on_stage kills
--   waiting    is for a condition, with a deadline; never for a fixed time
local ffi = require "ffi"

ffi.cdef [[
  int usleep(unsigned int microseconds);
  int kill(int pid, int signal);
]]

local processes = {}

local SECONDS = 30 -- most take one; a machine may be busy, a client pause before it connects
local LOOK_EVERY = 20000 -- microseconds
local SIGKILL = 9

processes.scratch = assert(os.getenv("SCRATCH"), "run by tests/hosts/on_stage")

function processes.read(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local bytes = file:read("*a")
  file:close()
  return bytes
end

function processes.write(path, bytes)
  local file = assert(io.open(path, "wb"))
  file:write(bytes)
  file:close()
end

-- The output of a command.
function processes.output(command)
  local pipe = assert(io.popen(command))
  local bytes = pipe:read("*a")
  pipe:close()
  return bytes
end

-- Polls until the condition is true, and returns its result. After the deadline it raises an error with
-- what was awaited, what was seen last (the second result of `condition`), and the ends of the logs.
function processes.await(what, condition, seconds)
  local deadline = os.time() + (seconds or SECONDS)
  while true do
    local found, seen = condition()
    if found then return found end
    if os.time() > deadline then
      local words = processes.output("tail -n 15 " .. processes.scratch .. "/*.log 2>/dev/null")
      error(("awaited: %s\nseen: %s\n%s"):format(what, tostring(seen), words), 2)
    end
    ffi.C.usleep(LOOK_EVERY)
  end
end

-- Starts a program. Its input is a file, or empty; its output goes to NAME.log, and its exit code, after
-- it has ended, to NAME.code. Returns its process id.
function processes.start(name, command, input)
  local stem = ("%s/%s"):format(processes.scratch, name)
  local pid_file, code_file = stem .. ".pid", stem .. ".code"
  os.remove(pid_file)
  os.remove(code_file)
  os.remove(stem .. ".log") -- the shell of an earlier one may still say there that it was killed
  os.execute(("{ sh -c 'echo $$ >%s; exec %s <%s'; echo $? >%s; } >%s.log 2>&1 &"):format(
    pid_file, command, input or "/dev/null", code_file, stem))
  return processes.await(name .. " starts", function()
    return tonumber(processes.read(pid_file) or "")
  end)
end

-- Starts a program that reads what is written to the file that is returned second.
function processes.converse(name, command)
  local fifo = ("%s/%s.in"):format(processes.scratch, name)
  os.execute(("rm -f %s; mkfifo %s"):format(fifo, fifo))
  local pid = processes.start(name, command, fifo)
  return pid, assert(io.open(fifo, "w"))
end

-- The exit code of a program that has ended, as in a shell: 128 plus the number of a signal.
function processes.exit_code(name)
  return tonumber(processes.read(("%s/%s.code"):format(processes.scratch, name)) or "")
end

function processes.is_running(pid)
  return ffi.C.kill(pid, 0) == 0
end

local Server = {}
Server.__index = Server

-- Starts tests/hosts/server.lua with required tokens, on a free port or the given one, with the data of
-- an earlier server.
function processes.serve(port)
  local self = setmetatable({ replies = 0, out = processes.scratch .. "/server.log" }, Server)
  self.pid, self.input = processes.converse("server",
    ("luajit tests/hosts/server.lua %s/boards %d token"):format(processes.scratch, port or 0))
  local first = self:reply()
  self.port = assert(tonumber(first), first)
  return self
end

-- The next line that the server prints.
function Server:reply()
  self.replies = self.replies + 1
  return processes.await("the server's answer", function()
    local lines, count = processes.read(self.out) or "", 0
    for line in lines:gmatch("([^\n]*)\n") do
      count = count + 1
      if count == self.replies then return line end
    end
    return nil, lines
  end)
end

-- Runs Lua in the server, and returns its result as text.
function Server:run(chunk)
  self.input:write(chunk:gsub("\n", " ") .. "\n")
  self.input:flush()
  return self:reply()
end

-- Fills the board as in the middle of a game: five stars, forty guests, and Nora among the guests.
function Server:fill()
  self:run [[for i, name in ipairs { "Alice", "Bruno", "Carla", "Dieter", "Elena" } do
    boards:save_player { id = name:lower(), name = name } board:submit(name:lower(), 500.5 - 50 * i) end]]
  self:run [[for i = 1, 40 do board:submit("guest" .. i, 200 - i) end]]
  self:run [[boards:save_player { id = "nora", name = "Nora" } board:submit("nora", 170.5)]]
  self:run [[boards:save_player { id = "evil", name = "\27[2J\255\254" } board:submit("evil", 170.25)]]
end

-- A token for Nora's client; for one in pure Lua, in clear.
function Server:token(options)
  local clear = tostring(options ~= nil and options.clear)
  local token = self:run("return live:token('nora', 60, { clear = " .. clear .. " })")
  assert(token:find("^%x+$"), token)
  assert(self:run [[return boards:flush()]] == "true")
  return token
end

-- What an overlay should show, from the server: the first n entries, and Nora's neighbours if she is not
-- among those. { { rank =, player =, name =, score =, own = }, ... }
function Server:shown(n, around)
  local words = self:run(([[
    local words, top = {}, board:top(%d)
    local listed = {}
    for _, entry in ipairs(top) do listed[entry.player] = true end
    if not listed.nora then
      for _, entry in ipairs(board:around("nora", %d)) do
        if not listed[entry.player] then top[#top + 1] = entry end
      end
    end
    for _, entry in ipairs(top) do
      local known = boards:player(entry.player)
      local name = known and known.name or entry.player
      words[#words + 1] = ("%%d;%%s;%%s;%%.2f"):format(entry.rank, entry.player, name, entry.score)
    end
    return table.concat(words, "|")]]):format(n, around))
  local shown = {}
  for rank, player, name, score in words:gmatch("(%d+);([^;]*);([^;]*);([^|]*)") do
    shown[#shown + 1] = { rank = rank, player = player, name = name, score = score,
      own = player == "nora" }
  end
  return shown
end

-- Kills the server at once, without a message to its clients.
function Server:kill()
  ffi.C.kill(self.pid, SIGKILL)
  self.input:close()
end

return processes
