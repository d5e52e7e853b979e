-- Which objects keep which alive, and what happens to the objects that are collected.
local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises = spec.it, spec.eq, spec.raises

local function collect()
  collectgarbage()
  collectgarbage()
end

local function is_collected(make)
  local kept = setmetatable({}, { __mode = "v" })
  kept[1] = make()
  collect()
  return kept[1] == nil
end

it("unreferenced boards are collected together with their watches", function()
  eq(is_collected(function()
    local boards = laurel.open { log = function() end, clock = os.time }
    local board = boards:board("season", {})
    board:watch(5, function() board:size() boards:tick() end)
    return boards
  end), true)
end)

it("a board handle keeps its registry alive", function()
  local board = laurel.open():board("season", {})
  collect()
  board:submit("anna", 1)
  eq(board:size(), 1)
end)

it("an iterator keeps its registry alive", function()
  local function walk()
    local board = laurel.open():board("season", {})
    board:submit("anna", 1)
    return board:each()
  end
  local step = walk()
  collect()
  eq(step().player, "anna")
  eq(step(), nil)
  eq(step(), nil)
end)

it("a stop function keeps its registry alive", function()
  local stop = laurel.open():board("season", {}):watch(1, function() end)
  collect()
  stop()
end)

it("the callback of a watch is released when the watch ends", function()
  local boards = laurel.open()
  local kept = setmetatable({}, { __mode = "k" })
  local function watch(name)
    local board = boards:board(name, {})
    local function callback() end
    kept[callback] = true
    return board:watch(1, callback)
  end
  watch("stopped")()
  watch("dropped")
  boards:drop("dropped")
  boards:tick()
  collect()
  eq(next(kept), nil)
  watch("closed")
  boards:close()
  collect()
  eq(next(kept), nil)
end)

it("finalizers may use boards that are collected in the same cycle", function()
  local seen
  do
    local boards = laurel.open()
    local board = boards:board("season", {})
    local proxy = newproxy(true)
    getmetatable(proxy).__gc = function()
      local ok, result = pcall(board.submit, board, "anna", 1)
      seen = { ok, result }
    end
  end
  collect()
  eq(type(seen), "table")
  if not seen[1] then spec.contains(seen[2], "closed") end
end)

it("finalizers may change a board while its list is being created", function()
  local boards = laurel.open()
  local board = boards:board("season", {})
  for i = 1, 2000 do board:submit(("player-with-a-long-name-%04d"):format(i), i, ("x"):rep(50)) end
  local runs = 0
  local function disturb()
    local proxy = newproxy(true)
    getmetatable(proxy).__gc = function()
      runs = runs + 1
      board:remove(("player-with-a-long-name-%04d"):format(runs))
      board:top(50)
      board:submit("from a finalizer " .. runs, 1e6 + runs)
      if runs < 40 then disturb() end
    end
  end
  for _ = 1, 5 do disturb() end
  -- With a pause of 1 Lua 5.2 would run a full collection at each allocation.
  local pause = collectgarbage("setpause", _VERSION == "Lua 5.2" and 110 or 1)
  local speed = collectgarbage("setstepmul", _VERSION == "Lua 5.2" and 400 or 10000)
  for _ = 1, 20 do
    local top = board:top(2000)
    for i, entry in ipairs(top) do
      if entry.player:sub(1, 6) == "player" then
        eq(#entry.player, 28)
        eq(entry.data, ("x"):rep(50))
      end
      if i > 1 then eq(top[i - 1].score >= entry.score, true) end
    end
    for entry in board:each(1990) do eq(type(entry.player), "string") end
  end
  collectgarbage("setpause", pause)
  collectgarbage("setstepmul", speed)
  eq(runs > 0, true)
end)

it("a finalizer called by hand during a tick closes the boards safely", function()
  local boards = laurel.open()
  local board, called = boards:board("season", {}), false
  board:watch(1, function()
    called = true
    debug.getmetatable(boards).__gc(boards)
  end)
  board:watch(1, function() error("the boards were closed before") end)
  board:submit("anna", 1)
  boards:tick()
  eq(called, true)
  raises("closed", board.size, board)
  debug.getmetatable(boards).__gc(boards)
  raises("closed", boards.names, boards)
  eq(tostring(boards), "boards: closed")
end)

it("many registries can be open at once", function()
  local all = {}
  for i = 1, 50 do
    all[i] = laurel.open()
    all[i]:board("season", {}):submit("anna", i)
  end
  for i = 1, 50 do eq(all[i]:board("season"):score("anna"), i) end
end)
