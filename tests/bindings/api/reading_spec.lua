-- The reads in the table of the Lua API, row by row.
local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises, refuses, players = spec.it, spec.eq, spec.raises, spec.refuses, spec.players

local inf = math.huge

-- anna 90, bob 70, cleo 70, dan 50, eve 30; bob came before cleo
local function new(fields)
  local board = laurel.open():board("season", fields or {})
  for i, each in ipairs { { "anna", 90 }, { "bob", 70 }, { "cleo", 70 }, { "dan", 50 }, { "eve", 30 } } do
    board:submit(each[1], each[2], nil, i)
  end
  return board
end

it("size counts the ranked players", function() eq(new():size(), 5) end)

it("get returns the entry, or an explicit nil", function()
  local board = new()
  eq(board:get("cleo"), { player = "cleo", score = 70, rank = 2, at = 3 })
  eq(select("#", board:get("nobody")), 1)
  eq(board:get("nobody"), nil)
  eq(board:get(""), nil)
end)

it("score returns the score, or an explicit nil", function()
  local board = new()
  eq(board:score("dan"), 50)
  eq(select("#", board:score("nobody")), 1)
end)

it("rank returns rank and size in every mode", function()
  local board = new()
  eq({ board:rank("cleo") }, { 2, 5 })
  eq({ board:rank("cleo", "competition") }, { 2, 5 })
  eq({ board:rank("cleo", "modified") }, { 3, 5 })
  eq({ board:rank("cleo", "dense") }, { 2, 5 })
  eq({ board:rank("cleo", "ordinal") }, { 3, 5 })
  eq({ board:rank("cleo", "fractional") }, { 2.5, 5 })
  eq({ board:rank("dan", "dense") }, { 3, 5 })
  eq(select("#", board:rank("nobody")), 1)
  eq({ new({ ranking = "modified" }):rank("bob") }, { 3, 5 })
  refuses("unknown", board:rank("cleo", "olympic"))
end)

it("rank_of ranks a new score after equal scores", function()
  eq(new():rank_of(70), 2)
  eq(new({ ranking = "ordinal" }):rank_of(70), 4)
  eq(new({ ranking = "ordinal", ties = "latest" }):rank_of(70), 2)
  eq(new():rank_of(1000), 1)
  eq(new():rank_of(0), 6)
  refuses("not_finite", new():rank_of(0 / 0))
end)

it("top, bottom and page past the end return what there is", function()
  local board = new()
  eq(players(board:top(3)), "anna bob cleo")
  eq(players(board:top(100)), "anna bob cleo dan eve")
  eq(players(board:top(inf)), "anna bob cleo dan eve")
  eq(players(board:top(1e18)), "anna bob cleo dan eve")
  eq(board:top(0), {})
  eq(board:top(-5), {})
  eq(board:top(-inf), {})
  eq(players(board:bottom(2)), "eve dan")
  eq(players(board:bottom(inf)), "eve dan cleo bob anna")
  eq(board:bottom(0), {})
  eq(players(board:page(2, 2)), "bob cleo")
  eq(players(board:page(-3, 2)), "anna bob")
  eq(players(board:page(5, 2)), "eve")
  eq(board:page(6, 2), {})
  eq(board:page(inf, 2), {})
  eq(board:page(1, 0), {})
  eq(players(board:page(4, inf)), "dan eve")
end)

it("score_at returns the score at a position, or an explicit nil", function()
  local board = new()
  eq(board:score_at(1), 90)
  eq(board:score_at(3), 70)
  eq(board:score_at(5), 30)
  for _, position in ipairs { 6, 0, -1, inf, -inf, 1e18 } do
    eq({ select("#", board:score_at(position)), board:score_at(position) }, { 1, nil })
  end
  raises("bad argument #1 to 'score_at' (number expected, got nil)", board.score_at, board)
  raises("bad argument #1 to 'score_at' (number expected, got string)", board.score_at, board, "1")
  raises("whole number expected, got 1.5", board.score_at, board, 1.5)
  raises("whole number expected, got nan", board.score_at, board, 0 / 0)
end)

it("score_at_percentile returns the worst score that reaches a percentile, or an explicit nil", function()
  local board = new() -- 80, 40, 40, 20, 0
  eq(board:score_at_percentile(80), 90)
  eq(board:score_at_percentile(40), 70)
  eq(board:score_at_percentile(20.5), 70)
  eq(board:score_at_percentile(0), 30)
  eq(board:score_at_percentile(-inf), 30)
  eq({ select("#", board:score_at_percentile(81)), board:score_at_percentile(81) }, { 1, nil })
  eq(board:score_at_percentile(inf), nil)
  eq(new({ ranking = "ordinal" }):score_at_percentile(60), 70)
  refuses("not_finite", board:score_at_percentile(0 / 0))
  raises("bad argument #1 to 'score_at_percentile' (number expected, got nil)",
    board.score_at_percentile, board)
end)

it("top_percent returns the first percent, rounded up", function()
  local board = new()
  eq(players(board:top_percent(1)), "anna")
  eq(players(board:top_percent(40)), "anna bob")
  eq(players(board:top_percent(41)), "anna bob cleo")
  eq(players(board:top_percent(1000)), "anna bob cleo dan eve")
  eq(players(board:top_percent(inf)), "anna bob cleo dan eve")
  eq(board:top_percent(0), {})
  eq(board:top_percent(-inf), {})
  eq(laurel.open():board("empty", {}):top_percent(50), {})
  refuses("not_finite", board:top_percent(0 / 0))
  raises("bad argument #1 to 'top_percent' (number expected, got boolean)", board.top_percent, board, true)
end)

it("around_score returns the entries around a newcomer's place, and the rank", function()
  local board = new()
  local function around(...)
    local entries, rank = board:around_score(...)
    return players(entries) .. " " .. rank
  end
  eq(around(70, 1), "cleo dan 2")
  eq(around(60, 2), "bob cleo dan eve 4")
  eq(around(1000, 1), "anna bob 1")
  eq(around(0, 1), "dan eve 6")
  eq(around(60, inf), "anna bob cleo dan eve 4")
  eq({ board:around_score(60, 0) }, { {}, 4 })
  eq({ board:around_score(60, -1) }, { {}, 4 })
  refuses("not_finite", board:around_score(inf, 1))
  raises("bad argument #1 to 'around_score' (number expected, got nil)", board.around_score, board, nil, 1)
  raises("bad argument #2 to 'around_score' (number expected, got nil)", board.around_score, board, 1)
  raises("whole number expected, got 1.5", board.around_score, board, 1, 1.5)
end)

it("fractional ranks are the means of the positions of equals, in every read", function()
  local board = new { ranking = "fractional" }
  local function ranks(entries)
    local list = {}
    for i, entry in ipairs(entries) do list[i] = entry.rank end
    return list
  end
  eq(ranks(board:top(9)), { 1, 2.5, 2.5, 4, 5 })
  eq(ranks(board:page(3, 2)), { 2.5, 4 })
  eq(ranks(board:bottom(3)), { 5, 4, 2.5 })
  eq(ranks(board:around("bob", 1)), { 1, 2.5, 2.5 })
  eq(ranks(board:between(60, 80)), { 2.5, 2.5 })
  eq(ranks(board:top_percent(40)), { 1, 2.5 })
  local walked = {}
  for entry in board:each() do walked[#walked + 1] = entry end
  eq(ranks(walked), { 1, 2.5, 2.5, 4, 5 })
  local friends = board:among { "cleo", "bob", "eve" }
  eq(ranks(friends), { 1.5, 1.5, 3 })
  eq(friends[2].overall, 2.5)
  eq(board:get("bob").rank, 2.5)
  eq({ board:rank("bob") }, { 2.5, 5 })
  eq({ board:rank("bob", "competition") }, { 2, 5 })
  eq(board:rank_of(70), 3)
  eq(board:rank_of(90), 1.5)
  eq(select(2, board:around_score(90, 0)), 1.5)
  local change = board:submit_report("eve", 50)
  eq({ change.rank, change.previous_rank }, { 4.5, 5 })
  eq(board:percentile("bob"), 40)
  local past = board:archived(board:reset())
  eq(ranks(past:top(3)), { 1, 2.5, 2.5 })
  eq(board:info().ranking, "fractional")
end)

it("the reads of places are those of past seasons too", function()
  local board = new()
  local past = board:archived(board:reset())
  eq(past:score_at(2), 70)
  eq(past:score_at_percentile(80), 90)
  eq(players(past:top_percent(40)), "anna bob")
  eq({ players((past:around_score(60, 1))), (select(2, past:around_score(60, 1))) }, { "cleo dan", 4 })
end)

it("top_percent and around_score take `with`", function()
  local boards = laurel.open()
  local board, kills = boards:board("points", {}), boards:board("kills", {})
  board:submit_all { { "anna", 9 }, { "bob", 7 } }
  kills:submit("anna", 3)
  eq(board:top_percent(50, { with = { "kills" } })[1].with, { kills = 3 })
  eq(board:around_score(8, 1, { with = { "kills" } })[1].with, { kills = 3 })
end)

it("entries carry their rank in the board's mode", function()
  local ranks = {}
  for i, entry in ipairs(new({ ranking = "dense" }):top(5)) do ranks[i] = entry.rank end
  eq(ranks, { 1, 2, 2, 3, 4 })
end)

it("around shifts its window at both ends", function()
  local board = new()
  eq(players(board:around("cleo", 1)), "bob cleo dan")
  eq(players(board:around("anna", 1)), "anna bob cleo")
  eq(players(board:around("eve", 1)), "cleo dan eve")
  eq(players(board:around("eve", 50)), "anna bob cleo dan eve")
  eq(players(board:around("bob", inf)), "anna bob cleo dan eve")
  eq(board:around("nobody", 3), {})
end)

it("around with 0 returns only the player, and with less than 0 nothing", function()
  local board = new()
  for place, player in ipairs { "anna", "bob", "cleo", "dan", "eve" } do
    eq(board:around(player, 0), board:page(place, 1))
    eq(board:around(player, -0), board:page(place, 1))
    eq(board:around(player, -1), {})
  end
  eq(board:around("cleo", -inf), {})
  eq(board:around("nobody", 0), {})
  board:ban("cleo")
  eq(board:around("cleo", 0), {})
end)

it("a bound of between and count may be left out", function()
  local board = new()
  eq(players(board:between(50, 70)), "bob cleo dan")
  eq(players(board:between(50, 70, 2)), "bob cleo")
  eq(board:between(50, 70, 0), {})
  eq(players(board:between(nil, 50)), "dan eve")
  eq(players(board:between(70)), "anna bob cleo")
  eq(players(board:between(-inf, inf, inf)), "anna bob cleo dan eve")
  eq(board:between(70, 50), {})
  eq(board:count(), 5)
  eq(board:count(70), 3)
  eq(board:count(nil, 50), 2)
  eq(board:count(50, 70), 3)
  eq(board:count(70, 50), 0)
  refuses("not_finite", board:between(0 / 0, 1))
  refuses("not_finite", board:count(1, 0 / 0))
end)

it("percentile counts strictly worse entries", function()
  local board = new()
  eq(board:percentile("anna"), 80)
  eq(board:percentile("bob"), 40)
  eq(board:percentile("eve"), 0)
  eq(select("#", board:percentile("nobody")), 1)
end)

it("among ranks the listed players among themselves", function()
  local friends = new():among { "eve", "nobody", "cleo", "anna", "eve", "" }
  eq(players(friends), "anna cleo eve")
  eq({ friends[2].rank, friends[2].overall }, { 2, 2 })
  eq({ friends[3].rank, friends[3].overall }, { 3, 5 })
  eq(new():among {}, {})
end)

it("a list of 100,000 entries is read in one call", function()
  local board, list = laurel.open():board("season", {}), {}
  for i = 1, 100000 do list[i] = { "player" .. i, i } end
  board:submit_all(list)
  local top = board:top(1e6)
  eq(#top, 100000)
  eq({ top[1].player, top[100000].player }, { "player100000", "player1" })
  eq(#board:top(3), 3)
end)

-- ---- each

local function walk(board, first, act)
  local seen = {}
  for entry in board:each(first) do
    seen[#seen + 1] = entry.player
    if act then act(entry) end
  end
  return table.concat(seen, " ")
end

it("each iterates over all entries from a position on", function()
  local board = new()
  eq(walk(board), "anna bob cleo dan eve")
  eq(walk(board, 4), "dan eve")
  eq(walk(board, 0), "anna bob cleo dan eve")
  eq(walk(board, 6), "")
  eq(walk(board, inf), "")
  for entry in board:each(2) do -- luacheck: ignore 512
    eq(entry, { player = "bob", score = 70, rank = 2, at = 2 })
    break
  end
end)

it("each continues at its position when the current entry is removed", function()
  local board = new()
  eq(walk(board, 1, function(entry) board:remove(entry.player) end), "anna bob cleo dan eve")
  eq(board:size(), 0)
end)

it("each visits an entry once that the loop moves", function()
  local board = new()
  eq(walk(board, 1, function(entry)
    if entry.player == "bob" then board:set("bob", 10) end
  end), "anna bob cleo dan eve")
  board = new()
  eq(walk(board, 1, function(entry)
    if entry.player == "dan" then board:set("dan", 100) end
  end), "anna bob cleo dan eve")
end)

it("each visits last who rises past the loop, and no player who joins before it", function()
  local board = new()
  eq(walk(board, 1, function(entry)
    if entry.player == "bob" then
      board:set("eve", 100)
      board:submit("new", 90)
    end
  end), "anna bob cleo dan eve")
end)

it("each visits each player once if the loop raises every score", function()
  local board = laurel.open():board("season", { keep = "sum" })
  for i, player in ipairs { "anna", "bob", "cleo" } do board:submit(player, 4 - i) end
  eq(walk(board, 1, function(entry) board:add(entry.player, 100) end), "anna bob cleo")
  eq({ board:score("anna"), board:score("bob"), board:score("cleo") }, { 103, 102, 101 })
end)

it("each takes one step a player if the loop halves every score", function()
  for _, fields in ipairs { {}, { engine = "padded" }, { engine = "paged" }, { engine = "sharded" },
    { engine = "capped", cap = 100 } } do
    fields.keep = "latest"
    local board = laurel.open():board("season", fields)
    for i = 1, 100 do board:submit("p" .. i, i * 7) end
    local steps = 0
    for entry in board:each() do
      steps = steps + 1
      assert(steps <= 100, "the loop does not end")
      board:set(entry.player, math.floor(entry.score / 2))
    end
    eq(steps, 100)
  end
end)

it("of too many loops the one that was not used for the longest time ends", function()
  local board = new()
  local left, used = board:each(), board:each()
  for _ = 1, 300 do
    for entry in board:each() do eq(entry.player, "anna") break end -- luacheck: ignore 512
    if used then used = used() and used end
  end
  raises("unavailable: 256 loops over this board were begun or used since", left)
  eq(walk(board), "anna bob cleo dan eve")
end)

it("each follows the current entry when entries above it change", function()
  local board = new()
  eq(walk(board, 1, function(entry)
    if entry.player == "bob" then
      board:submit("new", 1000)
      board:submit("newer", 2000)
    end
  end), "anna bob cleo dan eve")
end)

it("each ends when the board is cleared, dropped or closed during the iteration", function()
  local boards = laurel.open()
  local function filled()
    boards:drop("season")
    local board = boards:board("season", {})
    board:submit("anna", 2)
    board:submit("bob", 1)
    return board
  end
  local board = filled()
  eq(walk(board, 1, function() board:clear() end), "anna")
  eq(walk(filled(), 1, function() boards:drop("season") end), "anna")
  eq(walk(filled(), 1, function() boards:close() end), "anna")
end)

-- ---- info

it("info shows the current spec and the state of the board", function()
  local boards = laurel.open { clock = function() return 1234.5 end }
  local board = boards:board("season", { order = "asc", meta = "m", decimals = 2, closes = 9999 })
  board:submit("anna", 1)
  eq(board:info(), {
    engine = "ranked", order = "asc", keep = "best", ties = "earliest", ranking = "competition",
    decimals = 2, zone = "UTC", archive = 1, closes = 9999, join = "open", rule_failure = "refuse",
    history = 0, journal = 0, meta = "m", name = "season", season = 1, size = 1, created = 1234.5,
    started = 1234.5,
  })
end)

it("the result of info is accepted as a spec", function()
  local boards = laurel.open()
  local info = boards:board("season", { ties = "player", opens = 5, decimals = 3 }):info()
  for _, fact in ipairs { "name", "season", "size", "created", "started" } do info[fact] = nil end
  eq(boards:board("season", info) == boards:board("season"), true)
end)
