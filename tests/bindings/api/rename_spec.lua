-- boards:rename_player: everything of a player goes to an id that has nothing yet.
local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises, refuses = spec.it, spec.eq, spec.raises, spec.refuses

it("entries, past seasons, joins, bans, profile and sessions go to the new id", function()
  local now = 1000
  local boards = laurel.open { clock = function() return now end }
  local board = boards:board("b", { join = "required", archive = 3 })
  board:join("old", 7)
  board:set("old", 8, "d")
  local before = board:get("old")
  board:reset()
  now = 2000
  board:submit("old", 9, "e", 1500)
  local other = boards:board("other", {})
  other:submit("old", 3)
  other:ban("old")
  boards:save_player { id = "old", name = "Ada", email = "ada@x" }
  local session = boards:record_session { player = "old", game = "chess", score = 4, seconds = 5 }
  local profile = boards:player("old")
  now = 3000

  eq(boards:rename_player("old", "new"), true)
  eq(boards:player("old"), nil)
  profile.id = "new"
  eq(boards:player("new"), profile)
  eq(boards:player_by_email("ada@x"), profile)
  eq(#boards:sessions_of("old"), 0)
  eq(boards:session("new", session).score, 4)
  eq(boards:sessions_in("chess")[1].player, "new")
  eq({ board:get("old"), board:archived(1):get("old") }, { nil, nil })
  local entry = board:get("new")
  eq({ entry.score, entry.at, entry.data }, { 9, 1500, "e" })
  local past = board:archived(1):get("new")
  eq({ past.score, past.at, past.data }, { 8, before.at, "d" })
  refuses("not_joined", board:submit("old", 1))
  eq(board:submit("new", 10), 10)
  eq(other:banned(), { "new" })
  eq({ other:unban("new"), other:score("new"), other:score("old") }, { true, 3, nil })
  eq(#boards:scores_of("old"), 0)
  eq(#boards:scores_of("new"), 2)
end)

it("false where the player has nothing, taken where the new id has anything", function()
  local boards = laurel.open()
  local board = boards:board("b", {})
  eq({ boards:rename_player("a", "b"), boards:rename_player("a", "a") }, { false, false })
  board:submit("a", 5)
  refuses("taken", boards:rename_player("a", "a"))
  local traces = {
    entry = function() board:submit("b", 1) end,
    profile = function() boards:save_player { id = "b" } end,
    session = function() boards:record_session { player = "b", game = "g", score = 1, seconds = 1 } end,
    ban = function() board:ban("b") end,
    ["ban everywhere"] = function() boards:ban("b") end,
    join = function() boards:board("joined", { join = "required" }):join("b") end,
    ["a past season"] = function() board:submit("b", 1) board:reset() board:submit("a", 5) end,
  }
  for what, leave in pairs(traces) do
    leave()
    local value, reason = boards:rename_player("a", "b")
    refuses("taken", value, reason)
    eq({ what, board:score("a") }, { what, 5 })
    boards:unban("b")
    boards:forget("b")
  end
  eq({ boards:rename_player("a", "b"), board:score("b") }, { true, 5 })
end)

it("a player with nothing but a ban is renamed, and stays banned", function()
  local boards = laurel.open()
  local board = boards:board("b", {})
  boards:ban("a")
  eq(boards:rename_player("a", "b"), true)
  refuses("banned", board:submit("b", 1))
  eq(board:submit("a", 1), 1)
end)

it("bad ids are refused, and wrong types raise", function()
  local boards = laurel.open()
  boards:board("b", {}):submit("a", 5)
  for _, id in ipairs { "", "a\0b", ("x"):rep(256) } do
    refuses("bad_player", boards:rename_player("a", id))
    refuses("bad_player", boards:rename_player(id, "c"))
  end
  raises("bad argument #2 to 'rename_player' (string expected, got nil)", boards.rename_player, boards, "a")
  raises("bad argument #1 to 'rename_player' (string expected, got number)", boards.rename_player, boards, 5)
end)

it("with a remote board it is unsupported, and nothing changes", function()
  local boards = laurel.open { remotes = { main = "redis://127.0.0.1:1" }, log = function() end }
  local board = boards:board("b", {})
  board:submit("a", 5)
  boards:board("world", { remote = "main" })
  refuses("unsupported", boards:rename_player("a", "b"))
  eq({ board:score("a"), board:score("b") }, { 5, nil })
  boards:close()
end)

it("equal scores that are ranked by id are ranked by the new id", function()
  local boards = laurel.open()
  local board = boards:board("b", { ties = "player" })
  for _, player in ipairs { "b", "c", "d" } do board:submit(player, 5) end
  boards:rename_player("d", "a")
  eq(spec.players(board:top(3)), "a b c")
  boards:rename_player("b", "z")
  eq(spec.players(board:top(3)), "a c z")
  local heard
  board:watch(3, function(change) heard = change end)
  boards:rename_player("z", "y")
  boards:tick()
  eq({ heard.entered[1].player, heard.left[1].player }, { "y", "z" })
end)

it("a token of the player is the new id's, and a client of the player follows the new id", function()
  local boards = laurel.open()
  local board = boards:board("b", {})
  board:submit("old", 5)
  board:submit("bob", 4)
  local live = assert(boards:serve { port = 0, auth = "token" })
  live:publish(board, {})
  local function connect(player, token)
    token = token or live:token(player, 60)
    local client = assert(laurel.connect { port = live:port(), token = token })
    local seen = {}
    client:follow("b", 1, function(entries) seen.players = entries and spec.players(entries) end)
    return client, seen
  end
  local unused = live:token("old", 60)
  local client, seen = connect("old")
  spec.until_(function() return seen.players == "old bob" end, client, boards)
  eq(boards:rename_player("old", "new"), true)
  spec.until_(function() return seen.players == "new bob" end, client, boards)
  local other, its = connect(nil, unused)
  spec.until_(function() return its.players == "new bob" end, other, boards)
  client:close()
  other:close()
  live:close()
end)
