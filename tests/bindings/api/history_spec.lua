-- What a board keeps of its players' results, and taking some of them back.
local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises, refuses, contains = spec.it, spec.eq, spec.raises, spec.refuses, spec.contains

local function new(fields)
  local world = { now = 1000 }
  world.boards = laurel.open {
    clock = function() return world.now end,
    log = function(_, text) world.line = text end,
  }
  return world.boards:board("b", fields or { history = 5 }), world
end

it("history lists the results of a player, newest first", function()
  local board = new { history = 5, decimals = 1, keep = "best" }
  eq(board:history("ada"), {})
  board:submit("ada", 5.04, "five", 10)
  board:submit("ada", 3, nil, 20)
  board:add("ada", 2.5, "plus", 30)
  board:set("ada", 1, "moderated", 40)
  eq(board:history("ada"), {
    { by = "set", score = 1, held = 1, at = 40, data = "moderated" },
    { by = "add", score = 2.5, held = 7.5, at = 30, data = "plus" },
    { by = "submit", score = 3, held = 5, at = 20 },
    { by = "submit", score = 5, held = 5, at = 10, data = "five" },
  })
  eq(#board:history("ada", 2), 2)
  eq(board:history("ada", 1)[1].by, "set")
  eq(board:history("ada", 0), {})
  eq(board:history("bob"), {})
end)

it("a join with a score is a result, and refused ones are not", function()
  local board = new { history = 5, join = "required" }
  refuses("not_joined", board:submit("ada", 1))
  eq(board:join("ada", 4), true)
  refuses("not_finite", board:submit("ada", 0 / 0))
  eq(#board:history("ada"), 1)
  eq(board:history("ada")[1].by, "join")
  eq(board:history("ada")[1].held, 4)
end)

it("results of every kind of call are kept", function()
  local board, world = new()
  board:submit_all { { "ada", 1 }, { "ada", 2 } }
  board:submit_report("ada", 3)
  board:post("ada", 4)
  world.boards:submit({ "b" }, "ada", 5)
  local scores = {}
  for i, result in ipairs(board:history("ada")) do scores[i] = result.score end
  eq(scores, { 5, 4, 3, 2, 1 })
end)

it("a result that another board refuses is not kept", function()
  local board, world = new()
  world.boards:board("shut", { closes = 1 })
  refuses("closed", world.boards:submit({ "b", "shut" }, "ada", 5))
  eq(board:history("ada"), {})
  board:submit("ada", 6)
  eq(board:history("ada")[1].score, 6)
end)

it("only the last results are kept", function()
  local board = new { history = 3, keep = "latest" }
  for i = 1, 10 do board:submit("ada", i, nil, i) end
  local kept = board:history("ada")
  eq(#kept, 3)
  eq(kept[1].score, 10)
  eq(kept[3].score, 8)
  eq(board:history("ada", 100), kept)
end)

it("remove, clear, leave and a season's end end a history", function()
  local ends = {
    remove = function(board) board:remove("ada") end,
    clear = function(board) board:clear() end,
    leave = function(board) board:leave("ada") end,
    reset = function(board) board:reset() end,
    ["banned and removed"] = function(board)
      board:ban("ada")
      board:remove("ada")
      board:unban("ada")
    end,
  }
  for name, act in pairs(ends) do
    local board = new()
    board:submit("ada", 5)
    board:submit("ada", 6)
    act(board)
    if #board:history("ada") > 0 then error(name) end
    board:submit("ada", 1)
    eq(#board:history("ada"), 1)
    eq(board:history("ada")[1].held, 1)
  end
end)

it("a past season has no history, and nothing can be taken back in it", function()
  local board = new()
  board:submit("ada", 5, nil, 10)
  board:reset()
  eq(board:archived(1):history("ada"), {})
  refuses("closed", board:archived(1):void("ada", 10))
end)

it("boards without history keep nothing", function()
  local board, world = new {}
  board:submit("ada", 5, nil, 10)
  eq(board:history("ada"), {})
  refuses("unknown", board:void("ada", 10))
  local capped = world.boards:board("c", { engine = "capped" })
  capped:submit("ada", 5, nil, 10)
  eq(capped:history("ada"), {})
  refuses("unknown", capped:void("ada", 10))
end)

it("history takes 0 to 100, on engines that hold all players", function()
  local _, world = new()
  for _, value in ipairs { -1, 101, 1.5, "3" } do
    raises("whole number from 0 to 100", world.boards.board, world.boards, "x", { history = value })
  end
  for _, engine in ipairs { "capped", "rolling" } do
    raises("history", world.boards.board, world.boards, "x", { engine = engine, history = 1 })
  end
  for _, engine in ipairs { "ranked", "padded", "paged", "sharded" } do
    local board = world.boards:board(engine, { engine = engine, history = 100 })
    board:submit("ada", 5)
    eq(#board:history("ada"), 1)
    eq(board:info().history, 100)
  end
end)

it("history that is switched off is forgotten", function()
  local board, world = new()
  board:submit("ada", 5)
  world.boards:board("b", { history = 0 })
  eq(board:history("ada"), {})
  board:submit("ada", 6)
  world.boards:board("b", { history = 5 })
  eq(board:history("ada"), {})
  board:submit("ada", 7)
  eq(#board:history("ada"), 1)
  board:void("ada", board:history("ada")[1].at)
  eq(board:score("ada"), 6)
end)

it("void takes back a result: the former best returns with its time and data", function()
  local board = new()
  board:submit("ada", 50, "fair", 10)
  board:submit("ada", 90, "cheat", 20)
  board:submit("ada", 60, "later", 30)
  local held, changed = board:void("ada", 20)
  eq(held, 60)
  eq(changed, true)
  local entry = board:get("ada")
  eq(entry.at, 30)
  eq(entry.data, "later")
  eq(board:history("ada"), {
    { by = "submit", score = 60, held = 60, at = 30, data = "later" },
    { by = "submit", score = 50, held = 50, at = 10, data = "fair" },
  })
  held, changed = board:void("ada", 10)
  eq(held, 60)
  eq(changed, false)
  held, changed = board:void("ada", 30)
  eq(held, nil)
  eq(changed, true)
  eq(board:get("ada"), nil)
  refuses("unknown", board:void("ada", 30))
end)

it("void takes back all results with that time, and no other", function()
  local board = new { history = 10, keep = "sum" }
  board:submit("ada", 1, nil, 10)
  board:submit("ada", 2, nil, 10)
  board:add("ada", 4, nil, 11)
  board:submit("ada", 8, nil, 10)
  refuses("unknown", board:void("ada", 10.000001))
  eq(board:void("ada", 10), 4)
  eq(#board:history("ada"), 1)
end)

it("older results count as what was held before the oldest kept", function()
  local board = new { history = 2, keep = "best" }
  board:submit("ada", 70, "old", 1)
  board:submit("ada", 80, nil, 2)
  board:submit("ada", 90, nil, 3)
  eq(board:void("ada", 3), 80)
  eq(board:void("ada", 2), 70)
  local entry = board:get("ada")
  eq(entry.at, 1)
  eq(entry.data, "old")
  eq(board:history("ada"), {})
end)

it("void reaches the hidden entry of a banned player", function()
  local board = new()
  board:submit("ada", 50, nil, 10)
  board:submit("ada", 90, nil, 20)
  board:ban("ada")
  eq(board:void("ada", 20), 50)
  eq(board:get("ada"), nil)
  eq(#board:history("ada"), 1)
  board:unban("ada")
  eq(board:score("ada"), 50)
  eq(board:get("ada").at, 10)
  board:ban("ada")
  local held, changed = board:void("ada", 10)
  eq(held, nil)
  eq(changed, true)
  board:unban("ada")
  eq(board:get("ada"), nil)
end)

it("a time that the registry gave can be taken back", function()
  local board, world = new()
  world.now = 1700000000.123456
  board:submit("ada", 1)
  board:submit("ada", 2)
  local at = board:history("ada")[1].at
  eq(board:void("ada", at), 1)
end)

it("types raise, values refuse", function()
  local board = new()
  raises("bad argument #1 to 'history' (string expected, got nil)", board.history, board)
  raises("bad argument #1 to 'void' (string expected, got number)", board.void, board, 1, 1)
  raises("bad argument #2 to 'void' (number expected, got nil)", board.void, board, "ada")
  raises("bad argument #2 to 'history'", board.history, board, "ada", 1.5)
  refuses("bad_player", board:void("", 1))
  refuses("not_finite", board:void("ada", 0 / 0))
  refuses("out_of_range", board:void("ada", 2 ^ 40))
end)

it("forget removes a history", function()
  local board, world = new()
  board:submit("ada", 5)
  world.boards:forget("ada")
  eq(board:history("ada"), {})
end)

it("a watch hears of a result that was taken back", function()
  local board, world = new()
  board:submit("ada", 5, nil, 1)
  board:submit("bob", 7, nil, 2)
  local tops = {}
  board:watch(1, function(change) tops[#tops + 1] = change.top[1].player end)
  world.boards:tick()
  board:void("bob", 2)
  world.boards:tick()
  eq(tops[#tops], "ada")
end)

it("exports, restarts and backups keep a history", function()
  local folder = os.tmpname()
  os.remove(folder)
  assert(os.execute("mkdir '" .. folder .. "'"))
  local function quiet() end
  local function open(name)
    return laurel.open { path = folder .. "/" .. name, durability = "none", log = quiet }
  end
  local boards = open("a")
  local board = boards:board("b", { history = 3, keep = "sum", decimals = 2 })
  for i = 1, 5 do board:submit("ada", i / 4, i % 2 == 0 and "d\255" or nil, i) end
  board:submit("bob", 7, nil, 9)
  boards:ban("bob")
  local ada, bob = board:history("ada"), board:history("bob")
  eq(#ada, 3)
  eq(boards:export(folder .. "/lines"), true)
  eq(boards:backup(folder .. "/copy"), true)
  board:submit("ada", 1)
  boards:close()

  local function check(other)
    local copy = other:board("b")
    eq(copy:history("ada"), ada)
    eq(copy:history("bob"), bob)
    eq(copy:void("ada", 4), ada[1].held - 1)
    eq(copy:void("bob", 9), nil)
    copy:submit("ada", 8)
    eq(copy:history("ada")[1].held, ada[1].held + 7)
    other:close()
  end
  local restarted = open("a")
  eq(#restarted:board("b"):history("ada"), 3)
  eq(restarted:board("b"):history("ada")[2], ada[1])
  restarted:close()
  check(open("copy"))
  local imported = laurel.open { log = quiet }
  eq(imported:import(folder .. "/lines"), true)
  check(imported)
  os.execute("rm -rf '" .. folder .. "'")
end)

it("remote boards keep no results and have no journal", function()
  local boards = laurel.open { remotes = { main = "redis://127.0.0.1:1" }, log = function() end }
  refuses("unsupported", boards:board("b", { remote = "main", history = 5 }))
  refuses("unsupported", boards:board("b", { remote = "main", journal = 5 }))
  local board = boards:board("b", { remote = "main", history = 0 })
  refuses("unsupported", board:history("ada"))
  refuses("unsupported", board:void("ada", 1))
  refuses("unsupported", board:rehearse("r"))
  raises("bad argument #1 to 'history'", board.history, board)
  boards:close()
end)

-- ---- with a rule

local function scene(source, fn)
  local folder = os.tmpname()
  os.remove(folder)
  assert(os.execute("mkdir '" .. folder .. "'"))
  local world = { now = 1000, lines = {} }
  function world.write(name, text)
    local file = assert(io.open(folder .. "/" .. name .. ".lua", "wb"))
    file:write(text)
    file:close()
  end
  world.write("r", source)
  world.boards = laurel.open {
    rules = folder,
    clock = function() return world.now end,
    log = function(level, text) world.lines[#world.lines + 1] = level .. ": " .. text end,
  }
  world.board = world.boards:board("b", { rule = "r", history = 10, journal = 100 })
  local ok, why = xpcall(function() fn(world, world.board) end, debug.traceback)
  world.boards:close()
  os.execute("rm -rf '" .. folder .. "'")
  if not ok then error(why, 0) end
end

it("a result keeps the version of the rule that accepted it", function()
  scene("return { version = 'one', accept = function() return true end }", function(world, board)
    board:submit("ada", 1, nil, 1)
    board:set("ada", 2, nil, 2)
    world.write("r", "return { version = 'two', accept = function() return true end }")
    world.boards:tick()
    board:submit("ada", 3, nil, 3)
    local kept = board:history("ada")
    eq(kept[1].rule_version, "two")
    eq(kept[2].rule_version, nil)
    eq(kept[3].rule_version, "one")
  end)
end)

it("later results are judged again by score, not by accept; a refused one leaves", function()
  scene([[
    local seen = 0
    return {
      accept = function(submission) return submission.score < 100, "too good" end,
      score = function(old, new)
        if old and new < old then return nil, "worse" end
        return (old or 0) + new
      end,
    }]], function(world, board)
    eq(board:submit("ada", 1, nil, 1), 1)
    eq(board:submit("ada", 5, nil, 2), 6)
    eq(board:submit("ada", 7, nil, 3), 13)
    eq(board:submit("ada", 20, nil, 4), 33)
    eq(board:void("ada", 1), 32)
    eq(#board:history("ada"), 3)
    eq(board:history("ada")[2].held, 12)
    -- now a rule whose accept would refuse all of them, and whose score refuses the 7
    world.write("r", [[return {
      accept = function() return false end,
      score = function(old, new)
        if new == 7 then return nil, "no" end
        return (old or 0) + 2 * new
      end }]])
    world.boards:tick()
    eq(board:void("ada", 2), 40)
    eq(#board:history("ada"), 1)
    eq(board:history("ada")[1].held, 40)
  end)
end)

it("a rule that is not loaded keeps results from being judged again", function()
  scene("return { score = function(old, new) return new end }", function(world, board)
    board:submit("ada", 1, nil, 1)
    board:submit("ada", 2, nil, 2)
    world.boards:board("b", { rule = "missing" })
    refuses("unavailable", board:void("ada", 1))
    eq(#board:history("ada"), 2)
    eq(board:void("ada", 2), 1)
  end)
end)

-- ---- rehearsals

it("a rehearsal counts what another rule would do, and changes nothing", function()
  scene("return { accept = function(s) return s.score < 50, 'too good' end }", function(world, board)
    board:submit("ada", 10)
    refuses("rejected", board:submit("ada", 60))
    board:submit("bob", 30)
    refuses("bad_data", board:submit("bob", 31, ("x"):rep(2000)))
    world.write("other", [[return {
      changed = function() error("must not be called") end,
      score = function(old, new, submission)
        if new == 30 then error("oh no") end
        return (old or 0) + new
      end }]])
    local report = board:rehearse("other")
    eq(report.judged, 3)
    eq(report.same, 1)
    eq(report.accepted, 2)
    eq(report.refused, 0)
    eq(report.failed, 1)
    eq(#report.examples, 2)
    eq(report.examples[1].player, "ada")
    eq(report.examples[1].submitted, 60)
    eq(report.examples[1].was, "rejected: too good")
    eq(report.examples[1].now, 70)
    eq(report.examples[2].was, 30)
    contains(report.examples[2].now, "rejected: ")
    contains(report.examples[2].now, "oh no")
    eq(board:score("ada"), 10)
    world.boards:tick()
    eq(board:rehearse("r").same, 3)
  end)
end)

it("a refusal in other words is the same outcome", function()
  scene("return { accept = function() return false, 'no' end }", function(world, board)
    refuses("rejected", board:submit("ada", 1))
    world.write("other", "return { accept = function() return nil, 'never' end }")
    local report = board:rehearse("other")
    eq(report.same, 1)
    eq(report.refused, 1)
    eq(report.examples, {})
  end)
end)

it("without a rule the journal holds what would have reached one", function()
  local board = new { journal = 3, keep = "sum" }
  for i = 1, 5 do board:submit("ada", i) end
  board:set("ada", 100)
  board:ban("bob")
  refuses("banned", board:submit("bob", 1))
  refuses("unavailable", board:rehearse("any"))
  scene("return {}", function(world)
    local open = world.boards:board("free", { journal = 2, keep = "sum" })
    for i = 1, 5 do open:submit("ada", i) end
    local report = open:rehearse("r")
    eq(report.judged, 2)
    eq(report.same, 2)
    world.write("half", "return { accept = function(s) return s.held.score < 10 end }")
    report = open:rehearse("half")
    eq(report.accepted, 1)
    eq(report.examples[1].submitted, 5)
    eq(report.examples[1].was, 15)
    eq(report.examples[1].now, "rejected: the rule said no")
  end)
end)

it("a rehearsal names what it cannot load", function()
  scene("return {}", function(world, board)
    refuses("unknown", board:rehearse("missing"))
    refuses("unknown", board:rehearse("../r"))
    world.write("broken", "return {")
    local report, reason = board:rehearse("broken")
    eq(report, nil)
    contains(reason, "broken.lua:1")
    raises("bad argument #1 to 'rehearse' (string expected, got nil)", board.rehearse, board)
  end)
end)

it("at most 100 examples are listed, the oldest first", function()
  scene("return {}", function(world)
    local board = world.boards:board("many", { journal = 1000 })
    for i = 1, 300 do board:submit("p" .. i, i) end
    world.write("none", "return { accept = function() return false end }")
    local report = board:rehearse("none")
    eq(report.judged, 300)
    eq(report.refused, 300)
    eq(#report.examples, 100)
    eq(report.examples[1].submitted, 1)
    eq(report.examples[100].submitted, 100)
  end)
end)

it("inside a task a rehearsal continues in later ticks", function()
  scene("return {}", function(world)
    local board = world.boards:board("many", { journal = 100000 })
    for i = 1, 20000 do board:submit("p" .. i % 100, i) end
    world.write("none", "return { accept = function(s) return s.score % 2 == 0 end }")
    local function rehearsed()
      local report, ticks = nil, 0
      laurel.task(function() report = board:rehearse("none") end)
      eq(report, nil)
      board:submit("later", 1)
      while not report and ticks < 10000 do
        world.boards:tick()
        ticks = ticks + 1
      end
      eq(ticks > 1, true)
      return report
    end
    local report = rehearsed()
    eq(report.judged, 20000)
    -- A hypervisor that takes the processor away from a rule's call looks like a slow rule. Such a
    -- rehearsal says nothing about the rule.
    for _ = 1, 10 do
      if report.failed == 0 then break end
      report = rehearsed()
    end
    eq(report.failed, 0)
    eq(report.accepted, 10000)
    laurel.task(function() refuses("unknown", board:rehearse("missing")) end)
    local why
    laurel.task(function() why = select(2, board:rehearse("none")) end)
    world.boards:drop("many")
    world.boards:tick()
    contains(why, "unknown: ")
    laurel.task(function() why = select(2, pcall(board.rehearse, board, "none")) end)
    contains(why, "dropped")
  end)
end)

if rawget(_G, "jit") or _VERSION ~= "Lua 5.1" then
  it("a task may wait within pcall, metamethods and iterators", function()
    scene("return {}", function(world)
      local board = world.boards:board("many", { journal = 100000 })
      for i = 1, 20000 do board:submit("p" .. i % 100, i) end
      world.write("none", "return { accept = function(s) return s.score % 2 == 0 end }")
      local reports, failed = {}, nil
      laurel.task(function()
        reports[1] = select(2, pcall(board.rehearse, board, "none"))
        reports[2] = setmetatable({}, { __index = function() return board:rehearse("none") end }).report
        for report in function() return not reports[3] and board:rehearse("none") or nil end do
          reports[3] = report
        end
        failed = select(2, pcall(function()
          board:rehearse("none")
          error("after the wait", 0)
        end))
      end)
      eq(#reports, 0)
      spec.until_(function() return failed end, world.boards)
      for i = 1, 3 do eq(reports[i].judged, 20000) end
      eq(failed, "after the wait")
    end)
  end)
end

it("a version with rehearse = true that fails on what the former judged is not taken", function()
  scene("return { version = 'one', score = function(old, new) return new end }",
    function(world, board)
      for i = 1, 10 do board:submit("ada", i) end
      world.write("r", [[return { version = 'two', rehearse = true,
        score = function(old, new) if new == 7 then error("seven") end return new end }]])
      world.boards:tick()
      eq(board:info().rule_version, "one")
      eq(world.lines[#world.lines]:match("^error: .*two.*seven.*") ~= nil, true)
      eq(board:submit("ada", 7), 7)
      local failed = world.boards:reload_rules()
      eq(#failed, 1)
      eq(failed[1].rule, "r")
      contains(failed[1].error, "fails on")
      world.write("r", [[return { version = 'three', rehearse = true,
        score = function(old, new) if new == 8 then return nil, "no" end return new end }]])
      world.boards:tick()
      eq(board:info().rule_version, "three")
    end)
end)

it("what the former failed on may fail", function()
  scene("return { version = 'one', score = function(old, new) error('always') end }",
    function(world, board)
      refuses("rejected", board:submit("ada", 1))
      world.write("r", [[return { version = 'two', rehearse = true,
        score = function(old, new) error("still") end }]])
      eq(#world.boards:reload_rules(), 0)
      eq(board:info().rule_version, "two")
    end)
end)
