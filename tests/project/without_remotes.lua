-- A laurel without remotes, as LAUREL_REMOTES=OFF and the first ./examples/run build it: scripts that name
-- remotes run, and are told. for_users runs this, too.
local laurel = require "laurel"

local function refused(board, reason)
  assert(board == nil and tostring(reason):find "^unsupported: this laurel was built without remotes", reason)
end

local boards = laurel.open { remotes = { main = "redis://127.0.0.1:1" } }
refused(boards:board("world", { remote = "main" }))
assert(boards:board("world") == nil, "a board that was refused is there")
local here = boards:board("here", {})
assert(here:submit("p", 1) == 1 and here:rank "p" == 1)
boards:tick()
boards:close()

refused(laurel.open():board("world", { remote = "main" }))

-- What would be lost without a word is refused at once.
for _, options in ipairs {
  { remotes = { archive = "dynamodb://eu-west-1/leaderboards" } },
  { remotes = { main = "redis://127.0.0.1:1" }, players = "main" },
} do
  local opened, why = pcall(laurel.open, options)
  assert(not opened and why:find("built without remotes", 1, true), why)
end
