-- Players and sessions, and their export and import.
local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises, refuses, contains = spec.it, spec.eq, spec.raises, spec.refuses, spec.contains

local inf = math.huge

local function new()
  local world = { now = 1000 }
  world.boards = laurel.open { clock = function() return world.now end }
  return world.boards, world
end

local function ids(sessions)
  local list = {}
  for i, session in ipairs(sessions) do list[i] = session.id end
  return list
end

-- ---- players

it("S3-AP1, S3-24: a player is found by id, with the saved fields and the totals", function()
  local boards, world = new()
  eq(boards:save_player { id = "p_alice", name = "alice42", email = "alice@x.com" }, true)
  world.now = 2000
  eq(boards:player("p_alice"), {
    id = "p_alice", name = "alice42", email = "alice@x.com", lifetime_score = 0, games_played = 0,
    created_at = 1000, updated_at = 1000, attributes = {},
  })
  eq(select("#", boards:player("nobody")), 1)
  eq(boards:player("nobody"), nil)
  eq(boards:player(""), nil)
end)

it("a field that is left out keeps its value, and every change updates updated_at", function()
  local boards, world = new()
  boards:save_player { id = "a", name = "anna", email = "a@x" }
  world.now = 2000
  boards:save_player { id = "a", name = "Anna" }
  local player = boards:player("a")
  eq({ player.name, player.email, player.created_at, player.updated_at }, { "Anna", "a@x", 1000, 2000 })
  boards:save_player { id = "b" }
  eq({ boards:player("b").name, boards:player("b").email }, { nil, nil })
end)

it("S3-AP2: an email finds its player, and belongs to one player", function()
  local boards = new()
  boards:save_player { id = "p_alice", email = "alice@x.com" }
  boards:save_player { id = "p_bob", name = "bob" }
  eq(boards:player_by_email("alice@x.com"), boards:player("p_alice"))
  refuses("taken", boards:save_player { id = "p_bob", name = "other", email = "alice@x.com" })
  eq(boards:player("p_bob").name, "bob")
  boards:save_player { id = "p_alice", email = "new@x.com" }
  eq(boards:player_by_email("alice@x.com"), nil)
  eq(boards:player_by_email("new@x.com").id, "p_alice")
  eq(boards:save_player { id = "p_bob", email = "alice@x.com" }, true)
  eq(boards:save_player { id = "p_bob", email = "alice@x.com" }, true)
  eq(boards:player_by_email("nobody@x.com"), nil)
end)

it("an invalid player field is refused and changes nothing", function()
  local boards = new()
  refuses("bad_player", boards:save_player { id = "" })
  refuses("bad_player", boards:save_player { id = "a\0b" })
  refuses("bad_player", boards:save_player { id = ("x"):rep(256) })
  for _, text in ipairs { "", ("x"):rep(256) } do
    refuses("bad_data", boards:save_player { id = "a", name = text })
    refuses("bad_data", boards:save_player { id = "a", email = text })
  end
  eq(boards:player("a"), nil)
  local longest = ("x"):rep(255)
  eq(boards:save_player { id = longest, name = longest, email = longest }, true)
  eq(boards:player(longest).name, longest)
end)

it("attributes that are given are set, false takes one off, and others stay", function()
  local boards = new()
  eq(boards:save_player { id = "ada", attributes = { country = "DE", clan = "reds" } }, true)
  eq(boards:player("ada").attributes, { country = "DE", clan = "reds" })
  local changes = { country = false, ["p\1"] = "\255" }
  eq(boards:save_player { id = "ada", name = "Ada", attributes = changes }, true)
  eq(boards:player("ada").attributes, { clan = "reds", ["p\1"] = "\255" })
  local copy = boards:player("ada").attributes
  copy.clan = "blues"
  eq(boards:player("ada").attributes.clan, "reds")
  eq(boards:save_player { id = "ada", attributes = {} }, true)
  eq(boards:save_player { id = "ada", attributes = { clan = false, ["p\1"] = false, unknown = false } }, true)
  eq(boards:player("ada").attributes, {})
  boards:forget("ada")
  eq(boards:player("ada"), nil)
end)

it("attributes have limits, and a refused one changes nothing", function()
  local boards = new()
  boards:save_player { id = "ada", attributes = { clan = "reds" } }
  for _, attributes in ipairs {
    { [""] = "x" }, { [("n"):rep(65)] = "x" }, { ["a\0b"] = "x" }, { clan = "" }, { clan = "a\0" },
    { clan = ("v"):rep(256) },
  } do
    refuses("bad_data", boards:save_player { id = "ada", name = "Ada", attributes = attributes })
  end
  local many = {}
  for i = 1, 16 do many["n" .. i] = "v" end
  refuses("bad_data", boards:save_player { id = "ada", attributes = many })
  many.clan = false
  eq(boards:save_player { id = "ada", attributes = many }, true)
  eq(boards:player("ada").attributes.n16, "v")
  eq(boards:player("ada").name, nil)
  for i = 1, 40 do many["m" .. i] = false end
  refuses("bad_data", boards:save_player { id = "ada", attributes = many })
end)

it("an attribute of a wrong type raises", function()
  local boards = new()
  local call = "bad argument #1 to 'save_player' (field 'attributes': "
  for _, case in ipairs {
    { 5, "table expected, got number" }, { { clan = 5 }, "'clan': string or false expected, got number" },
    { { clan = true }, "'clan': string or false expected, got boolean" },
    { { [5] = "x" }, "the names of attributes are strings, got a number" },
    { { clan = "", country = {} }, "'country': string or false expected, got table" },
  } do
    raises(call .. case[2], boards.save_player, boards, { id = "ada", attributes = case[1] })
  end
  eq(boards:player("ada"), nil)
end)

it("S3-20, S3-21: an id that looks like a key collides with no other player", function()
  local boards = new()
  for _, id in ipairs { "EMAIL#x", "x", "PLAYER#x", "a#b", "a" } do
    boards:save_player { id = id, name = id }
  end
  boards:save_player { id = "y", email = "x" }
  eq(boards:player("EMAIL#x").name, "EMAIL#x")
  eq(boards:player_by_email("x").id, "y")
  eq(boards:player("a").name, "a")
end)

it("S3-AP5: scores_of lists the boards where a player is ranked", function()
  local boards = new()
  for _, name in ipairs { "season_3", "daily", "global", "other" } do boards:board(name, {}) end
  boards:board("season_3"):submit("p_bob", 9850)
  boards:board("season_3"):submit("p_alice", 8420, nil, 7)
  boards:board("daily"):reset()
  boards:board("daily"):submit("p_alice", 5, nil, 8)
  boards:board("global"):submit("p_alice", 6, nil, 9)
  eq(boards:scores_of("p_alice"), {
    { board = "daily", season = 2, score = 5, rank = 1, at = 8 },
    { board = "global", season = 1, score = 6, rank = 1, at = 9 },
    { board = "season_3", season = 1, score = 8420, rank = 2, at = 7 },
  })
  eq(boards:scores_of("nobody"), {})
  eq(boards:scores_of(""), {})
end)

-- ---- sessions

local function play(boards, fields)
  fields.player = fields.player or "anna"
  fields.game = fields.game or "tetris"
  fields.score = fields.score or 1
  fields.seconds = fields.seconds or 60
  return boards:record_session(fields)
end

it("S3-23: a session is recorded, and counted in its player's totals", function()
  local boards, world = new()
  local id = play(boards, { player = "p_alice", score = 8420, seconds = 285, data = "replay" })
  eq(#id, 26)
  eq(id:match("^[0-9A-Z]+$"), id)
  eq(boards:session("p_alice", id), {
    id = id, player = "p_alice", game = "tetris", score = 8420, seconds = 285, data = "replay", at = 1000,
  })
  world.now = 2000
  play(boards, { player = "p_alice", score = 80 })
  local player = boards:player("p_alice")
  eq({ player.lifetime_score, player.games_played, player.created_at, player.updated_at },
    { 8500, 2, 1000, 2000 })
end)

it("S3-22: a session that is written again changes nothing and returns its id", function()
  local boards = new()
  local id = play(boards, { score = 5 })
  eq(play(boards, { score = 7, id = id }), id)
  eq(boards:session("anna", id).score, 5)
  eq(boards:player("anna").games_played, 1)
  local given = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
  eq(play(boards, { id = given, at = 5 }), given)
  eq(boards:session("anna", given).at, 5)
end)

it("S3-AP6: the sessions of a player are listed newest first, by pages", function()
  local boards, world = new()
  local made = {}
  for i = 1, 5 do
    world.now = 1000 + i
    made[i] = play(boards, { score = i })
  end
  play(boards, { player = "bob" })
  eq(ids(boards:sessions_of("anna")), { made[5], made[4], made[3], made[2], made[1] })
  eq(ids(boards:sessions_of("anna", 2)), { made[5], made[4] })
  eq(ids(boards:sessions_of("anna", 2, made[4])), { made[3], made[2] })
  eq(boards:sessions_of("anna", 2, made[1]), {})
  eq(boards:sessions_of("anna", 0), {})
  eq(#boards:sessions_of("anna", inf), 5)
  eq(boards:sessions_of("nobody"), {})
  eq(boards:sessions_of(""), {})
  eq(boards:sessions_of("anna", 1)[1].score, 5)
end)

it("session ids sort by time, also within a microsecond and when the clock goes back", function()
  local boards, world = new()
  local last = ""
  for i = 1, 50 do
    world.now = 1000 - i % 3
    local id = play(boards, {})
    eq(id > last, true)
    last = id
  end
  world.now = 5000
  eq(play(boards, {}) > last, true)
end)

it("the default limit of a list of sessions is 100", function()
  local boards = new()
  for _ = 1, 120 do play(boards, {}) end
  eq(#boards:sessions_of("anna"), 100)
  eq(#boards:sessions_in("tetris"), 100)
  eq(#boards:sessions_in("tetris", 120), 120)
end)

it("S3-AP7: the sessions of a game are listed across players", function()
  local boards, world = new()
  local one = play(boards, { player = "anna" })
  world.now = 2000
  local two = play(boards, { player = "bob" })
  play(boards, { player = "bob", game = "tetris 2" })
  eq(ids(boards:sessions_in("tetris")), { two, one })
  eq(ids(boards:sessions_in("tetris", 1)), { two })
  eq(ids(boards:sessions_in("tetris", 5, two)), { one })
  eq(boards:sessions_in("chess"), {})
end)

it("S3-AP8: a session is found by its player and its id together", function()
  local boards = new()
  local id = play(boards, {})
  eq(boards:session("anna", id).id, id)
  eq(boards:session("bob", id), nil)
  eq(boards:session("anna", "01ARZ3NDEKTSV4RRFFQ69G5FAV"), nil)
  eq(select("#", boards:session("anna", "x")), 1)
end)

it("an invalid session is refused and changes nothing", function()
  local boards = new()
  refuses("bad_player", play(boards, { player = "" }))
  refuses("not_finite", play(boards, { score = inf }))
  refuses("not_finite", play(boards, { seconds = 0 / 0 }))
  refuses("out_of_range", play(boards, { seconds = -1 }))
  refuses("not_finite", play(boards, { at = 0 / 0 }))
  refuses("out_of_range", play(boards, { at = 2 ^ 34 }))
  refuses("bad_data", play(boards, { data = ("x"):rep(1025) }))
  refuses("bad_data", play(boards, { game = "" }))
  refuses("bad_data", play(boards, { id = "my id" }))
  play(boards, { score = 1.7e308, player = "rich" })
  refuses("out_of_range", play(boards, { score = 1.7e308, player = "rich" }))
  eq(boards:player("anna"), nil)
  eq(#boards:sessions_in("tetris"), 1)
end)

it("forget removes a player's profile and sessions", function()
  local boards = new()
  boards:save_player { id = "anna", email = "a@x" }
  local id = play(boards, {})
  boards:board("b", { archive = 2 }):submit("anna", 1)
  boards:board("b"):reset()
  boards:board("b"):submit("anna", 2)
  eq(boards:forget("anna"), 2)
  eq({ boards:player("anna"), boards:player_by_email("a@x"), boards:session("anna", id) }, {})
  eq({ #boards:sessions_of("anna"), #boards:sessions_in("tetris"), #boards:scores_of("anna") }, { 0, 0, 0 })
  eq(boards:board("b"):archived(1):get("anna"), nil)
end)

-- ---- export and import

local function file()
  local name = os.tmpname()
  return name, function() os.remove(name) end
end

local function content(name)
  local handle = assert(io.open(name, "rb"))
  local text = handle:read("*a")
  handle:close()
  return text
end

local function write(name, text)
  local handle = assert(io.open(name, "wb"))
  handle:write(text)
  handle:close()
end

-- A board of each engine with a past season, bans and joins; players and sessions.
local function full()
  local boards, world = new()
  for _, engine in ipairs { "capped", "ranked", "padded", "paged", "sharded", "rolling" } do
    local board = boards:board(engine, { engine = engine, meta = "about\255 " .. engine })
    board:submit("anna", 3, "data\0\255")
    board:submit("bob\255", 2)
    if engine ~= "rolling" then board:reset() end
    board:submit("cleo", 7)
    board:submit("dan", 8)
    board:ban("dan")
  end
  boards:board("joined", { join = "required", reset = "0 0 * * *", decimals = 2 }):join("anna", 1.25)
  boards:save_player { id = "anna", name = "A\255", email = "a@x" }
  play(boards, { score = 9, data = "d" })
  boards:ban("eve")
  return boards, world
end

local function shown(boards)
  local all = {}
  for _, name in ipairs(boards:names()) do
    local board = boards:board(name)
    local seasons = {}
    for i, number in ipairs(board:seasons()) do
      local season = i == 1 and board or board:archived(number)
      seasons[i] = { season:info(), season:top(100) }
    end
    all[name] = { seasons, board:banned() }
  end
  return { all, boards:player("anna"), boards:sessions_in("tetris"), boards:scores_of("anna") }
end

it("export and import lose nothing", function()
  local name, remove = file()
  local from, world = full()
  eq(from:export(name), true)
  local to = laurel.open { clock = function() return world.now end }
  eq(to:import(name), true)
  eq(shown(to), shown(from))
  refuses("banned", to:board("ranked"):submit("eve", 1))
  refuses("not_joined", to:board("joined"):submit("bob", 1))
  for _, board in ipairs { "ranked", "rolling" } do
    to:board(board):unban("dan")
    eq(to:board(board):score("dan"), 8)
  end
  local again, remove_again = file()
  from = laurel.open { clock = function() return world.now end }
  eq(from:import(name), true)
  eq(from:export(again), true)
  eq(content(again), content(name))
  remove()
  remove_again()
end)

it("import is refused if a board of the same name exists", function()
  local name, remove = file()
  full():export(name)
  local to = laurel.open()
  to:board("paged", {})
  refuses("taken", to:import(name))
  eq(to:names(), { "paged" })
  eq(to:player("anna"), nil)
  remove()
end)

it("an import of a broken file changes nothing, and the error gives the line", function()
  local name, remove = file()
  full():export(name)
  local lines = {}
  for line in content(name):gmatch("[^\n]+") do lines[#lines + 1] = line end
  for _, at in ipairs { 1, 2, math.floor(#lines / 2), #lines } do
    local whole = lines[at]
    lines[at] = whole:sub(1, #whole - 1)
    write(name, table.concat(lines, "\n") .. "\n")
    local to = laurel.open()
    local value, reason = to:import(name)
    refuses("bad_data", value, reason)
    contains(reason, "line " .. at)
    eq(to:names(), {})
    lines[at] = whole
  end
  remove()
end)

it("an export has local boards only", function()
  local boards = laurel.open { remotes = { main = "redis://127.0.0.1:1" }, log = function() end }
  boards:board("here", {}):submit("anna", 5)
  boards:board("world", { remote = "main" })
  eq(boards:names(), { "here", "world" })
  local name, remove = file()
  eq(boards:export(name), true)
  local to = laurel.open()
  eq(to:import(name), true)
  eq(to:names(), { "here" })
  eq(to:board("here"):score("anna"), 5)
  remove()
  boards:close()
end)

it("a file that cannot be read or written is unavailable", function()
  local boards = new()
  refuses("unavailable", boards:import("/nowhere/at all"))
  refuses("unavailable", boards:export("/nowhere/at all"))
end)

-- ---- types

it("a missing required field, an unknown field and a wrong type raise", function()
  local boards = new()
  raises("bad argument #1 to 'save_player' (field 'id': string expected, got nil)", boards.save_player,
    boards, { name = "x" })
  raises("bad argument #1 to 'save_player' (field 'name': string expected, got number)",
    boards.save_player, boards, { id = "x", name = 5 })
  raises("(no field is called 'mail'; did you mean 'email'?)", boards.save_player, boards,
    { id = "x", mail = "x" })
  local session = { player = "x", game = "g", score = 1, seconds = 1 }
  for field, value in pairs(session) do
    session[field] = nil
    raises(("(field '%s': %s expected, got nil)"):format(field, type(value)), boards.record_session,
      boards, session)
    session[field] = true
    raises(("(field '%s': %s expected, got boolean)"):format(field, type(value)), boards.record_session,
      boards, session)
    session[field] = value
  end
  eq(boards:player("x"), nil)
end)
