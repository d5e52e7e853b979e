-- The writes in the table of the Lua API, row by row.
local laurel = require "laurel"
local spec = require "spec"
local it, eq, refuses = spec.it, spec.eq, spec.refuses

local function new(fields) return laurel.open():board("season", fields or {}) end

local inf = math.huge

it("submit returns the current score and whether the entry changed", function()
  local board = new()
  eq({ board:submit("anna", 10) }, { 10, true })
  eq({ board:submit("anna", 7) }, { 10, false })
  eq({ board:submit("anna", 12) }, { 12, true })
end)

it("an invalid value returns nil and a reason, and changes nothing", function()
  local board = new { decimals = 2 }
  refuses("not_finite", board:submit("anna", 0 / 0))
  refuses("not_finite", board:submit("anna", inf))
  refuses("not_finite", board:submit("anna", -inf))
  refuses("bad_player", board:submit("", 1))
  refuses("bad_player", board:submit("a\0b", 1))
  refuses("bad_player", board:submit(("x"):rep(256), 1))
  refuses("bad_data", board:submit("anna", 1, ("x"):rep(1025)))
  refuses("out_of_range", board:submit("anna", 2 ^ 53))
  refuses("out_of_range", board:submit("anna", 1, nil, 2 ^ 33 + 1))
  refuses("out_of_range", board:submit("anna", 1, nil, -2 ^ 33 - 1))
  refuses("not_finite", board:submit("anna", 1, nil, inf))
  refuses("not_finite", board:submit("anna", 1, nil, 0 / 0))
  eq(board:size(), 0)
  eq(select("#", board:submit("", 1)), 2)
end)

it("the longest player and data are accepted, with any bytes except zero", function()
  local board = new()
  local player, data = ("\255"):rep(255), ("\0"):rep(1024)
  eq(board:submit(player, 1, data), 1)
  eq(board:get(player).data, data)
end)

it("data and at are stored with the entry", function()
  local board = new()
  board:submit("anna", 10, "replay 7", -1696118400.25)
  eq(board:get("anna"),
    { player = "anna", score = 10, rank = 1, at = -1696118400.25, data = "replay 7" })
  board:submit("bob", 10, "", 0)
  eq(board:get("bob").data, "")
end)

it("explicit nils are the same as missing arguments", function()
  local board = new()
  eq({ board:submit("anna", 10, nil, nil) }, { 10, true })
  eq(board:get("anna").data, nil)
end)

it("minus zero is stored as zero", function()
  local board = new()
  board:submit("anna", -0.0)
  eq(1 / board:score("anna"), inf)
end)

it("submit_report describes the effect of the submission", function()
  local board = new()
  board:submit("bob", 5)
  board:submit("cleo", 3)
  local change = board:submit_report("anna", 4)
  eq({ change.player, change.score, change.previous, change.rank, change.previous_rank,
    change.passed, change.board }, { "anna", 4, nil, 2, nil, 1, "season" })
  change = board:submit_report("anna", 6)
  eq({ change.previous, change.rank, change.previous_rank, change.passed }, { 4, 1, 2, 1 })
  eq(change.at, board:get("anna").at)
  refuses("not_finite", board:submit_report("anna", inf))
end)

it("submit_all applies items in order and returns the refused ones", function()
  local board = new()
  local changed, refused = board:submit_all {
    { "anna", 5 }, { "bob", inf }, { "anna", 4 }, { "cleo", 7, "d", 100 }, { "", 1 },
  }
  eq(changed, 2)
  eq(#refused, 2)
  eq({ refused[1].index, refused[2].index }, { 2, 5 })
  eq(refused[1].reason:match("^%l+_?%l+"), "not_finite")
  eq(refused[2].reason:match("^%l+_?%l+"), "bad_player")
  eq(board:get("cleo"), { player = "cleo", score = 7, rank = 1, at = 100, data = "d" })
  eq({ board:submit_all {} }, { 0, {} })
end)

it("submit_all accepts long lists", function()
  local board, list = new(), {}
  for i = 1, 20000 do list[i] = { "p" .. i, i } end
  eq({ board:submit_all(list) }, { 20000, {} })
  eq(board:size(), 20000)
  eq(board:top(1)[1].player, "p20000")
end)

it("add adds, whatever keep is", function()
  local board = new { keep = "first" }
  eq({ board:add("anna", 5) }, { 5, true })
  eq({ board:add("anna", -2) }, { 3, true })
  refuses("out_of_range", (function()
    board:set("anna", 1.7e308)
    return board:add("anna", 1.7e308)
  end)())
end)

it("set ignores keep", function()
  local board = new()
  board:submit("anna", 10)
  eq({ board:set("anna", 3) }, { 3, true })
  refuses("not_finite", board:set("anna", inf))
end)

it("remove and clear return what was removed", function()
  local board = new()
  board:submit("anna", 1)
  board:submit("bob", 1)
  board:submit("cleo", 1)
  eq(board:remove("anna"), true)
  eq(board:remove("anna"), false)
  refuses("bad_player", board:remove(""))
  eq(board:clear(), 2)
  eq(board:clear(), 0)
end)

it("join, leave and bans decide which players may submit", function()
  local board = new { join = "required" }
  refuses("not_joined", board:submit("anna", 1))
  eq(board:join("anna"), true)
  eq(board:join("anna"), false)
  eq(board:get("anna"), nil)
  eq(board:submit("anna", 1), 1)
  eq(board:join("bob", 5), true)
  eq(board:score("bob"), 5)
  refuses("not_finite", board:join("cleo", inf))
  refuses("not_joined", board:submit("cleo", 1))
  eq(board:leave("bob"), true)
  eq(board:leave("bob"), false)
  eq(board:get("bob"), nil)
  eq(board:ban("anna"), true)
  eq(board:ban("anna"), false)
  refuses("banned", board:submit("anna", 2))
  eq(board:get("anna"), nil)
  board:ban("Zed")
  eq(board:banned(), { "Zed", "anna" })
  eq(board:unban("anna"), true)
  eq(board:unban("anna"), false)
  eq(board:score("anna"), 1)
  for _, name in ipairs { "join", "leave", "ban", "unban" } do
    refuses("bad_player", board[name](board, ""))
  end
end)

it("outside of its opening times a board is closed", function()
  local now = 100
  local boards = laurel.open { clock = function() return now end }
  local board = boards:board("season", { opens = 200, closes = 300 })
  refuses("closed", board:submit("anna", 1))
  now = 200
  eq(board:submit("anna", 1), 1)
  now = 300
  refuses("closed", board:submit("anna", 2))
end)

it("scores with decimals are exact", function()
  local board = new { decimals = 1, keep = "sum" }
  for _ = 1, 10 do board:submit("anna", 0.1) end
  eq(board:score("anna"), 1)
end)
