-- Boards of groups: their players are the values of an attribute of another board's players.
local board_fixture = require "board_fixture"
local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises, refuses = spec.it, spec.eq, spec.raises, spec.refuses
local until_, in_folder = spec.until_, spec.in_folder
local shown = board_fixture.shown

local sources = { { engine = "ranked" }, { engine = "sharded", shards = 3 } }

local function set_clan(boards, player, clan)
  assert(boards:save_player { id = player, attributes = { clan = clan } })
end

-- A board with five players, four of them in a clan.
local function new(fields, path)
  local all = { keep = "latest", decimals = 0, archive = 4 }
  for field, value in pairs(fields or {}) do all[field] = value end
  local world = { now = 1000 }
  local boards = laurel.open { path = path, clock = function() return world.now end }
  local week = boards:board("week", all)
  for player, clan in pairs { ada = "reds", bob = "reds", cleo = "blues", dan = "blues" } do
    set_clan(boards, player, clan)
  end
  for i, player in ipairs { "ada", "bob", "cleo", "dan", "eve" } do
    world.now = world.now + 1
    assert(week:submit(player, 60 - 10 * i))
  end
  return week, boards, world
end

local function groups(boards, fields, name)
  local all = { engine = "groups", source = "week", group = "clan" }
  for field, value in pairs(fields or {}) do all[field] = value end
  return boards:board(name or "clan_week", all)
end

local function each(test)
  for _, fields in ipairs(sources) do test(new(fields)) end
end

it("a group's score is the sum, the mean or the best of its members' scores", function()
  each(function(_, boards)
    eq(shown(groups(boards, nil, "sum"):top(10)), "1 reds 90, 2 blues 50")
    eq(shown(groups(boards, { take = "mean", decimals = 1 }, "mean"):top(10)), "1 reds 45, 2 blues 25")
    eq(shown(groups(boards, { take = "best" }, "best"):top(10)), "1 reds 50, 2 blues 30")
    eq(shown(groups(boards, { best = 1 }, "one"):top(10)), "1 reds 50, 2 blues 30")
    eq(shown(groups(boards, { take = "mean", best = 1 }, "first"):top(10)), "1 reds 50, 2 blues 30")
  end)
end)

it("it follows each write, each change of an attribute, bans and resets", function()
  each(function(week, boards)
    local sum, two = groups(boards), groups(boards, { best = 2 }, "two")
    local function shows(expected)
      eq(shown(sum:top(10)), expected)
      eq(shown(two:top(10)), expected)
    end
    shows "1 reds 90, 2 blues 50"
    week:submit("dan", 100)
    shows "1 blues 130, 2 reds 90"
    set_clan(boards, "dan", "reds")
    eq(shown(sum:top(10)), "1 reds 190, 2 blues 30")
    eq(shown(two:top(10)), "1 reds 150, 2 blues 30")
    set_clan(boards, "bob", false)
    shows "1 reds 150, 2 blues 30"
    week:ban("dan")
    shows "1 reds 50, 2 blues 30"
    week:unban("dan")
    boards:ban("ada")
    shows "1 reds 100, 2 blues 30"
    boards:unban("ada")
    week:remove("ada")
    shows "1 reds 100, 2 blues 30"
    boards:rename_player("dan", "zoe")
    shows "1 reds 100, 2 blues 30"
    boards:forget("zoe")
    shows "1 blues 30"
    week:clear()
    shows ""
    week:submit("bob", 7)
    set_clan(boards, "bob", "reds")
    shows "1 reds 7"
  end)
end)

it("groups with fewer members than `least` are not listed, and `at` is the latest that counts", function()
  local week, boards = new()
  local sum = groups(boards, { least = 2 })
  local best = groups(boards, { take = "best" }, "best")
  eq({ sum:get("reds").at, best:get("reds").at }, { 1002, 1001 })
  week:remove("bob")
  eq(shown(sum:top(10)), "1 blues 50")
  eq(shown(best:top(10)), "1 reds 50, 2 blues 30")
end)

it("it is read and ranked as any other board", function()
  local week, boards = new()
  local board = groups(boards, { ranking = "dense", ties = "player_desc", meta = "Clans" })
  for player, clan in pairs { fox = "greens", gus = "golds" } do
    set_clan(boards, player, clan)
    week:submit(player, 50)
  end
  eq(shown(board:top(10)), "1 reds 90, 2 greens 50, 2 golds 50, 2 blues 50")
  eq({ board:rank("golds") }, { 2, 4 })
  eq({ board:score("golds"), board:size(), board:rank_of(60), board:score_at(2) }, { 50, 4, 2, 50 })
  eq(shown(board:around("golds", 1)), "2 greens 50, 2 golds 50, 2 blues 50")
  eq(shown(board:between(60, nil)), "1 reds 90")
  eq(shown(board:among { "blues", "reds", "ada" }), "1 reds 90 of 1, 2 blues 50 of 2")
  local visited = {}
  for entry in board:each() do visited[#visited + 1] = entry.player end
  eq(table.concat(visited, " "), "reds greens golds blues")
  eq(board:info().meta, "Clans")
end)

it("info shows what it is made from, with defaults filled in", function()
  local _, boards = new()
  local info = groups(boards):info()
  eq({ info.engine, info.source, info.group, info.take, info.best, info.least, info.order, info.decimals },
    { "groups", "week", "clan", "sum", nil, 1, "desc", 0 })
  eq({ info.keep, info.reset, info.sources, info.archive, info.season }, { nil, nil, nil, 1, 1 })
  groups(boards, { order = "desc", decimals = 0, least = 1 })
  raises("field 'take' is \"mean\" and was \"sum\"", groups, boards, { take = "mean" })
  eq(groups(boards, { take = "mean", best = 5, decimals = 2 }, "mean"):info().best, 5)
  eq(boards:board("mean", {}):info().decimals, 2)
end)

it("seasons are the source's, with archives of its own", function()
  local week, boards, world = new { reset = "0 * * * *" }
  local board = groups(boards, { archive = 2 })
  eq(board:info().resets_at, week:info().resets_at)
  world.now = world.now + 3600
  eq({ board:season(), board:size(), week:season() }, { 2, 0, 2 })
  eq(shown(board:archived(1):top(10)), "1 reds 90, 2 blues 50")
  eq(board:archived(1):info().ended, week:archived(1):info().ended)
  refuses("unsupported", board:reset())
  for _ = 1, 2 do
    week:submit("ada", 5)
    week:reset()
  end
  eq(board:seasons(), { 4, 3, 2 })
  eq(shown(board:archived(3):top(10)), "1 reds 5")
end)

it("a season's end is told after that of the source", function()
  local _, boards, world = new { reset = "0 * * * *" }
  groups(boards, nil, "a first name")
  local told = {}
  boards:on_season_end("rewards", function(season)
    told[#told + 1] = season.board .. ": " .. shown(season.standings:top(1))
  end)
  world.now = world.now + 3600
  for _ = 1, 3 do boards:tick() end
  eq(told, { "week: 1 ada 50", "a first name: 1 reds 90" })
end)

it("writes are refused as unsupported", function()
  local _, boards = new()
  local board = groups(boards)
  board_fixture.takes_no_writes(board, "reds")
  refuses("unsupported", board:mark())
  eq(select(3, boards:submit({ "week", "clan_week" }, "ada", 5)), "clan_week")
  eq(shown(board:top(10)), "1 reds 90, 2 blues 50")
end)

it("what cannot be raises when it is made, and drop of the source raises", function()
  local _, boards = new()
  groups(boards)
  boards:board("plain", {})
  boards:board("both", { engine = "combined", sources = { "week" } })
  local function refused(text, fields)
    raises(text, groups, boards, fields, "x")
  end
  refused("field 'source': no local board is called \"none\"", { source = "none" })
  refused("such boards are not chained", { source = "clan_week" })
  refused("such boards are not chained", { source = "both" })
  refused("without them a sum is not exact", { source = "plain" })
  refused("field 'best' has no meaning with take = \"best\"", { take = "best", best = 3 })
  refused("field 'best' is 0; it takes a whole number from 1 to 100", { best = 0 })
  refused("with engine \"groups\" it takes \"sum\", \"mean\" or \"best\"", { take = "count" })
  refused("field 'least' is 0", { least = 0 })
  refused("field 'order' is \"asc\"; a board of groups has that of its source", { order = "asc" })
  refused("field 'decimals' is 3; a board of groups has that of its source", { decimals = 3 })
  refused("field 'reset' has no meaning with engine \"groups\"", { reset = "0 0 * * *" })
  refused("field 'segments' has no meaning with engine \"groups\"", { segments = { "clan" } })
  refused("field 'sources' belongs to engine \"combined\"", { sources = { "week" } })
  raises("a board of groups takes 'source'", boards.board, boards, "x", { engine = "groups", group = "clan" })
  raises("a board of groups takes 'group'", boards.board, boards, "x", { engine = "groups", source = "week" })
  raises("such boards are not chained", boards.board, boards, "x",
    { engine = "combined", sources = { "week", "clan_week" } })
  raises("bad argument #1 to 'drop' (board of groups \"clan_week\" is made from board \"week\"",
    boards.drop, boards, "week")
  eq({ boards:drop("clan_week"), boards:drop("both"), boards:drop("week") }, { true, true, true })
end)

it("scores of columns are taken with `best`", function()
  local boards = laurel.open()
  local laps = boards:board("week", { columns = { { name = "laps" }, { name = "seconds", order = "asc" } } })
  set_clan(boards, "ada", "reds")
  set_clan(boards, "bob", "reds")
  laps:submit("ada", { 12, 60 })
  laps:submit("bob", { 12, 50 })
  raises("its scores have columns", groups, boards)
  local best = groups(boards, { take = "best" })
  eq(best:get("reds").score, { 12, 50 })
  eq({ best:score("reds") }, { 12, 50 })
  laps:remove("bob")
  eq(best:get("reds").score, { 12, 60 })
end)

it("a group is no player, also if a player has its id", function()
  local week, boards = new()
  boards:save_player { id = "reds", name = "Red" }
  local board = groups(boards)
  groups(boards, { take = "best" }, "best")
  eq(board:get("reds").name, nil)
  eq(boards:scores_of("reds"), {})
  week:submit("reds", 7)
  eq(week:get("reds").name, "Red")
  eq(#boards:scores_of("reds"), 1)
  eq(board:get("reds", { with = { "week", "best" } }).with, { best = 50 })
  eq(week:get("reds", { with = { "clan_week" } }).with, {})
  boards:ban("reds")
  eq(board:score("reds"), 90)
  boards:unban("reds")
  eq(boards:forget("reds"), 1)
  eq(board:score("reds"), 90)
end)

it("it stays after a restart, with its past seasons, and after an import", function()
  in_folder(function(folder)
    local week, boards = new(nil, folder)
    groups(boards, { archive = 3 })
    groups(boards, { best = 1 }, "one")
    week:reset()
    week:submit("dan", 8)
    local function shows(all)
      local board = all:board("clan_week")
      eq(shown(board:top(5)), "1 blues 8")
      eq(shown(all:board("one"):top(5)), "1 blues 8")
      eq(shown(board:archived(1):top(5)), "1 reds 90, 2 blues 50")
      eq(shown(all:board("one"):archived(1):top(5)), "1 reds 50, 2 blues 30")
      eq({ board:season(), board:info().archive }, { 2, 3 })
    end
    shows(boards)
    local file = folder .. "/export"
    eq(boards:export(file), true)
    eq(boards:close(), true)
    boards = laurel.open { path = folder }
    shows(boards)
    set_clan(boards, "dan", "reds")
    eq(shown(boards:board("clan_week"):top(5)), "1 reds 8")
    boards:close()
    local other = laurel.open()
    eq(other:import(file), true)
    shows(other)
    other:board("week"):submit("ada", 9)
    eq(shown(other:board("clan_week"):top(5)), "1 reds 9, 2 blues 8")
  end)
end)

it("a watch and a client follow a board of groups", function()
  local week, boards, world = new { reset = "0 * * * *" }
  local board = groups(boards)
  local tops = {}
  board:watch(10, function(change) tops[#tops + 1] = shown(change.top) end)
  local live = assert(boards:serve { port = 0, rate = 200, auth = "token" })
  eq(live:publish(board, { top = 10 }), true)
  local client = assert(laurel.connect { port = live:port(), token = live:token("ada", 60) })
  local top
  client:subscribe("clan_week", 10, function(list) top = list end)
  local function shows(expected)
    until_(function() return top and shown(top) == expected end, client, boards)
  end
  shows "1 reds 90, 2 blues 50"
  week:submit("dan", 70)
  shows "1 blues 100, 2 reds 90"
  set_clan(boards, "dan", "reds")
  shows "1 reds 160, 2 blues 30"
  world.now = world.now + 3600
  shows ""
  eq(tops, { "1 blues 100, 2 reds 90", "1 reds 160, 2 blues 30", "" })
  client:close()
  boards:close()
end)
