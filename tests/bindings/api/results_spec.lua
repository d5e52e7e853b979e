-- What a board keeps of results: their ids, how many of a player it took, and how many players it has.
local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises, refuses = spec.it, spec.eq, spec.raises, spec.refuses
local in_folder = spec.in_folder

local DAY = 24 * 60 * 60

-- A registry with a clock that the test sets: game.now.
local function play(options)
  local game = { now = 1e9 }
  options = options or {}
  options.clock = function() return game.now end
  options.log = function() end
  game.boards = laurel.open(options)
  return game
end

local function reopen(game, path)
  eq(game.boards:close(), true)
  game.boards = laurel.open { path = path, clock = function() return game.now end, log = function() end }
end

local ENGINES = {
  ranked = {}, capped = { engine = "capped", cap = 3 }, padded = { engine = "padded" },
  paged = { engine = "paged" }, sharded = { engine = "sharded", shards = 3 },
  padded_shards = { engine = "sharded", of = "padded", shards = 3 },
  rolling = { engine = "rolling", days = 3 },
}

-- ---- ids

it("a result with an id that was accepted before changes nothing, whatever else it says", function()
  local board = play().boards:board("b", { keep = "sum" })
  eq({ board:submit("anna", 10, nil, nil, "m1") }, { 10, true })
  eq({ board:submit("anna", 10, nil, nil, "m1") }, { 10, false })
  eq({ board:add("anna", 5, "data", 3, "m1") }, { 10, false })
  eq({ board:set("anna", 99, nil, nil, "m1") }, { 10, false })
  eq({ board:post("anna", 99, nil, nil, "m1") }, { 10, false })
  eq({ board:submit("anna", 10, ("x"):rep(2000), 1 / 0, "m1") }, { 10, false })
  eq(board:get("anna").data, nil)
  eq({ board:submit("bob", 1, nil, nil, "m1") }, { nil, false })
  eq(board:size(), 1)
  eq({ board:submit("anna", 10, nil, nil, "m2") }, { 20, true })
end)

it("every engine takes a result with an id once", function()
  for name, fields in pairs(ENGINES) do
    local board = play().boards:board(name, fields)
    eq({ board:submit("anna", 10, nil, nil, "m1") }, { 10, true })
    eq({ board:submit("anna", 30, nil, nil, "m1") }, { 10, false })
    eq({ board:submit("anna", 30, nil, nil, "m2") }, { name == "rolling" and 40 or 30, true })
  end
end)

it("a result that was accepted and changed nothing uses its id up, a refused one does not", function()
  local board = play().boards:board("b", { engine = "capped", cap = 1, reserve = 0 })
  board:submit("anna", 10)
  eq({ board:submit("bob", 5, nil, nil, "m1") }, { nil, false })
  eq({ board:submit("bob", 50, nil, nil, "m1") }, { nil, false })
  board:ban("cleo")
  refuses("banned", board:submit("cleo", 50, nil, nil, "m2"))
  board:unban("cleo")
  eq({ board:submit("cleo", 50, nil, nil, "m2") }, { 50, true })
end)

it("a repeated result comes before every refusal except of its player, score and id", function()
  local game = play()
  local board = game.boards:board("b", { decimals = 0 })
  board:submit("anna", 10, nil, nil, "m1")
  board:ban("anna")
  eq({ board:submit("anna", 20, nil, nil, "m1") }, { nil, false })
  board:unban("anna")
  game.boards:board("b", { closes = game.now - 1, join = "required", attempts = 1, capacity = 1 })
  eq({ board:submit("anna", 20, nil, nil, "m1") }, { 10, false })
  eq({ board:submit("anna", 2 ^ 60, nil, nil, "m1") }, { 10, false })
  refuses("bad_player", board:submit("", 20, nil, nil, "m1"))
  refuses("not_finite", board:submit("anna", 0 / 0, nil, nil, "m1"))
  refuses("bad_data", board:submit("anna", 20, nil, nil, ""))
  refuses("bad_data", board:submit("anna", 20, nil, nil, ("x"):rep(65)))
  refuses("bad_data", board:set("anna", 20, nil, nil, ""))
  refuses("closed", board:submit("anna", 20, nil, nil, "m2"))
end)

it("an id is a string of 1 to 64 bytes, any bytes", function()
  local board = play().boards:board("b", {})
  for i, id in ipairs { "x", ("x"):rep(64), "\0", "\255\0\1" } do
    eq({ board:submit("p" .. i, 1, nil, nil, id) }, { 1, true })
    eq({ board:submit("p" .. i, 2, nil, nil, id) }, { 1, false })
  end
  for method, id in pairs { submit = 7, add = true, set = {}, post = 7, submit_report = 7 } do
    raises(("bad argument #5 to '%s' (string expected, got %s)"):format(method, type(id)),
      board[method], board, "anna", 1, nil, nil, id)
  end
end)

it("a report of a repeated result says that nothing was passed", function()
  local board = play().boards:board("b", {})
  board:submit("bob", 20)
  board:submit("anna", 10, nil, nil, "m1")
  local report = board:submit_report("anna", 30, nil, nil, "m1")
  eq({ report.player, report.score, report.previous, report.rank, report.previous_rank, report.passed },
    { "anna", 10, 10, 2, 2, 0 })
  report = board:submit_report("anna", 30, nil, nil, "m2")
  eq({ report.score, report.previous, report.passed }, { 30, 10, 1 })
  eq(board:submit_report("anna", 40, nil, nil, "m2").score, 30)
end)

it("submit_all takes an id as the fifth value of an item", function()
  for _, fields in ipairs { {}, { engine = "sharded", shards = 2 }, { engine = "paged" } } do
    fields.keep = "sum"
    local board = play().boards:board("b", fields)
    local list = { { "anna", 1, nil, nil, "m1" }, { "bob", 2, "d", 5, "m2" }, { "anna", 5, nil, nil, "m1" },
      { "cleo", 3 }, { "dora", 3, nil, nil, "" } }
    local changed, refused = board:submit_all(list)
    eq(changed, 3)
    eq(#refused, 1)
    eq(refused[1].index, 5)
    refuses("bad_data", nil, refused[1].reason)
    eq(board:score("anna"), 1)
    eq((board:submit_all(list)), 1)
    eq({ board:score("anna"), board:score("bob"), board:score("cleo") }, { 1, 2, 6 })
    raises("item 1: id: string expected, got number", board.submit_all, board, { { "anna", 1, nil, nil, 7 } })
  end
end)

it("boards:submit looks at each board for itself", function()
  local game = play()
  local a = game.boards:board("a", { keep = "sum" })
  game.boards:board("b", { keep = "sum" })
  a:submit("anna", 10, nil, nil, "m1")
  eq(game.boards:submit({ "a", "b" }, "anna", 5, nil, nil, "m1"), { 10, 5 })
  eq(game.boards:submit({ "a", "b" }, "anna", 5, nil, nil, "m1"), { 10, 5 })
  eq(game.boards:submit({ "a", "b" }, "bob", 5, nil, nil, "m1"), { false, false })
  local b = game.boards:board("b", { closes = game.now - 1 })
  refuses("closed", game.boards:submit({ "a", "b" }, "anna", 5, nil, nil, "m2"))
  game.boards:board("b", { closes = false })
  eq(game.boards:submit({ "a", "b" }, "anna", 5, nil, nil, "m2"), { 15, 10 })
  eq(b:score("anna"), 10)
  refuses("bad_data", game.boards:submit({ "a", "b" }, "anna", 5, nil, nil, ""))
  eq(game.boards:submit_each("anna", { a = 1, b = 2 }, nil, nil, "m3"), { a = 16, b = 12 })
  eq(game.boards:submit_each("anna", { a = 1, b = 2 }, nil, nil, "m3"), { a = 16, b = 12 })
  raises("bad argument #6 to 'submit' (string expected, got number)", game.boards.submit, game.boards,
    { "a" }, "anna", 5, nil, nil, 7)
end)

it("an id counts for 24 hours of the registry's clock, and a repeat does not renew it", function()
  local game = play()
  local board = game.boards:board("b", { keep = "sum" })
  board:submit("anna", 1, nil, nil, "m1")
  game.now = game.now + DAY - 1
  eq({ board:submit("anna", 1, nil, nil, "m1") }, { 1, false })
  game.now = game.now + 1
  eq({ board:submit("anna", 1, nil, nil, "m1") }, { 2, true })
  game.now = game.now + DAY - 1
  eq({ board:submit("anna", 1, nil, 5, "m1") }, { 2, false })
end)

it("an id stays when the clock goes back, and 24 hours after its time", function()
  local game = play()
  local board = game.boards:board("b", { keep = "sum" })
  board:submit("anna", 1, nil, nil, "m1")
  game.now = game.now - 30 * DAY
  eq({ board:submit("anna", 1, nil, nil, "m1") }, { 1, false })
  eq({ board:submit("anna", 1, nil, nil, "m2") }, { 2, true })
  game.now = game.now + DAY
  eq({ board:submit("anna", 1, nil, nil, "m2") }, { 3, true })
  eq({ board:submit("anna", 1, nil, nil, "m1") }, { 3, false })
  game.now = game.now + 30 * DAY
  eq({ board:submit("anna", 1, nil, nil, "m1") }, { 4, true })
end)

it("ids outlast resets, removals, forgetting and restarts, and end with their board", function()
  in_folder(function(path)
    local game = play { path = path }
    local board = game.boards:board("b", { keep = "sum" })
    board:submit("anna", 1, nil, nil, "m1")
    board:reset()
    eq({ board:submit("anna", 1, nil, nil, "m1") }, { nil, false })
    board:submit("anna", 1, nil, nil, "m2")
    eq(game.boards:forget("anna"), 2)
    eq({ board:submit("anna", 1, nil, nil, "m2") }, { nil, false })
    reopen(game, path)
    board = game.boards:board("b", {})
    for _, id in ipairs { "m1", "m2" } do eq({ board:submit("anna", 1, nil, nil, id) }, { nil, false }) end
    eq({ board:submit("anna", 1, nil, nil, "m3") }, { 1, true })
    game.now = game.now + DAY
    reopen(game, path)
    board = game.boards:board("b", {})
    eq({ board:submit("anna", 1, nil, nil, "m1") }, { 2, true })
    game.boards:drop("b")
    board = game.boards:board("b", {})
    eq({ board:submit("anna", 1, nil, nil, "m1") }, { 1, true })
    reopen(game, path)
    eq({ game.boards:board("b", {}):submit("anna", 1, nil, nil, "m1") }, { 1, false })
    game.boards:close()
  end)
end)

it("a million ids are kept; then the oldest go", function()
  local board = play().boards:board("b", { keep = "sum" })
  local list = {}
  for first = 0, 1e6 - 1, 1000 do
    for i = 1, 1000 do list[i] = { "anna", 1, nil, nil, "match " .. first + i } end
    board:submit_all(list)
  end
  eq({ board:submit("anna", 1, nil, nil, "match 1") }, { 1e6, false })
  board:submit("anna", 1, nil, nil, "one more")
  eq({ board:submit("anna", 1, nil, nil, "match 2") }, { 1e6 + 1, false })
  eq({ board:submit("anna", 1, nil, nil, "match 1") }, { 1e6 + 2, true })
  eq({ board:submit("anna", 1, nil, nil, "match 2") }, { 1e6 + 3, true })
end)

-- ---- attempts

it("attempts are counted, and the next result is refused as exhausted", function()
  for name, fields in pairs(ENGINES) do
    fields.attempts = 3
    local board = play().boards:board(name, fields)
    eq({ board:attempts("anna") }, { 0, 3 })
    eq((board:submit("anna", 1)), 1)
    if name ~= "capped" then board:add("anna", 1) else board:submit("anna", 2) end
    eq({ board:attempts("anna") }, { 2, 1 })
    eq(board:submit_report("anna", 1).passed, 0)
    eq({ board:attempts("anna") }, { 3, 0 })
    refuses("exhausted", board:submit("anna", 100))
    refuses("exhausted", board:post("anna", 100))
    refuses("exhausted", board:submit_report("anna", 100))
    local _, refused = board:submit_all { { "anna", 100 }, { "bob", 1 } }
    eq({ #refused, refused[1].index }, { 1, 1 })
    refuses("exhausted", nil, refused[1].reason)
    eq({ board:attempts("anna") }, { 3, 0 })
    eq({ board:attempts("bob") }, { 1, 2 })
    fields.attempts = nil
  end
end)

it("set takes no attempt, nor does what is refused or repeated", function()
  local game = play()
  local board = game.boards:board("b", { attempts = 2 })
  board:set("anna", 50)
  board:submit("anna", 1, nil, nil, "m1")
  board:submit("anna", 1, nil, nil, "m1")
  refuses("not_finite", board:submit("anna", 0 / 0))
  board:ban("anna")
  refuses("banned", board:submit("anna", 1))
  board:unban("anna")
  eq({ board:attempts("anna") }, { 1, 1 })
  board:submit("anna", 1)
  board:set("anna", 70)
  eq({ board:attempts("anna") }, { 2, 0 })
  eq(board:score("anna"), 70)
  game.boards:board("b", { closes = game.now })
  refuses("closed", board:submit("anna", 1))
end)

it("a join with a score takes an attempt, a refused one does not", function()
  local board = play().boards:board("b", { join = "required", attempts = 1 })
  eq(board:join("anna", 5), true)
  eq({ board:attempts("anna") }, { 1, 0 })
  eq(board:join("anna", 6), false)
  eq(board:join("bob"), true)
  eq({ board:attempts("bob") }, { 0, 1 })
  eq(board:leave("anna"), true)
  refuses("exhausted", board:join("anna", 6))
  refuses("not_joined", board:set("anna", 1))
  eq(board:join("anna"), true)
end)

it("removals, clearing, leaving and bans give no attempts back", function()
  local board = play().boards:board("b", { attempts = 1 })
  board:submit("anna", 1)
  for _, ends in ipairs { "remove", "leave", "ban", "unban", "clear" } do
    board[ends](board, "anna")
    eq({ board:attempts("anna") }, { 1, 0 })
  end
  refuses("exhausted", board:submit("anna", 1))
end)

it("boards:submit takes an attempt on all boards or on none", function()
  local game = play()
  local a = game.boards:board("a", { attempts = 2 })
  local b = game.boards:board("b", { attempts = 1 })
  eq(game.boards:submit({ "a", "b" }, "anna", 5), { 5, 5 })
  local score, reason, name = game.boards:submit({ "a", "b" }, "anna", 6)
  refuses("exhausted", score, reason)
  eq(name, "b")
  eq({ a:attempts("anna") }, { 1, 1 })
  eq({ b:attempts("anna") }, { 1, 0 })
  eq(a:score("anna"), 5)
end)

it("grants give more or fewer attempts", function()
  local board = play().boards:board("b", { attempts = 2 })
  eq(board:grant("anna", 3), 5)
  eq(board:grant("anna", -4), 1)
  board:submit("anna", 1)
  refuses("exhausted", board:submit("anna", 2))
  eq(board:grant("anna", 1), 1)
  eq((board:submit("anna", 2)), 2)
  eq({ board:attempts("anna") }, { 2, 0 })
  eq(board:grant("bob", -10), 0)
  eq(board:grant("bob", 9), 1)
  eq(board:grant("bob", 0), 1)
  refuses("bad_player", board:grant("", 1))
  refuses("out_of_range", board:grant("anna", 2 ^ 60))
  refuses("out_of_range", board:grant("anna", -1 / 0))
  raises("bad argument #2 to 'grant' (whole number expected, got 1.5)", board.grant, board, "anna", 1.5)
  raises("bad argument #2 to 'grant' (whole number expected, got nan)", board.grant, board, "anna", 0 / 0)
  raises("bad argument #2 to 'grant' (number expected, got nil)", board.grant, board, "anna")
end)

it("a board without attempts counts none", function()
  local board = play().boards:board("b", {})
  board:submit("anna", 1)
  eq(select("#", board:attempts("anna")), 1)
  eq(board:attempts("anna"), nil)
  refuses("unsupported", board:grant("anna", 1))
  eq(board:info().attempts, nil)
end)

it("attempts and grants end with their season, also with one in which nothing was written", function()
  local game = play()
  local board = game.boards:board("b", { attempts = 1, reset = "0 0 * * *" })
  board:submit("anna", 1)
  board:grant("anna", 5)
  game.now = game.now + DAY
  eq({ board:attempts("anna") }, { 0, 1 })
  eq(board:archived(1):attempts("anna"), nil)
  refuses("closed", board:archived(1):grant("anna", 1))
  board:grant("bob", 2)
  game.now = game.now + DAY
  eq({ board:attempts("bob") }, { 0, 1 })
  eq(board:season(), 2)
  board:submit("anna", 1)
  board:reset()
  eq({ board:submit("anna", 7) }, { 7, true })
end)

it("attempts may be set, changed and taken off on a running board", function()
  local game = play()
  local board = game.boards:board("b", {})
  for i = 1, 5 do board:submit("anna", i) end
  game.boards:board("b", { attempts = 2 })
  eq({ board:attempts("anna") }, { 0, 2 })
  board:submit("anna", 6)
  board:submit("anna", 7)
  game.boards:board("b", { attempts = 3 })
  eq({ board:attempts("anna") }, { 2, 1 })
  game.boards:board("b", { attempts = 1 })
  eq({ board:attempts("anna") }, { 2, 0 })
  game.boards:board("b", { archive = 2 })
  eq(board:info().attempts, 1)
  game.boards:board("b", { attempts = false })
  eq((board:submit("anna", 8)), 8)
  game.boards:board("b", { attempts = 2 })
  eq({ board:attempts("anna") }, { 0, 2 })
end)

it("attempts and grants are there after a restart", function()
  in_folder(function(path)
    local game = play { path = path }
    local board = game.boards:board("b", { attempts = 3, engine = "capped", cap = 1, reserve = 0 })
    board:submit("anna", 10)
    eq({ board:submit("bob", 1) }, { nil, false })
    board:grant("cleo", -2)
    board:grant("dora", 2)
    game.boards:forget("dora")
    reopen(game, path)
    board = game.boards:board("b", {})
    for player, counts in pairs { anna = { 1, 2 }, bob = { 1, 2 }, cleo = { 0, 1 }, dora = { 0, 3 } } do
      eq({ board:attempts(player) }, counts)
    end
    board:reset()
    reopen(game, path)
    board = game.boards:board("b", {})
    eq({ board:attempts("anna") }, { 0, 3 })
    board:submit("anna", 1)
    game.boards:board("b", { attempts = false })
    game.boards:board("b", { attempts = 5 })
    reopen(game, path)
    eq({ game.boards:board("b", {}):attempts("anna") }, { 0, 5 })
    game.boards:close()
  end)
end)

it("a forgotten player begins again", function()
  local game = play()
  local board = game.boards:board("b", { attempts = 1 })
  board:submit("anna", 1)
  game.boards:forget("anna")
  eq({ board:attempts("anna") }, { 0, 1 })
end)

-- ---- capacity

it("a board of its capacity refuses a newcomer, and its players stay", function()
  for name, fields in pairs(ENGINES) do
    fields.capacity = 2
    if name == "capped" or name == "rolling" then
      raises("field 'capacity'", function() play().boards:board(name, fields) end)
    else
      local board = play().boards:board(name, fields)
      board:submit("anna", 1)
      board:submit("bob", 2)
      refuses("full", board:submit("cleo", 3))
      refuses("full", board:add("cleo", 3))
      refuses("full", board:post("cleo", 3))
      eq({ board:submit("anna", 5) }, { 5, true })
      local changed, refused = board:submit_all { { "bob", 9 }, { "dora", 1 } }
      eq({ changed, #refused, refused[1].index }, { 1, 1, 2 })
      board:remove("anna")
      eq({ board:submit("cleo", 3) }, { 3, true })
      refuses("full", board:submit("anna", 5))
      eq({ board:set("anna", 6) }, { 6, true })
      eq(board:size(), 3)
    end
    fields.capacity = nil
  end
end)

it("unban and a lower capacity leave more players on the board", function()
  local game = play()
  local board = game.boards:board("b", { capacity = 2 })
  board:submit("anna", 1)
  board:submit("bob", 2)
  board:ban("bob")
  board:submit("cleo", 3)
  board:unban("bob")
  eq(board:size(), 3)
  game.boards:board("b", { capacity = 1 })
  eq({ board:submit("bob", 7) }, { 7, true })
  refuses("full", board:submit("dora", 7))
  game.boards:board("b", { capacity = false })
  eq({ board:submit("dora", 7) }, { 7, true })
end)

it("a join with a score on a full board joins no one, and a season begins empty", function()
  local board = play().boards:board("b", { capacity = 1, join = "required" })
  eq(board:join("anna", 1), true)
  refuses("full", board:join("bob", 2))
  eq(board:join("bob"), true)
  refuses("full", board:submit("bob", 2))
  board:reset()
  eq((board:submit("bob", 2)), 2)
end)

it("attempts and capacity are whole numbers from 1 to 2^53", function()
  local boards = play().boards
  for _, field in ipairs { "attempts", "capacity" } do
    for _, wrong in ipairs { 0, -1, 1.5, 2 ^ 54, "3", true, 0 / 0 } do
      raises(field, boards.board, boards, "b", { [field] = wrong })
    end
    eq(boards:board(field, { [field] = 2 ^ 53 }):info()[field], 2 ^ 53)
    eq(boards:board(field, { [field] = false }):info()[field], nil)
  end
end)

it("an exhausted player is not judged by the rule", function()
  in_folder(function(path)
    os.execute("mkdir '" .. path .. "'")
    local file = assert(io.open(path .. "/r.lua", "w"))
    file:write("return { accept = function(s) return s.score < 100, 'too high' end }")
    file:close()
    local boards = play { rules = path }.boards
    local board = boards:board("b", { rule = "r", attempts = 1, capacity = 1 })
    refuses("rejected", board:submit("anna", 100, nil, nil, "m1"))
    eq((board:submit("anna", 1, nil, nil, "m1")), 1)
    local judged = boards:stats().rules_judged
    refuses("exhausted", board:submit("anna", 2))
    refuses("full", board:submit("bob", 2))
    eq({ board:submit("anna", 1, nil, nil, "m1") }, { 1, false })
    eq(boards:stats().rules_judged, judged)
  end)
end)

-- ---- exports

it("ids, attempts and grants travel with an export", function()
  in_folder(function(path)
    local game = play()
    local board = game.boards:board("b", { attempts = 4, keep = "sum" })
    for i = 1, 2500 do board:submit("p" .. i, 1, nil, nil, "match " .. i) end
    board:grant("p1", -1)
    board:grant("\255", 3)
    eq(game.boards:export(path), true)
    local other = play()
    other.now = game.now + DAY - 1
    eq(other.boards:import(path), true)
    board = other.boards:board("b", {})
    eq({ board:attempts("p1") }, { 1, 2 })
    eq({ board:attempts("p2") }, { 1, 3 })
    eq({ board:attempts("\255") }, { 0, 7 })
    for _, i in ipairs { 1, 1000, 1001, 2500 } do
      eq({ board:submit("p" .. i, 1, nil, nil, "match " .. i) }, { 1, false })
    end
    eq(other.boards:export(path .. "2"), true)
    local function lines(name)
      local sorted = {}
      for line in io.lines(name) do sorted[#sorted + 1] = line end
      table.sort(sorted)
      return sorted
    end
    eq(lines(path .. "2"), lines(path))
    os.remove(path .. "2")
    other.now = other.now + 1
    eq({ board:submit("p1", 1, nil, nil, "match 1") }, { 2, true })
  end)
end)

it("an import with broken attempts or ids is refused", function()
  in_folder(function(path)
    local game = play()
    local board = game.boards:board("b", { attempts = 4 })
    board:submit("anna", 1, nil, nil, "m1")
    eq(game.boards:export(path), true)
    local file = assert(io.open(path))
    local good = file:read("*a")
    file:close()
    for _, change in ipairs { { '"taken":1', '"taken":-1' }, { '"taken":1', '"taken":"1"' },
      { '"granted"', '"given"' }, { '"granted":0', '"granted":9007199254740993' }, { '"key":"..', '"key":"' },
      { '"accepted":%[%[".', '"accepted":[["' }, { '"accepted":%[', '"accepted":[7,' },
      { '"key"', '"kez"' }, { '"accepted"', '"acc"' } } do
      local broken, times = good:gsub(change[1], change[2])
      eq(times, 1)
      file = assert(io.open(path, "w"))
      file:write(broken)
      file:close()
      local other = play()
      refuses("bad_data", other.boards:import(path))
      eq(other.boards:names(), {})
    end
  end)
end)
