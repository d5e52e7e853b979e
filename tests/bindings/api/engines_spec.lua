-- What each engine holds, and which calls it supports. The case sets the clock.
local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises, refuses, players = spec.it, spec.eq, spec.raises, spec.refuses, spec.players

local day = 86400
local inf = math.huge
local engines = { "capped", "ranked", "padded", "paged", "sharded", "rolling" }

local function new(fields, clock) return laurel.open { clock = clock }:board("board", fields) end

-- ---- every engine

it("every engine answers every read, with the same calls", function()
  for _, engine in ipairs(engines) do
    local board = new { engine = engine, decimals = 0, ties = "player" }
    for i, each in ipairs { { "anna", 90 }, { "bob", 70 }, { "cleo", 70 }, { "dan", 50 } } do
      eq({ engine, board:submit(each[1], each[2], i == 3 and "data" or nil) }, { engine, each[2], true })
    end
    eq(board:size(), 4)
    eq(board:score("bob"), 70)
    local entry = board:get("cleo")
    eq({ entry.player, entry.score, entry.rank, entry.data }, { "cleo", 70, 2, "data" })
    eq(board:get("nobody"), nil)
    eq({ board:rank("cleo") }, { 2, 4 })
    eq({ board:rank("cleo", "modified") }, { 3, 4 })
    eq({ board:rank("dan", "dense") }, { 3, 4 })
    eq({ board:rank("cleo", "ordinal") }, { 3, 4 })
    eq(board:rank_of(70), 2)
    eq(players(board:top(3)), "anna bob cleo")
    eq(players(board:bottom(2)), "dan cleo")
    eq(players(board:page(2, 2)), "bob cleo")
    eq(players(board:around("dan", 1)), "bob cleo dan")
    eq(board:around("cleo", 0), { board:get("cleo") })
    eq(players(board:between(60, 80)), "bob cleo")
    eq(board:count(60, 80), 2)
    eq(board:percentile("bob"), 25)
    eq(board:score_at(2), 70)
    eq(board:score_at(5), nil)
    eq(board:score_at_percentile(25), 70)
    eq(players(board:top_percent(60)), "anna bob cleo")
    eq(players((board:around_score(70, 1))), "cleo dan")
    eq(select(2, board:around_score(70, 1)), 2)
    eq(players(board:among { "dan", "anna", "nobody" }), "anna dan")
    local walked = {}
    for each in board:each(2) do walked[#walked + 1] = each.player end
    eq(walked, { "bob", "cleo", "dan" })
    eq(board:remove("anna"), true)
    eq(board:ban("bob"), true)
    eq(players(board:top(9)), "cleo dan")
    eq(board:unban("bob"), true)
    eq(players(board:top(9)), "bob cleo dan")
    eq(board:clear(), 3)
    eq(board:size(), 0)
  end
end)

it("boards of every engine survive many ticks and changes", function()
  for _, engine in ipairs(engines) do
    local boards = laurel.open()
    local fields = { engine = engine, decimals = 0 }
    if engine == "capped" then fields.cap = 500 end
    local board = boards:board("board", fields)
    for i = 1, 300 do
      board:submit("p" .. i, i % 50 + 1)
      if i % 10 == 0 then boards:tick() end
    end
    eq({ engine, board:size() }, { engine, 300 })
    for i = 1, 300, 2 do board:remove("p" .. i) end
    boards:tick()
    eq(board:size(), 150)
    local top = board:top(1000)
    for i = 2, #top do eq(top[i - 1].score >= top[i].score, true) end
    boards:drop("board")
    for _ = 1, 20 do boards:tick() end
    eq(boards:stats().reclaiming, 0)
  end
end)

it("a call that an engine cannot do is unsupported, and the error names the engine that can", function()
  local owners = {
    lowest = { "capped" }, merge = { "capped", {} }, key = { "padded", "anna" }, layout = { "paged" },
    fetch_size = { "sharded", 10, 0.9 },
  }
  for _, engine in ipairs(engines) do
    local board = new { engine = engine }
    for name, owner in pairs(owners) do
      local value, reason = board[name](board, unpack(owner, 2))
      if engine == owner[1] then
        eq({ name, reason }, { name, nil })
      else
        refuses("unsupported", value, reason)
        spec.contains(reason, ('engine "%s"'):format(owner[1]))
      end
    end
    if engine ~= "sharded" then refuses("unsupported", board:top(3, { confidence = 0.9 })) end
    if engine ~= "rolling" then
      local at = { at = 0 }
      refuses("unsupported", board:top(3, at))
      refuses("unsupported", board:rank("anna", at))
      refuses("unsupported", board:rank("anna", "dense", at))
      refuses("unsupported", board:score("anna", at))
      refuses("unsupported", board:size(at))
      refuses("unsupported", board:page(1, 3, at))
      refuses("unsupported", board:count(at))
    end
    refuses("unsupported", board:top(3, { confidence = 0.9, at = 0 }))
  end
end)

it("empty options are the same as no options", function()
  for _, engine in ipairs(engines) do
    local board = new { engine = engine }
    board:submit("anna", 5)
    eq({ #board:top(3, {}), board:score("anna", {}), board:size {}, #board:page(1, 3, {}), board:count {} },
      { 1, 5, 1, 1, 1 })
    eq({ board:rank("anna", {}) }, { 1, 1 })
    eq({ board:rank("anna", "dense", {}) }, { 1, 1 })
    eq(board:count(5, {}), 1)
    eq(board:count(nil, 4, {}), 0)
  end
end)

it("a field of another engine raises an error that names the engine", function()
  local boards = laurel.open()
  local owned = {
    { "cap", 10, "capped" }, { "reserve", 10, "capped" }, { "digits", 10, "padded" },
    { "shards", 8, "sharded" }, { "of", "ranked", "sharded" }, { "days", 7, "rolling" },
  }
  for _, engine in ipairs(engines) do
    for _, each in ipairs(owned) do
      local field, value, owner = unpack(each)
      if engine ~= owner then
        raises(("field '%s' belongs to "):format(field), boards.board, boards, "x",
          { engine = engine, [field] = value })
      end
    end
  end
  eq(boards:names(), {})
end)

it("the engine and the fields of its order cannot be changed", function()
  local boards = laurel.open()
  local standing = {
    capped = {}, padded = { digits = 5 }, paged = {}, sharded = { shards = 4, of = "paged" },
    rolling = { window = { buckets = 3, seconds = 60 } },
  }
  local other = {
    capped = { order = "asc" }, padded = { digits = 6 }, paged = { engine = "ranked" },
    sharded = { shards = 5 }, rolling = { window = { seconds = 30 } },
  }
  for engine, fields in pairs(standing) do
    fields.engine = engine
    local board = boards:board(engine, fields)
    raises("bad argument #2 to 'board' (field '", boards.board, boards, engine, other[engine])
    eq(boards:board(engine, fields) == board, true)
  end
  raises("field 'of' is \"ranked\" and was \"paged\"", boards.board, boards, "sharded", { of = "ranked" })
end)

it("info shows the fields of the board's engine, and is accepted as a spec", function()
  local boards = laurel.open()
  local shown = {
    capped = { cap = 10, reserve = 10 },
    padded = { digits = 10, decimals = 0, ties = "player_desc" },
    paged = {},
    sharded = { shards = 8, of = "ranked" },
    rolling = { days = 7, window = { buckets = 7, seconds = day } },
  }
  for engine, fields in pairs(shown) do
    local board = boards:board(engine, { engine = engine })
    local info = board:info()
    eq(info.engine, engine)
    for field, value in pairs(fields) do eq({ engine, field, info[field] }, { engine, field, value }) end
    for _, each in ipairs { "cap", "digits", "shards", "window" } do
      if fields[each] == nil then eq({ each, info[each] }, { each, nil }) end
    end
    for _, fact in ipairs { "name", "season", "size", "created", "started" } do info[fact] = nil end
    eq(boards:board(engine, info) == board, true)
  end
end)

-- ---- padded

it("a padded board's key sorts as its order does", function()
  eq(new({ engine = "padded" }):info().ties, "player_desc")
  eq(new({ engine = "padded", order = "asc" }):info().ties, "player")
  local board = new { engine = "padded" }
  board:submit("p_alice", 8420)
  eq(board:key("p_alice"), "SCORE#0000008420#p_alice")
  eq(board:key("nobody"), nil)
  local timed = new { engine = "padded", ties = "earliest", digits = 4 }
  timed:submit("a#b", 7, nil, 1)
  timed:submit("c", 7, nil, 2)
  eq(timed:key("a#b"):match("^SCORE#0007#%x%x%x%x%x%x%x%x%x%x%x%x%x%x%x%x#a#b$") ~= nil, true)
  eq(players(timed:top(2)), "a#b c")
end)

it("a padded board takes scores from 0 to the maximum of its digits", function()
  local board = new { engine = "padded" }
  eq(board:submit("anna", 9999999999), 9999999999)
  eq(board:submit("bob", 0), 0)
  for _, score in ipairs { 10000000000, -1 } do
    refuses("out_of_range", board:submit("cleo", score))
    refuses("out_of_range", board:set("cleo", score))
  end
  refuses("out_of_range", board:add("anna", 1))
  eq(board:size(), 2)
  local scaled = new { engine = "padded", digits = 3, decimals = 1 }
  eq(scaled:submit("anna", 99.9), 99.9)
  eq(scaled:key("anna"), "SCORE#999#anna")
  refuses("out_of_range", scaled:submit("anna", 100))
  refuses("out_of_range", scaled:submit("anna", -0.1))
end)

it("padded keys hold exact decimals, and whole numbers by default", function()
  local boards = laurel.open()
  eq(boards:board("a", { engine = "padded" }):info().decimals, 0)
  raises("field 'decimals' is false", boards.board, boards, "b", { engine = "padded", decimals = false })
  raises("field 'digits' is 16; it takes a whole number from 1 to 15", boards.board, boards, "b",
    { engine = "padded", digits = 16 })
end)

it("rank on a padded board counts the keys above it", function()
  local boards = laurel.open()
  local board = boards:board("board", { engine = "padded" })
  for i = 1, 100 do board:submit("p" .. i, i) end
  local before = boards:stats().entries_read
  eq(board:rank("p90"), 11)
  local near = boards:stats().entries_read - before
  eq(board:rank("p10"), 91)
  local far = boards:stats().entries_read - before - near
  eq(near < 20 and far > near, true)
end)

-- ---- paged

it("a paged board reports its layout, and reads one object for each layer", function()
  local boards = laurel.open()
  local board = boards:board("board", { engine = "paged" })
  eq(board:layout().lowest, nil)
  local list = {}
  for i = 1, 5000 do list[i] = { "p" .. i, i } end
  eq(board:submit_all(list), 5000)
  local layout = board:layout()
  eq(layout.lowest, 1)
  eq(layout.entry_sets >= 5 and layout.entry_sets <= 10, true)
  eq({ layout.layers, layout.manifests }, { 2, 1 })
  local before = boards:stats().objects_read
  eq({ board:rank("p1000") }, { 4001, 5000 })
  eq(boards:stats().objects_read - before <= layout.layers + 1, true)
  eq(players(board:page(995, 3)), "p4006 p4005 p4004")
  boards:tick()
  eq(boards:stats().objects_written < 50, true) -- pages are buffered in memory and written in batches
end)

-- ---- sharded

it("a sharded board ranks like an unsharded one, with shards of any engine", function()
  local list = {}
  for i = 1, 500 do list[i] = { "p" .. i, (i * 37) % 60, nil, i } end
  local whole = new { decimals = 0, ties = "player" }
  whole:submit_all(list)
  for _, of in ipairs { "ranked", "padded", "paged" } do
    local board = new { engine = "sharded", shards = 7, of = of, decimals = 0, ties = "player" }
    eq({ of, board:submit_all(list) }, { of, whole:size(), {} })
    eq(board:top(500), whole:top(500))
    eq(board:page(123, 20), whole:page(123, 20))
    for _, mode in ipairs { "competition", "modified", "dense", "ordinal", "fractional" } do
      eq({ board:rank("p77", mode) }, { whole:rank("p77", mode) })
    end
    eq(board:count(10, 20), whole:count(10, 20))
  end
end)

it("top with one read per shard reports whether its result is certainly exact", function()
  local boards = laurel.open()
  local board = boards:board("board", { engine = "sharded", shards = 4 })
  for i = 1, 400 do board:submit("p" .. i, i) end
  local exact = board:top(10)
  local before = boards:stats().gather_rounds
  local list, certain = board:top(10, { confidence = 1 })
  eq({ list, certain }, { exact, true })
  eq(boards:stats().gather_rounds - before, 1)
  list, certain = board:top(10, { confidence = 0.5 })
  eq({ #list, type(certain) }, { 10, "boolean" })
  if certain then eq(list, exact) end
  eq({ board:top(0, { confidence = 0.9 }) }, { {}, true })
  eq(#board:top(inf, { confidence = 0.9 }), 400)
  eq({ select(2, new({ engine = "sharded" }):top(5, { confidence = 0.9 })) }, { true })
end)

it("fetch_size is the smallest number per shard with that probability", function()
  local board = new { engine = "sharded", shards = 10 }
  eq(board:fetch_size(1000, 0.999), 137)
  eq(board:fetch_size(1000, 1 - 1e-6), 153)
  eq(board:fetch_size(100, 1 - 1e-6), 28)
  eq(new({ engine = "sharded", shards = 4 }):fetch_size(10, 0.999), 8)
  eq({ board:fetch_size(0, 0.9), board:fetch_size(-5, 0.9), board:fetch_size(10, 1) }, { 0, 0, 10 })
  refuses("not_finite", board:fetch_size(10, 0 / 0))
  refuses("out_of_range", board:fetch_size(10, 1.5))
  refuses("out_of_range", board:fetch_size(10, -0.1))
  refuses("not_finite", board:top(10, { confidence = 0 / 0 }))
  refuses("out_of_range", board:top(10, { confidence = 2 }))
end)
