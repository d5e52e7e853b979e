-- Boards that are made from other boards.
local board_fixture = require "board_fixture"
local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises, refuses = spec.it, spec.eq, spec.raises, spec.refuses
local players, until_ = spec.players, spec.until_

local function new(path)
  local world = { now = 1000 }
  world.boards = laurel.open { path = path, clock = function() return world.now end }
  return world.boards, world
end

local function duel()
  local boards, world = new()
  local kills = boards:board("kills", { keep = "latest", decimals = 0 })
  local deaths = boards:board("deaths", { keep = "latest", decimals = 0 })
  return boards, kills, deaths, world
end

local kd = {
  engine = "combined", sources = { "kills", "deaths" }, take = "ratio", decimals = 2, least = 10,
}

it("a ratio lists players on both sources with a second score of at least `least`", function()
  local boards, kills, deaths = duel()
  local board = boards:board("kd", kd)
  kills:submit("ada", 25, nil, 5)
  deaths:submit("ada", 10, nil, 7)
  kills:submit("bob", 90)
  deaths:submit("bob", 9)
  kills:submit("eve", 40)
  eq(players(board:top(10)), "ada")
  local entry = board:get("ada")
  eq({ entry.score, entry.rank, entry.at, entry.data }, { 2.5, 1, 7 })
  deaths:submit("bob", 30)
  eq(players(board:top(10)), "bob ada")
  eq({ board:rank("ada") }, { 2, 2 })
  eq(board:size(), 2)
end)

it("info shows what it is made from, with defaults filled in", function()
  local boards = duel()
  local info = boards:board("kd", kd):info()
  eq({ info.engine, info.sources, info.take, info.decimals, info.least, info.order, info.weights },
    { "combined", { "kills", "deaths" }, "ratio", 2, 10, "desc" })
  eq({ info.keep, info.reset, info.archive, info.season }, { nil, nil, nil, 1 })
  local sum = boards:board("sum", { engine = "combined", sources = { "kills", "deaths" } }):info()
  eq({ sum.take, sum.weights, sum.decimals, sum.least }, { "sum", { 1, 1 }, 0 })
  local all = boards:board("all", { engine = "combined", sources = "death*", take = "count" })
  eq(all:info().sources, "death*")
  boards:board("sum", { engine = "combined", sources = { "kills", "deaths" }, weights = { 1, 1 } })
  raises("field 'weights' is \"1,2\" and was \"1,1\"", function()
    boards:board("sum", { weights = { 1, 2 } })
  end)
end)

it("names of sources may have any bytes", function()
  local boards = new()
  local names = { "a,b", "c*", "d\\e", "f g" }
  for _, name in ipairs(names) do boards:board(name, { decimals = 0 }):submit("ada", 2) end
  local board =
    boards:board("sum", { engine = "combined", sources = names, weights = { 1, 2, 3, 4 } })
  eq(board:info().sources, names)
  eq(board:score("ada"), 20)
end)

it("sums of decimals are exact", function()
  local boards = new()
  local names, weights = {}, {}
  for i = 1, 10 do
    names[i], weights[i] = "b" .. i, 0.1
    boards:board(names[i], { decimals = 1 }):submit("ada", 1)
  end
  eq(boards:board("sum", { engine = "combined", sources = names, weights = weights }):score("ada"), 1)
  local half = boards:board("half", { engine = "combined", sources = { "b1" }, weights = { -0.05 } })
  eq(half:score("ada"), -0.1)
end)

it("count and firsts take capped boards, and follow which players are shown", function()
  local boards = new()
  local cup = boards:board("cup_1", { engine = "capped", cap = 1, reserve = 1, keep = "latest" })
  boards:board("cup_2", {}):submit("bob", 1)
  local count = boards:board("count", { engine = "combined", sources = "cup_*", take = "count" })
  local firsts = boards:board("firsts", { engine = "combined", sources = "cup_*", take = "firsts" })
  cup:submit("ada", 5)
  eq({ count:score("ada"), count:score("bob"), firsts:score("ada") }, { 1, 1, 1 })
  cup:submit("bob", 9)
  eq({ count:score("ada") or "none", count:score("bob"), firsts:score("bob") }, { "none", 2, 2 })
  cup:ban("bob")
  eq({ count:score("ada"), count:score("bob"), firsts:score("ada"), firsts:score("bob") }, { 1, 1, 1, 1 })
  boards:board("cup_3", {}):submit("ada", 0)
  eq({ count:score("ada"), firsts:score("ada") }, { 2, 2 })
end)

it("writes are refused as unsupported", function()
  local boards, kills = duel()
  kills:submit("ada", 1)
  local board = boards:board("sum", { engine = "combined", sources = { "kills" } })
  board_fixture.takes_no_writes(board, "ada")
  refuses("unsupported", board:reset())
  eq(select(2, board:submit_all { { "ada", 5 } })[1].index, 1)
  eq(select(3, boards:submit({ "kills", "sum" }, "ada", 5)), "sum")
  eq(kills:score("ada"), 1)
end)

it("what cannot be raises when it is made, and drop of a source raises", function()
  local boards = duel()
  boards:board("sum", { engine = "combined", sources = { "kills" } })
  local function refused(text, fields)
    raises(text, function() boards:board("x", fields) end)
  end
  refused("bad argument #2 to 'board' (field 'sources': no local board is called \"none\")",
    { engine = "combined", sources = { "none" } })
  refused("such boards are not chained", { engine = "combined", sources = { "sum" } })
  refused("field 'sources': 2: string expected, got number",
    { engine = "combined", sources = { "kills", 5 } })
  refused("field 'weights': 1: number expected, got string",
    { engine = "combined", sources = { "kills" }, weights = { "3" } })
  refused("field 'sources': \"kills\" is given twice",
    { engine = "combined", sources = { "kills", "kills" } })
  refused("field 'keep' has no meaning with engine \"combined\"",
    { engine = "combined", sources = { "kills" }, keep = "best" })
  refused("field 'sources' belongs to engine \"combined\"", { sources = { "kills" } })
  raises("bad argument #1 to 'drop' (combined board \"sum\" is made from board \"kills\"", function()
    boards:drop("kills")
  end)
  eq(boards:drop("sum"), true)
  eq(boards:drop("kills"), true)
end)

it("a watch hears of what sources change, by writes, resets and the clock", function()
  local boards, kills, _, world = duel()
  local weekly = boards:board("weekly", { decimals = 0, reset = "0 * * * *" })
  local board = boards:board("sum", { engine = "combined", sources = { "kills", "weekly" } })
  local tops = {}
  board:watch(10, function(change) tops[#tops + 1] = players(change.top) end)
  kills:submit("ada", 5)
  boards:tick()
  weekly:submit("bob", 9)
  boards:tick()
  world.now = world.now + 3600
  boards:tick()
  eq(tops, { "ada", "bob ada", "ada" })
end)

it("a client follows a combined board, by writes, resets and the clock, and a player on it", function()
  local boards, kills, deaths, world = duel()
  local weekly = boards:board("weekly", { decimals = 0, reset = "0 * * * *" })
  local board = boards:board("sum", { engine = "combined", sources = { "kills", "deaths", "weekly" } })
  local live = assert(boards:serve { port = 0, rate = 200, auth = "token" })
  eq(live:publish(board, { top = 10 }), true)
  local client = assert(laurel.connect { port = live:port(), token = live:token("ada", 60) })
  local top, near
  client:subscribe("sum", 10, function(list) top = list end)
  client:follow("sum", 1, function(list) near = list end)
  local function shows(expected, around)
    until_(function()
      return top and near and players(top) == expected and players(near) == around
    end, client, boards)
  end
  kills:submit("ada", 5)
  shows("ada", "ada")
  weekly:submit("bob", 9)
  deaths:submit("eve", 7)
  shows("bob eve ada", "bob eve ada")
  world.now = world.now + 3600
  shows("eve ada", "eve ada")
  deaths:reset()
  shows("ada", "ada")
  kills:ban("ada")
  shows("", "")
  client:close()
  boards:close()
end)
