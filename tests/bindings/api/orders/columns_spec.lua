-- Boards whose scores have several columns.
local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises, refuses, contains, players =
  spec.it, spec.eq, spec.raises, spec.refuses, spec.contains, spec.players

local inf, nan = math.huge, 0 / 0
local race = { { name = "laps" }, { name = "seconds", order = "asc", decimals = 3, max = 100000 } }

local function with(fields, columns)
  local all = { columns = columns or race }
  for name, value in pairs(fields or {}) do all[name] = value end
  return all
end

local function new(fields, columns)
  local world = { now = 1000 }
  world.boards = laurel.open { clock = function() return world.now end }
  return world.boards:board("race", with(fields, columns)), world
end

local engines = {
  { engine = "ranked" }, { engine = "capped" }, { engine = "padded" }, { engine = "paged" },
  { engine = "sharded", shards = 3 }, { engine = "sharded", shards = 3, of = "padded" },
  { engine = "sharded", shards = 3, of = "paged" },
}

-- ---- the spec

it("info shows the columns with their defaults filled in, and the order of the first", function()
  local info = new():info()
  eq(info.columns, {
    { name = "laps", order = "desc", decimals = 0, min = 0, max = 999999999 },
    { name = "seconds", order = "asc", decimals = 3, min = 0, max = 100000 },
  })
  eq({ info.order, info.decimals, info.digits }, { "desc" })
  eq(new(nil, { { name = "a", order = "asc" }, { name = "b" } }):info().order, "asc")
end)

it("columns are compared with their defaults, and cannot change", function()
  local board, world = new()
  local again = { { name = "laps", order = "desc", decimals = 0, min = 0, max = 999999999 }, race[2] }
  eq(world.boards:board("race", { columns = again }):info().columns, board:info().columns)
  local other = { { name = "laps", max = 100 }, race[2] }
  raises("field 'columns' is \"laps desc 0 0 100, seconds asc 3 0 100000\" and was \"laps desc 0 0 999999999",
    world.boards.board, world.boards, "race", { columns = other })
  raises("field 'columns' is none", world.boards.board, world.boards, "race", { columns = false })
  world.boards:board("plain", {})
  raises("and was none", world.boards.board, world.boards, "plain", { columns = race })
end)

it("columns that can never work are refused with what is allowed", function()
  local function wrong(text, columns, fields)
    local boards = laurel.open()
    raises(text, boards.board, boards, "b", with(fields, columns))
  end
  wrong("columns take 64 bits (laps 30, seconds 34), at most 63",
    { { name = "laps" }, { name = "seconds", decimals = 3, max = 9999999.999 } })
  wrong("there are 1 columns; a board has 2 to 5", { { name = "a" } })
  wrong("there are 6 columns", { { name = "a" }, { name = "b" }, { name = "c" }, { name = "d" },
    { name = "e" }, { name = "f" } })
  wrong("two columns are called 'a'", { { name = "a" }, { name = "a" } })
  wrong("a column's name is \"\"", { { name = "a" }, { max = 3 } })
  wrong("a column's name is \"a b\"", { { name = "a b" }, { name = "c" } })
  wrong("2: a column has no 'ordr'; did you mean 'order'?", { { name = "a" }, { name = "b", ordr = "asc" } })
  wrong("2: 'order' is \"up\"", { { name = "a" }, { name = "b", order = "up" } })
  wrong("2: 'max': number expected, got string", { { name = "a" }, { name = "b", max = "9" } })
  wrong("2: 'decimals' is 10", { { name = "a" }, { name = "b", decimals = 10 } })
  wrong("'min' is 5; it takes less than 'max', 5", { { name = "a" }, { name = "b", min = 5, max = 5 } })
  wrong("'max' is 1.5", { { name = "a" }, { name = "b", max = 1.5 } })
  wrong("'max' is inf", { { name = "a" }, { name = "b", max = inf } })
  wrong("1: table expected, got string", { "laps", "seconds" })
  wrong("takes an array", { laps = {}, seconds = {} })
  wrong("field 'columns' is 2", 2)
  wrong("field 'decimals' has no meaning with 'columns'", race, { decimals = 2 })
  wrong("field 'digits' has no meaning with 'columns'", race, { engine = "padded", digits = 4 })
  wrong("field 'order' is \"asc\"", race, { order = "asc" })
  wrong("field 'columns' has no meaning with engine \"rolling\"", race, { engine = "rolling" })
end)

-- ---- scores

it("the first column decides, among equals the second, and then ties", function()
  for _, fields in ipairs(engines) do
    local board = new { engine = fields.engine, shards = fields.shards, of = fields.of, ties = "player" }
    for i, each in ipairs { { "dan", { 11, 40 } }, { "cleo", { 12, 53.21 } }, { "bob", { 12, 53.2 } },
      { "anna", { 12, 53.21 } } } do
      eq({ i, board:submit(each[1], each[2]) }, { i, each[2], true })
    end
    eq(players(board:top(9)), "bob anna cleo dan")
    eq({ board:score("cleo") }, { 12, 53.21 })
    eq({ board:score("nobody") }, { nil })
    eq(board:get("cleo").score, { 12, 53.21 })
    eq({ board:rank("cleo") }, { 2, 4 })
    eq({ board:rank("dan", "dense") }, { 3, 4 })
    eq(board:rank_of { 12, 53.205 }, 2)
    eq(board:rank_of { laps = 12, seconds = 53.21 }, 2)
    eq(board:rank_of { 11, 40 }, 4)
    eq(board:rank_of { 11, 40.001 }, 5)
    eq(board:percentile("anna"), 25)
    eq(players(board:bottom(2)), "dan cleo")
    eq(players(board:around("cleo", 1)), "anna cleo dan")
    eq(players(board:among { "dan", "cleo" }), "cleo dan")
    local walked = {}
    for entry in board:each() do walked[#walked + 1] = entry.score[2] end
    eq(walked, { 53.2, 53.21, 53.21, 40 })
  end
end)

it("a score may have names, and values are rounded half away from zero", function()
  local board = new()
  eq(board:submit("ada", { laps = 11.5, seconds = 1.0005 }), { 12, 1.001 })
  eq(board:submit("ada", { seconds = 0.5, laps = 12.4 }), { 12, 0.5 })
  eq({ board:score("ada") }, { 12, 0.5 })
end)

it("a score that is no table of all columns raises", function()
  local board = new()
  local function wrong(text, score)
    raises("bad argument #2 to 'submit' (" .. text, board.submit, board, "ada", score)
  end
  wrong("table expected, got number)", 12)
  wrong("table expected, got nil)", nil)
  wrong("table expected, got string)", "12")
  wrong("column 'seconds' is missing)", { 12 })
  wrong("column 'laps' is missing)", { seconds = 1 })
  wrong("column 'laps' is missing)", {})
  wrong("column 'laps': number expected, got string)", { "12", 1 })
  wrong("there are 2 columns, got one at place 3)", { 12, 1, 1 })
  wrong("no column is called \"lap\"; there are \"laps\" or \"seconds\")", { lap = 12, seconds = 1 })
  wrong("columns are given by place or by name, not both)", { 12, seconds = 1 })
  raises("bad argument #2 to 'join' (table expected, got number)", board.join, board, "ada", 5)
  raises("bad argument #1 to 'rank_of' (table expected, got number)", board.rank_of, board, 5)
  local plain = laurel.open():board("plain", {})
  raises("bad argument #2 to 'submit' (number expected, got table)", plain.submit, plain, "ada", { 1, 2 })
end)

it("a value out of its range is refused by the name of its column, and changes nothing", function()
  local board = new()
  refuses("out_of_range", board:submit("ada", { 12, 100000.001 }))
  contains(select(2, board:submit("ada", { 12, 100000.001 })), "column 'seconds'")
  refuses("out_of_range", board:set("ada", { -1, 0 }))
  contains(select(2, board:set("ada", { -1, 0 })), "column 'laps'")
  refuses("not_finite", board:submit("ada", { nan, 0 }))
  refuses("not_finite", board:submit("ada", { 0, inf }))
  refuses("out_of_range", board:rank_of { -1, 0 })
  refuses("bad_player", board:submit("", { 1, 2 }))
  eq(board:size(), 0)
end)

it("keep = best compares whole scores and never mixes two attempts", function()
  local board = new()
  board:submit("ada", { 12, 60 })
  eq({ board:submit("ada", { 11, 1 }) }, { { 12, 60 }, false })
  eq({ board:submit("ada", { 12, 60.001 }) }, { { 12, 60 }, false })
  eq({ board:submit("ada", { 12, 59 }) }, { { 12, 59 }, true })
  eq({ board:submit("ada", { 13, 99 }) }, { { 13, 99 }, true })
end)

it("add and sums go column by column, and only what is held is bounded", function()
  local columns = { { name = "points", decimals = 1, max = 100 },
    { name = "deaths", order = "asc", min = -5, max = 5 } }
  local board = new({ keep = "sum", history = 5 }, columns)
  eq({ board:submit("ada", { 7.25, -1 }) }, { { 7.3, -1 }, true })
  eq({ board:submit("ada", { -2.3, 4 }) }, { { 5, 3 }, true })
  eq({ board:add("ada", { points = 95, deaths = -8 }) }, { { 100, -5 }, true })
  refuses("out_of_range", board:add("ada", { 0.1, 0 }))
  contains(select(2, board:add("ada", { 0.1, 0 })), "column 'points'")
  refuses("out_of_range", board:add("bob", { -0.1, 0 }))
  refuses("not_finite", board:add("bob", { 0, -inf }))
  refuses("out_of_range", board:add("bob", { 1e300, 0 }))
  eq({ board:set("ada", { 1, 0 }) }, { { 1, 0 }, true })
  local scores, held = {}, {}
  for i, result in ipairs(board:history("ada")) do scores[i], held[i] = result.score, result.held end
  eq(scores, { { 1, 0 }, { 95, -8 }, { -2.3, 4 }, { 7.3, -1 } })
  eq(held, { { 1, 0 }, { 100, -5 }, { 5, 3 }, { 7.3, -1 } })
end)

it("a player who is not on the board begins at 0 in each column", function()
  local board = new({ keep = "sum" }, { { name = "a", min = 10, max = 20 }, { name = "b" } })
  refuses("out_of_range", board:add("ada", { 9, 0 }))
  eq(board:add("ada", { 10, 0 }), { 10, 0 })
  eq(board:add("ada", { -0, 3 }), { 10, 3 })
  refuses("out_of_range", board:add("ada", { -1, 0 }))
end)

it("a report, a join, an unban and a moderator's word have columns", function()
  local board = new { join = "required" }
  refuses("out_of_range", board:join("ada", { 1, -1 }))
  refuses("not_joined", board:submit("ada", { 1, 1 }))
  eq(board:join("ada", { 1, 1 }), true)
  eq({ board:score("ada") }, { 1, 1 })
  local report = board:submit_report("ada", { 2, 5 })
  eq({ report.score, report.previous, report.rank }, { { 2, 5 }, { 1, 1 }, 1 })
  board:ban("ada")
  eq({ board:score("ada") }, { nil })
  board:unban("ada")
  eq({ board:score("ada") }, { 2, 5 })
end)

it("submit_all takes a table of columns in each item", function()
  for _, fields in ipairs(engines) do
    local board = new { engine = fields.engine, shards = fields.shards, of = fields.of }
    local changed, refused = board:submit_all {
      { "ada", { 1, 2 } }, { "bob", { 1, -2 } }, { "cleo", { laps = 3, seconds = 4 }, "data" },
      { "dan", { 1, nan } },
    }
    eq(changed, 2)
    eq({ refused[1].index, refused[2].index }, { 2, 4 })
    contains(refused[1].reason, "out_of_range: column 'seconds'")
    contains(refused[2].reason, "not_finite: ")
    eq(players(board:top(9)), "cleo ada")
    raises("bad argument #1 to 'submit_all' (item 2: score: table expected, got number)",
      board.submit_all, board, { { "ada", { 1, 2 } }, { "bob", 3 } })
    raises("item 1: score: column 'seconds' is missing", board.submit_all, board, { { "ada", { 1 } } })
  end
end)

-- ---- several boards

it("a result to several boards gives each its own columns by name", function()
  local board, world = new()
  local other = world.boards:board("kills", { columns = { { name = "kills" }, { name = "laps" } } })
  local both = { "race", "kills" }
  eq(world.boards:submit(both, "ada", { laps = 3, seconds = 4.5, kills = 7 }), { { 3, 4.5 }, { 7, 3 } })
  eq({ board:score("ada") }, { 3, 4.5 })
  eq({ other:score("ada") }, { 7, 3 })
  eq(world.boards:submit({ "race", "kills" }, "bob", { 3, 4 }), { { 3, 4 }, { 3, 4 } })
  raises("no column of these boards is called \"killz\"",
    world.boards.submit, world.boards, both, "ada", { laps = 3, seconds = 4.5, kills = 7, killz = 1 })
  raises("column 'kills' is missing", world.boards.submit, world.boards, { "race", "kills" }, "ada",
    { laps = 3, seconds = 4.5 })
  raises("table expected, got number", world.boards.submit, world.boards, { "race" }, "ada", 3)
  world.boards:board("plain", {})
  raises("board \"plain\": number expected, got table", world.boards.submit, world.boards,
    { "race", "plain" }, "ada", { laps = 1, seconds = 2 })
  local _, reason, name = world.boards:submit(both, "ada", { laps = 3, seconds = -1, kills = 7 })
  eq({ reason:match("^%w+_%w+_%w+"), name }, { "out_of_range", "race" })
  refuses("unknown", world.boards:submit({ "race", "none" }, "ada", { laps = 3, seconds = 1 }))
  eq({ board:score("ada") }, { 3, 4.5 })
end)

it("one event gives a score to each board, of numbers and of columns", function()
  local board, world = new()
  world.boards:board("plain", {})
  eq(world.boards:submit_each("ada", { race = { 1, 2 }, plain = 7 }), { race = { 1, 2 }, plain = 7 })
  raises("board \"race\": table expected, got number", world.boards.submit_each, world.boards, "ada",
    { race = 1 })
  raises("board \"plain\": number expected, got table", world.boards.submit_each, world.boards, "ada",
    { plain = { 1 } })
  local _, reason, name = world.boards:submit_each("ada", { race = { 1, -2 }, plain = 9 })
  eq({ reason:match("^%w+_%w+_%w+"), name }, { "out_of_range", "race" })
  eq(world.boards:board("plain"):score("ada"), 7)
  eq(world.boards:scores_of("ada")[2].score, { 1, 2 })
  local entry = world.boards:board("plain"):get("ada", { with = { "race" } })
  eq(entry.with, { race = { 1, 2 } })
  eq({ board:score("ada") }, { 1, 2 })
end)

-- ---- ranges

for _, fields in ipairs(engines) do
  it(("reads of scores at places have columns: %s"):format(fields.of or fields.engine), function()
    local board = new(fields)
    for i = 1, 8 do board:submit("p" .. i, { math.ceil(i / 2), 10 - i / 8 }) end
    eq({ board:score_at(1) }, { 4, 9 })
    eq({ board:score_at(2) }, { 4, 9.125 })
    eq({ board:score_at(9) }, {})
    eq({ board:score_at_percentile(board:percentile "p8") }, { 4, 9 })
    eq(#board:top_percent(25), 2)
    eq(board:top_percent(25)[2].score, { 4, 9.125 })
    local near, rank = board:around_score({ laps = 3, seconds = 9.3 }, 1)
    eq({ near[1].score, near[2].score, rank }, { { 3, 9.25 }, { 3, 9.375 }, 4 })
    eq(board:rank_of { 3, 9.3 }, rank)
    refuses("out_of_range", board:around_score({ 3, 100001 }, 1))
    raises("around_score", board.around_score, board, 3, 1)
  end)
end

it("later columns of a bound may be left out and are open", function()
  for _, fields in ipairs(engines) do
    local board = new { engine = fields.engine, shards = fields.shards, of = fields.of }
    local scores = { a = { 11, 5 }, b = { 12, 9 }, c = { 12, 7.5 }, d = { 12, 0 }, e = { 13, 1 } }
    for name, score in pairs(scores) do board:submit(name, score) end
    eq(players(board:between({ 12 }, { 12 })), "d c b")
    eq(board:count({ 12 }, { 12 }), 3)
    eq(players(board:between({ 12 })), "e d c b")
    eq(players(board:between(nil, { 12 })), "d c b a")
    eq(players(board:between({ 12 }, nil, 2)), "e d")
    -- Low is the end with the fewer laps; among equal laps it has more seconds.
    eq(players(board:between({ 12, 7.5 }, { 12, 0 })), "d c")
    eq(players(board:between({ laps = 12, seconds = 7.5001 }, { laps = 12 })), "d c")
    eq(players(board:between({ 12, 7.499 }, { 12, 0.0001 })), "")
    eq(players(board:between({ 12, 0 }, { 12, 7.5 })), "")
    eq(players(board:between({ 11, -5 }, { 12.5 })), "d c b")
    eq(players(board:between({ -inf }, { 11, inf })), "")
    eq(players(board:between({ -inf }, { 11, -inf })), "a")
    eq(players(board:between({ 14 })), "")
    eq(board:count(), 5)
    eq(board:count({}), 5)
    refuses("not_finite", board:count({ nan }))
    raises("column 'laps' is missing", board.between, board, { seconds = 3 })
    raises("table expected, got number", board.count, board, 12)
  end
end)

-- ---- what engines have

it("a padded key joins the columns with dots", function()
  local board, world = new { engine = "padded" }
  board:submit("ada", { 12, 53.21 })
  eq(board:key("ada"), "SCORE#000000012.099946790#ada")
  local other = world.boards:board("other", { engine = "padded", ties = "earliest",
    columns = { { name = "a", order = "asc", min = -5, max = 5, decimals = 1 }, { name = "b", max = 9 } } })
  other:submit("ada", { -1.5, 4 }, nil, 0)
  eq(other:key("ada"), "SCORE#035.5#8000000000000000#ada")
  eq(new({ engine = "padded" }):info().ties, "player_desc")
end)

it("a capped board's score to beat has columns, and boards of it are merged", function()
  local board = new { engine = "capped", cap = 2, reserve = 1 }
  eq(board:lowest(), nil)
  board:submit("ada", { 3, 1 })
  board:submit("bob", { 2, 1 })
  eq(board:lowest(), { 2, 1 })
  eq({ board:submit("cleo", { 2, 2 }) }, { nil, false })
  refuses("unsupported", board:add("ada", { 1, 1 }))
  local other = new { engine = "capped", cap = 2, reserve = 1 }
  other:submit("dan", { 2, 0.5 })
  eq(other:merge(board:top(2)), 2)
  eq(players(other:top(9)), "ada dan")
  refuses("out_of_range", other:merge { { player = "eve", score = { -1, 0 }, at = 5 } })
  raises("item 1: score: table expected, got number", other.merge, other,
    { { player = "eve", score = 1, at = 5 } })
end)

it("a paged board's layout shows the lowest score", function()
  local board = new { engine = "paged" }
  board:submit("ada", { 3, 1 })
  eq(board:layout().lowest, { 3, 1 })
end)

-- ---- history and moderation

it("voiding a result computes the columns without it", function()
  local board = new({ keep = "sum", history = 5 }, { { name = "a", min = -100, max = 100 }, { name = "b" } })
  board:submit("ada", { 5, 1 }, nil, 1)
  board:submit("ada", { -50, 2 }, nil, 2)
  board:add("ada", { -30, -1 }, nil, 3)
  eq({ board:score("ada") }, { -75, 2 })
  eq({ board:void("ada", 2) }, { { -25, 0 }, true })
  eq(board:history("ada")[1].held, { -25, 0 })
  eq({ board:void("ada", 3) }, { { 5, 1 }, true })
  eq({ board:void("ada", 1) }, { nil, true })
end)

it("a result with an id counts once", function()
  local board = new()
  eq({ board:submit("ada", { 1, 2 }, nil, nil, "match") }, { { 1, 2 }, true })
  eq({ board:submit("ada", { 9, 2 }, nil, nil, "match") }, { { 1, 2 }, false })
  eq({ board:submit("bob", { 9, 2 }, nil, nil, "match") }, { nil, false })
  refuses("not_finite", board:submit("bob", { nan, 2 }, nil, nil, "match"))
end)

-- ---- watches and the live channel

it("a watch tells of columns", function()
  local board, world = new()
  local told
  board:submit("ada", { 1, 2 })
  board:watch(10, function(change) told = change end)
  board:submit("ada", { 2, 2 })
  board:submit("bob", { 3, 2 })
  world.boards:tick()
  eq({ told.top[1].score, told.top[2].score }, { { 3, 2 }, { 2, 2 } })
  eq(told.entered[1].score, { 3, 2 })
  eq({ told.moved[1].score, told.moved[1].previous }, { { 2, 2 }, { 1, 2 } })
end)

-- ---- rules

local function with_rule(text, fields, columns, check)
  spec.in_folder(function(folder)
    os.execute("mkdir -p '" .. folder .. "'")
    local file = assert(io.open(folder .. "/season.lua", "w"))
    file:write(text)
    file:close()
    local log = {}
    local boards = laurel.open { rules = folder, log = function(_, line) log[#log + 1] = line end }
    local all = with(fields, columns)
    all.rule = "season"
    check(boards:board("race", all), boards, log, folder)
    boards:close()
  end)
end

it("a rule sees columns and returns them by place or by name", function()
  with_rule([[
    return {
      accept = function(submission, old)
        local same = not submission.held or submission.held.score[1] == old[1]
        return submission.score[1] < 100 and same, "too many laps"
      end,
      score = function(old, new)
        if not old then return new end
        return { laps = math.max(old[1], new[1]), seconds = math.min(old[2], new[2]) }
      end,
    }]], nil, nil, function(board)
    eq({ board:submit("ada", { 3, 5 }) }, { { 3, 5 }, true })
    eq({ board:submit("ada", { 2, 1 }) }, { { 3, 1 }, true })
    refuses("rejected", board:submit("ada", { 100, 1 }))
    eq({ board:submit("ada", { 4, 2 }) }, { { 4, 1 }, true })
  end)
end)

it("a rule sees the difference of an add, and returns what is held", function()
  with_rule([[return { score = function(old, new) return { (old and old[1] or 50) + new[1], 0 } end }]],
    { history = 3 }, nil, function(board)
    eq(board:add("ada", { -7, -3 }), { 43, 0 })
    eq(board:add("ada", { -7, 3 }), { 36, 0 })
    eq(board:history("ada")[2].score, { -7, -3 })
  end)
end)

it("what a rule returns wrongly refuses the submission", function()
  for text, problem in pairs {
    ["5"] = "table expected, got number",
    ["{ 5 }"] = "column 'seconds' is missing",
    ["{ 5, 'x' }"] = "column 'seconds': number expected, got string",
    ["{ 5, -1 }"] = "column 'seconds': -1 is out of range",
    ["{ 5, 0 / 0 }"] = "column 'seconds' is nan",
    ["{ laps = 5, second = 1 }"] = "no column is called",
  } do
    with_rule("return { score = function() return " .. text .. " end }", nil, nil, function(board)
      local score, reason = board:submit("ada", { 1, 1 })
      eq(score, nil)
      contains(reason, "rejected: ")
      contains(reason, problem)
      eq(board:size(), 0)
    end)
  end
end)

it("a rule hears of changes with columns, and a rehearsal shows them", function()
  with_rule([[
    return { changed = function(change)
      local before = change.previous and change.previous[2]
      error(change.score[1] .. " " .. change.score[2] .. " " .. tostring(before))
    end }]], { journal = 10 }, nil, function(board, boards, log, folder)
    board:submit("ada", { 1, 2 })
    board:submit("ada", { 1, 1.5 })
    board:add("ada", { -1, 0 })
    boards:tick()
    contains(table.concat(log, "\n"), "1 1.5 2")
    local file = assert(io.open(folder .. "/other.lua", "w"))
    file:write("return { score = function(old, new) return { 7, 7 } end }")
    file:close()
    local report = board:rehearse("other")
    eq({ report.judged, report.same, report.accepted }, { 3, 0, 3 })
    eq(report.examples[3], { player = "ada", submitted = { -1, 0 }, was = { 0, 1.5 }, now = { 7, 7 } })
  end)
end)

-- ---- seasons, exports

it("past seasons, exports and imports keep columns", function()
  spec.in_folder(function(folder)
    os.execute("mkdir -p '" .. folder .. "'")
    local columns = { { name = "a", min = -9, max = 9 }, { name = "b" } }
    local board, world = new({ history = 4, keep = "sum", archive = 2 }, columns)
    board:submit("ada", { 5, 1 })
    board:reset()
    board:submit("ada", { 6, 2 })
    board:add("ada", { -12, 1 })
    board:submit("bob", { 1, 1 })
    board:ban("bob")
    eq({ board:archived(1):score("ada") }, { 5, 1 })
    eq(board:archived(1):top(1)[1].score, { 5, 1 })
    local file = folder .. "/export.jsonl"
    eq(world.boards:export(file), true)
    local copy = laurel.open()
    eq(copy:import(file), true)
    local there = copy:board("race")
    eq(there:info().columns, board:info().columns)
    eq(there:top(9), board:top(9))
    eq(there:archived(1):top(9), board:archived(1):top(9))
    eq(there:history("ada"), board:history("ada"))
    there:unban("bob")
    eq({ there:score("bob") }, { 1, 1 })
    local text = assert(io.open(file)):read("*a")
    contains(text, '"score":[-6')
    local broken = assert(io.open(folder .. "/broken.jsonl", "w"))
    broken:write((text:gsub('"score":%[%-6', '"score":[-60', 1)))
    broken:close()
    refuses("bad_data", laurel.open():import(folder .. "/broken.jsonl"))
  end)
end)

it("a durable board is the same after a restart", function()
  for _, fields in ipairs(engines) do
    spec.in_folder(function(folder)
      local all = with(fields)
      all.history = fields.engine ~= "capped" and 3 or nil
      local boards = laurel.open { path = folder }
      local board = boards:board("race", all)
      board:submit("ada", { 3, 1.5 }, "data")
      if fields.engine ~= "capped" then board:add("ada", { 1, -1 }) end
      board:submit("bob", { 2, 1 })
      local top, info = board:top(9), board:info()
      local history = fields.engine ~= "capped" and board:history("ada")
      boards:close()
      boards = laurel.open { path = folder }
      board = boards:board("race", all)
      eq(board:top(9), top)
      eq(board:info().columns, info.columns)
      eq(fields.engine ~= "capped" and board:history("ada"), history)
      boards:close()
    end)
  end
end)

it("a board in Redis refuses columns of more than 53 bits", function()
  local boards = laurel.open { remotes = { main = "redis://127.0.0.1:1" } }
  refuses("unsupported", boards:board("world", with { remote = "main" }))
end)
