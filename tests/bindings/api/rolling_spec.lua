-- Rolling boards: activity of the last days, with a clock that the case sets.
local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises, refuses, players = spec.it, spec.eq, spec.raises, spec.refuses, spec.players

local day = 86400
local first = 18275 -- the day of the first activity
local counts = { 4, 2, 1, 0, 3, 3, 5 }

-- A rolling board at noon of a day, and the table that holds its clock.
local function new(fields, today)
  local world = { now = (today or first) * day + day / 2 }
  fields = fields or {}
  fields.engine = "rolling"
  world.boards = laurel.open {
    clock = function() return world.now end,
    log = function(level, text) world.line = level .. ": " .. text end,
  }
  world.board = world.boards:board("active", fields)
  return world.board, world
end

local function at_day(world, number) world.now = number * day + day / 2 end

-- The activity of alice for a week, one call for each day.
local function week(fields)
  local board, world = new(fields)
  for i, count in ipairs(counts) do
    at_day(world, first + i - 1)
    board:add("alice", count)
  end
  return board, world
end

-- The scores that alice will have on each of the next days, read with `at`.
local function forecast(board, days)
  local sums = {}
  for i = 0, days - 1 do sums[i + 1] = board:score("alice", { at = (first + 6 + i) * day }) or false end
  return sums
end

it("S2-1, S2-14: each activity counts in the following days, and future scores can be read", function()
  local board = week()
  eq(forecast(board, 8), { 18, 14, 12, 11, 11, 8, 5, false })
end)

it("S2-3: the window moves without a write or a timer", function()
  local board, world = week()
  for i, sum in ipairs { 18, 14, 12, 11, 11, 8, 5 } do
    at_day(world, first + 6 + i - 1)
    eq({ i, board:score("alice") }, { i, sum })
    eq({ board:rank("alice") }, { 1, 1 })
    eq(board:top(1)[1].score, sum)
  end
  at_day(world, first + 13)
  eq({ board:score("alice"), board:rank("alice"), board:size() }, { nil, nil, 0 })
end)

it("S2-5, S2-6: new activity counts at once, and adds up within a day", function()
  local board, world = week()
  at_day(world, first + 7)
  eq({ board:add("alice", 1) }, { 15, true })
  eq({ board:submit("alice", 1) }, { 16, true })
  local sums = {}
  for i = 0, 6 do sums[i + 1] = board:score("alice", { at = (first + 7 + i) * day }) end
  eq(sums, { 16, 14, 13, 13, 10, 7, 2 })
end)

it("S2-7: the window has the number of days in the spec", function()
  eq(forecast(week { days = 3 }, 4), { 11, 8, 5, false })
  eq(forecast(week { days = 1 }, 2), { 5, false })
  local board = week { window = { buckets = 3, seconds = day } }
  eq(forecast(board, 4), { 11, 8, 5, false })
  eq({ board:info().days, board:info().window.buckets }, { 3, 3 })
end)

it("S2-8: days are UTC days", function()
  local board, world = new({ days = 1 })
  world.now = (first + 1) * day - 0.001
  board:add("alice", 1)
  eq(board:score("alice"), 1)
  world.now = (first + 1) * day
  eq(board:score("alice"), nil)
end)

it("buckets may be shorter than days", function()
  local board, world = new { window = { buckets = 3, seconds = 60 } }
  eq({ board:info().days, board:info().window.seconds }, { nil, 60 })
  board:add("anna", 1)
  world.now = world.now + 60
  board:add("anna", 2)
  eq(board:score("anna"), 3)
  world.now = world.now + 120
  eq(board:score("anna"), 2)
end)

it("S2-10, S2-17: activity can be subtracted, and a player with 0 or less is not listed", function()
  local board, world = week()
  eq({ board:add("alice", -3, nil, (first + 4) * day) }, { 15, true })
  eq(forecast(board, 7), { 15, 11, 9, 8, 8, 8, 5 })
  board:add("bob", 2)
  eq(board:size(), 2)
  board:add("bob", -2)
  eq({ board:get("bob"), board:rank("bob"), board:size() }, { nil, nil, 1 })
  board:add("bob", -1)
  eq(board:get("bob"), nil)
  at_day(world, first + 7)
  board:add("bob", 5)
  eq(board:score("bob"), 4)
end)

it("S2-11: late activity counts in its own bucket, and before the window it is refused", function()
  local board = week()
  eq(board:add("alice", 4, nil, (first + 1) * day + 7), 22)
  eq(forecast(board, 7), { 22, 18, 12, 11, 11, 8, 5 })
  refuses("outside_window", board:add("alice", 1, nil, first * day - 1))
  eq(board:add("alice", 1, nil, first * day), 23)
end)

it("activity in the future is refused", function()
  local board, world = new()
  refuses("outside_window", board:add("alice", 1, nil, world.now + 0.001))
  eq(board:add("alice", 1, nil, world.now), 1)
  refuses("not_finite", board:add("alice", 1, nil, 0 / 0))
  refuses("not_finite", board:add("alice", 0 / 0))
  eq(board:size(), 1)
end)

it("S2-13: reads before the start of the current bucket are refused", function()
  local board, world = week()
  local today = (first + 6) * day
  for _, at in ipairs { today - 0.001, today - 100 * day } do
    refuses("outside_window", board:score("alice", { at = at }))
    refuses("outside_window", board:rank("alice", { at = at }))
    refuses("outside_window", board:rank("alice", "dense", { at = at }))
    refuses("outside_window", board:size { at = at })
    refuses("outside_window", board:top(3, { at = at }))
    refuses("outside_window", board:page(1, 3, { at = at }))
    refuses("outside_window", board:count(nil, nil, { at = at }))
  end
  eq(board:score("alice", { at = today }), 18)
  eq(board:score("alice", { at = world.now }), 18)
  refuses("not_finite", board:size { at = 0 / 0 })
  refuses("out_of_range", board:size { at = 2 ^ 34 })
end)

it("every read with `at` shows the board as it will be at that time", function()
  local board, world = week()
  board:add("bob", 10)
  board:add("cleo", 12)
  local then_ = { at = world.now + day } -- alice 14, cleo 12, bob 10
  eq(players(board:top(9, then_)), "alice cleo bob")
  eq(players(board:page(2, 9, then_)), "cleo bob")
  eq({ board:rank("cleo", then_) }, { 2, 3 })
  eq({ board:rank("cleo", "ordinal", then_) }, { 2, 3 })
  eq(board:count(11, then_), 2)
  eq(board:count(11, 13, then_), 1)
  eq(board:count(then_), 3)
  eq(board:size(then_), 3)
  refuses("unknown", board:rank("cleo", "olympic", then_))
  local later = { at = world.now + 5 * day } -- bob and cleo are ahead
  eq(players(board:top(9, later)), "cleo bob alice")
  eq(board:size { at = world.now + 7 * day }, 0)
  eq(board:rank("alice", { at = world.now + 7 * day }), nil)
end)

it("S2-4: an inactive player falls without a write", function()
  local board, world = new { days = 2 }
  for i = 1, 10 do board:add("p" .. i, i) end
  at_day(world, first + 1)
  for i = 1, 8 do board:add("p" .. i, 1) end
  eq(players(board:top(3)), "p10 p9 p8") -- p8 reached 9 later than p9
  at_day(world, first + 2)
  eq(board:size(), 8)
  eq(board:get("p10"), nil)
end)

it("S2-16: after a year without a call the board is empty, and its memory is freed", function()
  local board, world = new()
  for i = 1, 1000 do board:add("p" .. i, i) end
  at_day(world, first + 400)
  eq({ board:size(), #board:top(10) }, { 0, 0 })
  for _ = 1, 200 do board:size() end
  eq(world.boards:stats().players, 0)
end)

it("S2-18: a small step back of the clock changes nothing and is logged", function()
  local board, world = week()
  at_day(world, first + 5)
  eq(board:score("alice"), 18)
  board:add("alice", 1)
  eq(board:score("alice"), 19)
  eq(type(world.line), "string")
end)

it("set and a rule's score are unsupported; keep and reset raise", function()
  local board, world = new()
  refuses("unsupported", board:set("alice", 5))
  eq(board:size(), 0)
  raises("field 'keep' ", world.boards.board, world.boards, "x", { engine = "rolling", keep = "sum" })
  raises("field 'reset' ", world.boards.board, world.boards, "x",
    { engine = "rolling", reset = "0 0 * * *" })
end)

it("days is short for a window of days, and must agree with window", function()
  local boards = laurel.open()
  local function try(fields)
    fields.engine = "rolling"
    return function() return boards:board("x", fields) end
  end
  for _, window in ipairs { { buckets = 8 }, { seconds = 60 }, { buckets = 7, seconds = 60 } } do
    raises("field 'days' is short for 'window'", try { days = 7, window = window })
  end
  eq(boards:names(), {})
  local board = try({ days = 5, window = { buckets = 5, seconds = day } })()
  eq(board:info().window, { buckets = 5, seconds = day })
end)

it("a window has the fields buckets and seconds, and no others", function()
  local boards = laurel.open()
  local function window(value)
    return function() boards:board("x", { engine = "rolling", window = value }) end
  end
  raises("field 'window': table expected, got number", window(7))
  raises("field 'window': table expected, got boolean", window(true))
  raises("field 'window' has no 'bucket'; did you mean 'buckets'?", window { bucket = 7 })
  raises("field 'window' has no 'number'; it takes \"buckets\" or \"seconds\"", window { 7, 60 })
  raises("field 'window' is empty", window {})
  raises("field 'window': 'buckets': number expected, got string", window { buckets = "7" })
  raises("field 'window.buckets' is 367; it takes a whole number from 1 to 366", window { buckets = 367 })
  raises("field 'window.seconds' is 0; it takes", window { seconds = 0 })
  raises("field 'days' is 0; it takes a whole number from 1 to 366", boards.board, boards, "x",
    { engine = "rolling", days = 0 })
  eq(boards:names(), {})
end)

it("after unban a player has the activity that is still in the window", function()
  local board, world = week()
  board:ban("alice")
  eq(board:size(), 0)
  refuses("banned", board:add("alice", 1))
  at_day(world, first + 7)
  board:unban("alice")
  eq(board:score("alice"), 14)
end)

it("an entry has the data and at of its latest activity", function()
  local board, world = new()
  board:add("alice", 1, "first")
  world.now = world.now + 1
  board:add("alice", 1, "second")
  local entry = board:get("alice")
  eq({ entry.score, entry.data, entry.at }, { 2, "second", world.now })
end)

it("a rolling board can be reset by hand, and the past season keeps its scores", function()
  local board, world = week()
  eq(board:reset(), 1)
  eq(board:size(), 0)
  at_day(world, first + 100)
  eq(board:archived(1):score("alice"), 18)
  refuses("unsupported", board:archived(1):score("alice", { at = world.now }))
end)
