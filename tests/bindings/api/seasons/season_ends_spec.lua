-- Ends of seasons: every name hears of each once, in order, and with its writes in one transaction.
local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises, refuses, contains = spec.it, spec.eq, spec.raises, spec.refuses, spec.contains
local players, in_folder = spec.players, spec.in_folder

local day = 86400
local monday = 19723 * day -- 2024-01-01, a Monday, 00:00 UTC

-- A registry with a clock that the case sets, and what was logged.
local function open(options, world)
  world = world or { now = monday + 10 * 3600, lines = {} }
  options = options or {}
  options.clock = function() return world.now end
  options.log = function(level, text) world.lines[#world.lines + 1] = level .. ": " .. text end
  world.boards = laurel.open(options)
  return world, world.boards
end

-- Registers a name whose handler notes what it heard as "board/season".
local function hear(boards, name, heard)
  return boards:on_season_end(name, function(season)
    heard[#heard + 1] = season.board .. "/" .. season.season
  end)
end

local function listed(boards)
  local lines = {}
  for i, each in ipairs(boards:season_ends()) do
    lines[i] = ("%s %s/%d %d"):format(each.name, each.board, each.season, each.tries)
  end
  return lines
end

it("a handler is called in tick for a season that ended, once", function()
  local _, boards = open()
  local board = boards:board("cup", {})
  local heard = {}
  hear(boards, "rewards", heard)
  board:submit("anna", 1)
  board:reset()
  eq(heard, {})
  boards:tick()
  eq(heard, { "cup/1" })
  boards:tick()
  eq(heard, { "cup/1" })
  eq(boards:season_ends(), {})
end)

it("a handler gets id, board, season, started, ended, size and standings", function()
  local world, boards = open()
  local board = boards:board("cup", { reset = "0 0 * * *" })
  board:submit("anna", 5)
  board:submit("bob", 7)
  local told
  boards:on_season_end("rewards", function(season)
    eq(players(season.standings:top(2)), "bob anna")
    eq(season.standings:size(), 2)
    eq(season.standings:info().ended, monday + day)
    eq(season.standings:season(), 1)
    refuses("closed", season.standings:submit("cleo", 1))
    season.standings = nil
    told = season
  end)
  world.now = monday + 3 * day
  boards:tick()
  eq(type(told.id), "string")
  assert(#told.id >= 1 and #told.id <= 64)
  told.id = nil
  eq(told, { board = "cup", season = 1, started = monday + 10 * 3600, ended = monday + day, size = 2 })
end)

it("no other season has the id, of a board made again and of another registry neither", function()
  local seen = {}
  for _ = 1, 3 do
    local _, boards = open()
    boards:on_season_end("ids", function(season)
      assert(not seen[season.id], "twice: " .. season.id)
      seen[season.id] = true
    end)
    for _ = 1, 3 do
      local board = boards:board("cup", { archive = 9 })
      for _ = 1, 3 do board:reset() end
      boards:tick()
      boards:drop("cup")
    end
    boards:close()
  end
  local count = 0
  for _ in pairs(seen) do count = count + 1 end
  eq(count, 27)
end)

it("all names, and a second try, get the same id", function()
  local world, boards = open()
  local ids, fails = {}, true
  boards:on_season_end("first", function(season)
    ids[#ids + 1] = season.id
    if fails then error "not yet" end
  end)
  boards:on_season_end("second", function(season) ids[#ids + 1] = season.id end)
  boards:board("cup", {}):reset()
  boards:tick()
  fails = false
  world.now = world.now + 1
  boards:tick()
  eq(#ids, 3)
  eq(ids[1], ids[2])
  eq(ids[1], ids[3])
end)

it("a name hears of no season that ended before it was registered, noticed or not", function()
  local world, boards = open()
  local noticed = boards:board("noticed", {})
  noticed:reset()
  local due = boards:board("due", { reset = "0 0 * * *" })
  due:submit("anna", 1)
  world.now = monday + 2 * day
  local heard = {}
  hear(boards, "rewards", heard) -- the season of `due` ended a day ago, and no call has seen it
  boards:tick()
  eq(heard, {})
  noticed:reset()
  due:submit("anna", 1)
  world.now = world.now + day
  boards:tick()
  eq(heard, { "noticed/2", "due/2" })
end)

it("a board whose reset was due is told of without a lookup, the oldest first", function()
  local world, boards = open()
  local heard = {}
  hear(boards, "rewards", heard)
  for _, name in ipairs { "weekly", "daily", "empty" } do
    boards:board(name, { reset = name == "weekly" and "0 0 * * 1" or "0 0 * * *" })
  end
  boards:board("weekly"):submit("anna", 1)
  boards:board("daily"):submit("anna", 1)
  world.now = monday + 30 * day
  boards:tick()
  eq(heard, { "daily/1", "weekly/1" })
  eq(boards:board("empty"):season(), 1)
end)

it("one board's seasons come in order, and of several boards the oldest end first", function()
  local world, boards = open()
  local heard = {}
  hear(boards, "rewards", heard)
  local a, b = boards:board("a", { archive = 9 }), boards:board("b", { archive = 9 })
  for _, board in ipairs { b, a, a, b, a } do
    world.now = world.now + 1
    board:reset()
  end
  boards:tick()
  eq(heard, { "b/1", "a/1", "a/2", "b/2", "a/3" })
end)

it("one board's seasons come in order even if the clock went back between their ends", function()
  local world, boards = open()
  local heard = {}
  hear(boards, "rewards", heard)
  local a, b = boards:board("a", { archive = 9 }), boards:board("b", {})
  a:reset()
  world.now = world.now - 100
  b:reset()
  a:reset()
  boards:tick()
  eq(heard, { "b/1", "a/1", "a/2" })
end)

it("after the clock went back the next reset is told of when it is due", function()
  local world, boards = open()
  local heard = {}
  hear(boards, "rewards", heard)
  local board = boards:board("cup", { reset = "0 0 * * 1" })
  board:submit("anna", 1)
  boards:tick()
  world.now = monday - 8 * day
  boards:tick()
  eq(heard, {})
  world.now = monday - 7 * day
  boards:tick()
  eq(heard, { "cup/1" })
end)

it("several names hear of an end in the order of their registration", function()
  local _, boards = open()
  local heard = {}
  for _, name in ipairs { "zebra", "ant", "bear" } do
    boards:on_season_end(name, function(season) heard[#heard + 1] = name .. season.season end)
  end
  local board = boards:board("cup", { archive = 9 })
  board:reset()
  board:reset()
  boards:tick()
  eq(heard, { "zebra1", "ant1", "bear1", "zebra2", "ant2", "bear2" })
end)

it("at least one handler is called a tick, and further ones until five milliseconds have passed", function()
  local _, boards = open()
  local board = boards:board("cup", { archive = 50 })
  local heard = 0
  boards:on_season_end("slow", function()
    heard = heard + 1
    local ends = os.clock() + 0.06
    while os.clock() < ends do end
  end)
  for _ = 1, 3 do board:reset() end
  for i = 1, 3 do
    boards:tick()
    eq(heard, i)
  end
  boards:on_season_end("slow", function() heard = heard + 1 end)
  for _ = 1, 20 do board:reset() end
  boards:tick()
  assert(heard > 4, heard)
  while heard < 23 do boards:tick() end
end)

it("a handler that raises is logged and called again after 1 s, then 2, up to 60", function()
  local world, boards = open()
  local calls = 0
  boards:on_season_end("rewards", function() calls = calls + 1 error "the bank is closed" end)
  boards:board("cup", {}):reset()
  boards:tick()
  eq(calls, 1)
  contains(table.concat(world.lines, "\n"), "the bank is closed")
  contains(table.concat(world.lines, "\n"), "stack traceback")
  local waits = {}
  for _ = 1, 8 do
    local before, waited = calls, 0
    while calls == before do
      boards:tick()
      if calls == before then
        world.now = world.now + 1
        waited = waited + 1
      end
    end
    waits[#waits + 1] = waited
  end
  eq(waits, { 1, 2, 4, 8, 16, 32, 60, 60 })
  local listed_now = boards:season_ends()
  eq(#listed_now, 1)
  contains(listed_now[1].error, "the bank is closed")
  assert(not listed_now[1].error:find("traceback", 1, true))
  listed_now[1].error = nil
  eq(listed_now, { { name = "rewards", board = "cup", season = 1, tries = 9 } })
end)

it("an end of a board that failed holds up its later ones, and nothing else", function()
  local world, boards = open()
  local a, b = boards:board("a", { archive = 9 }), boards:board("b", {})
  local heard, fails = {}, true
  boards:on_season_end("first", function(season)
    heard[#heard + 1] = "first " .. season.board .. season.season
    if fails and season.board == "a" then error "no" end
  end)
  boards:on_season_end("second", function(season)
    heard[#heard + 1] = "second " .. season.board .. season.season
  end)
  a:reset()
  a:reset()
  b:reset()
  boards:tick()
  eq(heard, { "first a1", "second a1", "second a2", "first b1", "second b1" })
  eq(listed(boards), { "first a/1 1", "first a/2 0" })
  fails = false
  world.now = world.now + 1
  boards:tick()
  eq({ heard[6], heard[7] }, { "first a1", "first a2" })
  eq(boards:season_ends(), {})
end)

it("what a handler wrote before it raised stays", function()
  local _, boards = open()
  local gold = boards:board("gold", { keep = "sum" })
  boards:on_season_end("rewards", function()
    gold:submit("anna", 5)
    error "no"
  end)
  boards:board("cup", {}):reset()
  boards:tick()
  eq(gold:score("anna"), 5)
end)

it("season_ends lists what is not done, oldest first", function()
  local world, boards = open()
  boards:on_season_end("one", function() error "no" end)()
  boards:on_season_end("two", function() error "no" end)()
  local a, b = boards:board("a", {}), boards:board("b", {})
  b:reset()
  world.now = world.now + 1
  a:reset()
  b:reset()
  eq(listed(boards), { "one b/1 0", "two b/1 0", "one a/1 0", "two a/1 0", "one b/2 0", "two b/2 0" })
  eq(boards:season_ends()[1].error, nil)
  boards:tick()
  eq(boards:season_ends()[1].tries, 0)
  eq(boards:stats().season_ends_waiting, 6)
end)

it("the returned function ends the calls, and the name stays registered", function()
  local _, boards = open()
  local board = boards:board("cup", {})
  local heard = {}
  local stop = hear(boards, "rewards", heard)
  stop()
  stop()
  board:reset()
  boards:tick()
  eq(heard, {})
  eq(listed(boards), { "rewards cup/1 0" })
  hear(boards, "rewards", heard)
  boards:tick()
  eq(heard, { "cup/1" })
end)

it("the same name again replaces the handler, and the former function then ends nothing", function()
  local _, boards = open()
  local first, second = {}, {}
  local stop = hear(boards, "rewards", first)
  local stop_second = hear(boards, "rewards", second)
  stop()
  boards:board("cup", {}):reset()
  boards:tick()
  eq(first, {})
  eq(second, { "cup/1" })
  stop_second()
  boards:board("cup"):reset()
  boards:tick()
  eq(#second, 1)
end)

it("forget_season_end ends a name for good, with all that it has not heard", function()
  local _, boards = open()
  local heard = {}
  hear(boards, "rewards", heard)()
  local board = boards:board("cup", { archive = 1 })
  for _ = 1, 5 do board:reset() end
  eq(#board:seasons(), 6)
  eq(boards:forget_season_end("rewards"), true)
  eq(boards:forget_season_end("rewards"), false)
  eq(boards:season_ends(), {})
  eq(board:seasons(), { 6, 5 })
  hear(boards, "rewards", heard) -- a new name, which hears of nothing older
  boards:tick()
  eq(heard, {})
end)

it("a name is text of 1 to 255 bytes, and a registry has at most 64", function()
  local _, boards = open()
  local function handler() end
  refuses("bad_data", boards:on_season_end("", handler))
  refuses("bad_data", boards:on_season_end(("x"):rep(256), handler))
  refuses("bad_data", boards:on_season_end("a\0b", handler))
  raises("bad argument #1 to 'on_season_end' (string expected, got number)",
    boards.on_season_end, boards, 5, handler)
  raises("bad argument #2 to 'on_season_end' (function expected, got nil)",
    boards.on_season_end, boards, "name")
  raises("bad argument #1 to 'forget_season_end' (string expected, got nil)",
    boards.forget_season_end, boards)
  eq(boards:forget_season_end(""), false)
  for i = 1, 64 do assert(boards:on_season_end("name " .. i, handler)) end
  refuses("unavailable", boards:on_season_end("one more", handler))
  assert(boards:on_season_end("name 64", handler))
end)

it("an ended season is kept until every name is done with it, whatever archive says", function()
  for archive = 0, 1 do
    local _, boards = open()
    local board = boards:board("cup", { archive = archive })
    boards:on_season_end("later", function() end)()
    local kept
    boards:on_season_end("rewards", function(season) kept = season.standings end)
    board:submit("anna", 1)
    board:reset()
    board:reset()
    boards:tick()
    eq(board:seasons(), { 3, 2, 1 })
    eq(kept:season(), 2)
    boards:on_season_end("later", function(season) eq(season.standings:season(), season.season) end)
    boards:tick()
    eq(boards:season_ends(), {})
    eq(#board:seasons(), archive + 1)
  end
end)

it("standings of a season that is not kept raises dropped after the handler returned", function()
  local _, boards = open()
  local board = boards:board("cup", { archive = 0 })
  board:submit("anna", 1)
  local standings
  boards:on_season_end("rewards", function(season)
    standings = season.standings
    eq(standings:size(), 1)
  end)
  board:reset()
  boards:tick()
  raises("dropped", standings.size, standings)
end)

it("at most 100 more seasons are kept: then the oldest goes, is logged and counted", function()
  local world, boards = open()
  local board = boards:board("cup", { archive = 2 })
  local heard = {}
  hear(boards, "rewards", heard)()
  for _ = 1, 102 do board:reset() end
  eq(#board:seasons(), 103)
  eq(#world.lines, 0)
  eq(boards:stats().season_ends_lost, 0)
  board:reset()
  eq(#board:seasons(), 103)
  eq(#world.lines, 1)
  contains(world.lines[1], "error: board \"cup\": season 1 is dropped before \"rewards\" was told")
  eq(boards:stats().season_ends_lost, 1)
  eq(#boards:season_ends(), 102)
  hear(boards, "rewards", heard)
  while #boards:season_ends() > 0 do boards:tick() end
  eq(#heard, 102)
  eq(heard[1], "cup/2")
  eq(#board:seasons(), 3)
end)

it("drop takes a board's ends with it", function()
  local _, boards = open()
  local heard = {}
  boards:on_season_end("rewards", function(season) heard[#heard + 1] = season.board error "no" end)
  boards:board("a", {}):reset()
  boards:board("b", {}):reset()
  boards:tick()
  boards:drop("a")
  eq(listed(boards), { "rewards b/1 1" })
  boards:board("a", {}):reset()
  boards:drop("b")
  eq(listed(boards), { "rewards a/1 0" })
end)

it("inside a handler tick and close raise", function()
  local _, boards = open()
  local ran = 0
  boards:on_season_end("rewards", function()
    raises("tick: a handler of a season's end may not call it", boards.tick, boards)
    raises("close: a handler of a season's end may not call it", boards.close, boards)
    ran = ran + 1
  end)
  boards:board("cup", {}):reset()
  boards:tick()
  eq(ran, 1)
  eq(boards:season_ends(), {})
  eq(boards:close(), true)
end)

it("inside a handler everything else may be called", function()
  local acts = {
    drop = function(boards) boards:drop("cup") end,
    reset = function(boards, season) if season.season < 5 then boards:board("cup"):reset() end end,
    register = function(boards) boards:on_season_end("another", function() end) end,
    forget_itself = function(boards) boards:forget_season_end("rewards") end,
    forget_another = function(boards) boards:forget_season_end("second") end,
    replace = function(boards) boards:on_season_end("rewards", function() end) end,
    stop = function(_, _, stop) stop() end,
    drop_and_make = function(boards) boards:drop("cup") boards:board("cup", {}) end,
    ban = function(boards) boards:ban("anna") boards:forget("bob") end,
    list = function(boards) eq(#boards:season_ends() > 0, true) end,
    session = function(boards) boards:record_session { player = "p", game = "g", score = 1, seconds = 1 } end,
    collect = function() collectgarbage() collectgarbage() end,
  }
  for name, act in pairs(acts) do
    local world, boards = open()
    local calls = 0
    local stop
    stop = boards:on_season_end("rewards", function(season)
      calls = calls + 1
      act(boards, season, stop)
    end)
    boards:on_season_end("second", function() end)
    local board = boards:board("cup", {})
    board:submit("anna", 1)
    board:submit("bob", 1)
    board:reset()
    for _ = 1, 9 do boards:tick() end
    eq({ name, world.lines[1], calls }, { name, nil, name == "reset" and 5 or 1 })
    eq({ name, #boards:season_ends() }, { name, 0 })
    boards:close()
  end
end)

it("a call on a board that waits for a remote raises inside a handler", function()
  local _, boards = open { remotes = { main = "redis://127.0.0.1:1" } }
  local world_board = boards:board("world", { remote = "main" })
  local posted
  boards:on_season_end("rewards", function()
    posted = world_board:post("anna", 1)
    raises("waits for an answer", world_board.top, world_board, 3)
  end)
  boards:board("cup", {}):reset()
  boards:tick()
  eq(posted, true)
  eq(boards:season_ends(), {})
end)

it("seasons that ended while no process ran are told after the restart, in order", function()
  in_folder(function(path)
    local world, boards = open { path = path }
    local heard = {}
    hear(boards, "rewards", heard)
    boards:board("daily", { reset = "0 0 * * *", archive = 1 }):submit("anna", 1)
    boards:board("weekly", { reset = "0 0 * * 1" }):submit("anna", 1)
    boards:close()
    world.now = monday + 20 * day
    open({ path = path }, world)
    boards = world.boards
    eq(listed(boards), {}) -- no lookup has noticed them
    hear(boards, "rewards", heard)
    boards:tick()
    eq(heard, { "daily/1", "weekly/1" })
    boards:close()
    open({ path = path }, world)
    hear(world.boards, "rewards", heard)
    world.boards:tick()
    eq(#heard, 2)
    world.boards:close()
  end)
end)

it("what is not done is called again after a restart, with the same id", function()
  in_folder(function(path)
    local world, boards = open { path = path }
    local ids, heard = {}, {}
    boards:on_season_end("rewards", function(season)
      ids[season.season] = season.id
      error "no"
    end)
    boards:on_season_end("second", function() end)
    local board = boards:board("cup", { archive = 0 })
    for _ = 1, 3 do board:reset() end
    boards:tick()
    boards:close()
    open({ path = path }, world)
    boards = world.boards
    eq(listed(boards), { "rewards cup/1 0", "rewards cup/2 0", "rewards cup/3 0" })
    boards:on_season_end("rewards", function(season)
      eq(season.id, ids[season.season] or season.id)
      heard[#heard + 1] = season.season
    end)
    boards:on_season_end("second", function() error "it has heard of them" end)
    boards:tick()
    eq(heard, { 1, 2, 3 })
    eq(boards:board("cup"):seasons(), { 4 })
    boards:close()
  end)
end)

it("a handler's writes and its note are one transaction, with every durability", function()
  for _, durability in ipairs { "tick", "always", "none" } do
    in_folder(function(path)
      local world, boards = open { path = path, durability = durability }
      local gold = boards:board("gold", { keep = "sum" })
      local cup = boards:board("cup", {})
      local before, during
      boards:on_season_end("rewards", function()
        before = boards:stats().disk_transactions
        for i = 1, 20 do gold:submit("p" .. i, 1) end
        boards:save_player { id = "p1", name = "One" }
        refuses("unavailable", boards:flush())
        refuses("unavailable", boards:backup(path .. "-copy"))
        during = boards:stats().disk_transactions
      end)
      cup:reset()
      boards:flush()
      boards:tick()
      eq(during, before)
      eq(boards:season_ends(), {})
      eq(boards:flush(), true)
      -- What is on the disk is all of it.
      eq(boards:backup(path .. "-copy"), true)
      boards:close()
      local copy_world = open({ path = path .. "-copy" }, world)
      eq(copy_world.boards:board("gold"):size(), 20)
      eq(copy_world.boards:season_ends(), {})
      copy_world.boards:close()
      os.execute("rm -rf '" .. path .. "-copy'")
    end)
  end
end)

it("with durability \"always\" the writes of a handler are on the disk after the tick", function()
  in_folder(function(path)
    local _, boards = open { path = path, durability = "always" }
    local gold = boards:board("gold", { keep = "sum" })
    boards:on_season_end("rewards", function() gold:submit("anna", 1) end)
    boards:board("cup", {}):reset()
    local before = boards:stats().disk_transactions
    boards:tick()
    eq(boards:stats().submissions_waiting, 0)
    assert(boards:stats().disk_transactions > before)
    boards:close()
  end)
end)

it("names and ends that are not done are exported and imported", function()
  in_folder(function(path)
    local world, boards = open()
    local file = path .. ".jsonl"
    local ids = {}
    boards:on_season_end("zebra", function(season)
      ids[season.board .. season.season] = season.id
      error "no"
    end)
    boards:on_season_end("\xff ant", function() end)()
    local a, b = boards:board("a", { archive = 0 }), boards:board("b", { archive = 0 })
    b:reset()
    a:reset()
    b:reset()
    boards:tick()
    eq(boards:export(file), true)

    local other_world, other = open(nil, { now = world.now, lines = {} })
    eq(other:import(file), true)
    os.remove(file)
    eq(#other:season_ends(), 6)
    local heard = {}
    for _, name in ipairs { "\xff ant", "zebra" } do
      other:on_season_end(name, function(season)
        eq(season.id, ids[season.board .. season.season] or season.id)
        eq(season.standings:season(), season.season)
        heard[#heard + 1] = name .. season.board .. season.season
      end)
    end
    other:tick()
    eq(heard, { "zebrab1", "\xff antb1", "zebraa1", "\xff anta1", "zebrab2", "\xff antb2" })
    eq(other:board("a"):seasons(), { 2 })
    eq(other_world.lines, {})
  end)
end)

it("stats count what is told, what failed and what waits", function()
  local world, boards = open()
  local fails = true
  boards:on_season_end("rewards", function() if fails then error "no" end end)
  boards:board("cup", {}):reset()
  boards:tick()
  eq(boards:stats().season_ends_failed, 1)
  eq(boards:stats().season_ends_waiting, 1)
  fails = false
  world.now = world.now + 1
  boards:tick()
  eq(boards:stats().season_ends_told, 1)
  eq(boards:stats().season_ends_waiting, 0)
end)

it("a function that ends the calls after its boards are closed does nothing", function()
  local _, boards = open()
  local stop = boards:on_season_end("rewards", function() end)
  boards:close()
  stop()
  raises("closed", boards.on_season_end, boards, "rewards", function() end)
  raises("closed", boards.season_ends, boards)
end)

-- A naive model: every end in a list, searched from the front.
local Model = {}
Model.__index = Model
function Model.new() return setmetatable({ ends = {}, names = {}, registered = 0, log = {} }, Model) end
function Model:register(name)
  if not self.names[name] then
    self.registered = self.registered + 1
    self.names[name] = { number = self.registered }
  end
  self.names[name].called = true
end
function Model:forget(name)
  self.names[name] = nil
  for _, each in ipairs(self.ends) do each.waits[name] = nil end
end
function Model:reset(board, season, now)
  local each = { board = board, season = season, at = now, waits = {} }
  for name in pairs(self.names) do each.waits[name] = { tries = 0, at = -math.huge } end
  self.ends[#self.ends + 1] = each
end
function Model:drop(board)
  for i = #self.ends, 1, -1 do
    if self.ends[i].board == board then table.remove(self.ends, i) end
  end
end
function Model.fails(name, season, tries) return tries < 3 and (season + #name) % 3 == 0 end
-- Ends are in the order of time, since the clock does not go back here.
function Model:next(now)
  local names = {}
  for name in pairs(self.names) do names[#names + 1] = name end
  table.sort(names, function(a, b) return self.names[a].number < self.names[b].number end)
  local blocked = {}
  for _, each in ipairs(self.ends) do
    for _, name in ipairs(names) do
      local wait, key = each.waits[name], name .. "/" .. each.board
      if wait and not blocked[key] then
        if self.names[name].called and wait.at <= now then return each, name, wait end
        blocked[key] = true
      end
    end
  end
end
function Model:tick(now)
  for each, name, wait in function() return self:next(now) end do
    self.log[#self.log + 1] = ("%s %s/%d"):format(name, each.board, each.season)
    if Model.fails(name, each.season, wait.tries) then
      wait.tries = wait.tries + 1
      wait.at = now + math.min(60, 2 ^ (wait.tries - 1))
    else
      each.waits[name] = nil
    end
  end
end
function Model:listed()
  local names, lines = {}, {}
  for name in pairs(self.names) do names[#names + 1] = name end
  table.sort(names, function(a, b) return self.names[a].number < self.names[b].number end)
  for _, each in ipairs(self.ends) do
    for _, name in ipairs(names) do
      if each.waits[name] then
        lines[#lines + 1] = ("%s %s/%d %d"):format(name, each.board, each.season, each.waits[name].tries)
      end
    end
  end
  return lines
end

it("random histories are told as a naive model tells them, also through restarts", function()
  for seed = 1, os.getenv "LAUREL_LONG" and 300 or 12 do
    in_folder(function(path)
      math.randomseed(seed)
      local options = { path = seed % 3 == 0 and path or nil }
      local world, boards = open(options)
      local model, log, stops = Model.new(), {}, {}
      local tries = {} -- of this process, as the handlers count them
      local function register(name)
        model:register(name)
        stops[name] = assert(boards:on_season_end(name, function(season)
          log[#log + 1] = ("%s %s/%d"):format(name, season.board, season.season)
          eq(season.standings:season(), season.season)
          local key = name .. season.id
          local tried = tries[key] or 0
          if Model.fails(name, season.season, tried) then
            tries[key] = tried + 1
            error "no"
          end
        end))
      end
      for step = 1, 150 do
        local name, board = "n" .. ("x"):rep(math.random(3)), "b" .. math.random(3)
        local dice = math.random(12)
        if dice <= 4 then
          local opened = boards:board(board, { archive = math.random(0, 2) })
          model:reset(board, opened:reset(), world.now)
        elseif dice == 5 then
          register(name)
        elseif dice == 6 and stops[name] then
          stops[name]()
          if model.names[name] then model.names[name].called = false end
        elseif dice == 7 and math.random(4) == 1 then
          eq(boards:forget_season_end(name), model.names[name] ~= nil)
          model:forget(name)
        elseif dice == 8 and math.random(4) == 1 then
          boards:drop(board)
          model:drop(board)
        elseif dice == 9 and options.path then
          boards:close()
          open(options, world)
          boards, stops, tries = world.boards, {}, {}
          for _, each in pairs(model.names) do each.called = false end
          for _, each in ipairs(model.ends) do
            for _, wait in pairs(each.waits) do wait.tries, wait.at = 0, -math.huge end
          end
        else
          world.now = world.now + math.random(0, 5)
          model:tick(world.now)
          repeat
            local before = #log
            boards:tick()
          until #log == before
        end
        local ok, why = pcall(function()
          eq(log, model.log)
          eq(listed(boards), model:listed())
        end)
        if not ok then error(("seed %d, step %d: %s"):format(seed, step, why)) end
      end
      boards:close()
    end)
  end
end)
