-- Marks: ranks since a moment that a board remembers.
local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises, refuses = spec.it, spec.eq, spec.raises, spec.refuses

local day = 86400

local function new(fields, options)
  local world = { now = 1000 * day }
  options = options or {}
  options.clock = function() return world.now end
  world.boards = laurel.open(options)
  return world.boards:board("b", fields or {}), world
end

local function play(board, results)
  for _, result in ipairs(results) do assert(board:submit(result[1], result[2])) end
end

-- "ada+1 bob-1 eve": the players and how far they climbed
local function climbed(entries)
  local texts = {}
  for i, entry in ipairs(entries) do
    texts[i] = entry.player .. (entry.rank_change and ("%+g"):format(entry.rank_change) or "")
  end
  return table.concat(texts, " ")
end

local engines = {
  { engine = "ranked" }, { engine = "capped", cap = 100 }, { engine = "sharded", shards = 3 },
}

it("entries of every read and watch say how far a player climbed since the mark", function()
  for _, fields in ipairs(engines) do
    fields.keep = "latest"
    local board, world = new(fields)
    play(board, { { "ada", 10 }, { "bob", 20 }, { "cy", 30 } })
    eq(climbed(board:top(10)), "cy bob ada")
    eq(board:mark(), world.now)
    eq(climbed(board:top(10)), "cy+0 bob+0 ada+0")
    local told
    board:watch(10, function(change) told = change end)
    play(board, { { "ada", 40 }, { "eve", 25 } })
    local all = "ada+2 cy-1 eve bob-2"
    eq(climbed(board:top(10)), all)
    eq(climbed(board:page(1, 10)), all)
    eq(climbed(board:between(nil, nil)), all)
    eq(climbed(board:top_percent(100)), all)
    eq(climbed(board:around("eve", 10)), all)
    eq(climbed(board:bottom(10)), "bob-2 eve cy-1 ada+2")
    eq(climbed((board:around_score(27, 2))), all)
    eq(climbed(board:among { "bob", "cy" }), "cy-1 bob-2")
    eq(climbed { board:get("ada") }, "ada+2")
    local entries = {}
    for entry in board:each() do entries[#entries + 1] = entry end
    eq(climbed(entries), all)
    world.boards:tick()
    eq(climbed(told.top), all)
    eq(climbed(told.entered), "eve")
  end
end)

it("a mark alone changes entries, and watches hear of it", function()
  local board, world = new()
  play(board, { { "ada", 10 } })
  local told
  board:watch(10, function(change) told = change end)
  board:mark()
  world.boards:tick()
  eq(climbed(told.top), "ada+0")
end)

it("since tells ranks and scores of now and of the mark", function()
  local board, world = new()
  play(board, { { "ada", 10 }, { "bob", 20 } })
  eq(board:since("ada"), { rank = 2, score = 10 })
  local at = board:mark()
  world.now = world.now + 60
  play(board, { { "ada", 30 }, { "eve", 5 } })
  eq(board:since("ada"), { rank = 1, previous_rank = 2, score = 30, previous = 10, mark = at })
  eq(board:since("eve"), { rank = 3, score = 5, mark = at })
  eq(board:since("nobody"), nil)
  board:remove("ada")
  eq(board:since("ada"), nil)
end)

it("what happens after a mark does not change its order, except that a player is forgotten", function()
  local board, world = new()
  play(board, { { "ada", 30 }, { "bob", 20 }, { "cy", 10 } })
  board:mark()
  board:remove("ada")
  eq(climbed(board:top(3)), "bob+1 cy+1")
  board:ban("bob")
  eq(climbed(board:top(3)), "cy+2")
  board:unban("bob")
  eq(climbed(board:top(3)), "bob+1 cy+1")
  board:set("cy", 50)
  eq(climbed(board:top(3)), "cy+2 bob+0")
  world.boards:forget("ada")
  eq(climbed(board:top(3)), "cy+1 bob-1")
  board:clear()
  play(board, { { "bob", 1 } })
  eq(board:since("bob"), { rank = 1, previous_rank = 1, score = 1, previous = 20, mark = world.now })
end)

it("with marks, a mark is set by the clock, and a season begins with one of an empty board", function()
  local board, world = new { marks = "0 12 * * *", zone = "UTC", reset = "0 0 * * 1" }
  eq(board:info().marks, "0 12 * * *")
  local function hours(n) world.now = world.now + n * 3600 end
  play(board, { { "ada", 10 }, { "bob", 20 } })
  eq(board:since("ada"), { rank = 2, score = 10, mark = 1000 * day })
  hours(13)
  play(board, { { "ada", 30 } })
  eq(board:since("ada"),
    { rank = 1, previous_rank = 2, score = 30, previous = 10, mark = 1000 * day + day / 2 })
  hours(24)
  eq(board:since("ada"),
    { rank = 1, previous_rank = 1, score = 30, previous = 30, mark = 1001 * day + day / 2 })
  local ended = board:season()
  hours(6 * 24)
  eq(board:season(), ended + 1)
  play(board, { { "ada", 1 } })
  eq(board:since("ada").previous_rank, nil)
  eq(climbed(board:top(1)), "ada")
  eq(climbed(board:archived(ended):top(2)), "ada bob")
  refuses("unsupported", board:archived(ended):since("ada"))
  refuses("closed", board:archived(ended):mark())
end)

it("a watch hears of a mark by the clock", function()
  local board, world = new { marks = "0 12 * * *" }
  play(board, { { "ada", 10 } })
  local told
  board:watch(1, function(change) told = change end)
  world.now = world.now + day
  world.boards:tick()
  eq(climbed(told.top), "ada+0")
end)

it("other engines and remote boards have no marks", function()
  for _, fields in ipairs { { engine = "padded" }, { engine = "paged" }, { engine = "rolling" },
    { engine = "sharded", of = "padded" }, { engine = "sharded", of = "paged" } } do
    local board, world = new(fields)
    refuses("unsupported", board:mark())
    refuses("unsupported", board:since("ada"))
    local with = { marks = "0 0 * * *" }
    for name, value in pairs(fields) do with[name] = value end
    raises("field 'marks' ", world.boards.board, world.boards, "other", with)
  end
  local boards = laurel.open()
  raises("field 'marks'", boards.board, boards, "b", { marks = "noon" })
  raises("field 'marks'", boards.board, boards, "b", { marks = 12 })
end)

it("arguments of a wrong type raise", function()
  local board = new()
  raises("bad argument #1 to 'since' (string expected, got nil)", board.since, board)
  raises("bad argument #1 to 'since' (string expected, got number)", board.since, board, 7)
end)

it("scores with columns are tables at a mark, too", function()
  local board = new { columns = { { name = "laps" }, { name = "seconds", order = "asc" } } }
  assert(board:submit("ada", { 3, 70 }))
  board:mark()
  assert(board:submit("ada", { 4, 60 }))
  local since = board:since("ada")
  eq({ since.score, since.previous }, { { 4, 60 }, { 3, 70 } })
end)

it("marks live through restarts and exports", function()
  spec.in_folder(function(folder)
    local board, world = new({ ranking = "dense" }, { path = folder })
    play(board, { { "ada", 10 }, { "bob", 20 }, { "cy", 20 } })
    board:mark()
    play(board, { { "ada", 30 }, { "dan", 25 } })
    local all = climbed(board:top(10))
    eq(all, "ada+1 dan bob-2 cy-2")
    assert(world.boards:export(folder .. "/export"))
    assert(world.boards:close())
    local again = laurel.open { path = folder, clock = function() return world.now end }
    eq(climbed(again:board("b"):top(10)), all)
    assert(again:close())
    local other = laurel.open()
    assert(other:import(folder .. "/export"))
    eq(climbed(other:board("b"):top(10)), all)
  end)
end)

it("a remote board with marks is refused when it is made", function()
  local boards = laurel.open { remotes = { main = "redis://127.0.0.1:1" } }
  refuses("unsupported", boards:board("world", { marks = "0 0 * * *", remote = "main" }))
  local world = boards:board("world", { remote = "main" })
  refuses("unsupported", world:mark())
  refuses("unsupported", world:since("ada"))
end)
