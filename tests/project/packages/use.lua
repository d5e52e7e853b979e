-- Uses an installed laurel in any Lua: the module, a zone, a rule to copy, and the client in pure Lua.
local version = arg[1]
local laurel = require "laurel"
assert(laurel.version == version, laurel.version)
local boards = laurel.open { rules = "/usr/share/laurel/rules" }
local board = boards:board("b", { reset = "0 0 * * 1", zone = "Europe/Berlin", rule = "plausible" })
board:set("p", 1)
assert(board:rank("p") == 1)
assert(boards:metrics():find(('lua="%s"'):format(jit and jit.version or _VERSION), 1, true))
local overlay = require "laurel.overlay"
if jit then -- others need a binding of ENet
  local client = assert(overlay.connect { port = 1 }) -- no server of another test has it
  client:tick()
  assert(client:state() == "connecting", client:state())
end
