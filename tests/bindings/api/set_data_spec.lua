-- board:set_data: the data of an entry alone.
local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises, refuses = spec.it, spec.eq, spec.raises, spec.refuses

local specs = {
  ranked = {}, padded = { engine = "padded" }, paged = { engine = "paged" },
  sharded = { engine = "sharded", shards = 3 }, ["of padded"] = { engine = "sharded", of = "padded" },
  ["of paged"] = { engine = "sharded", of = "paged" }, capped = { engine = "capped", cap = 5 },
  rolling = { engine = "rolling", days = 3 },
}

for name, fields in pairs(specs) do
  it(name .. ": new data changes neither score, moment nor rank, and nil takes it off", function()
    local now = 1000
    local boards = laurel.open { clock = function() return now end }
    local board = boards:board("b", fields)
    for i, player in ipairs { "ada", "bob", "cleo" } do board:submit(player, 5, "old " .. i) end
    local before = board:get("bob")
    now = 2000
    eq(board:set_data("bob", "new"), true)
    before.data = "new"
    eq(board:get("bob"), before)
    for _, entry in ipairs(board:top(3)) do
      if entry.player == "bob" then eq(entry, before) end
    end
    eq(board:set_data("bob", ""), true)
    eq(board:get("bob").data, "")
    eq(board:set_data("bob", nil), true)
    before.data = nil
    eq(board:get("bob"), before)
    eq(board:set_data("bob"), true)
    eq(board:get("ada").data, "old 1")
    eq({ board:set_data("dan", "x"), board:size() }, { false, 3 })
  end)
end

it("data that is too long is refused, and changes nothing", function()
  local board = laurel.open():board("b", {})
  board:submit("ada", 5, "old")
  refuses("bad_data", board:set_data("ada", ("x"):rep(1025)))
  refuses("bad_player", board:set_data("", "x"))
  refuses("bad_player", board:set_data("a\0", "x"))
  eq(board:get("ada").data, "old")
  eq(board:set_data("ada", ("x"):rep(1024)), true)
  raises("bad argument #2 to 'set_data' (string expected, got number)", board.set_data, board, "ada", 5)
  raises("bad argument #1 to 'set_data' (string expected, got nil)", board.set_data, board)
end)

it("the entry of a banned player, and one out of sight, take it too, and show it later", function()
  local board = laurel.open():board("b", { engine = "capped", cap = 1, reserve = 1, keep = "latest" })
  board:submit("ada", 9, "a")
  board:submit("bob", 5, "b")
  eq({ board:get("bob"), board:set_data("bob", "new") }, { nil, true })
  board:ban("ada")
  eq(board:get("bob").data, "new")
  eq(board:set_data("ada", "other"), true)
  eq({ board:unban("ada"), board:get("ada").data, board:get("ada").score }, { true, "other", 9 })
end)

it("a watch tells new data, with no player in entered, left or moved; the same data is no news", function()
  local boards = laurel.open()
  local board = boards:board("b", {})
  board:submit("ada", 9, "a")
  boards:tick()
  local heard = {}
  board:watch(5, function(change) heard[#heard + 1] = change end)
  board:set_data("ada", "a")
  boards:tick()
  eq(#heard, 0)
  board:set_data("ada", "b")
  boards:tick()
  eq(#heard, 1)
  eq({ heard[1].top[1].data, #heard[1].entered, #heard[1].left, #heard[1].moved }, { "b", 0, 0, 0 })
end)

it("a past season takes no data", function()
  local board = laurel.open():board("b", {})
  board:submit("ada", 9, "a")
  board:reset()
  refuses("closed", board:archived(1):set_data("ada", "b"))
  eq(board:archived(1):get("ada").data, "a")
  eq(board:set_data("ada", "b"), false)
end)

it("a remote board does not take it, and says so without waiting", function()
  local boards = laurel.open { remotes = { main = "redis://127.0.0.1:1" }, log = function() end }
  local world = boards:board("world", { remote = "main" })
  refuses("unsupported", world:set_data("ada", "x"))
  raises("bad argument #2 to 'set_data' (string expected, got number)", world.set_data, world, "ada", 5)
  boards:close()
end)

it("joins, times and rules do not stop it", function()
  local now = 1000
  local boards = laurel.open { clock = function() return now end }
  local board = boards:board("b", { closes = 2000 })
  board:submit("ada", 9, "a")
  now = 3000
  refuses("closed", board:submit("ada", 10))
  eq({ board:set_data("ada", "b"), board:get("ada").data }, { true, "b" })
end)

it("new data is found after a restart", function()
  local folder = os.tmpname()
  os.remove(folder)
  local boards = laurel.open { path = folder }
  for name, fields in pairs(specs) do
    local board = boards:board(name, fields)
    board:submit("ada", 5, "old")
    board:submit("bob", 5, "old")
    board:set_data("ada", "new")
    board:ban("bob")
    board:set_data("bob", "hidden")
  end
  boards:close()
  boards = laurel.open { path = folder }
  for name in pairs(specs) do
    local board = boards:board(name)
    eq({ name, board:get("ada").data }, { name, "new" })
    board:unban("bob")
    eq({ name, board:get("bob").data }, { name, "hidden" })
  end
  boards:close()
  os.execute("rm -rf '" .. folder .. "'")
end)
