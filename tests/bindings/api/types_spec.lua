-- Wrong types raise, with the method's own name. self is not counted, and the text is always the same.
local laurel = require "laurel"
local spec = require "spec"
local it, raises, eq = spec.it, spec.raises, spec.eq

local boards = laurel.open()
local board = boards:board("season", {})
local live = assert(boards:serve { port = 0 })
local client = assert(laurel.connect { host = "127.0.0.1", port = live:port() })
board:submit("anna", 10)

local function nothing() end

-- { object, method, arguments..., the message }: only the last argument of each call is wrong.
local wrong = {
  { laurel, "open", false, 5, "bad argument #1 to 'open' (table expected, got number)" },
  { laurel, "connect", false, "x", "bad argument #1 to 'connect' (table expected, got string)" },

  { boards, "board", true, nil, "bad argument #1 to 'board' (string expected, got nil)" },
  { boards, "board", true, 5, "bad argument #1 to 'board' (string expected, got number)" },
  { boards, "board", true, "x", 5, "bad argument #2 to 'board' (table expected, got number)" },
  { boards, "drop", true, nil, "bad argument #1 to 'drop' (board or its name expected, got nil)" },
  { boards, "submit", true, "season", "bad argument #1 to 'submit' (table expected, got string)" },
  { boards, "submit", true, { "season", 5 },
    "bad argument #1 to 'submit' (item 2: string expected, got number)" },
  { boards, "submit", true, { a = 1 },
    "bad argument #1 to 'submit' (array expected, got a table with other keys)" },
  { boards, "submit", true, { "season" }, 5,
    "bad argument #2 to 'submit' (string expected, got number)" },
  { boards, "submit", true, { "season" }, "anna", "5",
    "bad argument #3 to 'submit' (number expected, got string)" },
  { boards, "submit", true, { "season" }, "anna", 5, 6,
    "bad argument #4 to 'submit' (string expected, got number)" },
  { boards, "submit", true, { "season" }, "anna", 5, "d", "now",
    "bad argument #5 to 'submit' (number expected, got string)" },
  { boards, "submit", true, { "season", "season" }, "anna", 5,
    "bad argument #1 to 'submit' (board \"season\" is named twice)" },
  { boards, "ban", true, nil, "bad argument #1 to 'ban' (string expected, got nil)" },
  { boards, "unban", true, 7, "bad argument #1 to 'unban' (string expected, got number)" },
  { boards, "forget", true, {}, "bad argument #1 to 'forget' (string expected, got table)" },
  { boards, "export", true, nil, "bad argument #1 to 'export' (string expected, got nil)" },
  { boards, "import", true, nil, "bad argument #1 to 'import' (string expected, got nil)" },
  { boards, "backup", true, nil, "bad argument #1 to 'backup' (string expected, got nil)" },
  { boards, "save_player", true, nil, "bad argument #1 to 'save_player' (table expected, got nil)" },
  { boards, "save_player", true, {},
    "bad argument #1 to 'save_player' (field 'id': string expected, got nil)" },
  { boards, "save_player", true, { id = 76561198012345678 },
    "bad argument #1 to 'save_player' (field 'id': string expected, got number)" },
  { boards, "player", true, 5, "bad argument #1 to 'player' (string expected, got number)" },
  { boards, "player_by_email", true, nil,
    "bad argument #1 to 'player_by_email' (string expected, got nil)" },
  { boards, "scores_of", true, 5, "bad argument #1 to 'scores_of' (string expected, got number)" },
  { boards, "record_session", true, "x",
    "bad argument #1 to 'record_session' (table expected, got string)" },
  { boards, "record_session", true, { player = "x", game = "g", score = "1", seconds = 1 },
    "bad argument #1 to 'record_session' (field 'score': number expected, got string)" },
  { boards, "record_session", true, { player = "x", game = "g", score = 1, seconds = 1, tim = 1 },
    "bad argument #1 to 'record_session' (no field is called 'tim')" },
  { boards, "sessions_of", true, nil, "bad argument #1 to 'sessions_of' (string expected, got nil)" },
  { boards, "sessions_of", true, "x", 1.5,
    "bad argument #2 to 'sessions_of' (whole number expected, got 1.5)" },
  { boards, "sessions_of", true, "x", nil, 5,
    "bad argument #3 to 'sessions_of' (string expected, got number)" },
  { boards, "sessions_in", true, 5, "bad argument #1 to 'sessions_in' (string expected, got number)" },
  { boards, "sessions_in", true, "x", "5",
    "bad argument #2 to 'sessions_in' (number expected, got string)" },
  { boards, "session", true, nil, "bad argument #1 to 'session' (string expected, got nil)" },
  { boards, "session", true, "x", 5, "bad argument #2 to 'session' (string expected, got number)" },
  { boards, "serve", true, 7777, "bad argument #1 to 'serve' (table expected, got number)" },

  { board, "submit", true, nil, "bad argument #1 to 'submit' (string expected, got nil)" },
  { board, "submit", true, 76561198012345678,
    "bad argument #1 to 'submit' (string expected, got number)" },
  { board, "submit", true, "anna", nil, "bad argument #2 to 'submit' (number expected, got nil)" },
  { board, "submit", true, "anna", "5", "bad argument #2 to 'submit' (number expected, got string)" },
  { board, "submit", true, "anna", 5, 6, "bad argument #3 to 'submit' (string expected, got number)" },
  { board, "submit", true, "anna", 5, nil, "now",
    "bad argument #4 to 'submit' (number expected, got string)" },
  { board, "submit_report", true, "anna", true,
    "bad argument #2 to 'submit_report' (number expected, got boolean)" },
  { board, "add", true, "anna", nothing, "bad argument #2 to 'add' (number expected, got function)" },
  { board, "set", true, false, "bad argument #1 to 'set' (string expected, got boolean)" },
  { board, "submit_all", true, nil, "bad argument #1 to 'submit_all' (table expected, got nil)" },
  { board, "submit_all", true, { 5 },
    "bad argument #1 to 'submit_all' (item 1: table expected, got number)" },
  { board, "submit_all", true, { { "a", 1 }, { "b", 1 }, { "c", "1" } },
    "bad argument #1 to 'submit_all' (item 3: score: number expected, got string)" },
  { board, "submit_all", true, { { 5, 1 } },
    "bad argument #1 to 'submit_all' (item 1: player: string expected, got number)" },
  { board, "submit_all", true, { { "a", 1, 5 } },
    "bad argument #1 to 'submit_all' (item 1: data: string expected, got number)" },
  { board, "submit_all", true, { { "a", 1, "d", "now" } },
    "bad argument #1 to 'submit_all' (item 1: at: number expected, got string)" },
  { board, "submit_all", true, { x = { "a", 1 } },
    "bad argument #1 to 'submit_all' (array expected, got a table with other keys)" },
  { board, "remove", true, 1, "bad argument #1 to 'remove' (string expected, got number)" },
  { board, "join", true, nil, "bad argument #1 to 'join' (string expected, got nil)" },
  { board, "join", true, "anna", "5", "bad argument #2 to 'join' (number expected, got string)" },
  { board, "leave", true, nil, "bad argument #1 to 'leave' (string expected, got nil)" },
  { board, "ban", true, nil, "bad argument #1 to 'ban' (string expected, got nil)" },
  { board, "unban", true, nil, "bad argument #1 to 'unban' (string expected, got nil)" },

  { board, "get", true, 5, "bad argument #1 to 'get' (string expected, got number)" },
  { board, "score", true, nil, "bad argument #1 to 'score' (string expected, got nil)" },
  { board, "rank", true, nil, "bad argument #1 to 'rank' (string expected, got nil)" },
  { board, "rank", true, "anna", 5, "bad argument #2 to 'rank' (string expected, got number)" },
  { board, "rank", true, "anna", "dense", 5,
    "bad argument #3 to 'rank' (table expected, got number)" },
  { board, "rank", true, "anna", { time = 5 },
    "bad argument #2 to 'rank' (no field is called 'time')" },
  { board, "rank", true, "anna", "dense", { att = 5 },
    "bad argument #3 to 'rank' (no field is called 'att'; did you mean 'at'?)" },
  { board, "rank", true, "anna", 5, { at = 5 },
    "bad argument #2 to 'rank' (string expected, got number)" },
  { board, "score", true, "anna", 5, "bad argument #2 to 'score' (table expected, got number)" },
  { board, "score", true, "anna", { at = "now" },
    "bad argument #2 to 'score' (field 'at': number expected, got string)" },
  { board, "size", true, 5, "bad argument #1 to 'size' (table expected, got number)" },
  { board, "size", true, { confidence = 1 },
    "bad argument #1 to 'size' (no field is called 'confidence')" },
  { board, "rank_of", true, "5", "bad argument #1 to 'rank_of' (number expected, got string)" },
  { board, "percentile", true, nil, "bad argument #1 to 'percentile' (string expected, got nil)" },
  { board, "score_at", true, "1", "bad argument #1 to 'score_at' (number expected, got string)" },
  { board, "score_at", true, 0 / 0, "bad argument #1 to 'score_at' (whole number expected, got nan)" },
  { board, "score_at_percentile", true, {},
    "bad argument #1 to 'score_at_percentile' (number expected, got table)" },
  { board, "top_percent", true, "5", "bad argument #1 to 'top_percent' (number expected, got string)" },
  { board, "top_percent", true, 5, 5, "bad argument #2 to 'top_percent' (table expected, got number)" },
  { board, "around_score", true, "5", "bad argument #1 to 'around_score' (number expected, got string)" },
  { board, "around_score", true, 5, 0.5,
    "bad argument #2 to 'around_score' (whole number expected, got 0.5)" },
  { board, "around_score", true, 5, 1, { at = 5 },
    "bad argument #3 to 'around_score' (no field is called 'at')" },
  { board, "count", true, "1", "bad argument #1 to 'count' (number expected, got string)" },
  { board, "count", true, 1, "2", "bad argument #2 to 'count' (number expected, got string)" },
  { board, "count", true, 1, 2, 3, "bad argument #3 to 'count' (table expected, got number)" },
  { board, "count", true, { at = {} },
    "bad argument #1 to 'count' (field 'at': number expected, got table)" },
  { board, "count", true, 1, { at = true },
    "bad argument #2 to 'count' (field 'at': number expected, got boolean)" },
  { board, "top", true, nil, "bad argument #1 to 'top' (number expected, got nil)" },
  { board, "top", true, 10, 5, "bad argument #2 to 'top' (table expected, got number)" },
  { board, "top", true, 10, { confidenc = 1 },
    "bad argument #2 to 'top' (no field is called 'confidenc'; did you mean 'confidence'?)" },
  { board, "top", true, 10, { confidence = "high" },
    "bad argument #2 to 'top' (field 'confidence': number expected, got string)" },
  { board, "top", true, "10", "bad argument #1 to 'top' (number expected, got string)" },
  { board, "top", true, 1.5, "bad argument #1 to 'top' (whole number expected, got 1.5)" },
  { board, "top", true, 0 / 0, "bad argument #1 to 'top' (whole number expected, got nan)" },
  { board, "bottom", true, 1.5, "bad argument #1 to 'bottom' (whole number expected, got 1.5)" },
  { board, "page", true, 0.5, "bad argument #1 to 'page' (whole number expected, got 0.5)" },
  { board, "page", true, 1, -0.5, "bad argument #2 to 'page' (whole number expected, got -0.5)" },
  { board, "page", true, 1, nil, "bad argument #2 to 'page' (number expected, got nil)" },
  { board, "page", true, 1, 2, 3, "bad argument #3 to 'page' (table expected, got number)" },
  { board, "around", true, 5, "bad argument #1 to 'around' (string expected, got number)" },
  { board, "around", true, "anna", 2.5,
    "bad argument #2 to 'around' (whole number expected, got 2.5)" },
  { board, "around", true, "anna", 0 / 0,
    "bad argument #2 to 'around' (whole number expected, got nan)" },
  { board, "between", true, {}, "bad argument #1 to 'between' (number expected, got table)" },
  { board, "between", true, 1, "2", "bad argument #2 to 'between' (number expected, got string)" },
  { board, "between", true, 1, 2, 1.5,
    "bad argument #3 to 'between' (whole number expected, got 1.5)" },
  { board, "among", true, "anna", "bad argument #1 to 'among' (table expected, got string)" },
  { board, "among", true, { "anna", 5 },
    "bad argument #1 to 'among' (item 2: string expected, got number)" },
  { board, "each", true, "1", "bad argument #1 to 'each' (number expected, got string)" },
  { board, "each", true, 1.5, "bad argument #1 to 'each' (whole number expected, got 1.5)" },
  { board, "archived", true, nil, "bad argument #1 to 'archived' (number expected, got nil)" },
  { board, "archived", true, 1.5,
    "bad argument #1 to 'archived' (whole number expected, got 1.5)" },
  { board, "merge", true, "x", "bad argument #1 to 'merge' (table expected, got string)" },
  { board, "merge", true, { 5 }, "bad argument #1 to 'merge' (item 1: table expected, got number)" },
  { board, "merge", true, { x = {} },
    "bad argument #1 to 'merge' (array expected, got a table with other keys)" },
  { board, "merge", true, { { player = "a", score = 1, at = 1 }, { player = "b", score = "1", at = 1 } },
    "bad argument #1 to 'merge' (item 2: score: number expected, got string)" },
  { board, "merge", true, { { player = "a", score = 1 } },
    "bad argument #1 to 'merge' (item 1: at: number expected, got nil)" },
  { board, "merge", true, { { player = "a", score = 1, at = 1, data = 5 } },
    "bad argument #1 to 'merge' (item 1: data: string expected, got number)" },
  { board, "key", true, 5, "bad argument #1 to 'key' (string expected, got number)" },
  { board, "fetch_size", true, nil,
    "bad argument #1 to 'fetch_size' (number expected, got nil)" },
  { board, "fetch_size", true, 1.5, 1,
    "bad argument #1 to 'fetch_size' (whole number expected, got 1.5)" },
  { board, "fetch_size", true, 10, "x",
    "bad argument #2 to 'fetch_size' (number expected, got string)" },
  { board, "watch", true, nothing, "bad argument #1 to 'watch' (number expected, got function)" },
  { board, "watch", true, 10, "f", "bad argument #2 to 'watch' (function expected, got string)" },

  { live, "publish", true, 5, "bad argument #1 to 'publish' (board or its name expected, got number)" },
  { live, "publish", true, nil, "bad argument #1 to 'publish' (board or its name expected, got nil)" },
  { live, "publish", true, boards, "bad argument #1 to 'publish' (board or its name expected, got boards)" },
  { live, "publish", true, board, 5, "bad argument #2 to 'publish' (table expected, got number)" },
  { live, "unpublish", true, {}, "bad argument #1 to 'unpublish' (board or its name expected, got table)" },

  { client, "subscribe", true, nil, "bad argument #1 to 'subscribe' (string expected, got nil)" },
  { client, "subscribe", true, "x", "5", "bad argument #2 to 'subscribe' (number expected, got string)" },
  { client, "subscribe", true, "x", 5, nil,
    "bad argument #3 to 'subscribe' (function expected, got nil)" },
  { client, "unsubscribe", true, 5, "bad argument #1 to 'unsubscribe' (string expected, got number)" },
}

for _, case in ipairs(wrong) do
  local object, name, is_method = case[1], case[2], case[3]
  local complaint
  for i = 4, 12 do if case[i] ~= nil then complaint = case[i] end end
  local count = 0
  for i = 4, 12 do if case[i] == complaint then count = i - 4 end end
  it(complaint, function()
    local function call() -- from Lua code: its position precedes the message
      if is_method then
        object[name](object, unpack(case, 4, 3 + count))
      else
        object[name](unpack(case, 4, 3 + count))
      end
    end
    raises("types_spec.lua:", call)
    raises(complaint, call)
    -- Without a Lua function in between: no position.
    if is_method then
      local ok, message = pcall(object[name], object, unpack(case, 4, 3 + count))
      eq(ok, false)
      eq(message, complaint)
    else
      local ok, message = pcall(object[name], unpack(case, 4, 3 + count))
      eq(ok, false)
      eq(message, complaint)
    end
  end)
end

it("a missing argument reads as nil", function()
  local ok, message = pcall(board.submit, board)
  eq(ok, false)
  eq(message, "bad argument #1 to 'submit' (string expected, got nil)")
end)

it("a call that raises changes nothing", function()
  pcall(board.submit_all, board, { { "zoe", 1 }, { "yan", "2" } })
  eq(board:get("zoe"), nil)
  eq(board:size(), 1)
end)

local objects = { boards = boards, board = board, live = live, client = client }
local others = { boards = board, board = boards, live = client, client = live }

for type_name, object in pairs(objects) do
  it("every method of a " .. type_name .. " knows its own", function()
    for name, method in pairs(debug.getmetatable(object).__index) do
      local function complaint(got)
        return ("bad self to '%s' (%s expected, got %s; call it as %s:%s(...))"):format(name,
          type_name, got, type_name, name)
      end
      raises(complaint("nil"), method)
      raises(complaint("table"), method, {}, 1, 2)
      raises(complaint("string"), method, "x")
      local other = others[type_name]
      raises(complaint(other == board and "board" or other == boards and "boards"
        or other == live and "live" or "client"), method, other)
      raises(complaint("userdata"), method, io.stdout)
    end
  end)
end

it("a metatable cannot be read or replaced", function()
  for type_name, object in pairs(objects) do
    eq(getmetatable(object), type_name)
    raises("table expected", setmetatable, object, {})
  end
end)

it("a method that is nearly right is named, and any other is nil", function()
  raises("board has no method 'sumbit'; did you mean 'submit'?", function() board:sumbit("anna", 1) end)
  raises("boards has no method 'tik'; did you mean 'tick'?", function() return boards.tik end)
  raises("client has no method 'subscribes'; did you mean 'subscribe'?", function() client:subscribes() end)
  -- Names that later versions may have, or that a script looks for.
  for _, name in ipairs { "groups", "id", "x", "leaderboard" } do
    eq(board[name], nil)
  end
  for _, name in ipairs { "dashboard", "void" } do
    eq(boards[name], nil)
  end
  eq(board[1], nil)
  eq(board[true], nil)
end)

it("a foreign userdata with a metatable of laurel is rejected as self", function()
  local forged = io.tmpfile()
  local own = debug.getmetatable(forged)
  debug.setmetatable(forged, debug.getmetatable(board))
  raises("bad self to 'submit'", board.submit, forged, "anna", 1)
  debug.setmetatable(forged, debug.getmetatable(boards))
  raises("bad self to 'names'", boards.names, forged)
  debug.setmetatable(forged, own)
  forged:close()
end)

it("an object with the metatable of another type is rejected as self", function()
  local mine = laurel.open()
  debug.setmetatable(mine, debug.getmetatable(board))
  raises("bad self to 'submit'", board.submit, mine, "anna", 1)
  debug.setmetatable(mine, debug.getmetatable(boards))
  eq(mine:names(), {})
end)

if rawget(_G, "jit") then
  it("cdata is not a number", function()
    local long = loadstring("return 5LL")()
    raises("bad argument #2 to 'submit' (number expected, got cdata)", board.submit, board, "a", long)
    raises("bad argument #1 to 'top' (number expected, got cdata)", board.top, board, long)
  end)
end

client:close()
boards:close()
