-- Cohorts: players who came one after another, ranked among themselves.
local board_fixture = require "board_fixture"
local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises, refuses = spec.it, spec.eq, spec.raises, spec.refuses
local until_ = spec.until_
local shown = board_fixture.shown

local engines = { { engine = "ranked" }, { engine = "sharded", shards = 3 } }

-- A board with cohorts of two, and five players: ada and bob, cleo and dan, eve.
local function new(fields)
  local all = { keep = "latest", cohorts = 2 }
  for field, value in pairs(fields or {}) do all[field] = value end
  local world = { now = 1000 }
  local boards = laurel.open { clock = function() return world.now end }
  local board = boards:board("season_3", all)
  for i, player in ipairs { "ada", "bob", "cleo", "dan", "eve" } do
    assert(board:submit(player, 10 * i, "data of " .. player))
  end
  return board, boards, world
end

local function each(test)
  for _, fields in ipairs(engines) do test(new(fields)) end
end

-- The numbers of the players' cohorts; 0: none.
local function numbers(board, ...)
  local list = {}
  for i, player in ipairs { ... } do list[i] = select(2, board:cohort(player)) or 0 end
  return list
end

it("players fill one cohort after the other, and are ranked among those of theirs", function()
  each(function(board)
    eq(numbers(board, "ada", "bob", "cleo", "dan", "eve", "zoe"), { 1, 1, 2, 2, 3, 0 })
    eq(board:cohorts(), 3)
    eq({ board:cohort("zoe") }, { nil })
    eq({ board:cohort("") }, { nil })
    local cohort, number = board:cohort("cleo")
    eq({ shown(cohort:top(10)), number }, { "1 dan 40, 2 cleo 30", 2 })
    eq(board:cohort("dan") == cohort, true)
    eq(board:cohort("eve") == cohort, false)
    eq(board == cohort, false)
  end)
end)

it("all reads of a cohort are of its players alone", function()
  each(function(board)
    board:submit("bob", 45)
    local first = board:cohort("ada")
    local all = "1 bob 45, 2 ada 10"
    eq(shown(first:top(10)), all)
    eq(shown(first:page(2, 1)), "2 ada 10")
    eq(shown(first:bottom(1)), "2 ada 10")
    eq(shown(first:around("ada", 0)), "2 ada 10")
    eq(shown(first:between(20, nil)), "1 bob 45")
    eq({ first:size(), first:count(), first:count(20, 60) }, { 2, 2, 1 })
    eq({ first:rank("ada") }, { 2, 2 })
    eq({ first:rank("cleo") }, {})
    eq({ first:score("bob"), first:score("cleo") }, { 45 })
    eq({ first:rank_of(40), first:score_at(2), first:percentile("bob") }, { 2, 10, 50 })
    eq(first:get("ada").data, "data of ada")
    eq(first:get("cleo"), nil)
    eq(shown(first:among { "ada", "cleo" }), "1 ada 10 of 2")
    local visited = {}
    for entry in first:each() do visited[#visited + 1] = entry end
    eq(shown(visited), all)
    local overall = { overall = true }
    eq(shown(first:top(10, overall)), "1 bob 45 of 2, 2 ada 10 of 5")
    eq(shown(first:page(2, 5, overall)), "2 ada 10 of 5")
    eq(shown(first:around("bob", 0, overall)), "1 bob 45 of 2")
    eq(first:get("ada", overall).overall, 5)
  end)
end)

it("a player keeps the place when the entry goes, and is not listed", function()
  each(function(board, boards)
    board:remove("ada")
    eq(numbers(board, "ada"), { 1 })
    eq(shown(board:cohort("ada"):top(5)), "1 bob 20")
    board:submit("zoe", 1)
    eq(numbers(board, "zoe"), { 3 })
    board:submit("ada", 70)
    eq(shown(board:cohort("ada"):top(5)), "1 ada 70, 2 bob 20")
    board:ban("ada")
    eq(shown(board:cohort("bob"):top(5)), "1 bob 20")
    board:unban("ada")
    eq(shown(board:cohort("bob"):top(5)), "1 ada 70, 2 bob 20")
    boards:rename_player("bob", "yan")
    eq(numbers(board, "bob", "yan"), { 0, 1 })
    board:clear()
    eq(board:cohort("yan"):top(5), {})
    board:submit("yan", 5)
    eq(shown(board:cohort("ada"):top(5)), "1 yan 5")
    boards:forget("ada")
    eq({ board:cohort("ada") }, { nil })
    eq(board:cohorts(), 3)
  end)
end)

it("with `by` each value has cohorts of its own, as have players without it, in one numbering", function()
  for _, fields in ipairs(engines) do
    fields = { engine = fields.engine, shards = fields.shards, cohorts = { size = 2, by = "league" } }
    local board, boards = new(fields)
    eq(board:info().cohorts, { size = 2, by = "league" })
    eq(numbers(board, "ada", "bob", "cleo", "dan", "eve"), { 1, 1, 2, 2, 3 })
    boards:save_player { id = "ada", attributes = { league = "gold" } }
    boards:save_player { id = "yan", attributes = { league = "gold" } }
    boards:save_player { id = "zoe", attributes = { league = "silver" } }
    for _, player in ipairs { "zoe", "yan", "xan", "wim", "ada" } do board:submit(player, 1) end
    eq(numbers(board, "zoe", "yan", "xan", "wim", "ada"), { 4, 5, 3, 6, 1 })
    board:reset()
    for _, player in ipairs { "ada", "zoe", "yan" } do board:submit(player, 1) end
    eq(numbers(board, "ada", "zoe", "yan"), { 1, 2, 1 })
  end
end)

it("cohorts are set, changed and taken off at any time: players on the board enter by `at`", function()
  each(function(board, boards)
    local first = board:cohort("ada")
    boards:board("season_3", { cohorts = false })
    raises('dropped: the cohorts of "season_3:cohort=1" were taken off', first.top, first, 1)
    refuses("unknown", board:cohort("ada"))
    refuses("unknown", board:cohorts())
    eq(board:info().cohorts, nil)
    board:submit("ada", 11)
    board:submit("bob", 20) -- the same score keeps its moment
    boards:board("season_3", { cohorts = 2 })
    eq(numbers(board, "bob", "cleo", "dan", "eve", "ada"), { 1, 1, 2, 2, 3 })
    eq(shown(first:top(5)), "1 cleo 30, 2 bob 20")
    boards:board("season_3", { cohorts = 3 })
    eq(board:info().cohorts, 3)
    eq(numbers(board, "bob", "cleo", "dan", "eve", "ada"), { 1, 1, 1, 2, 2 })
    board:remove("bob")
    boards:board("season_3", { cohorts = 3, ranking = "dense" })
    eq(numbers(board, "bob"), { 1 })
  end)
end)

it("a reset begins again, and a past season keeps its cohorts", function()
  each(function(board, boards)
    board:remove("ada")
    local first = board:cohort("ada")
    board:reset()
    eq({ board:cohort("ada") }, { nil })
    eq({ board:cohorts(), first:size() }, { 0, 0 })
    board:submit("eve", 7)
    eq({ shown(first:top(5)), board:cohorts() }, { "1 eve 7", 1 })
    local past = board:archived(1)
    eq(numbers(past, "ada", "bob", "cleo", "dan", "eve"), { 1, 1, 2, 2, 3 })
    eq(past:cohorts(), 3)
    local second, number = past:cohort("dan")
    eq({ shown(second:top(5, { overall = true })), number }, { "1 dan 40 of 2, 2 cleo 30 of 3", 2 })
    eq({ second:size(), second:season(), second:info().size, second:info().name },
      { 2, 1, 2, "season_3:cohort=2" })
    eq(second == past:cohort("cleo"), true)
    eq(second == board:cohort("eve"), false)
    refuses("closed", second:submit("dan", 1))
    refuses("closed", second:watch(1, function() end))
    boards:forget("cleo")
    eq(shown(second:top(5)), "1 dan 40")
    eq({ past:cohort("cleo") }, { nil })
    boards:board("season_3", { archive = 0 })
    raises("dropped: season 1", second.top, second, 1)
  end)
end)

it("a cohort is read only, and knows what it is", function()
  each(function(board)
    local first = board:cohort("ada")
    for _, write in ipairs {
      { "submit", "ada", 1 }, { "add", "ada", 1 }, { "set", "ada", 1 }, { "remove", "ada" }, { "clear" },
      { "ban", "ada" }, { "unban", "ada" }, { "join", "ada" }, { "leave", "ada" }, { "reset" }, { "mark" },
      { "submit_all", {} }, { "submit_report", "ada", 1 }, { "set_data", "ada", "x" }, { "post", "ada", 1 },
    } do
      refuses("unsupported", first[write[1]](first, select(2, unpack(write))))
    end
    local _, reason = first:submit("ada", 1)
    eq(reason, 'unsupported: "season_3:cohort=1" is a cohort of a board: it is read only')
    eq({ first:info().name, first:info().size, first:season() }, { "season_3:cohort=1", 2, 1 })
    eq(tostring(first), "board: season_3:cohort=1")
    refuses("unsupported", first:cohort("ada"))
    refuses("unsupported", first:cohorts())
    refuses("unsupported", first:segment("clan", "reds"))
    refuses("unsupported", first:archived(1))
    refuses("unsupported", first:since("ada"))
    raises("bad argument #1 to 'cohort' (string expected, got nil)", board.cohort, board)
    raises("bad argument #1 to 'cohort' (string expected, got number)", board.cohort, board, 5)
  end)
end)

it("a segment that is called as a cohort is another one", function()
  local board, boards = new { segments = { "cohort" } }
  boards:save_player { id = "eve", attributes = { cohort = "1" } }
  local segment, cohort = board:segment("cohort", "1"), board:cohort("ada")
  eq({ segment:info().name, cohort:info().name }, { "season_3:cohort=1", "season_3:cohort=1" })
  eq(segment == cohort, false)
  eq({ shown(segment:top(5)), shown(cohort:top(5)) }, { "1 eve 50", "1 bob 20, 2 ada 10" })
  refuses("unsupported", segment:cohort("eve"))
end)

it("a wrong field raises and says what is allowed", function()
  local boards = laurel.open()
  local function open(fields) return boards.board, boards, "b", fields end
  for _, case in ipairs {
    { { cohorts = 1 }, "field 'cohorts' is 1; it takes the size of a cohort, 2 to 1000 players" },
    { { cohorts = 1001 }, "field 'cohorts' is 1001; it takes" },
    { { cohorts = 2.5 }, "field 'cohorts' is 2.5; it takes" },
    { { cohorts = true }, "field 'cohorts' is true; it takes" },
    { { cohorts = {} }, "field 'cohorts' takes a 'size'" },
    { { cohorts = { by = "league" } }, "field 'cohorts' takes a 'size'" },
    { { cohorts = { size = "30" } }, "field 'cohorts': 'size': number expected, got string" },
    { { cohorts = { size = 30, by = 5 } }, "field 'cohorts': 'by': string expected, got number" },
    { { cohorts = { size = 1.5, by = "league" } }, "field 'cohorts' is \"1.5,league\"; it takes" },
    { { cohorts = { size = 30, by = "" } }, "field 'cohorts' is \"30,\"; it takes" },
    { { cohorts = { sise = 30 } }, "field 'cohorts' has no 'sise'; did you mean 'size'?" },
    { { cohorts = { 30 } }, "field 'cohorts' has no 'number'; it takes" },
    { { cohorts = 50, engine = "padded" },
      "field 'cohorts' belongs to engine \"ranked\" or \"sharded\"" },
    { { cohorts = 50, engine = "sharded", of = "paged" }, "belongs to shards of engine \"ranked\"" },
    { { cohort = 50 }, "did you mean 'cohorts'?" },
  } do
    raises(case[2], open(case[1]))
  end
  refuses("unsupported", boards:board("top", { engine = "capped" }):cohort("ada"))
  refuses("unsupported", boards:board("top"):cohorts())
  eq(boards:board("b", { cohorts = { size = 1000 } }):info().cohorts, 1000)
end)

it("a watch on a cohort is told what changed in it, and lives without its handle", function()
  each(function(board, boards)
    local told = {}
    local stop = board:cohort("ada"):watch(2, function(change) told[#told + 1] = change end)
    collectgarbage()
    board:submit("dan", 100) -- in another cohort
    boards:tick()
    eq(#told, 0)
    board:submit("ada", 90)
    boards:tick()
    eq({ told[1].board, shown(told[1].top) }, { "season_3:cohort=1", "1 ada 90, 2 bob 20" })
    board:reset()
    boards:tick()
    eq({ told[2].top, shown(told[2].left) }, { {}, "1 ada 90, 2 bob 20" })
    board:submit("zoe", 3)
    boards:tick()
    eq(shown(told[3].top), "1 zoe 3")
    stop()
    board:submit("zoe", 4)
    boards:tick()
    eq(#told, 3)
  end)
end)

it("clients subscribe to a published cohort and follow its players", function()
  local board, boards = new { cohorts = 3 }
  local live = assert(boards:serve { port = 0, auth = "token", rate = 200 })
  local first = board:cohort("ada")
  eq(live:publish(first, { top = 10 }), true)
  local client = assert(laurel.connect { port = live:port(), token = assert(live:token("ada", 60)) })
  local top, around
  client:subscribe("season_3:cohort=1", 10, function(entries) top = entries end)
  client:follow("season_3:cohort=1", 1, function(entries) around = entries end)
  until_(function() return top and around end, client, boards)
  eq({ shown(top), shown(around) },
    { "1 cleo 30, 2 bob 20, 3 ada 10", "1 cleo 30, 2 bob 20, 3 ada 10" })
  board:submit("ada", 90)
  until_(function() return top[1].player == "ada" end, client, boards)
  until_(function() return around[1].player == "ada" end, client, boards)
  eq({ live:unpublish(first), live:unpublish(first) }, { true, false })
  eq(live:publish(boards:board("season_3:cohort=1", {})), true)
  refuses("taken", live:publish(first))
  board:reset()
  refuses("closed", live:publish(board:archived(1):cohort("ada")))
  client:close()
  boards:close()
end)

it("cohorts are the same after a restart and after an import", function()
  local folder, file = os.tmpname(), os.tmpname()
  os.remove(folder)
  local boards = laurel.open { path = folder }
  local board = boards:board("b", { cohorts = { size = 2, by = "league" } })
  boards:save_player { id = "ada", attributes = { league = "gold" } }
  boards:save_player { id = "eve", attributes = { league = "gold" } }
  local function fill()
    for i, player in ipairs { "ada", "bob", "cleo", "dan" } do board:submit(player, i) end
    board:remove("bob")
  end
  fill()
  board:reset()
  fill()
  local function check()
    eq(numbers(board, "ada", "bob", "cleo", "dan"), { 1, 2, 2, 3 })
    eq(numbers(board:archived(1), "ada", "bob", "cleo", "dan"), { 1, 2, 2, 3 })
    eq(shown(board:archived(1):cohort("bob"):top(5, { overall = true })), "1 cleo 3 of 2")
    for _, player in ipairs { "eve", "fay", "gil" } do board:submit(player, 9) end
    eq(numbers(board, "eve", "fay", "gil"), { 1, 3, 4 })
  end
  eq(boards:export(file), true)
  eq(boards:close(), true)
  boards = laurel.open { path = folder }
  board = boards:board("b")
  check()
  boards:close()
  boards = laurel.open()
  eq(boards:import(file), true)
  board = boards:board("b")
  check()
  os.remove(file)
  os.execute("rm -r " .. folder)
end)
