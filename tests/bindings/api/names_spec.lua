-- The names of players in entries, and their scores on other boards.
local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises, refuses = spec.it, spec.eq, spec.raises, spec.refuses

local specs = {
  ranked = {}, padded = { engine = "padded" }, paged = { engine = "paged" },
  sharded = { engine = "sharded", shards = 3 }, ["of padded"] = { engine = "sharded", of = "padded" },
  capped = { engine = "capped", cap = 5 }, rolling = { engine = "rolling", days = 3 },
}

local function names(entries)
  local list = {}
  for i, entry in ipairs(entries) do list[i] = entry.player .. "=" .. tostring(entry.name) end
  return table.concat(list, " ")
end

for engine, fields in pairs(specs) do
  it(engine .. ": entries of every read carry the name of save_player, where there is one", function()
    local boards = laurel.open()
    local board = boards:board("b", fields)
    for i, player in ipairs { "a", "b", "c" } do board:submit(player, 10 - i, "data") end
    eq(names(board:top(3)), "a=nil b=nil c=nil")
    boards:save_player { id = "a", name = "Ada" }
    boards:save_player { id = "b", name = ("B"):rep(255) }
    boards:save_player { id = "c", email = "c@x" }
    local all = "a=Ada b=" .. ("B"):rep(255) .. " c=nil"
    for _ = 1, 2 do
      eq(names(board:top(3)), all)
      eq(names(board:page(1, 3)), all)
      eq(names(board:between(nil, nil)), all)
      eq(names(board:around("b", 1)), all)
      eq(names(board:among { "c", "a", "b" }), all)
      eq(names(board:bottom(2)), "c=nil b=" .. ("B"):rep(255))
      eq({ board:get("a").name, board:get("c").name }, { "Ada", nil })
      local each = {}
      for entry in board:each() do each[#each + 1] = entry end
      eq(names(each), all)
    end
    boards:save_player { id = "a", name = "Anna" }
    eq(board:top(1)[1].name, "Anna")
    boards:save_player { id = "c", name = "Cleo" }
    eq(board:get("c").name, "Cleo")
    boards:rename_player("c", "d")
    eq({ board:get("d").name, board:get("c") }, { "Cleo", nil })
    eq(names(board:around("d", 0)), "d=Cleo")
    boards:forget("a")
    board:submit("a", 5)
    eq(board:get("a").name, nil)
  end)
end

it("entries of past seasons carry the name of today", function()
  local boards = laurel.open()
  local board = boards:board("b", {})
  board:submit("a", 5)
  board:reset()
  boards:save_player { id = "a", name = "Ada" }
  eq({ board:archived(1):top(1)[1].name, board:archived(1):get("a").name }, { "Ada", "Ada" })
end)

it("names are right however many players are renamed between two reads", function()
  local boards = laurel.open()
  local board = boards:board("b", {})
  for i = 1, 2000 do
    board:submit("p" .. i, i)
    boards:save_player { id = "p" .. i, name = "first " .. i }
  end
  for round, step in ipairs { 1, 3, 70, 500 } do
    for i = 1, 2000, step do boards:save_player { id = "p" .. i, name = ("%d %d"):format(round, i) } end
    for _, entry in ipairs(board:top(2000)) do
      eq({ entry.player, entry.name }, { entry.player, boards:player(entry.player).name })
    end
  end
end)

it("names are read after a restart, and after an import", function()
  local folder, file = os.tmpname(), os.tmpname()
  os.remove(folder)
  local boards = laurel.open { path = folder }
  boards:board("b", {}):submit("a", 5)
  boards:save_player { id = "a", name = "Ada" }
  boards:export(file)
  boards:close()
  boards = laurel.open { path = folder }
  eq(boards:board("b"):top(1)[1].name, "Ada")
  boards:close()
  local copy = laurel.open()
  copy:import(file)
  eq(copy:board("b"):top(1)[1].name, "Ada")
  os.execute("rm -rf '" .. folder .. "' '" .. file .. "'")
end)

it("a watch's entries carry names, and a new name of a player in the top is a change", function()
  local boards = laurel.open()
  local board = boards:board("b", {})
  boards:save_player { id = "a", name = "Ada" }
  board:submit("a", 5)
  local heard = {}
  board:watch(2, function(change) heard[#heard + 1] = change end)
  board:submit("b", 4)
  board:submit("a", 6)
  boards:tick()
  eq({ names(heard[1].top), names(heard[1].entered), names(heard[1].moved) },
    { "a=Ada b=nil", "b=nil", "a=Ada" })
  boards:save_player { id = "b", name = "Bob" }
  boards:save_player { id = "z", name = "Zoe" }
  boards:tick()
  eq({ #heard, names(heard[2].top), #heard[2].entered, #heard[2].left, #heard[2].moved },
    { 2, "a=Ada b=Bob", 0, 0, 0 })
  boards:save_player { id = "z", name = "Zora" }
  boards:tick()
  eq(#heard, 2)
  board:submit("c", 7)
  boards:tick()
  eq(names(heard[3].left), "b=Bob")
end)

it("with other boards, entries carry the scores that the player holds there", function()
  local boards = laurel.open()
  local board = boards:board("points", {})
  local kills, deaths = boards:board("kills", {}), boards:board("deaths", { engine = "paged" })
  for i, player in ipairs { "a", "b", "c" } do board:submit(player, 10 - i) end
  kills:submit("a", 12)
  kills:submit("b", 7)
  deaths:submit("a", 3)
  local options = { with = { "kills", "deaths" } }
  local function shown(entries)
    local list = {}
    for i, entry in ipairs(entries) do
      list[i] = ("%s %s/%s"):format(entry.player, tostring(entry.with.kills), tostring(entry.with.deaths))
    end
    return table.concat(list, ", ")
  end
  local all = "a 12/3, b 7/nil, c nil/nil"
  eq(shown(board:top(3, options)), all)
  eq(shown(board:page(1, 3, options)), all)
  eq(shown(board:around("b", 1, options)), all)
  eq(shown(board:among({ "b", "c", "a" }, options)), all)
  eq(shown(board:bottom(1, options)), "c nil/nil")
  eq(board:get("a", options).with, { kills = 12, deaths = 3 })
  eq(board:get("nobody", options), nil)
  eq(board:get("a", { with = {} }).with, {})
  eq({ board:get("a", {}).with, board:get("a").with, board:top(1)[1].with }, {})
  eq(board:get("a", { with = { "points", "points" } }).with, { points = 9 })
  board:reset()
  eq(shown(board:archived(1):top(3, options)), all)
  kills:ban("a")
  eq(board:archived(1):get("a", options).with, { deaths = 3 })
end)

it("with goes along with the other options of a read, and with names", function()
  local now = 1000
  local boards = laurel.open { clock = function() return now end }
  boards:save_player { id = "a", name = "Ada" }
  local week = boards:board("week", { engine = "rolling", days = 2 })
  local sharded = boards:board("sharded", { engine = "sharded", shards = 2 })
  week:add("a", 5)
  sharded:submit("a", 7)
  local list, certain = sharded:top(1, { confidence = 0.9, with = { "week" } })
  eq({ list[1].with.week, list[1].name, certain }, { 5, "Ada", true })
  eq(week:top(1, { at = now + 86400, with = { "sharded" } })[1].with.sharded, 7)
  eq(#week:page(1, 5, { at = now + 3 * 86400, with = { "sharded" } }), 0)
  refuses("unsupported", sharded:page(1, 5, { at = now, with = { "week" } }))
  now = now + 3 * 86400
  eq(sharded:get("a", { with = { "week" } }).with, {})
end)

it("wrong boards raise, and the next read continues", function()
  local boards = laurel.open()
  local board = boards:board("b", {})
  board:submit("a", 5)
  local many = {}
  for i = 1, 17 do many[i] = "b" end
  local wrong = {
    { "x", "bad argument #2 to 'top' (table expected, got string)" },
    { { with = "b" }, "bad argument #2 to 'top' (field 'with': table expected, got string)" },
    { { with = { "b", 5 } }, "bad argument #2 to 'top' (field 'with': item 2: string expected, got number)" },
    { { with = { "x" } }, "bad argument #2 to 'top' (field 'with': no local board is called \"x\")" },
    { { with = { b = true } }, "bad argument #2 to 'top' (field 'with': array expected, got another table)" },
    { { with = many }, "bad argument #2 to 'top' (field 'with' has 17 boards; it takes 16)" },
    { { wiht = {} }, "bad argument #2 to 'top' (no field is called 'wiht'; did you mean 'with'?)" },
  }
  for _, case in ipairs(wrong) do
    raises(case[2], board.top, board, 1, case[1])
    eq(board:top(1, { with = { "b" } })[1].with.b, 5)
  end
  raises("bad argument #3 to 'page' (field 'with': no local board is called \"x\")", board.page, board, 1, 1,
    { with = { "x" } })
  raises("bad argument #3 to 'around' (field 'with': item 1: string expected, got boolean)", board.around,
    board, "a", 1, { with = { true } })
  raises("bad argument #2 to 'among' (field 'with': no local board is called \"x\")", board.among, board,
    { "a" }, { with = { "x" } })
  raises("bad argument #2 to 'get' (field 'with': no local board is called \"x\")", board.get, board, "a",
    { with = { "x" } })
  many[17] = nil
  eq(board:get("a", { with = many }).with, { b = 5 })
end)
