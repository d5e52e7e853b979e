-- The module, opening boards, and calls on several boards.
local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises, refuses, contains = spec.it, spec.eq, spec.raises, spec.refuses, spec.contains

it("the version is three numbers", function()
  eq(laurel.version:match("^%d+%.%d+%.%d+$"), laurel.version)
end)

it("requiring twice gives the same module", function()
  package.loaded.laurel = nil
  eq(require "laurel" == laurel, true)
end)

it("functions for hosted scripts raise outside of them and say so", function()
  for _, name in ipairs { "on", "emit", "every" } do
    raises("laurel." .. name .. " works in hosted scripts only", laurel[name], "goal", print)
  end
end)

it("an unknown option raises an error that suggests the nearest name", function()
  raises("bad argument #1 to 'open' (no field is called 'clok'; did you mean 'clock'?)",
    laurel.open, { clok = os.time })
  raises("(no field is called 'something_else_entirely')", laurel.open,
    { something_else_entirely = 1 })
  raises("(the names of fields are strings, got a number)", laurel.open, { "rules" })
end)

it("an option of the wrong type raises and names the field", function()
  raises("bad argument #1 to 'open' (field 'path': string expected, got number)",
    laurel.open, { path = 5 })
  raises("(field 'clock': function expected, got number)", laurel.open, { clock = 5 })
  raises("(field 'log': function expected, got string)", laurel.open, { log = "file" })
  raises("(field 'rules': string expected, got table)", laurel.open, { rules = {} })
end)

it("remotes are named URLs, and the error for a bad URL hides its secrets", function()
  laurel.open { remotes = {} }:close()
  raises("bad argument #1 to 'open' (field 'remotes': table expected, got string)", laurel.open,
    { remotes = "redis://127.0.0.1" })
  raises("(field 'remotes': 'main': string expected, got number)", laurel.open,
    { remotes = { main = 5 } })
  raises("(field 'remotes': the names of remotes are strings, got a number)", laurel.open,
    { remotes = { "redis://127.0.0.1" } })
  raises("(field 'remotes': \"my main\" is not a remote's name: it takes 1 to 64 letters, digits, "
    .. "\"_\" or \"-\")", laurel.open, { remotes = { ["my main"] = "redis://127.0.0.1" } })
  local ok, why = pcall(laurel.open, { remotes = { main = "ftp://ada:secret@example.org" } })
  eq(ok, false)
  contains(why, "bad argument #1 to 'open' (remote \"main\": ")
  eq(why:find("secret", 1, true), nil)
end)

it("remote_timeout is above 0 and at most 60 seconds", function()
  for _, seconds in ipairs { 0, -1, 61, 0 / 0, math.huge } do
    raises("(field 'remote_timeout' is", laurel.open, { remote_timeout = seconds })
  end
  raises("(field 'remote_timeout': number expected, got string)", laurel.open,
    { remote_timeout = "2" })
  laurel.open { remote_timeout = 0.5 }:close()
end)

it("two registries share nothing", function()
  local one, other = laurel.open(), laurel.open {}
  one:board("season", {}):submit("anna", 1)
  eq(other:names(), {})
  refuses("unknown", other:board("season"))
end)

-- ---- boards:board

it("a board that does not exist is unknown", function()
  local boards = laurel.open()
  refuses("unknown", boards:board("season"))
  refuses("unknown", boards:board(""))
  contains(select(2, boards:board("sea\27son")), "\"sea\\x1bson\"")
end)

it("a spec creates a board, and the name finds it again", function()
  local boards = laurel.open()
  local board = boards:board("season", { order = "asc" })
  eq(boards:board("season") == board, true)
  eq(boards:board("season", {}) == board, true)
  eq(boards:board("other", {}) == board, false)
  eq(board:info().order, "asc")
end)

it("a field that is left out keeps its value, one that is given is updated", function()
  local boards = laurel.open()
  local board = boards:board("season", { order = "asc", ranking = "dense", meta = "x" })
  boards:board("season", { ranking = "modified" })
  local info = board:info()
  eq({ info.order, info.ranking, info.meta }, { "asc", "modified", "x" })
  boards:board("season", { meta = false })
  eq(board:info().meta, nil)
end)

it("a field of the stored order cannot be changed, and the error names both values", function()
  local boards = laurel.open()
  boards:board("season", { order = "asc" })
  raises("bad argument #2 to 'board' (field 'order' is \"desc\" and was \"asc\"", boards.board, boards,
    "season", { order = "desc" })
  eq(boards:board("season"):info().order, "asc")
end)

it("a bad value raises and says what is allowed", function()
  local boards = laurel.open()
  raises("bad argument #2 to 'board' (field 'order' is \"up\"; it takes \"desc\" or \"asc\")",
    boards.board, boards, "season", { order = "up" })
  raises("field 'decimals' is 10; it takes a whole number from 0 to 9", boards.board, boards,
    "season", { decimals = 10 })
  raises("field 'keep' is true; it takes", boards.board, boards, "season", { keep = true })
  raises("field 'meta': string, number or boolean expected, got table", boards.board, boards,
    "season", { meta = {} })
  raises("field 'opens': string, number or boolean expected, got function", boards.board, boards,
    "season", { opens = os.time })
  eq(boards:names(), {})
end)

it("an unknown field raises an error with the nearest name, or with the engine that it belongs to", function()
  local boards = laurel.open()
  raises("(no field is called 'oder'; did you mean 'order'?)", boards.board, boards, "x",
    { oder = "asc" })
  raises("(field 'cap' belongs to engine \"capped\"", boards.board, boards, "x", { cap = 10 })
  raises("(field 'window.buckets' belongs to engine \"rolling\"", boards.board, boards, "x",
    { window = { buckets = 7 } })
  raises("(no field is called 'windw'; did you mean 'window'?)", boards.board, boards, "x",
    { windw = {} })
  raises("(field 'engine' is \"pages\"; it takes", boards.board, boards, "x", { engine = "pages" })
  raises("(field 'remote' is \"main\": no remote has that name)", boards.board, boards, "x",
    { remote = "main" })
  raises("(the names of fields are strings, got a number)", boards.board, boards, "x", { "ranked" })
end)

it("a name has 1 to 255 bytes and no zero byte", function()
  local boards = laurel.open()
  raises("bad argument #1 to 'board' (", boards.board, boards, "", {})
  raises("bad argument #1 to 'board' (", boards.board, boards, "a\0b", {})
  raises("bad argument #1 to 'board' (", boards.board, boards, ("x"):rep(256), {})
  eq(boards:names(), {})
  local longest = ("x"):rep(255)
  boards:board(longest, {})
  eq(boards:names(), { longest })
end)

it("if both name and spec are bad, the error is about the spec", function()
  local boards = laurel.open()
  raises("bad argument #2 to 'board'", boards.board, boards, "", { order = "up" })
end)

-- ---- names, drop

it("names are sorted by bytes", function()
  local boards = laurel.open()
  for _, name in ipairs { "b", "a", "\195\164", "B" } do boards:board(name, {}) end
  eq(boards:names(), { "B", "a", "b", "\195\164" })
end)

it("a board that was dropped is gone, and its handle raises dropped", function()
  local boards = laurel.open()
  local board = boards:board("season", {})
  eq(boards:drop("season"), true)
  eq(boards:drop("season"), false)
  eq(boards:names(), {})
  raises("dropped: board \"season\" was dropped", board.submit, board, "anna", 1)
  for _, method in pairs(debug.getmetatable(board).__index) do
    raises("dropped: board \"season\" was dropped", method, board)
  end
  local again = boards:board("season", {})
  eq(again == board, false)
  raises("dropped", board.get, board, "anna")
  eq(again:size(), 0)
end)

-- ---- one result to several boards

it("drop takes a board or its name", function()
  local boards = laurel.open()
  local board = boards:board("season", { archive = 1 })
  board:submit("anna", 1)
  board:reset()
  refuses("closed", boards:drop(board:archived(1)))
  eq(boards:drop(board), true)
  eq(boards:drop("season"), false)
  raises("dropped", boards.drop, boards, board)
  raises("a board of the same registry expected", boards.drop, boards, laurel.open():board("season", {}))
end)

it("a rule raises if there is no directory of rules", function()
  local boards = laurel.open()
  raises("bad argument #2 to 'board' (field 'rule' is \"plausible\": these boards were opened without a "
    .. "directory of rules)", boards.board, boards, "season", { rule = "plausible" })
  boards:board("season", {})
  raises("without a directory of rules", boards.board, boards, "season", { rule = "plausible" })
end)

it("one result to several boards has the same timestamp on all", function()
  local boards = laurel.open()
  local day, all = boards:board("day", {}), boards:board("all", { keep = "sum" })
  all:submit("anna", 5)
  eq(boards:submit({ "all", "day" }, "anna", 7, "d"), { 12, 7 })
  eq(day:get("anna").at, all:get("anna").at)
  eq(day:get("anna").data, "d")
  eq(boards:submit({}, "anna", 1), {})
end)

it("if one board refuses, no board changes, and the error names that board", function()
  local boards = laurel.open()
  local open = boards:board("open", {})
  boards:board("closed", { join = "required" })
  local value, reason, name = boards:submit({ "open", "closed" }, "anna", 7)
  refuses("not_joined", value, reason)
  eq(name, "closed")
  eq(open:size(), 0)
  value, reason, name = boards:submit({ "open", "nowhere" }, "anna", 7)
  refuses("unknown", value, reason)
  eq(name, "nowhere")
  eq(open:size(), 0)
  refuses("not_finite", boards:submit({ "open" }, "anna", 0 / 0))
  refuses("bad_player", boards:submit({ "open" }, "", 1))
end)

-- ---- bans over all boards

it("a ban holds on every board, also on boards created later", function()
  local boards = laurel.open()
  local one = boards:board("one", {})
  one:submit("anna", 5)
  eq(boards:ban("anna"), true)
  eq(boards:ban("anna"), false)
  eq(one:get("anna"), nil)
  local later = boards:board("later", {})
  refuses("banned", later:submit("anna", 1))
  eq(boards:unban("anna"), true)
  eq(boards:unban("anna"), false)
  eq(one:score("anna"), 5)
  refuses("bad_player", boards:ban(""))
  refuses("bad_player", boards:unban(("x"):rep(256)))
end)

it("forget removes every trace of a player and returns the number of removed entries", function()
  local boards = laurel.open()
  for _, name in ipairs { "a", "b", "c" } do boards:board(name, {}):submit("anna", 1) end
  boards:board("c"):submit("bob", 1)
  boards:ban("anna")
  eq(boards:forget("anna"), 3)
  eq(boards:forget("anna"), 0)
  eq(boards:board("a"):submit("anna", 2), 2)
  refuses("bad_player", boards:forget("a\0b"))
end)

it("flush without a path returns true", function() eq(laurel.open():flush(), true) end)

it("reload_rules without rules returns an empty list", function() eq(laurel.open():reload_rules(), {}) end)

-- ---- stats

it("stats has counters of results, boards and ticks", function()
  local boards = laurel.open()
  local board = boards:board("season", {})
  board:submit("anna", 5)
  board:submit("anna", 4)
  board:submit("", 4)
  board:watch(3, function() end)
  boards:tick()
  local stats = boards:stats()
  eq({ stats.boards, stats.entries, stats.players, stats.ticks, stats.watches }, { 1, 1, 1, 1, 1 })
  eq({ stats.submissions, stats.changed, stats.refused }, { 3, 1, 1 })
  eq(stats.bytes > 0, true)
  for name, value in pairs(stats) do
    eq({ type(name), type(value) }, { "string", "number" })
  end
end)

it("stats has the size of the store and the cost of reads", function()
  local boards = laurel.open()
  local before = boards:stats()
  local names = { "store_entries", "store_bytes", "reclaiming", "entries_read", "objects_read",
    "objects_loaded", "objects_written", "gather_rounds" }
  for _, name in ipairs(names) do eq({ name, type(before[name]) }, { name, "number" }) end
  eq({ before.store_entries, before.reclaiming, before.entries_read }, { 0, 0, 0 })
  local board = boards:board("board", { engine = "padded" })
  for i = 1, 1000 do board:submit("p" .. i, i, ("x"):rep(500)) end
  board:top(5)
  local after = boards:stats()
  eq(after.store_entries >= 1000, true)
  eq(after.store_bytes - before.store_bytes >= 500 * 1000, true)
  eq(after.entries_read >= 5, true)
  eq(after.bytes >= after.store_bytes, true)
end)

-- ---- the end

it("after close every call except close raises closed", function()
  local boards = laurel.open()
  local board = boards:board("season", {})
  eq(boards:close(), true)
  eq(boards:close(), true)
  for _, object in ipairs { boards, board } do
    for _, method in pairs(debug.getmetatable(object).__index) do
      if method ~= boards.close then
        raises("closed: these boards are closed", method, object)
        raises("closed: these boards are closed", method, object, "x", "y", "z")
      end
    end
  end
end)

it("tostring describes the objects", function()
  local boards = laurel.open()
  eq(tostring(boards), "boards: 0 boards")
  local board = boards:board("season_3", {})
  eq(tostring(boards), "boards: 1 board")
  boards:board("other", {})
  eq(tostring(boards), "boards: 2 boards")
  eq(tostring(board), "board: season_3")
  eq(tostring(boards:board("a\nb", {})), "board: a\\nb")
  boards:drop("season_3")
  eq(tostring(board), "board: season_3 (dropped)")
  boards:close()
  eq(tostring(boards), "boards: closed")
  eq(tostring(board), "board: closed")
end)
