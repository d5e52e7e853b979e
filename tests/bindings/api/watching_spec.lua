-- Functions of scripts that the module calls: watches, the clock, the log.
local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises, refuses, contains = spec.it, spec.eq, spec.raises, spec.refuses, spec.contains
local players = spec.players

local function names(list) return players(list) end

it("a watch reports at tick which players entered, left and moved", function()
  local boards = laurel.open()
  local board = boards:board("season", {})
  board:submit("anna", 10, "d", 1)
  board:submit("bob", 5, nil, 2)
  local events = {}
  board:watch(2, function(event) events[#events + 1] = event end)
  boards:tick()
  eq(#events, 0)
  board:submit("cleo", 7, nil, 3)
  board:add("anna", 1, "d", 4)
  eq(#events, 0)
  boards:tick()
  eq(#events, 1)
  local event = events[1]
  eq(event.board, "season")
  eq(type(event.version), "number")
  eq(names(event.top), "anna cleo")
  eq(event.top[1], { player = "anna", score = 11, rank = 1, at = 4, data = "d" })
  eq(event.entered, { { player = "cleo", score = 7, rank = 2, at = 3 } })
  eq(event.left, { { player = "bob", score = 5, rank = 2, at = 2 } })
  eq(event.moved,
    { { player = "anna", score = 11, rank = 1, at = 4, data = "d", previous = 10,
      previous_rank = 1 } })
  boards:tick()
  eq(#events, 1)
end)

it("a watch reports fractional ranks", function()
  local boards = laurel.open()
  local board = boards:board("season", { ranking = "fractional" })
  board:submit("anna", 10, nil, 1)
  local event
  board:watch(2, function(told) event = told end)
  board:submit("bob", 10, nil, 2)
  boards:tick()
  eq(event.entered, { { player = "bob", score = 10, rank = 1.5, at = 2 } })
  eq(event.moved, { { player = "anna", score = 10, rank = 1.5, at = 1, previous = 10, previous_rank = 1 } })
end)

it("stop ends a watch, and a second stop does nothing", function()
  local boards = laurel.open()
  local board, calls = boards:board("season", {}), 0
  local stop = board:watch(3, function() calls = calls + 1 end)
  eq(boards:stats().watches, 1)
  stop()
  stop()
  eq(boards:stats().watches, 0)
  board:submit("anna", 1)
  boards:tick()
  eq(calls, 0)
  boards:close()
  stop()
end)

it("an error in a watch is logged with its traceback, and the other watches are called", function()
  local lines, calls = {}, 0
  local boards = laurel.open { log = function(level, text) lines[#lines + 1] = { level, text } end }
  local board = boards:board("season", {})
  board:watch(3, function() error("boom") end)
  board:watch(3, function() error({}) end)
  board:watch(3, function() calls = calls + 1 end)
  board:submit("anna", 1)
  boards:tick()
  eq(calls, 1)
  eq(#lines, 2)
  eq(lines[1][1], "error")
  contains(lines[1][2], "watch of board \"season\": ")
  contains(lines[1][2], "watching_spec.lua:")
  contains(lines[1][2], "boom")
  contains(lines[1][2], "stack traceback:")
  contains(lines[2][2], "(the error is a table)")
end)

it("a watch may do anything with its registry", function()
  local boards = laurel.open()
  local board, log = boards:board("season", {}), {}
  local stop
  stop = board:watch(3, function(event)
    log[#log + 1] = "a" .. #event.top
    eq(boards:tick(), true) -- a tick within a tick does nothing
    stop()
    board:submit("bob", 2)
    board:watch(3, function() log[#log + 1] = "new" end)
    boards:board("other", {}):submit("x", 1)
  end)
  board:watch(3, function(event)
    log[#log + 1] = "b" .. #event.top
    boards:drop("other")
  end)
  board:submit("anna", 1)
  boards:tick()
  eq(log, { "a1", "b2" })
  board:submit("cleo", 3)
  boards:tick()
  eq(log[3], "b3")
  eq(log[4], "new")
end)

it("a watch may close its registry, and is not called again", function()
  local boards = laurel.open()
  local board, calls = boards:board("season", {}), 0
  for _ = 1, 3 do
    board:watch(3, function()
      calls = calls + 1
      boards:close()
    end)
  end
  board:submit("anna", 1)
  boards:tick()
  eq(calls, 1)
  raises("closed", boards.tick, boards)
end)

it("a watch may drop its board, and is not called again", function()
  local boards = laurel.open()
  local board, calls = boards:board("season", {}), 0
  for _ = 1, 3 do
    board:watch(3, function()
      calls = calls + 1
      boards:drop("season")
    end)
  end
  board:submit("anna", 1)
  boards:tick()
  eq(calls, 1)
  eq(boards:stats().watches, 0)
end)

it("a watch of 0 entries is never called, one of more than 1,000 is refused", function()
  local boards = laurel.open()
  local board = boards:board("season", {})
  local stop = board:watch(0, function() error("told") end)
  board:submit("anna", 1)
  boards:tick()
  stop()
  refuses("out_of_range", board:watch(1001, function() end))
  refuses("out_of_range", board:watch(math.huge, function() end))
end)

it("a registry has at most 100,000 watches", function()
  local board = laurel.open():board("season", {})
  local stops = {}
  for i = 1, 100000 do stops[i] = board:watch(1, function() end) end
  refuses("unavailable", board:watch(1, function() end))
  stops[1]()
  eq(type(board:watch(1, function() end)), "function")
end)

it("a tick may be called from any coroutine", function()
  local boards = laurel.open()
  local board, inside = boards:board("season", {}), nil
  coroutine.wrap(function()
    board:watch(3, function() inside = coroutine.running() end)
  end)()
  collectgarbage()
  board:submit("anna", 1)
  local thread = coroutine.create(function() boards:tick() end)
  assert(coroutine.resume(thread))
  eq(inside == thread, true)
end)

it("a watch cannot yield across its call", function()
  local lines = {}
  local boards = laurel.open { log = function(_, text) lines[#lines + 1] = text end }
  local board = boards:board("season", {})
  board:watch(3, coroutine.yield)
  board:submit("anna", 1)
  coroutine.wrap(function() boards:tick() end)()
  eq(#lines, 1)
  contains(lines[1], "yield")
end)

-- ---- clock

it("the clock is read once by each call that needs the time", function()
  local asked, now = 0, 1000
  local boards = laurel.open { clock = function()
    asked = asked + 1
    return now
  end }
  local function cost(act)
    local before = asked
    act()
    return asked - before
  end
  local board
  eq(cost(function() board = boards:board("season", {}) end), 1)
  eq(cost(function() boards:board("season") end), 0)
  eq(cost(function() board:submit("anna", 1) end), 1)
  eq(cost(function() board:submit_all { { "a", 1 }, { "b", 2 } } end), 1)
  eq(cost(function() boards:submit({ "season" }, "anna", 5) end), 1)
  eq(cost(function() board:top(5) end), 0)
  eq(cost(function() boards:tick() end), 1)
  eq(board:get("anna").at >= 1000, true)
end)

it("with a stopped clock, timestamps advance by microseconds", function()
  local boards = laurel.open { clock = function() return 1000 end }
  local board = boards:board("season", {})
  for i = 1, 3 do board:submit("p" .. i, 5) end
  eq(players(board:top(3)), "p1 p2 p3")
  eq(board:get("p1").at, 1000)
  eq(board:get("p2").at, 1000.000001)
end)

it("an error in the clock function raises, and the call changes nothing", function()
  local bad
  local boards = laurel.open { clock = function()
    if bad then return bad() end
    return 1
  end }
  local board = boards:board("season", {})
  bad = function() error("no time") end
  raises("no time", board.submit, board, "anna", 1)
  raises("no time", boards.board, boards, "other", {})
  raises("no time", boards.tick, boards)
  bad = function() return "noon" end
  raises("the clock of these boards returned a string; it must return Unix seconds", board.submit,
    board, "anna", 1)
  bad = function() return 0 / 0 end
  raises("it must return Unix seconds within +-2^33", board.submit, board, "anna", 1)
  bad = function() return 2 ^ 34 end
  raises("the clock of these boards returned 17179869184", board.submit, board, "anna", 1)
  bad = function() end
  raises("returned a nil", board.submit, board, "anna", 1)
  bad = nil
  eq(boards:names(), { "season" })
  eq(board:size(), 0)
end)

it("a clock function may close the registry or drop the board of the call", function()
  local act
  local boards = laurel.open { clock = function()
    if act then act() end
    return 1
  end }
  local board = boards:board("season", {})
  act = function() boards:drop("season") end
  raises("dropped", board.submit, board, "anna", 1)
  act = function() boards:close() end
  raises("closed", boards.tick, boards)
end)

it("a clock function may change the list that is being submitted", function()
  local list = { { "anna", 1 }, { "bob", 2 } }
  local act
  local boards = laurel.open { clock = function()
    if act then act() end
    return 1
  end }
  local board = boards:board("season", {})
  act = function() list[2] = "not an item" end
  raises("item 2: table expected, got string", board.submit_all, board, list)
  list[2] = { "bob", 2 }
  act = function() list[2] = nil end
  eq(board:submit_all(list), 1)
  eq(board:size(), 1)
end)

-- ---- log

it("the log function is called after the call has finished its work", function()
  local boards, board, now, heard -- used by the log function
  now, heard = 1000, {}
  boards = laurel.open {
    clock = function() return now end,
    log = function(level, text)
      heard[#heard + 1] = { level, text, board:size() }
      board:submit("from the log", 1) -- may call anything
    end,
  }
  board = boards:board("season", {})
  board:submit("anna", 1)
  now = 500
  board:submit("bob", 1)
  eq(#heard, 1)
  eq(heard[1][1], "warn")
  contains(heard[1][2], "the clock went back")
  eq(heard[1][3], 2)
  eq(board:size(), 3)
end)

it("an error in the log function is ignored", function()
  local now = 1000
  local boards = laurel.open {
    clock = function() return now end,
    log = function() error("\27[2Jlost") end,
  }
  local board = boards:board("season", {})
  board:submit("anna", 1)
  now = 500
  eq({ board:submit("bob", 1) }, { 1, true })
end)
