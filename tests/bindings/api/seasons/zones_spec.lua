-- Zones, and seasons that take results for a while: `zone` and `duration`.
local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises, refuses = spec.it, spec.eq, spec.raises, spec.refuses
local contains = spec.contains

local hour, day, week = 3600, 86400, 7 * 86400
local saturday = 19875 * day + 18 * hour -- 2024-06-01, 20:00 in Berlin
local tournament = { reset = "0 20 * * 6", zone = "Europe/Berlin", duration = 2 * hour }

local function new(now)
  local world = { now = now or saturday }
  world.boards = laurel.open {
    clock = function() return world.now end,
    log = function(level, text) world.line = level .. ": " .. text end,
  }
  return world, world.boards
end

it("the zone is UTC unless another is given, and info shows it", function()
  local _, boards = new()
  eq(boards:board("utc", {}):info().zone, "UTC")
  eq(boards:board("berlin", { zone = "Europe/Berlin" }):info().zone, "Europe/Berlin")
  eq(boards:board("berlin", { meta = "x" }):info().zone, "Europe/Berlin")
  eq(boards:board("berlin", { zone = "UTC" }):info().zone, "UTC")
end)

it("an unknown zone raises and names the nearest, and changes nothing", function()
  local _, boards = new()
  raises("Europe/Berlin", boards.board, boards, "b", { zone = "Europe/Berln" })
  raises("America/New_York", boards.board, boards, "b", { zone = "america/new_york" })
  raises("field 'zone'", boards.board, boards, "b", { zone = "" })
  raises("field 'zone'", boards.board, boards, "b", { zone = "localtime" })
  raises("field 'zone'", boards.board, boards, "b", { zone = 1 })
  raises("field 'zone'", boards.board, boards, "b", { zone = false })
  raises("field 'zone'", boards.board, boards, "b", { zone = {} })
  raises("did you mean 'zone'", boards.board, boards, "b", { zoen = "UTC" })
  eq(boards:names(), {})
end)

it("reset is meant in the zone, and a new zone computes the next reset again", function()
  local world, boards = new(19875 * day)
  local board = boards:board("b", { reset = "0 0 * * *", zone = "Europe/Berlin" })
  eq(board:info().resets_at, 19875 * day + 22 * hour)
  world.now = 20000 * day -- 2024-10-04
  boards:board("b", { reset = "30 2 * * 0", zone = "America/New_York" })
  eq(board:info().resets_at, 20002 * day + 6.5 * hour)
  boards:board("b", { zone = "UTC" })
  eq(board:info().resets_at, 20002 * day + 2.5 * hour)
end)

it("results are taken for the duration of a season, and then closed until the next reset", function()
  local world, boards = new()
  local board = boards:board("cup", tournament)
  local info = board:info()
  eq({ info.started, info.closes_at, info.resets_at, info.duration },
    { saturday, saturday + 2 * hour, saturday + week, 2 * hour })
  eq({ board:submit("ada", 1) }, { 1, true })
  world.now = saturday + 2 * hour
  local _, reason = board:submit("ada", 2)
  refuses("closed", nil, reason)
  contains(reason, "until its next season begins at " .. saturday + week)
  eq({ board:set("ada", 3) }, { 3, true })
  world.now = saturday + week
  eq({ board:submit("ada", 2) }, { 2, true })
  eq(board:season(), 2)
  eq(board:archived(1):score("ada"), 3)
  eq(board:archived(1):info().closes_at, nil)
end)

it("a first season begins at the last reset that was due, or, without a duration, when it is made", function()
  local world, boards = new(saturday + 2 * hour)
  eq(boards:board("cup", tournament):info().started, saturday)
  refuses("closed", boards:board("cup"):submit("ada", 1))
  eq(boards:board("plain", { reset = "0 20 * * 6" }):info().started, saturday + 2 * hour)
  eq(boards:board("plain"):info().closes_at, nil)
  world.now = saturday + week + hour
  eq({ boards:board("cup"):submit("ada", 1) }, { 1, true })
  eq(boards:board("cup"):season(), 1)
  world.now = saturday + 20 * week + 3 * hour -- Berlin's winter began in week 21
  eq(boards:board("cup"):info().started, saturday + 20 * week)
  world.now = saturday + 22 * week + 3 * hour
  eq(boards:board("cup"):info().started, saturday + 22 * week + hour)
end)

it("every way to hand in a result obeys the duration", function()
  local world, boards = new(saturday + 3 * hour)
  local board = boards:board("cup", tournament)
  local other = boards:board("other", {})
  refuses("closed", board:submit("ada", 1))
  refuses("closed", board:add("ada", 1))
  refuses("closed", board:post("ada", 1))
  refuses("closed", board:submit_report("ada", 1))
  refuses("closed", board:join("ada", 1))
  eq(board:join("ada"), true)
  local changed, refused = board:submit_all { { "ada", 1 }, { "bea", 2 } }
  eq({ changed, #refused, refused[1].index }, { 0, 2, 1 })
  refuses("closed", nil, refused[1].reason)
  local scores, reason, name = boards:submit({ "other", "cup" }, "ada", 1)
  eq({ scores, name }, { nil, "cup" })
  refuses("closed", nil, reason)
  eq(other:size(), 0)
  world.now = saturday + week
  eq({ board:post("ada", 1) }, { 1, true }) -- on a local board it is submit
  eq({ boards:submit({ "other", "cup" }, "ada", 5) }, { { 5, 5 } })
end)

it("a duration wants a reset, and is above 0 and up to 366 days", function()
  local _, boards = new()
  raises("'reset'", boards.board, boards, "b", { duration = 60 })
  for _, bad in ipairs { 0, -1, 366 * day + 1, 1 / 0, 0 / 0, "60", true } do
    raises("field 'duration'", boards.board, boards, "b", { reset = "0 0 * * *", duration = bad })
  end
  raises("field 'duration'", boards.board, boards, "b", { engine = "rolling", duration = 60 })
  local board = boards:board("b", { reset = "0 0 * * *", duration = 366 * day })
  eq(board:info().closes_at, board:info().resets_at)
  raises("'reset'", boards.board, boards, "b", { reset = false })
  boards:board("b", { duration = false })
  eq({ board:info().duration, board:info().closes_at }, { nil, nil })
end)

it("what info shows of a board makes the same board", function()
  local _, boards = new()
  boards:board("cup", tournament)
  boards:board("active", { engine = "rolling", days = 3, zone = "Europe/Berlin" })
  local known = { engine = 1, reset = 1, zone = 1, duration = 1, days = 1, window = 1, archive = 1, ties = 1 }
  for _, name in ipairs { "cup", "active" } do
    local given = {}
    for field, value in pairs(boards:board(name):info()) do
      if known[field] then given[field] = value end
    end
    boards:board(name, given)
    boards:board(name .. " again", given)
    eq(boards:board(name .. " again"):info().zone, "Europe/Berlin")
  end
  eq({ boards:board("active"):info().days, boards:board("active"):info().window }, { 3, nil })
end)

it("a rolling board in a zone counts local days, and its zone is of its stored order", function()
  local world, boards = new(19813 * day - hour) -- 2024-03-31, 00:00 in Berlin: a day of 23 hours
  local board = boards:board("active", { engine = "rolling", days = 2, zone = "Europe/Berlin" })
  board:add("ada", 1)
  board:add("ada", 2, nil, world.now - 0.5)
  eq(board:score("ada"), 3)
  eq(board:score("ada", { at = 19813 * day + 22 * hour - 1 }), 3)
  eq(board:score("ada", { at = 19813 * day + 22 * hour }), 1)
  eq(board:score("ada", { at = 19814 * day + 22 * hour }), nil)
  refuses("outside_window", board:score("ada", { at = 19813 * day - hour - 1 }))
  local _, reason = board:add("ada", 1, nil, world.now - 2 * day)
  contains(reason, "2 days of zone \"Europe/Berlin\"")
  world.now = 19813 * day + 22 * hour
  eq(board:score("ada"), 1)
  raises("stored order", boards.board, boards, "active", { zone = "UTC" })
  raises("stored order", boards.board, boards, "active", { zone = "Europe/Paris" })
  raises("'days'", boards.board, boards, "x",
    { engine = "rolling", zone = "Europe/Berlin", window = { buckets = 24, seconds = 3600 } })
end)
