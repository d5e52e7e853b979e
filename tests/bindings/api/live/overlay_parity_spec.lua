-- Runs the specifications of laurel.connect with the pure-Lua client in its place: both make the same
-- promises, except that this one does not encrypt. Needs ENet through ffi.
local laurel = require "laurel"
local overlay = require "laurel.overlay"
local spec = require "spec"

if not pcall(require, "laurel.enet_ffi") then
  spec.it("without ffi the pure-Lua client is unsupported", function()
    spec.refuses("unsupported", overlay.connect {})
  end)
  return
end

local here = debug.getinfo(1, "S").source:match("^@(.*)/") or "."
local connect, it = laurel.connect, spec.it

laurel.connect, spec.clear_tokens = overlay.connect, true
spec.it = function(sentence, fn) it("in pure Lua: " .. sentence, fn) end
for _, name in ipairs { "live", "channel", "token" } do dofile(("%s/%s_spec.lua"):format(here, name)) end
laurel.connect, spec.it, spec.clear_tokens = connect, it, nil
