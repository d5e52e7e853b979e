-- boards:submit_each: one event with a score for each board, all or none.
local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises, refuses, contains = spec.it, spec.eq, spec.raises, spec.refuses, spec.contains

it("one event gives each board its own score, with one moment, by the board's own keep", function()
  local boards = laurel.open()
  local kills = boards:board("kills", { keep = "sum" })
  local points = boards:board("points", {})
  kills:submit("ada", 3)
  points:submit("ada", 9)
  eq(boards:submit_each("ada", { kills = 1, points = 5 }, "d"), { kills = 4, points = 9 })
  eq(boards:submit_each("bob", { kills = 1, points = 5 }, "d", 1500), { kills = 1, points = 5 })
  eq({ kills:get("bob").at, points:get("bob").at, points:get("bob").data }, { 1500, 1500, "d" })
  eq(boards:submit_each("cleo", { kills = 2, points = 6 }), { kills = 2, points = 6 })
  eq(kills:get("cleo").at, points:get("cleo").at)
  eq(boards:submit_each("ada", {}), {})
end)

it("a board that does not show the player holds false", function()
  local boards = laurel.open()
  boards:board("all", {})
  boards:board("few", { engine = "capped", cap = 1 }):submit("ada", 9)
  eq(boards:submit_each("bob", { few = 5, all = 5 }), { few = false, all = 5 })
end)

it("if one board refuses, no board changes; of several that would, the first by name is named", function()
  local boards = laurel.open()
  local open = boards:board("open", {})
  boards:board("shut", { join = "required" })
  local value, reason, name = boards:submit_each("ada", { open = 7, shut = 7 })
  refuses("not_joined", value, reason)
  eq(name, "shut")
  eq(open:size(), 0)
  for _ = 1, 10 do
    local scores = { open = 1 }
    for i = 1, 20 do scores["nowhere " .. i] = 1 end
    value, reason, name = boards:submit_each("ada", scores)
    refuses("unknown", value, reason)
    eq(name, "nowhere 1")
  end
  value, reason, name = boards:submit_each("ada", { open = 0 / 0 })
  refuses("not_finite", value, reason)
  eq(name, "open")
  refuses("bad_player", boards:submit_each("", { open = 1 }))
  refuses("bad_data", boards:submit_each("ada", { open = 1 }, ("x"):rep(1025)))
  eq(open:size(), 0)
end)

it("keys are names and values numbers: others raise, and the next call continues", function()
  local boards = laurel.open()
  boards:board("a", {})
  for _ = 1, 3 do
    raises("bad argument #2 to 'submit_each' (table expected, got nil)", boards.submit_each, boards, "p")
    raises("bad argument #2 to 'submit_each' (the keys are names of boards, got a number)",
      boards.submit_each, boards, "p", { 5 })
    raises("bad argument #2 to 'submit_each' (board \"a\": number expected, got string)",
      boards.submit_each, boards, "p", { a = "5" })
  end
  raises("bad argument #1 to 'submit_each' (string expected, got number)", boards.submit_each, boards, 5, {})
  raises("bad argument #3 to 'submit_each' (string expected, got number)", boards.submit_each, boards, "p",
    { a = 1 }, 5)
  raises("bad argument #4 to 'submit_each' (number expected, got string)", boards.submit_each, boards, "p",
    { a = 1 }, "d", "now")
  eq(boards:submit_each("p", { a = 5 }), { a = 5 })
end)

it("a script's clock gives the moment, and a name with any bytes is a key", function()
  local boards = laurel.open { clock = function() return 5000 end }
  local name = "a b\n\"ü"
  boards:board(name, {})
  eq(boards:submit_each("ada", { [name] = 2.5 }), { [name] = 2.5 })
  eq(boards:board(name):get("ada").at, 5000)
  local _, reason = boards:submit_each("ada", { ["no\nboard"] = 1 })
  contains(reason, "no\\nboard")
end)
