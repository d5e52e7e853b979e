-- Seasons: the current one is a function of the clock, and past seasons stay readable.
local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises, refuses, players = spec.it, spec.eq, spec.raises, spec.refuses, spec.players

local day = 86400
local monday = 19723 * day -- 2024-01-01, a Monday, 00:00 UTC

-- A registry with a clock that the case sets; `now` is 10:00 on that Monday.
local function new()
  local world = { now = monday + 10 * 3600 }
  world.boards = laurel.open {
    clock = function() return world.now end,
    log = function(_, text) world.line = text end,
  }
  return world, world.boards
end

-- A board that is reset each midnight, with one result on each of the first two days: anna 1, then bob 2.
local function two_days(fields)
  local world, boards = new()
  fields = fields or {}
  fields.reset = "0 0 * * *"
  local board = boards:board("daily", fields)
  board:submit("anna", 1)
  world.now = world.now + day
  board:submit("bob", 2)
  return world, board
end

it("a board without reset stays in its first season", function()
  local world, boards = new()
  local board = boards:board("season", {})
  board:submit("anna", 1)
  world.now = world.now + 1000 * day
  eq(board:season(), 1)
  eq(board:seasons(), { 1 })
  eq(board:size(), 1)
  eq(board:info().resets_at, nil)
end)

it("the first call after a reset is due finds the board reset", function()
  local calls = {
    size = function(board) return board:size() == 0 end,
    get = function(board) return board:get("anna") == nil end,
    score = function(board) return board:score("anna") == nil end,
    rank = function(board) return board:rank("anna") == nil end,
    rank_of = function(board) return board:rank_of(0) == 1 end,
    count = function(board) return board:count() == 0 end,
    percentile = function(board) return board:percentile("anna") == nil end,
    score_at = function(board) return board:score_at(1) == nil end,
    score_at_percentile = function(board) return board:score_at_percentile(0) == nil end,
    top = function(board) return #board:top(10) == 0 end,
    top_percent = function(board) return #board:top_percent(100) == 0 end,
    around_score = function(board) return #board:around_score(5, 3) == 0 end,
    bottom = function(board) return #board:bottom(10) == 0 end,
    page = function(board) return #board:page(1, 10) == 0 end,
    around = function(board) return #board:around("anna", 1) == 0 end,
    between = function(board) return #board:between() == 0 end,
    among = function(board) return #board:among { "anna" } == 0 end,
    each = function(board) return board:each()() == nil end,
    season = function(board) return board:season() == 2 end,
    seasons = function(board) return #board:seasons() == 2 end,
    archived = function(board) return board:archived(1):size() == 1 end,
    info = function(board) return board:info().season == 2 end,
    reset = function(board) return board:reset() == 2 end,
    remove = function(board) return board:remove("anna") == false end,
    clear = function(board) return board:clear() == 0 end,
    leave = function(board) return board:leave("anna") == false end,
    add = function(board) return board:add("anna", 7) == 7 end,
    submit = function(board) return board:submit("anna", 0) == 0 end,
    submit_report = function(board) return board:submit_report("anna", 0).previous == nil end,
    submit_all = function(board) return board:submit_all { { "anna", 0 } } == 1 end,
  }
  for name, finds_it_reset in pairs(calls) do
    local world, boards = new()
    local board = boards:board("daily", { reset = "0 0 * * *" })
    board:submit("anna", 1)
    world.now = monday + day
    eq({ name, finds_it_reset(board) }, { name, true })
  end
end)

it("calls on all boards find them reset", function()
  local world, boards = new()
  boards:board("daily", { reset = "0 0 * * *" }):submit("anna", 1)
  eq(#boards:scores_of("anna"), 1)
  world.now = monday + day
  eq(boards:scores_of("anna"), {})
  eq(boards:submit({ "daily" }, "anna", 0), { 0 })
end)

it("a season runs until its reset is due, to the microsecond", function()
  local world, boards = new()
  local board = boards:board("daily", { reset = "0 0 * * *" })
  board:submit("anna", 1)
  world.now = monday + day - 0.000001
  eq({ board:season(), board:size() }, { 1, 1 })
  world.now = monday + day
  eq({ board:season(), board:size() }, { 2, 0 })
end)

it("info has season, started and resets_at", function()
  local world, boards = new()
  local created = world.now
  local board = boards:board("daily", { reset = "30 6 * * *" })
  local info = board:info()
  eq({ info.season, info.started, info.resets_at, info.created, info.ended, info.reset, info.archive },
    { 1, created, monday + day + 6.5 * 3600, created, nil, "30 6 * * *", 1 })
  board:submit("anna", 1)
  world.now = monday + 2 * day
  info = board:info()
  eq({ info.season, info.started, info.resets_at, info.created },
    { 2, monday + day + 6.5 * 3600, monday + 2 * day + 6.5 * 3600, created })
end)

it("a season ends at the time when it was due, however long the server was down", function()
  local world, boards = new()
  local board = boards:board("weekly", { reset = "0 0 * * 1" })
  board:submit("anna", 1)
  world.now = monday + 70 * day + 5
  local past = board:archived(1)
  eq(past:info().ended, monday + 7 * day)
  eq(past:info().season, 1)
  eq(past:info().resets_at, nil)
  eq(board:info().started, monday + 70 * day)
  eq(board:info().resets_at, monday + 77 * day)
end)

it("periods without writes create no season", function()
  local world, board = two_days()
  world.now = world.now + 30 * day
  eq(board:season(), 3)
  eq(board:seasons(), { 3, 2 })
  world.now = world.now + 30 * day
  eq(board:season(), 3)
  eq(board:info().started, monday + 61 * day)
end)

it("a write goes to the season that is current at the call, whatever its at", function()
  local world, boards = new()
  local board = boards:board("daily", { reset = "0 0 * * *", archive = 5 })
  board:submit("anna", 1, nil, monday + 3 * day)
  eq(board:season(), 1)
  world.now = monday + day
  board:submit("bob", 1, nil, monday)
  eq(board:season(), 2)
  eq(players(board:top(9)), "bob")
  eq(players(board:archived(1):top(9)), "anna")
end)

it("joins and bans survive resets; an entry hidden by a ban ends with its season", function()
  local world, boards = new()
  local board = boards:board("daily", { reset = "0 0 * * *", join = "required" })
  for _, player in ipairs { "anna", "bob" } do
    board:join(player)
    board:submit(player, 5)
  end
  board:ban("bob")
  world.now = monday + day
  eq(board:submit("anna", 1), 1)
  refuses("banned", board:submit("bob", 1))
  eq(board:banned(), { "bob" })
  board:unban("bob")
  eq(board:get("bob"), nil)
  eq(board:submit("bob", 1), 1)
  eq(players(board:archived(1):top(9)), "anna")
end)

it("reset ends the season at once, empty or not, and returns its number", function()
  local world, boards = new()
  local board = boards:board("season", { archive = 5 })
  board:submit("anna", 1)
  world.now = world.now + 7
  eq(board:reset(), 1)
  eq({ board:season(), board:size() }, { 2, 0 })
  eq(board:archived(1):info().ended, world.now)
  eq(board:info().started, world.now)
  eq(board:reset(), 2)
  eq(board:seasons(), { 3, 2, 1 })
  eq(board:archived(2):size(), 0)
end)

it("a reset by hand does not move the scheduled one", function()
  local world, boards = new()
  local board = boards:board("daily", { reset = "0 0 * * *" })
  board:reset()
  eq(board:info().resets_at, monday + day)
  board:submit("anna", 1)
  world.now = monday + day
  eq(board:season(), 3)
end)

it("archive is the number of past seasons that are kept", function()
  for kept, seasons in pairs { [0] = { 6 }, [1] = { 6, 5 }, [3] = { 6, 5, 4, 3 } } do
    local _, boards = new()
    local board = boards:board("season", { archive = kept })
    for _ = 1, 5 do board:reset() end
    eq(board:seasons(), seasons)
  end
  local _, boards = new()
  local board = boards:board("season", { archive = 3 })
  for _ = 1, 5 do board:reset() end
  boards:board("season", { archive = 1 })
  eq(board:seasons(), { 6, 5 })
end)

it("archived returns nil for a season that is not kept, or has not ended", function()
  local _, board = two_days()
  eq(select("#", board:archived(3)), 1)
  for _, number in ipairs { 2, 3, 0, -1, 1e300 } do eq(board:archived(number), nil) end
  eq(board:archived(1):season(), 1)
end)

it("a schedule that is added later applies from then on, and false removes it", function()
  local world, boards = new()
  local board = boards:board("season", {})
  board:submit("anna", 1)
  world.now = monday + 5 * day + 1
  boards:board("season", { reset = "0 0 * * *" })
  eq({ board:season(), board:size() }, { 1, 1 })
  boards:board("season", { reset = false })
  world.now = monday + 9 * day
  eq({ board:season(), board:info().resets_at }, { 1, nil })
end)

it("a bad schedule raises an error that says what is wrong", function()
  local _, boards = new()
  raises("bad argument #2 to 'board' (field 'reset': ", boards.board, boards, "x", { reset = "0 0 * *" })
  raises("61", boards.board, boards, "x", { reset = "61 0 * * *" })
  raises("field 'reset' is 5", boards.board, boards, "x", { reset = 5 })
  eq(boards:names(), {})
end)

it("when the clock goes back the season stays, and the next reset is the next one due", function()
  local world, board = two_days()
  eq(board:season(), 2)
  world.now = monday + 3600
  eq({ board:season(), board:size() }, { 2, 1 })
  eq(board:info().resets_at, monday + day)
  world.now = monday + day
  eq(board:season(), 3)
end)

it("a watch is called at the tick after the end of the season", function()
  local world, boards = new()
  local board = boards:board("daily", { reset = "0 0 * * *" })
  board:submit("anna", 1)
  local left = {}
  board:watch(3, function(event) left[#left + 1] = players(event.left) .. "/" .. #event.top end)
  boards:tick()
  eq(left, {})
  world.now = monday + day
  boards:tick()
  eq(left, { "anna/0" })
end)

it("the clock is read at most once per call", function()
  local asked, now = 0, monday
  local boards = laurel.open { clock = function() asked = asked + 1 return now end }
  local board = boards:board("daily", { reset = "0 0 * * *" })
  local plain = boards:board("plain", {})
  local function asks(fn, ...)
    local before = asked
    fn(...)
    return asked - before
  end
  eq(asks(board.submit, board, "anna", 1), 1)
  eq(asks(board.top, board, 1), 1)
  eq(asks(board.info, board), 1)
  eq(asks(board.ban, board, "bob"), 1)
  eq(asks(plain.submit, plain, "anna", 1), 1)
  eq(asks(plain.top, plain, 1), 0)
end)

it("a clock function that raises, or drops or closes the board, leaves a consistent state", function()
  local boards, act
  boards = laurel.open { clock = function() if act then act() end return monday end }
  local board = boards:board("daily", { reset = "0 0 * * *" })
  board:submit("anna", 1)
  act = function() error("no clock today") end
  raises("no clock today", board.submit, board, "bob", 1)
  raises("no clock today", board.size, board)
  act = nil
  eq(board:size(), 1)
  act = function()
    act = nil
    boards:drop("daily")
  end
  raises('dropped: board "daily" was dropped', board.size, board)
  board = boards:board("daily", { reset = "0 0 * * *" })
  act = function()
    act = nil
    boards:close()
  end
  raises("closed", board.top, board, 1)
end)
