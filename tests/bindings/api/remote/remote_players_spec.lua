-- Players and sessions in a remote, as seen by scripts. Runs only inside a test program that defines the
-- following globals, over a remote without a network (tests/bindings/remote_test.cc):
--
--   boards      a registry with local players
--   far         a registry with players in the remote "main"
--   pass(seconds)   advances the time
if not rawget(_G, "pass") then return end -- the installed library has no such remote

local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises, refuses = spec.it, spec.eq, spec.raises, spec.refuses
local lent = _G
local boards, far, pass = lent.boards, lent.far, lent.pass

local function tick()
  far:tick()
  pass(0.001)
end

local function run(...) return spec.run_task(tick, ...) end

local function ask(method, ...) return run(far[method], far, ...) end

-- A copy of the value without its times, which differ between the two registries.
local function timeless(value)
  if type(value) ~= "table" then return value end
  local copy = {}
  for key, each in pairs(value) do
    if key ~= "created_at" and key ~= "updated_at" and key ~= "at" then copy[key] = timeless(each) end
  end
  return copy
end

local ids = {}
for i = 1, 5 do ids[i] = "01HZZZZZZZZZZZZZZZZZZZZZZ" .. i end

local calls = {
  { "player", "anna" }, { "player_by_email", "a@x" },
  { "save_player", { id = "anna", name = "Anna", email = "a@x" } },
  { "save_player", { id = "bob", email = "a@x" } },
  { "save_player", { id = "" } }, { "save_player", { id = "bob", name = "" } },
  { "save_player", { id = "bob", name = "Bob" } },
  { "player", "anna" }, { "player_by_email", "a@x" }, { "player", "bob" }, { "player", "nobody" },
  { "record_session", { player = "anna", game = "tetris", score = 8, seconds = 60, id = ids[1] } },
  { "record_session", { player = "anna", game = "tetris", score = 8, seconds = 60, id = ids[1] } },
  { "record_session", { player = "anna", game = "snake", score = 0.5, seconds = 0, id = ids[2],
    data = "x\0y" } },
  { "record_session", { player = "new", game = "tetris", score = -3, seconds = 1, id = ids[3] } },
  { "record_session", { player = "new", game = "tetris", score = 0 / 0, seconds = 1 } },
  { "record_session", { player = "new", game = "", score = 1, seconds = 1 } },
  { "record_session", { player = "new", game = "g", score = 1, seconds = 1, id = "x" } },
  { "player", "anna" }, { "player", "new" },
  { "sessions_of", "anna" }, { "sessions_of", "anna", 1 }, { "sessions_of", "anna", 5, ids[2] },
  { "sessions_of", "anna", 0 }, { "sessions_of", "nobody" },
  { "sessions_in", "tetris" }, { "sessions_in", "tetris", 1, ids[3] }, { "sessions_in", "none" },
  { "session", "anna", ids[1] }, { "session", "bob", ids[1] }, { "session", "anna", ids[4] },
}

it("each call in a task returns the same as with local players", function()
  for i, call in ipairs(calls) do
    local method = call[1]
    local expected = { boards[method](boards, unpack(call, 2, 4)) }
    local got = { ask(method, unpack(call, 2, 4)) }
    local ok, why = pcall(eq, timeless(got), timeless(expected))
    if not ok then error(("call %d, %s: %s"):format(i, method, why), 2) end
  end
end)

it("wrong arguments raise the same errors as with local players, without waiting", function()
  for _, call in ipairs {
    { "save_player" }, { "save_player", {} }, { "save_player", { id = 5 } },
    { "save_player", { id = "a", nme = "x" } }, { "player" }, { "player", 5 },
    { "player_by_email" }, { "scores_of" }, { "record_session", { player = "a" } },
    { "sessions_of" }, { "sessions_of", "a", 1.5 }, { "sessions_of", "a", 1, 2 },
    { "sessions_in" }, { "session", "a" },
  } do
    local method = call[1]
    local _, expected = pcall(boards[method], boards, unpack(call, 2, 4))
    local _, got = pcall(far[method], far, unpack(call, 2, 4))
    eq(got, expected)
  end
end)

it("outside of a task each call raises and says so", function()
  local why = " waits for an answer: call it inside laurel.task"
  raises("boards:player" .. why, far.player, far, "a")
  raises("boards:player_by_email" .. why, far.player_by_email, far, "a")
  raises("boards:save_player" .. why, far.save_player, far, { id = "a" })
  raises("boards:scores_of" .. why, far.scores_of, far, "a")
  raises("boards:sessions_of" .. why, far.sessions_of, far, "a")
  raises("boards:sessions_in" .. why, far.sessions_in, far, "a")
  raises("boards:session" .. why, far.session, far, "a", ids[1])
  raises("boards:record_session" .. why, far.record_session, far,
    { player = "a", game = "g", score = 1, seconds = 1 })
end)

it("a session is recorded under its new id and its player", function()
  local id = ask("record_session", { player = "cleo", game = "tetris", score = 1, seconds = 2 })
  eq(#id, 26)
  eq(ask("session", "cleo", id).game, "tetris")
  eq(ask("player", "cleo").games_played, 1)
end)

it("S3-AP5: scores_of lists remote and local boards together, sorted by name", function()
  local world = far:board("b_world", { remote = "main" })
  far:board("a_room", {}):submit("dora", 3, nil, 50)
  far:board("c_room", {}):submit("dora", 4, nil, 50)
  run(function() world:submit("dora", 7, nil, 50) end)
  eq(ask("scores_of", "dora"), {
    { board = "a_room", season = 1, score = 3, rank = 1, at = 50 },
    { board = "b_world", season = 1, score = 7, rank = 1, at = 50 },
    { board = "c_room", season = 1, score = 4, rank = 1, at = 50 },
  })
  eq(ask("scores_of", "nobody"), {})
end)

it("forget returns at once, and the remote erases the player in later ticks", function()
  ask("save_player", { id = "eve", email = "eve@x" })
  eq(far:forget("eve"), 0)
  for _ = 1, 5 do
    far:tick()
    pass(0.1)
  end
  eq(ask("player", "eve"), nil)
  eq(ask("player_by_email", "eve@x"), nil)
end)

it("laurel.open refuses a wrong 'players' with a reason", function()
  local main = { main = "redis://127.0.0.1:1" }
  raises("bad argument #1 to 'open' (field 'players' is \"x\": no remote has that name)",
    laurel.open, { players = "x" })
  raises("field 'players' is \"x\": no remote has that name",
    laurel.open, { remotes = main, players = "x" })
  raises("field 'players' is \"main\": unsupported: ", laurel.open,
    { remotes = main, players = "main" })
  raises("field 'players': string expected, got number", laurel.open, { players = 5 })
  refuses("taken", ask("save_player", { id = "bob", email = "a@x" }))
end)

-- player=name of each entry
local function named(entries)
  local texts = {}
  for i, entry in ipairs(entries) do texts[i] = entry.player .. "=" .. tostring(entry.name) end
  return table.concat(texts, " ")
end

it("entries of remote boards carry the names of remote players, at the first read", function()
  local world = far:board("n_world", { remote = "main" })
  ask("save_player", { id = "n_ada", name = "Ada" })
  run(function()
    world:submit("n_ada", 2)
    world:submit("n_bob", 1)
  end)
  local read = {}
  run(function()
    read = { world:top(5), world:page(1, 5), world:around("n_ada", 5), world:among { "n_bob", "n_ada" },
      { world:get("n_ada") } }
  end)
  for i = 1, 4 do eq(named(read[i]), "n_ada=Ada n_bob=nil") end
  eq(named(read[5]), "n_ada=Ada")
  ask("save_player", { id = "n_ada", name = "Eva" })
  run(function() read = world:top(5) end)
  eq(named(read), "n_ada=Eva n_bob=nil")
end)

it("entries of local boards carry the names of remote players from a later read on", function()
  local room = far:board("n_room", {})
  ask("save_player", { id = "n_cleo", name = "Cleo" })
  room:submit("n_cleo", 1)
  local told = {}
  room:watch(5, function(change) told[#told + 1] = named(change.top) end)
  eq(named(room:top(5)), "n_cleo=nil")
  for _ = 1, 3 do tick() end
  eq(named(room:top(5)), "n_cleo=Cleo")
  eq(told[#told], "n_cleo=Cleo")
  far:forget("n_cleo")
  room:submit("n_cleo", 2)
  eq(named(room:top(5)), "n_cleo=nil")
end)

it("export has the boards of this server, and no players of the remote", function()
  local path = os.tmpname()
  eq(far:export(path), true)
  local file = assert(io.open(path))
  local text = file:read("*a")
  file:close()
  os.remove(path)
  eq(text:find("n_room", 1, true) ~= nil, true)
  eq(text:find("Eva", 1, true), nil)
end)
