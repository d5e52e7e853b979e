-- Capped boards keep the first entries in the board's order, and no memory of the rest.
local laurel = require "laurel"
local spec = require "spec"
local it, eq, refuses, players = spec.it, spec.eq, spec.refuses, spec.players

local inf = math.huge

local function new(fields) return laurel.open():board("board", fields) end

it("a capped board shows only the first cap entries in its order", function()
  local board = new { engine = "capped", cap = 3, reserve = 2 }
  for i, each in ipairs { { "anna", 50 }, { "bob", 40 }, { "cleo", 30 } } do
    eq({ i, board:submit(each[1], each[2]) }, { i, each[2], true })
  end
  eq(select("#", board:submit("dan", 20)), 2)
  eq({ board:submit("dan", 20) }, { nil, false })
  eq({ board:get("dan"), board:score("dan"), board:rank("dan"), board:size() }, { nil, nil, nil, 3 })
  eq({ board:submit("eve", 45) }, { 45, true })
  eq(players(board:top(9)), "anna eve bob")
  eq({ board:submit("bob", 41) }, { 41, true })
  eq(board:info().size, 3)
end)

it("a score must beat the lowest to enter a full board", function()
  local board = new { engine = "capped", cap = 10 }
  eq(board:lowest(), nil)
  for score = 90, 99 do board:submit("p" .. score, score) end
  eq(board:lowest(), 90)
  eq({ board:submit("late", 90) }, { nil, false })
  eq(board:lowest(), 90)
  eq({ board:submit("better", 91) }, { 91, true })
  eq(board:lowest(), 91)
  eq(board:get("p90"), nil)
end)

it("a removed or banned entry is replaced at once from the reserve, while the reserve lasts", function()
  local board = new { engine = "capped", cap = 2, reserve = 1 }
  for i = 1, 5 do board:submit("p" .. i, i) end
  eq(players(board:top(9)), "p5 p4")
  board:ban("p5")
  eq(players(board:top(9)), "p4 p3")
  board:remove("p4")
  eq(players(board:top(9)), "p3")
  eq(board:lowest(), nil)
  board:unban("p5")
  eq(players(board:top(9)), "p5 p3")
end)

it("reserve defaults to cap, and both can change", function()
  local boards = laurel.open()
  local board = boards:board("board", { engine = "capped", cap = 3 })
  eq(board:info().reserve, 3)
  for i = 1, 9 do board:submit("p" .. i, i) end
  boards:board("board", { cap = 5 })
  eq(players(board:top(9)), "p9 p8 p7 p6 p5")
  boards:board("board", { cap = 1, reserve = 0 })
  eq(players(board:top(9)), "p9")
  boards:board("board", { cap = 5 })
  eq(players(board:top(9)), "p9")
end)

it("sums are unsupported on a capped board", function()
  local boards = laurel.open()
  refuses("unsupported", boards:board("sums", { engine = "capped", keep = "sum" }))
  eq(boards:names(), {})
  refuses("unsupported", boards:board("board", { engine = "capped" }):add("anna", 5))
end)

it("the report of a player outside the cap has neither score nor rank", function()
  local board = new { engine = "capped", cap = 1 }
  board:submit("anna", 5)
  local change = board:submit_report("bob", 4)
  eq({ change.player, change.score, change.rank, change.previous, change.passed },
    { "bob", nil, nil, nil, 0 })
  change = board:submit_report("bob", 6)
  eq({ change.score, change.rank, change.previous, change.previous_rank, change.passed },
    { 6, 1, nil, nil, 1 })
end)

it("one result to several boards returns false for a board that does not show it", function()
  local boards = laurel.open()
  boards:board("all", {})
  boards:board("few", { engine = "capped", cap = 1 }):submit("anna", 9)
  eq(boards:submit({ "few", "all" }, "bob", 5), { false, 5 })
  eq(boards:submit({ "all", "few" }, "bob", 10), { 10, 10 })
end)

it("a batch counts as changed only entries that are shown or in reserve", function()
  local board = new { engine = "capped", cap = 1, reserve = 0 }
  local changed, refused = board:submit_all { { "anna", 5 }, { "bob", 4 }, { "cleo", inf } }
  eq({ changed, #refused, refused[1].index }, { 1, 1, 3 })
end)

local function merged(base, ...)
  local board = new { engine = "capped", cap = 10 }
  for _, list in ipairs { base, ... } do board:merge(list) end
  return board
end

it("merge with another server's copy keeps the better score", function()
  local base = {}
  for name in ("vader yoda boba luke leia palpatine obi-wan jabba greedo chewbacca"):gmatch("%S+") do
    base[#base + 1] = { player = name, score = 99 - #base, at = #base }
  end
  local han = { { player = "han", score = 100, at = 20 } }
  local lando = { { player = "lando", score = 95, at = 21 } }
  local board = merged(base, han, lando)
  eq(players(board:top(20)), "han vader yoda boba luke leia lando palpatine obi-wan jabba")
  eq(board:lowest(), 92)
  eq(merged(lando, base, han):top(20), board:top(20))
  eq(board:merge(board:top(20)), 0)
end)

it("merge of two equal scores keeps the at that ties prefers, then the greater data", function()
  local function one(at, data) return { { player = "anna", score = 5, at = at, data = data } } end
  for _, order in ipairs { { 1, 2 }, { 2, 1 } } do
    local lists = { one(7, "b"), one(8, "a") }
    eq(merged(lists[order[1]], lists[order[2]]):get("anna").at, 7)
    lists = { one(7, "b"), one(7, "a") }
    eq(merged(lists[order[1]], lists[order[2]]):get("anna").data, "b")
    lists = { one(7), one(7, "") }
    eq(merged(lists[order[1]], lists[order[2]]):get("anna").data, "")
  end
  local latest = new { engine = "capped", ties = "latest" }
  latest:merge(one(7))
  eq(latest:merge(one(8)), 1)
  eq(latest:get("anna").at, 8)
end)

it("merge accepts the result of top, skips banned players, and returns how many changed", function()
  local here, there = new { engine = "capped" }, new { engine = "capped" }
  there:submit("anna", 5, "d")
  there:submit("bob", 4)
  here:ban("bob")
  eq(here:merge(there:top(10)), 1)
  eq(here:get("anna"), there:get("anna"))
  eq(here:get("bob"), nil)
  eq(here:merge {}, 0)
end)

it("merge needs keep = best, and changes nothing if a value is invalid", function()
  refuses("unsupported", new({ engine = "capped", keep = "latest" }):merge {})
  local board = new { engine = "capped" }
  local good = { player = "anna", score = 1, at = 1 }
  refuses("bad_player", board:merge { good, { player = "", score = 1, at = 1 } })
  refuses("not_finite", board:merge { good, { player = "x", score = inf, at = 1 } })
  refuses("not_finite", board:merge { good, { player = "x", score = 1, at = 0 / 0 } })
  refuses("out_of_range", board:merge { good, { player = "x", score = 1, at = 2 ^ 34 } })
  refuses("bad_data", board:merge { good, { player = "x", score = 1, at = 1, data = ("x"):rep(1025) } })
  eq(board:size(), 0)
end)
