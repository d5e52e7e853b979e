-- The board of a past season: every read works, every write is refused.
local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises, refuses, players = spec.it, spec.eq, spec.raises, spec.refuses, spec.players

local day = 86400
local monday = 19723 * day -- 2024-01-01, a Monday, 00:00 UTC

-- A registry with a clock that the case sets; `now` is 10:00 on that Monday.
local function new()
  local world = { now = monday + 10 * 3600 }
  world.boards = laurel.open { clock = function() return world.now end }
  return world, world.boards
end

it("all reads work on a past season", function()
  local world, boards = new()
  local board = boards:board("daily", { reset = "0 0 * * *" })
  for i, each in ipairs { { "anna", 90 }, { "bob", 70 }, { "cleo", 70 }, { "dan", 50 } } do
    board:submit(each[1], each[2], "d" .. i, i)
  end
  world.now = monday + day
  board:submit("eve", 1000)
  local past = board:archived(1)
  eq(past:size(), 4)
  eq(past:get("cleo"), { player = "cleo", score = 70, rank = 2, at = 3, data = "d3" })
  eq(past:get("eve"), nil)
  eq(past:score("dan"), 50)
  eq({ past:rank("cleo") }, { 2, 4 })
  eq({ past:rank("cleo", "modified") }, { 3, 4 })
  eq(past:rank_of(80), 2)
  eq(players(past:top(2)), "anna bob")
  eq(players(past:bottom(2)), "dan cleo")
  eq(players(past:page(2, 2)), "bob cleo")
  eq(players(past:around("bob", 1)), "anna bob cleo")
  eq(past:around("bob", 0), { past:get("bob") })
  eq(past:around("eve", 0), {})
  eq(players(past:between(60, 80)), "bob cleo")
  eq(past:count(60, 80), 2)
  eq(past:percentile("anna"), 75)
  eq(past:among({ "dan", "eve" })[1].overall, 4)
  local walked = {}
  for entry in past:each(3) do walked[#walked + 1] = entry.player end
  eq(walked, { "cleo", "dan" })
  eq(past:season(), 1)
  eq(past:seasons(), { 2, 1 })
  eq(past:archived(1) == past, true)
  local info = past:info()
  eq({ info.name, info.season, info.size, info.ended, info.reset },
    { "daily", 1, 4, monday + day, "0 0 * * *" })
end)

it("writes on a past season return closed and change nothing", function()
  local world, boards = new()
  local board = boards:board("daily", { reset = "0 0 * * *" })
  board:submit("anna", 1)
  world.now = monday + day
  board:submit("bob", 2)
  local past = board:archived(1)
  local writes = {
    submit = { "x", 1 }, submit_all = { { { "x", 1 } } }, submit_report = { "x", 1 }, add = { "x", 1 },
    set = { "x", 1 }, remove = { "anna" }, clear = {}, join = { "x" }, leave = { "anna" },
    ban = { "anna" }, unban = { "anna" }, merge = { {} }, reset = {},
    watch = { 1, function() end },
  }
  for name, arguments in pairs(writes) do
    refuses("closed", past[name](past, unpack(arguments)))
    eq(select(2, past[name](past, unpack(arguments))), 'closed: season 1 of board "daily" has ended')
  end
  eq(players(past:top(9)), "anna")
  eq(players(board:top(9)), "bob")
  eq(board:banned(), {})
end)

it("a handle of a past season raises dropped once the season is trimmed or its board is dropped", function()
  local _, boards = new()
  local board = boards:board("season", {})
  board:submit("anna", 1)
  board:reset()
  local past = board:archived(1)
  eq(past:size(), 1)
  board:reset()
  for _, method in pairs(debug.getmetatable(past).__index) do
    raises('dropped: season 1 of board "season" is no longer kept', method, past)
  end
  local kept = board:archived(2)
  boards:drop("season")
  raises('dropped: board "season" was dropped', kept.size, kept)
  boards:close()
  raises("closed", kept.size, kept)
end)

it("an iterator over a past season ends when the season is trimmed", function()
  local _, boards = new()
  local board = boards:board("season", {})
  for i = 1, 3 do board:submit("p" .. i, i) end
  board:reset()
  local step = board:archived(1):each()
  eq(step().player, "p3")
  board:reset()
  eq(step(), nil)
end)

it("tostring and == of a handle include its season", function()
  local _, boards = new()
  local board = boards:board("season", { archive = 2 })
  board:reset()
  board:reset()
  local one, two = board:archived(1), board:archived(2)
  eq(tostring(one), "board: season (season 1)")
  eq(tostring(board), "board: season")
  eq({ one == board, one == two, one == board:archived(1) }, { false, false, true })
  eq(boards:board("season") == board, true)
  board:reset()
  eq(tostring(one), "board: season (season 1, dropped)")
  eq(tostring(two), "board: season (season 2)")
end)

it("a past season cannot be published, and its board still can", function()
  local boards = laurel.open()
  local live = assert(boards:serve { port = 0 })
  local board = boards:board("season", {})
  board:reset()
  refuses("closed", live:publish(board:archived(1)))
  eq(live:publish(board), true)
  eq(live:unpublish(board:archived(1)), false)
  eq(live:unpublish(board), true)
  boards:close()
end)

it("a board keeps its past seasons in every engine", function()
  for _, engine in ipairs { "capped", "ranked", "padded", "paged", "sharded" } do
    local world, boards = new()
    local board = boards:board("daily", { engine = engine, reset = "0 0 * * *" })
    board:submit("anna", 3)
    board:submit("bob", 2)
    world.now = monday + day
    board:submit("cleo", 1)
    boards:tick()
    local past = board:archived(1)
    eq({ engine, players(past:top(9)), players(board:top(9)) }, { engine, "anna bob", "cleo" })
    eq({ past:rank("bob") }, { 2, 2 })
  end
end)

it("engine-specific reads work on past seasons", function()
  local _, boards = new()
  local function past(fields)
    local board = boards:board(fields.engine, fields)
    for i = 1, 3 do board:submit("p" .. i, i) end
    board:reset()
    return board:archived(1), board
  end
  local capped, running = past { engine = "capped", cap = 2 }
  eq({ capped:lowest(), running:lowest() }, { 2, nil })
  eq(past({ engine = "padded", digits = 3, ties = "player_desc" }):key("p2"), "SCORE#002#p2")
  eq(past({ engine = "paged" }):layout().lowest, 1)
  local sharded = past { engine = "sharded", shards = 2 }
  eq({ #sharded:top(3, { confidence = 1 }), sharded:fetch_size(3, 1) }, { 3, 3 })
end)
