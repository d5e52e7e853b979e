-- Seasons of local boards that are kept in the remote called "archive", as seen by scripts. Runs only
-- inside a test program that defines the following globals, over a remote without a network
-- (tests/bindings/remote_test.cc):
--
--   kept        a registry that has such a remote
--   boards      a registry that has none
--   away(why)   makes the archive of `kept` unavailable; away "" makes it available again
--   pass(seconds)   advances the time
if not rawget(_G, "away") then return end -- the installed library has no such remote

local spec = require "spec"
local it, eq, raises, refuses, players = spec.it, spec.eq, spec.raises, spec.refuses, spec.players
local lent = _G
local kept, boards, pass, away = lent.kept, lent.boards, lent.pass, lent.away

local function tick(times)
  for _ = 1, times or 1 do
    kept:tick()
    pass(0.001)
  end
end

local function run(...) return spec.run_task(tick, ...) end

-- Calls a method in a task, and returns its results.
local function ask(board, method, ...) return run(board[method], board, ...) end

local made = 0
local function new(fields)
  made = made + 1
  return kept:board("daily_" .. made, fields or {}), "daily_" .. made
end

-- Ticks until at most that many seasons of the board are local.
local function settle(board, seasons)
  for _ = 1, 10000 do
    if #board:seasons() <= seasons then return end
    tick()
  end
  error("the seasons stay", 2)
end

-- A board with two ended seasons. Both are copied to the archive; the second is also kept locally.
local function two_seasons(fields)
  local board, name = new(fields)
  for i, each in ipairs { { "anna", 90 }, { "bob", 70 }, { "cleo", 70 }, { "dan", 50 } } do
    board:submit(each[1], each[2], "d" .. i, i)
  end
  local live = board:top(9)
  board:reset()
  board:submit("eve", 1000)
  board:reset()
  settle(board, 2)
  return board, name, live
end

it("a season that is not kept locally is read from the archive, in a task", function()
  local board, name, live = two_seasons()
  eq(board:seasons(), { 3, 2 })
  local past = ask(board, "archived", 1)
  eq(tostring(past), "board: " .. name .. " (remote archive, season 1)")
  eq(past == ask(board, "archived", 1), true)
  eq({ past == board, past == board:archived(2) }, { false, false })
  eq(ask(past, "top", 9), live)
  eq(ask(past, "size"), 4)
  eq(ask(past, "get", "cleo"), { player = "cleo", score = 70, rank = 2, at = 3, data = "d3" })
  eq({ ask(past, "rank", "cleo", "modified") }, { 3, 4 })
  eq(ask(past, "score", "eve"), nil)
  eq(ask(past, "around", "cleo", 0), { ask(past, "get", "cleo") })
  eq(ask(past, "around", "eve", 0), {})
  eq(past:season(), 1)
  local info = ask(past, "info")
  eq({ info.name, info.season, info.size, info.created },
    { name, 1, 4, board:info().created })
  eq(type(info.ended), "number")
  local walked = {}
  run(function() for entry in past:each(3) do walked[#walked + 1] = entry.player end end)
  eq(walked, { "cleo", "dan" })
end)

it("a season with columns reads as the local one did", function()
  local seconds = { name = "seconds", order = "asc", decimals = 2, max = 100000 }
  local board = new { columns = { { name = "laps" }, seconds } }
  board:submit("anna", { 3, 7.25 })
  board:submit("bob", { 3, 7 })
  board:submit("cleo", { 2, 1 })
  local live, columns = board:top(9), board:info().columns
  board:reset()
  board:submit("eve", { 1, 1 })
  board:reset()
  settle(board, 2)
  local past = ask(board, "archived", 1)
  eq(ask(past, "top", 9), live)
  eq({ ask(past, "score", "anna") }, { 3, 7.25 })
  eq(ask(past, "get", "bob").score, { 3, 7 })
  eq(ask(past, "rank_of", { 3, 7.1 }), 2)
  eq(ask(past, "count", { 3 }, { 3 }), 2)
  eq(players(ask(past, "between", { 2, 5 }, { 3, 7.25 })), "anna cleo")
  eq(ask(past, "info").columns, columns)
  local walked = {}
  run(function() for entry in past:each() do walked[#walked + 1] = entry.score[2] end end)
  eq(walked, { 7, 7.25, 1 })
end)

it("a season that is kept locally is read locally, in a task or not", function()
  local board = two_seasons()
  local past = board:archived(2)
  eq(players(past:top(9)), "eve")
  eq(ask(board, "archived", 2) == past, true)
  away "connection refused"
  eq(ask(board, "archived", 2) == past, true)
  away ""
end)

it("outside of a task, archived raises if it would have to wait", function()
  local board, name = two_seasons()
  raises(name .. ":archived waits for an answer: call it inside laurel.task", board.archived, board, 1)
  eq(board:archived(3), nil) -- the current season
  eq(board:archived(99), nil)
  eq(board:archived(0), nil)
  local past = ask(board, "archived", 1)
  raises(name .. ":size waits for an answer: call it inside laurel.task", past.size, past)
end)

it("without an archive, a season that is not kept is nil", function()
  local board = boards:board("no_archive", {})
  board:submit("anna", 1)
  board:reset()
  board:reset()
  eq(board:archived(1), nil)
  eq(run(board.archived, board, 1), nil)
end)

it("a season that never existed is nil, or unavailable while the archive is", function()
  local board = new { archive = 0 }
  away "connection refused"
  board:submit("anna", 1)
  board:reset()
  tick(20)
  eq(board:archived(1):size(), 1) -- still local: its copy is pending
  kept:drop(board:info().name)
  away ""
  local again = new { archive = 0 }
  again:reset()
  settle(again, 1)
  away "connection refused"
  refuses("unavailable", ask(again, "archived", 1))
  away ""
  eq(ask(ask(again, "archived", 1), "size"), 0)
end)

it("writes on an archived season return closed, in a task or not", function()
  local board, name = two_seasons()
  local past = ask(board, "archived", 1)
  local writes = {
    submit = { "x", 1 }, submit_all = { { { "x", 1 } } }, submit_report = { "x", 1 }, add = { "x", 1 },
    set = { "x", 1 }, remove = { "anna" }, clear = {}, join = { "x" }, leave = { "anna" },
    ban = { "anna" }, unban = { "anna" }, merge = { {} }, reset = {}, post = { "x", 1 },
    watch = { 1, function() end },
  }
  for method, arguments in pairs(writes) do
    eq({ past[method](past, unpack(arguments)) },
      { nil, ('closed: season 1 of board "%s" has ended'):format(name) })
  end
  eq(ask(past, "size"), 4)
end)

it("board-wide calls work through a handle of an archived season", function()
  local board = two_seasons()
  board:ban "mallory"
  local past = ask(board, "archived", 1)
  eq(past:seasons(), { 3, 2 })
  eq(past:banned(), { "mallory" })
  eq(past:archived(2) == board:archived(2), true)
  eq(ask(past, "archived", 1) == past, true)
  eq(past:archived(3), nil)
  eq(type(past:remote().state), "string")
end)

it("engine-specific reads work on an archived copy if the copy has the data", function()
  local capped = two_seasons { engine = "capped", cap = 3 }
  local past = ask(capped, "archived", 1)
  eq(players(ask(past, "top", 9)), "anna bob cleo")
  refuses("unsupported", past:lowest())
  local padded = ask(two_seasons { engine = "padded", ties = "player_desc" }, "archived", 1)
  eq(ask(padded, "key", "bob"), "SCORE#0000000070#bob")
  local sharded = ask(two_seasons { engine = "sharded", shards = 2 }, "archived", 1)
  local top, certain = ask(sharded, "top", 2, { confidence = 0.9 })
  eq({ #top, certain, sharded:fetch_size(2, 1) }, { 2, true, 2 })
end)

it("a handle of an archived season can be read after its board was dropped", function()
  local board, name, live = two_seasons()
  local past = ask(board, "archived", 1)
  kept:drop(name)
  eq(ask(past, "top", 9), live)
  raises("dropped: board \"" .. name .. "\" was dropped", past.seasons, past)
  raises("dropped", past.archived, past, 1)
  raises("dropped", past.banned, past)
  local renewed = kept:board(name, { archive = 0 })
  renewed:reset()
  settle(renewed, 1)
  eq(ask(ask(renewed, "archived", 1), "size"), 0) -- the first season of the new board, not of the old one
  raises("dropped", past.seasons, past)
end)

it("forget removes a player from archived seasons", function()
  local board = two_seasons()
  local past = ask(board, "archived", 1)
  local before = kept:forget "bob"
  for _ = 1, 10000 do
    if ask(past, "size") == 3 then break end
  end
  eq(players(ask(past, "top", 9)), "anna cleo dan")
  eq(before, 0) -- entries that were removed locally
end)

it("a shared board's season is read from the archive after its remote has trimmed it", function()
  local shared = kept:board("shared", { remote = "main", archive = 1 })
  ask(shared, "submit", "anna", 90, "d1", 1)
  ask(shared, "submit", "bob", 70, nil, 2)
  local live = ask(shared, "top", 9)
  raises("shared:archived waits for an answer: call it inside laurel.task", shared.archived, shared, 1)
  raises("shared:archived waits for an answer: call it inside laurel.task", shared.archived, shared, 0)
  ask(shared, "reset")
  for _ = 1, 200 do
    kept:tick()
    pass(0.1)
  end
  ask(shared, "submit", "cleo", 1)
  eq(ask(shared, "reset"), 2)
  eq(ask(shared, "seasons"), { 3, 2 })
  local past = ask(shared, "archived", 1)
  eq(tostring(past), "board: shared (remote main, season 1)")
  eq(ask(past, "top", 9), live)
  eq({ ask(past, "rank", "bob") }, { 2, 2 })
  eq({ ask(past, "submit", "dan", 1) }, { nil, "closed: season 1 of board \"shared\" has ended" })
  eq(ask(ask(past, "archived", 2), "size"), 1)
  for _, season in ipairs { 0, 3, 4, 99 } do eq(run(shared.archived, shared, season), nil) end
  away "connection refused"
  eq(ask(past, "top", 9) == nil, true)
  refuses("unavailable", ask(shared, "archived", 1))
  eq(ask(ask(shared, "archived", 2), "size"), 1) -- still kept by the remote
  away ""
  eq(run(kept.drop, kept, "shared"), true)
  raises("dropped", past.size, past)
end)
