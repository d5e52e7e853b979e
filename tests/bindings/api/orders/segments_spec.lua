-- Segments: the players of a board with one value of an attribute, ranked among themselves.
local board_fixture = require "board_fixture"
local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises, refuses = spec.it, spec.eq, spec.raises, spec.refuses
local until_ = spec.until_
local shown = board_fixture.shown

local engines = { { engine = "ranked" }, { engine = "sharded", shards = 3 } }

-- A board with five players, three of them in Germany.
local function new(fields)
  local all = { keep = "latest", segments = { "country", "clan" } }
  for field, value in pairs(fields or {}) do all[field] = value end
  local world = { now = 1000 }
  local boards = laurel.open { clock = function() return world.now end }
  local board = boards:board("season_3", all)
  for player, country in pairs { ada = "DE", bob = "FR", cleo = "DE", dan = "FR", eve = "DE" } do
    boards:save_player { id = player, attributes = { country = country } }
  end
  for i, player in ipairs { "ada", "bob", "cleo", "dan", "eve" } do
    assert(board:submit(player, 60 - 10 * i, "data of " .. player))
  end
  return board, boards, world
end

local function each(test)
  for _, fields in ipairs(engines) do test(new(fields)) end
end

it("all reads of a segment are of its players alone, ranked among themselves", function()
  each(function(board)
    local germany = board:segment("country", "DE")
    local all = "1 ada 50, 2 cleo 30, 3 eve 10"
    eq(shown(germany:top(10)), all)
    eq(shown(germany:page(2, 1)), "2 cleo 30")
    eq(shown(germany:bottom(2)), "3 eve 10, 2 cleo 30")
    eq(shown(germany:around("cleo", 0)), "2 cleo 30")
    eq(shown(germany:around("eve", 1)), all)
    eq(shown(germany:between(20, nil)), "1 ada 50, 2 cleo 30")
    eq(shown(germany:top_percent(50)), "1 ada 50, 2 cleo 30")
    eq({ germany:size(), germany:count(), germany:count(20, 60) }, { 3, 3, 2 })
    eq({ germany:rank("eve") }, { 3, 3 })
    eq({ germany:rank("bob") }, {})
    eq({ germany:score("cleo"), germany:score("bob") }, { 30 })
    eq({ germany:rank_of(40), germany:score_at(2), germany:percentile("cleo") }, { 2, 30, 100 / 3 })
    eq(germany:score_at_percentile(100 / 3), 30)
    local list, rank = germany:around_score(40, 1)
    eq({ shown(list), rank }, { "1 ada 50, 2 cleo 30", 2 })
    eq(germany:get("eve").data, "data of eve")
    eq(germany:get("bob"), nil)
    local among = germany:among { "eve", "bob", "cleo" }
    eq(shown(among), "1 cleo 30 of 2, 2 eve 10 of 3")
    local visited = {}
    for entry in germany:each(2) do visited[#visited + 1] = entry end
    eq(shown(visited), "2 cleo 30, 3 eve 10")
  end)
end)

it("with overall the entries carry the rank on the whole board", function()
  each(function(board)
    local germany = board:segment("country", "DE")
    local overall = { overall = true }
    eq(shown(germany:top(10, overall)), "1 ada 50 of 1, 2 cleo 30 of 3, 3 eve 10 of 5")
    eq(shown(germany:page(3, 5, overall)), "3 eve 10 of 5")
    eq(shown(germany:around("cleo", 0, overall)), "2 cleo 30 of 3")
    eq(germany:get("eve", overall).overall, 5)
    eq(germany:get("eve", { overall = false }).overall, nil)
    eq(shown(board:top(2, overall)), "1 ada 50 of 1, 2 bob 40 of 2")
    local entry = germany:get("cleo", { overall = true, with = { "season_3" } })
    eq({ entry.overall, entry.with.season_3 }, { 3, 30 })
    raises("field 'overall': boolean expected, got number", germany.top, germany, 1, { overall = 1 })
    raises("did you mean 'overall'?", germany.get, germany, "ada", { overal = true })
  end)
end)

it("a segment follows each write, each change of an attribute, bans and resets", function()
  each(function(board, boards)
    local germany, france = board:segment("country", "DE"), board:segment("country", "FR")
    board:submit("eve", 55)
    eq(shown(germany:top(10)), "1 eve 55, 2 ada 50, 3 cleo 30")
    boards:save_player { id = "eve", attributes = { country = "FR" } }
    eq(shown(germany:top(10)), "1 ada 50, 2 cleo 30")
    eq(shown(france:top(10)), "1 eve 55, 2 bob 40, 3 dan 20")
    boards:save_player { id = "eve", attributes = { country = false, clan = "reds" } }
    eq(shown(france:top(10)), "1 bob 40, 2 dan 20")
    eq(shown(board:segment("clan", "reds"):top(10)), "1 eve 55")
    board:ban("bob")
    eq(shown(france:top(10)), "1 dan 20")
    board:unban("bob")
    eq(shown(france:top(10)), "1 bob 40, 2 dan 20")
    board:remove("dan")
    eq(france:size(), 1)
    boards:rename_player("bob", "zoe")
    eq(shown(france:top(10)), "1 zoe 40")
    boards:forget("ada")
    eq(shown(germany:top(10)), "1 cleo 30")
    board:reset()
    eq({ germany:size(), france:size() }, { 0, 0 })
    board:submit("cleo", 5)
    eq(shown(germany:top(10)), "1 cleo 5")
    board:clear()
    eq(germany:top(10), {})
  end)
end)

it("segments lists the values, the largest first and equals by bytes", function()
  each(function(board, boards)
    eq(board:segments("country"), { { value = "DE", size = 3 }, { value = "FR", size = 2 } })
    boards:save_player { id = "eve", attributes = { country = "AT" } }
    eq(board:segments("country"),
      { { value = "DE", size = 2 }, { value = "FR", size = 2 }, { value = "AT", size = 1 } })
    eq(board:segments("clan"), {})
  end)
end)

it("a segment is read only, and knows what it is", function()
  each(function(board)
    local germany = board:segment("country", "DE")
    for _, write in ipairs {
      { "submit", "ada", 1 }, { "add", "ada", 1 }, { "set", "ada", 1 }, { "remove", "ada" }, { "clear" },
      { "ban", "ada" }, { "unban", "ada" }, { "join", "ada" }, { "leave", "ada" }, { "reset" }, { "mark" },
      { "submit_all", {} }, { "submit_report", "ada", 1 }, { "set_data", "ada", "x" }, { "post", "ada", 1 },
    } do
      refuses("unsupported", germany[write[1]](germany, select(2, unpack(write))))
    end
    eq(germany:score("ada"), 50)
    eq(germany:info().name, "season_3:country=DE")
    eq({ germany:info().size, germany:season() }, { 3, 1 })
    eq(tostring(germany), "board: season_3:country=DE")
    eq(germany == board:segment("country", "DE"), true)
    eq(germany == board:segment("country", "FR"), false)
    eq(germany == board, false)
    refuses("unsupported", germany:segment("clan", "reds"))
    refuses("unsupported", germany:segments("clan"))
    refuses("unsupported", germany:archived(1))
    refuses("unsupported", germany:since("ada"))
  end)
end)

it("an attribute that segments do not name is unknown, and a segment without players is empty", function()
  local board = new()
  refuses("unknown", board:segment("platform", "pc"))
  refuses("unknown", board:segments("platform"))
  local none = board:segment("country", "nowhere")
  eq({ none:size(), none:top(5), none:get("ada") }, { 0, {} })
  refuses("bad_data", board:segment("country", ""))
  refuses("bad_data", board:segment("country", ("x"):rep(256)))
  raises("bad argument #1 to 'segment' (string expected, got nil)", board.segment, board)
  raises("bad argument #2 to 'segment' (string expected, got number)", board.segment, board, "country", 5)
  raises("bad argument #1 to 'segments' (string expected, got nil)", board.segments, board)
  board:reset()
  refuses("unsupported", board:archived(1):segment("country", "DE"))
end)

it("segments are set and taken off at any time", function()
  each(function(board, boards)
    local germany = board:segment("country", "DE")
    boards:board("season_3", { segments = { "clan" } })
    raises('dropped: the segments of "season_3:country=DE" were taken off', germany.top, germany, 1)
    refuses("unknown", board:segment("country", "DE"))
    boards:board("season_3", { segments = false })
    refuses("unknown", board:segment("clan", "reds"))
    eq(board:info().segments, nil)
    boards:board("season_3", { segments = { "clan", "country" } })
    eq(board:info().segments, { "clan", "country" })
    eq(shown(germany:top(10)), "1 ada 50, 2 cleo 30, 3 eve 10")
  end)
end)

it("a wrong list of segments raises and says what is allowed", function()
  local boards = laurel.open()
  local function open(fields) return boards.board, boards, "b", fields end
  for _, case in ipairs {
    { { segments = {} }, "field 'segments': no name is given; it takes 1 to 4 names of attributes" },
    { { segments = { "a", "b", "c", "d", "e" } }, "field 'segments': 5 names are given" },
    { { segments = { "a", "a" } }, "field 'segments': \"a\" is given twice" },
    { { segments = { "" } }, "field 'segments': \"\" is no name of an attribute" },
    { { segments = { 5 } }, "field 'segments': 1: string expected, got number" },
    { { segments = 5 }, "field 'segments' is 5; it takes names of attributes" },
    { { segments = { "a" }, engine = "padded" },
      "field 'segments' belongs to engine \"ranked\" or \"sharded\"" },
  } do
    raises(case[2], open(case[1]))
  end
end)

it("a watch on a segment is told what changed in it, and lives without its handle", function()
  each(function(board, boards)
    local told = {}
    local stop = board:segment("country", "DE"):watch(2, function(change) told[#told + 1] = change end)
    collectgarbage()
    board:submit("bob", 100) -- in France
    boards:tick()
    eq(#told, 0)
    board:submit("eve", 90)
    boards:tick()
    eq({ told[1].board, shown(told[1].top), shown(told[1].entered), shown(told[1].left) },
      { "season_3:country=DE", "1 eve 90, 2 ada 50", "1 eve 90", "2 cleo 30" })
    boards:save_player { id = "bob", attributes = { country = "DE" } }
    boards:tick()
    eq(shown(told[2].top), "1 bob 100, 2 eve 90")
    stop()
    board:submit("cleo", 200)
    boards:tick()
    eq(#told, 2)
  end)
end)

it("clients subscribe to a published segment and follow its players", function()
  local board, boards = new()
  local live = assert(boards:serve { port = 0, auth = "token", rate = 200 })
  local germany = board:segment("country", "DE")
  eq(live:publish(germany, { top = 10 }), true)
  eq(live:unpublish(board), false)
  local client = assert(laurel.connect { port = live:port(), token = assert(live:token("eve", 60)) })
  local top, around, whole, reason
  client:subscribe("season_3:country=DE", 10, function(entries) top = entries end)
  client:follow("season_3:country=DE", 1, function(entries) around = entries end)
  client:subscribe("season_3", 10, function(...) whole, reason = ... end)
  until_(function() return top and around and reason end, client, boards)
  eq({ shown(top), shown(around) }, { "1 ada 50, 2 cleo 30, 3 eve 10", "1 ada 50, 2 cleo 30, 3 eve 10" })
  eq({ whole, reason:match("^unknown: ") }, { nil, "unknown: " })
  board:submit("eve", 90)
  until_(function() return #top == 3 and top[1].player == "eve" end, client, boards)
  until_(function() return around[1].player == "eve" end, client, boards)
  boards:save_player { id = "bob", attributes = { country = "DE" } }
  until_(function() return #top == 4 end, client, boards)
  eq(shown(top), "1 eve 90, 2 ada 50, 3 bob 40, 4 cleo 30")
  eq({ live:unpublish(germany), live:unpublish(germany) }, { true, false })
  client:close()
  boards:close()
end)

it("what is published has one name each", function()
  local board, boards = new()
  local live = assert(boards:serve { port = 0 })
  local germany = board:segment("country", "DE")
  eq(live:publish(boards:board("season_3:country=DE", {})), true)
  refuses("taken", live:publish(germany))
  eq(live:unpublish(germany), false)
  eq(live:unpublish("season_3:country=DE"), true)
  eq(live:publish(germany), true)
  refuses("taken", live:publish("season_3:country=DE"))
  refuses("unsupported", live:publish(board:segment("country", ("x"):rep(250))))
  boards:drop("season_3")
  until_(function() return live:stats().boards == 0 end, boards)
  refuses("unsupported", boards:drop(boards:board("other", { segments = "a" }):segment("a", "b")))
  boards:close()
end)

it("segments are there after a restart and after an import", function()
  local folder, file = os.tmpname(), os.tmpname()
  os.remove(folder)
  local boards = laurel.open { path = folder }
  local board = boards:board("b", { segments = { "country" } })
  boards:save_player { id = "ada", attributes = { country = "DE" } }
  board:submit("ada", 1)
  board:submit("bob", 2)
  eq(boards:export(file), true)
  eq(boards:close(), true)
  boards = laurel.open { path = folder }
  eq(shown(boards:board("b"):segment("country", "DE"):top(5)), "1 ada 1")
  boards:close()
  local other = laurel.open()
  eq(other:import(file), true)
  eq(shown(other:board("b"):segment("country", "DE"):top(5, { overall = true })), "1 ada 1 of 2")
  os.remove(file)
  os.execute("rm -r " .. folder)
end)
