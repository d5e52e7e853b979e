-- Remote boards, as seen by scripts. Runs only inside a test program that defines the following globals,
-- over a remote without a network (tests/bindings/remote_test.cc):
--
--   boards, others   the registries of two servers, with one remote called "main"
--   pass(seconds)    advances the time
--   down(why)        makes the remote of `boards` unavailable; down "" makes it available again
--   stall(yes)       while true, requests to it are not delivered
--   lines()          the log of `boards` since the last call
if not rawget(_G, "pass") then return end -- the installed library has no such remote

local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises, refuses, contains = spec.it, spec.eq, spec.raises, spec.refuses, spec.contains
local lent = _G
local boards, others = lent.boards, lent.others
local pass, down, stall, lines = lent.pass, lent.down, lent.stall, lent.lines

local function tick(times)
  for _ = 1, times or 1 do
    boards:tick()
    others:tick()
    pass(0.001)
  end
end

local function run(...) return spec.run_task(tick, ...) end

-- Calls a method in a task, and returns its results.
local function ask(board, method, ...) return run(board[method], board, ...) end

local made = 0
local function new(fields)
  made = made + 1
  fields = fields or {}
  fields.remote = "main"
  return boards:board("world_" .. made, fields), "world_" .. made
end

it("a board with a remote opens at once, and tostring shows the remote", function()
  local world, name = new()
  eq(tostring(world), "board: " .. name .. " (remote main)")
  eq(boards:board(name) == world, true)
  eq(boards:board(name, {}) == world, true)
  eq(boards:board(name, { remote = "main" }) == world, true)
  eq(world == boards:board("here", {}), false)
  local listed = false
  for _, each in ipairs(boards:names()) do listed = listed or each == name end
  eq(listed, true)
  raises("no remote has that name", boards.board, boards, "x", { remote = "elsewhere" })
  raises("bad argument #2 to 'board'", boards.board, boards, "x", { remote = "elsewhere" })
  raises("bad argument #1 to 'board'", boards.board, boards, "", { remote = "main" })
  raises("bad argument #2 to 'board'", boards.board, boards, "here", { remote = "main" })
end)

it("a zone and a duration are those of a local board", function()
  local fields = { reset = "0 20 * * 6", zone = "Europe/Berlin", duration = 7200 }
  local world = new(fields)
  fields.remote = nil
  local here = boards:board("timed", fields)
  local info, expected = ask(world, "info"), here:info()
  for _, field in ipairs { "zone", "duration", "resets_at", "closes_at", "started" } do
    eq(info[field], expected[field])
  end
end)

it("results have ids, which count once", function()
  local world = new { keep = "sum", decimals = 0 }
  eq({ ask(world, "submit", "anna", 2, nil, nil, "match 1") }, { 2, true })
  eq({ ask(world, "submit", "anna", 3, nil, nil, "match 1") }, { 2, false })
  eq({ ask(world, "add", "bert", 3, nil, nil, "match 1") }, { nil, false })
  eq({ ask(world, "set", "anna", 9, nil, nil, "match 1") }, { 2, false })
  eq(ask(world, "submit_report", "anna", 3, nil, nil, "match 1").passed, 0)
  eq(ask(world, "submit_all", { { "anna", 1, nil, nil, "match 1" }, { "anna", 1, nil, nil, "match 2" } }), 1)
  eq(world:post("anna", 5, nil, nil, "match 2"), true)
  tick(20)
  eq(ask(world, "score", "anna"), 3)
  local score, why = ask(world, "submit", "anna", 3, nil, nil, "")
  refuses("bad_data", score, why)
  refuses("bad_data", world:post("anna", 5, nil, nil, ("i"):rep(65)))
end)

it("attempts are counted and granted, and a board is full at its capacity", function()
  local world = new { attempts = 1, capacity = 2 }
  eq({ ask(world, "submit", "anna", 2) }, { 2, true })
  refuses("exhausted", ask(world, "submit", "anna", 3))
  eq({ ask(world, "attempts", "anna") }, { 1, 0 })
  eq(ask(world, "grant", "anna", 2), 2)
  eq({ ask(world, "submit", "anna", 3) }, { 3, true })
  eq({ ask(world, "submit", "bert", 1) }, { 1, true })
  refuses("full", ask(world, "submit", "cora", 1))
  eq(ask(new {}, "attempts", "anna"), nil)
  refuses("unsupported", ask(new {}, "grant", "anna", 1))
end)

it("outside of a task a call that waits raises and says so", function()
  local world, name = new()
  raises(name .. ":rank waits for an answer: call it inside laurel.task", world.rank, world, "anna")
  raises(name .. ":submit waits for an answer", world.submit, world, "anna", 1)
  raises("boards:drop waits for an answer", boards.drop, boards, name)
end)

it("in a coroutine within a task a call that waits raises and says so", function()
  local world = new()
  local ok, why
  run(function() ok, why = coroutine.resume(coroutine.create(function() world:size() end)) end)
  eq(ok, false)
  contains(why, "not in a coroutine within it")
end)

it("wrong arguments raise the same errors as on a local board", function()
  local world, here = new(), boards:board("alike", {})
  for _, call in ipairs {
    { "submit" }, { "submit", 5 }, { "submit", "anna" }, { "submit", "anna", "5" },
    { "submit", "anna", 5, 6 }, { "submit", "anna", 5, "d", "t" }, { "add", "anna" },
    { "set", "anna" }, { "post" }, { "submit_report" }, { "submit_all" }, { "submit_all", { 5 } },
    { "submit_all", { { "anna" } } }, { "remove" }, { "join" }, { "join", "anna", "x" },
    { "leave" }, { "ban" }, { "unban" }, { "get" }, { "score" }, { "rank" }, { "rank", "anna", 5 },
    { "rank_of" }, { "count", "x" }, { "percentile" }, { "key" }, { "top" }, { "top", 1.5 },
    { "top", 1, { confidense = 1 } }, { "bottom" }, { "page" }, { "page", 1 }, { "around", "anna" },
    { "between", "x" }, { "among" }, { "among", { 5 } }, { "each", "x" }, { "archived" },
    { "score_at" }, { "score_at", 0.5 },
    { "score_at_percentile" }, { "top_percent", "x" }, { "around_score", 5 }, { "around_score", 5, 0.5 },
    { "fetch_size" }, { "merge" }, { "watch" }, { "watch", 3 }, { "watch", 3, 4 },
  } do
    local method = call[1]
    local _, expected = pcall(here[method], here, unpack(call, 2, 6))
    local got
    run(function() got = select(2, pcall(world[method], world, unpack(call, 2, 6))) end)
    eq(got, expected)
  end
end)

local function name_of(board) return tostring(board):match("board: (%S+)") end

-- Makes each call on both boards: the results must be the same, except the board's name.
local function alike(world, here, calls)
  for _, call in ipairs(calls) do
    local method = call[1]
    local expected = { here[method](here, unpack(call, 2, 6)) }
    local got = { ask(world, method, unpack(call, 2, 6)) }
    for i, each in pairs(got) do
      if type(each) == "string" then got[i] = each:gsub("world_%d+", name_of(here)) end
    end
    local ok, why = pcall(eq, got, expected)
    if not ok then error(method .. ": " .. why, 2) end
  end
end

it("writes and reads return the same as on a local board", function()
  local world, here = new { ranking = "dense" }, boards:board("oracle", { ranking = "dense" })
  alike(world, here, {
    { "submit", "anna", 10, nil, 100 }, { "submit", "anna", 5, nil, 101 },
    { "submit", "bob", 10, "note", 102 }, { "submit", "cleo", 7, nil, 103 },
    { "add", "cleo", 2, nil, 104 }, { "set", "dora", 3, nil, 105 },
    { "submit", "", 1 }, { "submit", "anna", 0 / 0 }, { "submit", "anna", 1, ("x"):rep(2000) },
    { "submit_all", { { "eve", 1, nil, 106 }, { "", 2 }, { "fay", 4, "d", 107 } } },
    { "size" }, { "get", "bob" }, { "get", "nobody" }, { "score", "cleo" }, { "score", "nobody" },
    { "rank", "bob" }, { "rank", "bob", "ordinal" }, { "rank", "nobody" },
    { "rank", "bob", "upside" }, { "rank_of", 8 }, { "count" }, { "count", 4, 9 },
    { "count", 9, 4 }, { "count", 0 / 0 }, { "percentile", "anna" }, { "percentile", "nobody" },
    { "top", 3 }, { "top", 0 }, { "top", 3, { at = 5 } },
    { "top", 3, { at = 5, confidence = 0.5 } }, { "bottom", 2 }, { "page", 2, 2 },
    { "page", 100, 2 }, { "around", "cleo", 1 }, { "around", "cleo", 0 },
    { "around", "cleo", -1 }, { "around", "nobody", 0 }, { "around", "nobody", 1 },
    { "between", 4, 10 }, { "between", 4, 10, 1 }, { "between" },
    { "score_at", 2 }, { "score_at", 6 }, { "score_at", 7 }, { "score_at", 0 },
    { "score_at_percentile", 50 }, { "score_at_percentile", 80 }, { "score_at_percentile", 0 / 0 },
    { "top_percent", 50 }, { "top_percent", 0 }, { "top_percent", 0 / 0 }, { "around_score", 9, 1 },
    { "around_score", 9, 0 }, { "around_score", 0, 2 }, { "around_score", 0 / 0, 1 },
    { "around_score", 10, 1, { with = {} } },
    { "among", { "cleo", "bob", "nobody" } }, { "among", {} }, { "lowest" }, { "layout" },
    { "merge", {} }, { "key", "anna" }, { "fetch_size", 10, 0.9 },
    { "ban", "anna" }, { "ban", "anna" }, { "submit", "anna", 50 }, { "banned" }, { "top", 2 },
    { "unban", "anna" }, { "unban", "anna" }, { "banned" }, { "top", 2 }, { "leave", "fay" },
    { "leave", "fay" }, { "remove", "bob" }, { "remove", "bob" }, { "season" }, { "seasons" },
    { "archived", 1 }, { "clear" }, { "size" },
  })
end)

it("scores of several columns are the same as on a local board", function()
  local laps = { name = "laps", max = 999 }
  local seconds = { name = "seconds", order = "asc", decimals = 3, max = 100000 }
  for _, keep in ipairs { "best", "sum" } do
    local here = boards:board("columns_" .. keep, { columns = { laps, seconds }, keep = keep })
    local world = new { columns = { laps, seconds }, keep = keep }
    alike(world, here, {
      { "submit", "anna", { 12, 53.21 }, nil, 100 },
      { "submit", "anna", { laps = 12, seconds = 50 }, "d", 101 },
      { "submit", "bob", { 13, 90 }, nil, 102 }, { "submit", "bob", { 1000, 1 }, nil, 103 },
      { "submit", "bob", { -1, 0 }, nil, 104 }, { "submit", "bob", { 0 / 0, 1 } },
      { "add", "bob", { -2, 0.5 }, nil, 105 }, { "add", "cleo", { 1, 1 }, nil, 106 },
      { "add", "cleo", { -5, 1 } }, { "set", "dora", { 7, 8.5 }, nil, 107 },
      { "submit_all",
        { { "eve", { 1, 2 }, nil, 108 }, { "fay", { 1e9, 2 } }, { "gil", { 3, 4 }, "d", 109 } } },
      { "get", "bob" }, { "score", "anna" }, { "score", "nobody" }, { "rank", "bob" },
      { "rank_of", { 12, 51 } }, { "rank_of", { 1e9, 1 } }, { "count" }, { "count", { 3 }, { 12 } },
      { "between", { 12 }, { 12, 0 } }, { "top", 9 }, { "bottom", 2 }, { "around", "anna", 1 },
      { "around_score", { 9, 1 }, 1 }, { "score_at", 2 }, { "score_at", 99 },
      { "score_at_percentile", 50 }, { "join", "hal", { 5, 5 } }, { "score", "hal" },
    })
    local wrong = { ["column 'seconds' is missing"] = { 1 }, ["table expected, got number"] = 1 }
    for why, score in pairs(wrong) do
      run(function() raises(why, world.submit, world, "anna", score) end)
    end
    eq(ask(world, "info").columns, here:info().columns)
    local expected = here:submit_report("ivy", { 20, 1 }, nil, 50)
    local got = ask(world, "submit_report", "ivy", { 20, 1 }, nil, 50)
    expected.board, got.board = nil, nil
    eq(got, expected)
  end
end)

it("a post, a watch and the live channel carry several columns", function()
  local world, name = new { columns = { { name = "a" }, { name = "b", max = 99 } }, keep = "sum" }
  local tops = {}
  world:watch(3, function(change) tops[#tops + 1] = change.top end)
  eq(world:post("anna", { 3, 4 }), true)
  eq(world:post("anna", { a = 1, b = -2 }), true)
  refuses("not_finite", world:post("anna", { 0 / 0, 0 }))
  tick(20)
  eq(tops[#tops][1].score, { 4, 2 })
  local live = assert(boards:serve { port = 0 })
  eq(live:publish(world, { top = 5 }), true)
  local client, shown = assert(laurel.connect { port = live:port() }), nil
  client:subscribe(name, 5, function(top) shown = top end)
  spec.until_(function() return shown end, client, boards)
  eq(shown[1].score, { 4, 2 })
  client:close()
  live:close()
end)

it("a submit_report on a remote board is the same as on a local one", function()
  local world, here = new(), boards:board("reported", {})
  for _, each in ipairs { { "anna", 5 }, { "bob", 7 }, { "anna", 9 } } do
    local expected = here:submit_report(each[1], each[2], nil, 50)
    local got = ask(world, "submit_report", each[1], each[2], nil, 50)
    expected.board, got.board = nil, nil
    eq(got, expected)
  end
end)

it("join works as on a local board", function()
  local world, here = new { join = "required" }, boards:board("joined", { join = "required" })
  alike(world, here, {
    { "submit", "anna", 1 }, { "join", "anna" }, { "join", "anna" }, { "submit", "anna", 1, nil, 5 },
    { "join", "bob", 7 }, { "join", "cleo", 0 / 0 }, { "submit", "cleo", 1 },
  })
end)

it("a past season of a remote board can be read and accepts no writes", function()
  local world, name = new()
  ask(world, "submit", "anna", 5, nil, 9)
  eq(ask(world, "reset"), 1)
  eq(ask(world, "season"), 2)
  eq(ask(world, "seasons"), { 2, 1 })
  eq(ask(world, "archived", 2), nil)
  eq(ask(world, "archived", 9), nil)
  local past = ask(world, "archived", 1)
  eq(tostring(past), "board: " .. name .. " (remote main, season 1)")
  eq(past == ask(world, "archived", 1), true)
  eq(past == world, false)
  eq(past:season(), 1)
  eq(ask(past, "score", "anna"), 5)
  eq(ask(past, "size"), 1)
  eq(ask(past, "info").season, 1)
  refuses("closed", past:submit("anna", 6))
  refuses("closed", past:post("anna", 6))
  refuses("closed", past:reset())
  refuses("unsupported", past:size { at = 5 })
end)

it("info shows the spec and the remote, and no credentials", function()
  local world, name = new { engine = "sharded", shards = 4, meta = "ours" }
  ask(world, "submit", "anna", 5)
  local info = ask(world, "info")
  eq({ info.name, info.engine, info.shards, info.remote, info.meta, info.season, info.size },
    { name, "sharded", 4, "main", "ours", 1, 1 })
  eq(type(info.created) .. type(info.started), "numbernumber")
  local here = boards:board("shards", { engine = "sharded", shards = 4 })
  eq(world:fetch_size(10, 0.99), here:fetch_size(10, 0.99))
  refuses("out_of_range", world:fetch_size(10, 2))
  local list, certain = ask(world, "top", 3, { confidence = 0.999 })
  eq({ #list, type(certain) }, { 1, "boolean" })
end)

it("each iterates over all entries in chunks", function()
  local world = new()
  local list = {}
  for i = 1, 250 do list[i] = { ("p%03d"):format(i), i } end
  ask(world, "submit_all", list)
  eq({ run(function()
    local count, first, last = 0, nil, nil
    for entry in world:each() do
      count = count + 1
      first = first or entry.player
      last = entry
    end
    return count, first, last.player, last.rank
  end) }, { 250, "p250", "p001", 250 })
  eq(run(function()
    local count = 0
    for _ in world:each(101) do count = count + 1 end
    return count
  end), 150)
end)

it("each visits each player once whose entries its loop changes", function()
  local world = new { keep = "latest" }
  local list = {}
  for i = 1, 250 do list[i] = { ("p%03d"):format(i), i } end
  ask(world, "submit_all", list)
  eq({ run(function()
    local visits, most, steps = {}, 0, 0
    for entry in world:each() do
      steps = steps + 1
      assert(steps <= 250, "the loop does not end")
      visits[entry.player] = (visits[entry.player] or 0) + 1
      most = math.max(most, visits[entry.player])
      -- One of three rises to the top, one falls to the bottom, one takes the next one along.
      local number = tonumber(entry.player:sub(2))
      if steps % 3 == 0 then world:set(entry.player, 1000 + number) end
      if steps % 3 == 1 then world:set(entry.player, -number) end
      if steps % 50 == 2 and number > 1 then world:set(("p%03d"):format(number - 1), 2000 + number) end
    end
    return steps, most
  end) }, { 250, 1 })
end)

it("a waiting task blocks nothing, and continues in a later tick", function()
  local world = new()
  tick(3)
  local order = ""
  laurel.task(function()
    order = order .. "a"
    world:submit("anna", 1)
    order = order .. "c"
  end)
  order = order .. "b"
  eq(order, "ab")
  tick(3)
  eq(order, "abc")
end)

it("a call within pcall may wait, and pcall still catches errors", function()
  local world = new()
  local a, b, c = run(function() return pcall(function() return world:submit("anna", 4) end) end)
  eq({ a, b, c }, { true, 4, true })
  eq({ run(pcall, function() world:size() error("late", 0) end) }, { false, "late" })
end)

it("an error after a wait is logged with the whole traceback", function()
  local world = new()
  lines()
  laurel.task(function()
    world:size()
    error("boom")
  end)
  tick(5)
  local text = lines()
  contains(text, "task: ")
  contains(text, "boom")
  contains(text, "remote_spec.lua:")
  contains(text, "stack traceback")
end)

it("callbacks are not tasks, and may start tasks", function()
  local world, here = new(), boards:board("watched", {})
  local ok, why, size
  here:watch(1, function()
    ok, why = pcall(world.size, world)
    laurel.task(function() size = world:size() end)
  end)
  here:submit("anna", 1)
  run(function() world:size() end)
  tick(5)
  eq({ ok, size }, { false, 0 })
  contains(why, "waits for an answer: call it inside laurel.task")
end)

it("another server sees the same board", function()
  local world, name = new()
  local theirs = others:board(name, { remote = "main" })
  ask(world, "submit", "anna", 5)
  eq(ask(theirs, "score", "anna"), 5)
  eq(ask(theirs, "add", "anna", 2), 7)
  eq(ask(world, "score", "anna"), 7)
end)

it("drop of a remote board waits, and drops it for all servers", function()
  local world, name = new()
  ask(world, "submit", "anna", 5)
  eq(run(boards.drop, boards, name), true)
  raises("dropped: board \"" .. name .. "\" was dropped", world.size, world)
  eq(tostring(world), "board: " .. name .. " (dropped)")
  eq(boards:drop(name), false)
  refuses("unknown", boards:board(name))
end)

it("while a remote is unavailable, calls that wait fail with unavailable", function()
  local world = new()
  ask(world, "submit", "anna", 5)
  down "the test said so"
  refuses("unavailable", ask(world, "score", "anna"))
  eq(world:remote().state:sub(1, 6), "down: ")
  down ""
  tick(2)
  eq(ask(world, "score", "anna"), 5)
  eq(world:remote().state, "up")
  eq(world:remote().pending, 0)
end)

it("a call without an answer fails after two seconds", function()
  local world = new()
  ask(world, "size")
  stall(true)
  local results
  laurel.task(function() results = { world:submit("anna", 6) } end)
  tick(3)
  eq(results, nil)
  pass(2)
  tick(3)
  stall(false)
  contains(results[2], "unavailable: outcome unknown")
end)

it("submit to several boards refuses a remote board by its name", function()
  local _, name = new()
  boards:board("one", {})
  local a, b, c = boards:submit({ "one", name }, "anna", 5)
  refuses("unsupported", a, b)
  eq(c, name)
end)

it("submit_each refuses a remote board by its name", function()
  local _, name = new()
  boards:board("one", {})
  local a, b, c = boards:submit_each("zoe", { one = 5, [name] = 5 })
  refuses("unsupported", a, b)
  eq({ c, boards:board("one"):score("zoe") }, { name, nil })
end)

it("entries of a remote board carry the names of local players, and their scores on local boards", function()
  local world, name = new()
  boards:board("kills", {}):submit("nora", 12)
  boards:save_player { id = "nora", name = "Nora" }
  ask(world, "submit", "nora", 5)
  ask(world, "submit", "otto", 4)
  local with = { with = { "kills" } }
  for _, read in ipairs { { "top", 2, with }, { "page", 1, 2, with }, { "around", "nora", 1, with },
    { "among", { "otto", "nora" }, with } }
  do
    local list = ask(world, unpack(read, 1, 4))
    eq({ read[1], list[1].name, list[1].with, list[2].name, list[2].with },
      { read[1], "Nora", { kills = 12 }, nil, {} })
  end
  eq({ ask(world, "get", "nora", with).with.kills, ask(world, "bottom", 2)[2].name }, { 12, "Nora" })
  local names = {}
  run(function() for entry in world:each() do names[#names + 1] = entry.name or entry.player end end)
  eq(names, { "Nora", "otto" })
  raises("bad argument #2 to 'top' (field 'with': no local board is called", world.top, world, 1,
    { with = { name } })
  local heard
  local stop = world:watch(2, function(change) heard = change end)
  tick(3)
  boards:save_player { id = "otto", name = "Otto" }
  tick(3)
  eq({ heard.top[1].name, heard.top[2].name, #heard.moved }, { "Nora", "Otto", 0 })
  stop()
end)

it("a task without an answer is collected together with its objects", function()
  local world, name = new()
  tick(3)
  local weak = setmetatable({}, { __mode = "k" })
  laurel.task(function()
    local held = {}
    weak[held] = true
    stall(true)
    world:size()
    held[1] = 1
  end)
  eq(next(weak) ~= nil, true)
  stall(false)
  laurel.task(function() boards:drop(name) end)
  tick(20)
  collectgarbage()
  collectgarbage()
  eq(next(weak), nil)
end)

it("at most ten thousand tasks may wait", function()
  local world = new()
  tick(3)
  local answered, refused = 0, nil
  for _ = 1, 10001 do
    laurel.task(function()
      local size, why = world:size()
      answered = answered + 1
      if not size then refused = why end
    end)
  end
  eq(answered, 1)
  contains(refused, "unavailable: 10000 tasks wait")
  tick(5)
  eq(answered, 10001)
end)

it("a post does not wait, and counts once", function()
  local world = new()
  eq(world:post("anna", 5), true)
  laurel.task(function() world:post("bob", 6) end)
  stall(true)
  eq(world:post("cleo", 7), true)
  tick(2)
  eq(world:remote().pending >= 1, true)
  eq(type(world:remote().oldest), "number")
  stall(false)
  for _ = 1, 20 do
    tick()
    if world:remote().pending == 0 then break end
  end
  eq(world:remote().pending, 0)
  eq(ask(world, "size"), 3)
  refuses("not_finite", world:post("anna", 0 / 0))
  refuses("bad_player", world:post("", 1))
end)

it("a watch reports the changes of another server until it is stopped", function()
  local world, name = new()
  local theirs = others:board(name, { remote = "main" })
  local tops = {}
  local stop = world:watch(3, function(change) tops[#tops + 1] = spec.players(change.top) end)
  ask(theirs, "submit", "anna", 5)
  tick(20)
  eq(tops[#tops], "anna")
  ask(theirs, "submit", "bob", 9)
  tick(20)
  eq(tops[#tops], "bob anna")
  stop()
  local count = #tops
  ask(theirs, "submit", "cleo", 99)
  tick(20)
  eq(#tops, count)
  refuses("out_of_range", world:watch(100000, print))
end)

it("a remote board can be published on the live channel", function()
  local world, name = new()
  ask(world, "submit", "anna", 5)
  local live = assert(boards:serve { port = 0 })
  eq(live:publish(world, { top = 5 }), true)
  local client = assert(laurel.connect { port = live:port() })
  local top
  client:subscribe(name, 3, function(entries) top = entries end)
  local steps = 0
  spec.until_(function()
    steps = steps + 1
    pass(0.001)
    return top and #top == 1
  end, client, boards)
  eq({ top[1].player, top[1].score }, { "anna", 5 })
  eq(live:unpublish(world), true)
  eq(live:unpublish(world), false)
  client:close()
  live:close()
end)

-- Passes time until the condition holds.
local function pass_until(holds)
  for _ = 1, 1000 do
    if holds() then return end
    pass(0.2)
    tick(5)
  end
  error("it never was", 2)
end

it("one of two servers calls the handler of a remote season's end, in a task that reads it", function()
  local world, name = new { archive = 2 }
  others:board(name, { remote = "main" })
  local told, raised = {}, 0
  local function reward(season)
    if season.board ~= name then return end
    if raised == 0 then
      raised = 1
      error "no prizes left"
    end
    local top = season.standings:top(3)
    told[#told + 1] = { season.season, season.size, top[1].player, top[1].score,
      type(season.id), season.started < season.ended }
    world:post("bonus", 1, nil, nil, season.id)
  end
  boards:on_season_end("remote rewards", reward)
  tick(20)
  eq({ ask(world, "submit", "anna", 5) }, { 5, true })
  eq({ ask(world, "submit", "bert", 4) }, { 4, true })
  eq(ask(world, "reset"), 1)
  pass_until(function() return raised == 1 end)
  local waiting = boards:season_ends()
  eq(#waiting, 1)
  eq({ waiting[1].name, waiting[1].board, waiting[1].season, waiting[1].tries },
    { "remote rewards", name, 1, 1 })
  contains(waiting[1].error, "no prizes left")
  contains(lines(), 'season end "remote rewards" of board "' .. name .. '", season 1:')
  others:on_season_end("remote rewards", reward)
  pass_until(function() return #told == 1 end)
  eq(told, { { 1, 2, "anna", 5, "string", true } })
  pass_until(function() return ask(world, "score", "bonus") == 1 end)
  pass_until(function() return #boards:season_ends() == 0 end)
  for _ = 1, 100 do pass(1) tick(2) end
  eq(#told, 1)
  eq(boards:forget_season_end("remote rewards"), true)
  eq(others:forget_season_end("remote rewards"), true)
end)
