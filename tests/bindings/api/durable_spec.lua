-- Boards in a directory: what is restored, what is refused, what waits for the disk.
local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises, refuses = spec.it, spec.eq, spec.raises, spec.refuses
local players, in_folder = spec.players, spec.in_folder

local function reopened(boards, path, options)
  eq(boards:close(), true)
  options = options or {}
  options.path = path
  return laurel.open(options)
end

it("a directory that is opened again has its boards", function()
  in_folder(function(path)
    local boards = laurel.open { path = path }
    local goals = boards:board("goals", { engine = "ranked", keep = "sum", meta = "all of them" })
    goals:submit("anna", 3, "left foot", 100)
    goals:submit("bob", 5, nil, 200)
    goals:submit("cleo", 5, nil, 150)
    local before, info = goals:top(10), goals:info()
    boards = reopened(boards, path)
    eq(boards:names(), { "goals" })
    goals = boards:board("goals")
    eq(goals:top(10), before)
    eq(goals:info(), info)
    eq(players(before), "cleo bob anna")
    goals:add("anna", 4)
    boards = reopened(boards, path)
    eq(players(boards:board("goals"):top(10)), "anna cleo bob")
    boards:close()
  end)
end)

it("boards of every engine are restored", function()
  in_folder(function(path)
    local specs = {
      capped = { engine = "capped", cap = 2, reserve = 2 },
      ranked = { engine = "ranked", order = "asc", decimals = 2 },
      padded = { engine = "padded", ties = "earliest" },
      paged = { engine = "paged", ranking = "dense" },
      sharded = { engine = "sharded", shards = 3 },
      padded_shards = { engine = "sharded", shards = 3, of = "padded" },
      paged_shards = { engine = "sharded", shards = 3, of = "paged" },
      rolling = { engine = "rolling", days = 3 },
    }
    local boards = laurel.open { path = path }
    local before = {}
    for name, fields in pairs(specs) do
      local board = boards:board(name, fields)
      for i = 1, 20 do board:submit("p" .. i, i % 7 + 1, i % 3 == 0 and "d" .. i or nil) end
      board:remove("p3")
      before[name] = board:top(100)
    end
    boards = reopened(boards, path)
    for name in pairs(specs) do eq(boards:board(name):top(100), before[name]) end
    -- The hidden reserve of a capped board is restored too.
    local capped = boards:board("capped")
    capped:remove(before.capped[1].player)
    eq(capped:size(), 2)
    boards:close()
  end)
end)

it("S3-26: seasons, bans, joins, hidden entries, players and sessions are restored", function()
  in_folder(function(path)
    local now = 1000
    local options = { path = path, clock = function() return now end }
    local boards = laurel.open(options)
    local daily = boards:board("daily", { reset = "0 0 * * *", archive = 2, join = "required" })
    daily:join("anna", 7)
    daily:join("bob", 9)
    now = now + 86400
    eq(daily:season(), 2)
    daily:submit("bob", 1)
    daily:submit("anna", 2)
    daily:ban("anna")
    boards:ban("mallory")
    boards:save_player { id = "anna", name = "Anna", email = "anna@example.org" }
    local id = boards:record_session { player = "anna", game = "chess", score = 3, seconds = 60 }
    local profile, session = boards:player("anna"), boards:session("anna", id)
    boards = reopened(boards, path, options)
    daily = boards:board("daily")
    eq(daily:seasons(), { 2, 1 })
    eq(players(daily:archived(1):top(10)), "bob anna")
    eq(daily:archived(1):info().ended, 86400)
    eq(players(daily:top(10)), "bob")
    eq(daily:banned(), { "anna", "mallory" })
    daily:unban("anna")
    eq(players(daily:top(10)), "anna bob")
    refuses("not_joined", daily:submit("eve", 1))
    eq(boards:player("anna"), profile)
    eq(boards:session("anna", id), session)
    now = now + 86400
    eq(daily:season(), 3)
    boards:close()
  end)
end)

it("a dropped board is still gone after a restart, and its name can be used again", function()
  in_folder(function(path)
    local boards = laurel.open { path = path }
    boards:board("old", {}):submit("anna", 1)
    boards:board("kept", {}):submit("bob", 1)
    boards:flush()
    boards:drop("old")
    boards = reopened(boards, path)
    eq(boards:names(), { "kept" })
    eq(boards:board("old", { engine = "capped" }):size(), 0)
    boards:close()
  end)
end)

it("a timestamp is never reused after a restart, whatever the clock returns", function()
  in_folder(function(path)
    local options = { path = path, clock = function() return 500 end }
    local boards = laurel.open(options)
    boards:board("b", {}):submit("first", 1)
    boards:board("b"):remove("first")
    boards:board("b", {}):submit("second", 1)
    boards = reopened(boards, path, options)
    boards:board("b", {}):submit("third", 1)
    eq(players(boards:board("b"):top(3)), "second third")
    local top = boards:board("b"):top(3)
    eq(top[1].at < top[2].at, true)
    boards:close()
  end)
end)

it("opening a directory that is already open raises an error that says so", function()
  in_folder(function(path)
    local boards = laurel.open { path = path }
    raises("is open already, in this process", laurel.open, { path = path })
    boards:close()
    laurel.open { path = path }:close()
  end)
end)

it("a path that cannot be created, or is not a directory, raises an error with its name", function()
  in_folder(function(path)
    local file = assert(io.open(path, "w"))
    file:close()
    raises(path, laurel.open, { path = path })
    raises(path, laurel.open, { path = path .. "/below" })
    raises("field 'path' is empty", laurel.open, { path = "" })
  end)
end)

it("a file of another format, or a truncated one, raises an error with its name", function()
  in_folder(function(path)
    laurel.open { path = path }:close()
    local file = assert(io.open(path .. "/laurel.mdb", "r+"))
    file:write("something else entirely")
    file:close()
    raises("laurel.mdb", laurel.open, { path = path })
    assert(io.open(path .. "/laurel.mdb", "w")):close()
    raises("laurel.mdb", laurel.open, { path = path })
  end)
end)

it("durability takes three values, and needs a path", function()
  in_folder(function(path)
    for _, word in ipairs { "tick", "always", "none" } do
      local boards = laurel.open { path = path, durability = word }
      boards:board("b", {}):submit(word, 1)
      eq(boards:flush(), true)
      eq(boards:close(), true)
    end
    local boards = laurel.open { path = path }
    eq(boards:board("b"):size(), 3)
    boards:close()
    raises("field 'durability' is \"sometimes\"; it takes", laurel.open,
      { path = path, durability = "sometimes" })
    raises("field 'durability' needs a 'path'", laurel.open, { durability = "tick" })
  end)
end)

it("with durability always no write waits for the disk", function()
  in_folder(function(path)
    local boards = laurel.open { path = path, durability = "always" }
    local board = boards:board("b", { join = "required" })
    board:join("anna")
    board:submit("anna", 5)
    boards:save_player { id = "anna", name = "Anna" }
    local stats = boards:stats()
    eq({ stats.submissions_waiting, stats.disk_bytes_waiting }, { 0, 0 })
    eq(stats.disk_transactions >= 4, true)
    boards:close()
  end)
end)

it("stats count the writes that wait for the disk, and flush clears them", function()
  in_folder(function(path)
    local boards = laurel.open { path = path }
    local board = boards:board("b", {})
    boards:flush()
    for i = 1, 10 do board:submit("p" .. i, i) end
    local stats = boards:stats()
    eq(stats.submissions_waiting, 10)
    eq(stats.disk_bytes_waiting > 0, true)
    eq(stats.disk_seconds_waiting >= 0, true)
    eq(boards:flush(), true)
    stats = boards:stats()
    eq({ stats.submissions_waiting, stats.disk_bytes_waiting, stats.disk_seconds_waiting }, { 0, 0, 0 })
    eq(stats.disk_failures, 0)
    eq(stats.disk_file_bytes > 0, true)
    boards:close()
  end)
end)

it("in memory flush and close are true, and backup is unsupported", function()
  local boards = laurel.open()
  boards:board("b", {}):submit("anna", 1)
  eq(boards:flush(), true)
  eq(boards:stats().submissions_waiting, 0)
  refuses("unsupported", boards:backup("somewhere"))
  eq(boards:close(), true)
  eq(boards:close(), true)
end)

it("a backup is a directory that opens with the state at the time of the backup", function()
  in_folder(function(path)
    local boards = laurel.open { path = path }
    boards:board("b", {}):submit("anna", 1)
    eq(boards:backup(path .. "/copy"), true)
    boards:board("b", {}):submit("bob", 2)
    refuses("taken", boards:backup(path .. "/copy"))
    refuses("taken", boards:backup(path))
    local copy = laurel.open { path = path .. "/copy" }
    eq(players(copy:board("b"):top(5)), "anna")
    refuses("taken", boards:backup(path .. "/copy"))
    copy:close()
    boards:close()
  end)
end)

it("a failed import leaves nothing in the directory", function()
  in_folder(function(path)
    local boards = laurel.open { path = path }
    boards:board("b", {}):submit("anna", 1)
    eq(boards:export(path .. "/lines"), true)
    boards:drop("b")
    local lines = assert(io.open(path .. "/lines", "a"))
    lines:write("no line of ours\n")
    lines:close()
    refuses("bad_data", boards:import(path .. "/lines"))
    boards = reopened(boards, path)
    eq(boards:names(), {})
    boards:close()
  end)
end)

it("an error in the clock function during opening releases the directory", function()
  in_folder(function(path)
    raises("no time", laurel.open, { path = path, clock = function() error("no time") end })
    raises("it must return Unix seconds", laurel.open, { path = path, clock = function() end })
    laurel.open { path = path }:close()
  end)
end)

it("boards that are collected without close are written to the disk", function()
  in_folder(function(path)
    do
      local boards = laurel.open { path = path }
      boards:board("b", {}):submit("anna", 1)
    end
    collectgarbage()
    collectgarbage()
    local boards = laurel.open { path = path }
    eq(boards:board("b"):size(), 1)
    boards:close()
  end)
end)

it("opening and closing a directory logs nothing", function()
  in_folder(function(path)
    local lines = {}
    local options = { path = path, log = function(_, line) lines[#lines + 1] = line end }
    local boards = laurel.open(options)
    boards:board("b", {}):submit("anna", 1)
    boards = reopened(boards, path, options)
    boards:tick()
    boards:close()
    eq(lines, {})
  end)
end)
