-- The socket by which the command laurel reaches boards with a path.
local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises = spec.it, spec.eq, spec.raises

-- From Lua 5.2 on os.execute returns true in place of the status 0.
local function succeeds(command)
  local done = os.execute(command)
  return done == 0 or done == true
end

local function has_socket(folder) return succeeds("test -S '" .. folder .. "/laurel.sock'") end

it("boards with a path have a socket while they are open, unless control is false", function()
  spec.in_folder(function(folder)
    local boards = laurel.open { path = folder }
    eq(has_socket(folder), true)
    boards:tick()
    boards:close()
    eq(has_socket(folder), false)
    boards = laurel.open { path = folder, control = false }
    eq(has_socket(folder), false)
    boards:close()
    boards = laurel.open { path = folder, control = true }
    eq(has_socket(folder), true)
    boards:close()
  end)
end)

it("control without a path does nothing, and another type raises", function()
  laurel.open({ control = true }):close()
  raises("field 'control': boolean expected, got string", laurel.open, { control = "yes" })
end)

it("what a client sends at random is answered at ticks, and closes no boards", function()
  if not succeeds("command -v python3 >/dev/null") then return end
  spec.in_folder(function(folder)
    local boards = laurel.open { path = folder, log = function() end }
    boards:board("b", {}):submit("eve", 5)
    local answer = folder .. "/answer"
    os.execute(([[python3 -c '
import os, socket
os.chdir("%s")
client = socket.socket(socket.AF_UNIX)
client.settimeout(10)
client.connect("laurel.sock")
client.sendall(b"\x00\xff nonsense\n{\"order\":\"ban\",\"player\":\"eve\"}\n")
got = b""
while got.count(b"\n") < 2:
    got += client.recv(4096)
open("answer.new", "wb").write(got)
os.rename("answer.new", "answer")
' &]]):format(folder))
    local text
    spec.until_(function()
      local file = io.open(answer)
      text = file and file:read "*a"
      if file then file:close() end
      return text
    end, boards)
    spec.contains(text, '{"refused":"bad_data: the line is no order')
    spec.contains(text, [[{"done":"player \"eve\" is banned on every board"}]])
    eq(boards:board("b"):banned(), { "eve" })
    boards:close()
  end)
end)
