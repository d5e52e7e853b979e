-- Scripts that call anything from anywhere: random calls inside every callback and iterator. Nothing may
-- crash, hang or leave a board that contradicts itself.
local laurel = require "laurel"
local spec = require "spec"
local it, eq = spec.it, spec.eq

local ROUNDS = os.getenv "LAUREL_LONG" and 2000 or 60
local DEPTH = 3 -- of callbacks within callbacks
local PLAYERS = 40
local ENGINES = {
  { engine = "ranked" }, { engine = "ranked", keep = "sum", order = "asc" }, { engine = "capped", cap = 5 },
  { engine = "padded" }, { engine = "paged" }, { engine = "sharded", shards = 3 },
  { engine = "sharded", shards = 2, of = "padded", decimals = 0 }, { engine = "rolling", days = 3 },
}

local function name_of(number) return "board_" .. number end

-- A world of boards, and random calls on it.
local World = {}
World.__index = World

local function new(seed)
  math.randomseed(seed)
  local world = setmetatable({ depth = 0, now = 1e9, stops = {}, calls = 0 }, World)
  world.boards = laurel.open {
    clock = function()
      world:disturb(0.02)
      return world.now
    end,
    log = function() world:disturb(0.2) end,
  }
  for i = 1, #ENGINES do world:open(i) end
  return world
end

function World:open(i)
  local board = self.boards:board(name_of(i), ENGINES[i])
  return board
end

local function player() return "p" .. math.random(PLAYERS) end
local function score() return math.random(0, 1000) end

-- The calls. Each takes the world, and any board.
local CALLS = {
  function(_, b) b:submit(player(), score(), "data", 1e9) end,
  function(_, b) b:add(player(), score()) end,
  function(_, b) b:set(player(), score()) end,
  function(_, b) b:submit_all { { player(), score() }, { player(), score() } } end,
  function(_, b) b:submit_report(player(), score()) end,
  function(_, b) b:remove(player()) end,
  function(_, b) if math.random(10) == 1 then b:clear() end end,
  function(_, b) b:ban(player()) end,
  function(_, b) b:unban(player()) end,
  function(_, b) b:join(player()) end,
  function(_, b) b:leave(player()) end,
  function(_, b) if math.random(5) == 1 then b:reset() end end,
  function(_, b) b:top(10) b:bottom(3) b:page(2, 5) b:around(player(), 2) end,
  function(_, b) b:among { player(), player() } b:between(10, 500) b:count(1, 9) end,
  function(_, b) b:top_percent(20) b:around_score(score(), 3) b:score_at(3) b:score_at_percentile(50) end,
  function(_, b) b:get(player()) b:rank(player()) b:rank_of(score()) b:percentile(player()) b:info() end,
  function(_, b)
    local archived = b:archived(b:season() - 1)
    if archived then archived:top(3) end
  end,
  function(w, b) w.stops[#w.stops + 1] = b:watch(math.random(5), function() w:disturb(0.5) end) end,
  function(w) if #w.stops > 0 then table.remove(w.stops, math.random(#w.stops))() end end,
  function(w) w:walk(math.random(#ENGINES)) end,
  function(w) w.boards:tick() end,
  function(w) w.boards:ban(player()) end,
  function(w) w.boards:unban(player()) end,
  function(w) w.boards:forget(player()) end,
  function(w) w.boards:submit({ name_of(1), name_of(2) }, player(), score()) end,
  function(w) w.boards:submit_each(player(), { [name_of(1)] = score(), [name_of(2)] = score() }) end,
  function(w) w.boards:rename_player(player(), player()) end,
  function(_, b) b:set_data(player(), "data") end,
  function(_, b) b:top(3, { with = { b:info().name } }) b:among({ player() }, { with = {} }) end,
  function(w) w.boards:save_player { id = player(), name = "name " .. score() } end,
  function(w) w.boards:record_session { player = player(), game = "g", score = score(), seconds = 1 } end,
  function(w) w.boards:scores_of(player()) w.boards:names() w.boards:stats() end,
  function(w)
    local i = math.random(#ENGINES)
    w.boards:drop(name_of(i))
    w:open(i)
  end,
  function(w) laurel.task(function() w:disturb(0.5) end) end,
  function(w) w.now = w.now + math.random(0, 100000) end,
  function() collectgarbage() end,
}

-- The clock and every callback may drop the board that a call is about: then its handle says so.
local function unless_dropped(call, ...)
  local ok, problem = pcall(call, ...)
  if not ok and not tostring(problem):find("dropped", 1, true) then error(problem, 0) end
end

-- Makes a call now and then, from a callback or an iterator; on `number`, or on any board.
function World:disturb(chance, number)
  if self.depth >= DEPTH or math.random() > chance then return end
  self.depth = self.depth + 1
  self.calls = self.calls + 1
  local board = self.boards:board(name_of(number or math.random(#ENGINES)))
  if board then unless_dropped(CALLS[math.random(#CALLS)], self, board) end
  self.depth = self.depth - 1
end

-- Walks over a board, and disturbs it. Ends after one step a player, or sooner.
function World:walk(number)
  local board = self.boards:board(name_of(number))
  if not board then return end -- it is being opened
  local steps, seen = 0, {}
  unless_dropped(function()
    for entry in board:each() do
      steps = steps + 1
      assert(not seen[entry.player], entry.player .. " was visited twice")
      seen[entry.player] = true
      assert(steps <= PLAYERS, "the loop does not end")
      self:disturb(0.5, math.random(4) > 1 and number or nil)
    end
  end)
end

function World:check()
  for i = 1, #ENGINES do
    local board = self.boards:board(name_of(i))
    local size, list = board:size(), board:page(1, 10000)
    eq(#list, size)
    for k, entry in ipairs(list) do
      eq(board:rank(entry.player), entry.rank)
      if k > 1 then assert(list[k - 1].rank <= entry.rank, "ranks fall along the board") end
    end
  end
end

it("random calls inside every callback and iterator leave boards that agree with themselves", function()
  local first = os.time()
  for seed = first, first + ROUNDS do
    local ok, problem = xpcall(function()
      local world = new(seed)
      for _ = 1, 60 do
        world:disturb(1)
        world.depth = 0
        if math.random(4) == 1 then world:walk(math.random(#ENGINES)) end
      end
      world.boards:tick()
      world.depth = DEPTH
      world:check()
      world.boards:close()
    end, debug.traceback)
    if not ok then error(("seed %d: %s"):format(seed, problem), 0) end
  end
end)

it("a callback may close the boards, and what is running ends", function()
  for _, callback in ipairs { "watch", "each", "log", "clock" } do
    local closing = false
    local boards
    local function close_once() if closing then closing = false boards:close() end end
    boards = laurel.open {
      log = function() if callback == "log" then close_once() end end,
      clock = function() if callback == "clock" then close_once() end return 1e9 end,
    }
    local board = boards:board("b", {})
    board:submit("ada", 1)
    board:submit("bea", 2)
    board:watch(1, function() if callback == "watch" then close_once() end error("logged") end)
    closing = true
    pcall(function()
      if callback == "each" then for _ in board:each() do close_once() end end
      board:submit("cleo", 3)
      boards:tick()
    end)
    eq(closing, false)
    eq(pcall(board.top, board, 1), false)
    eq(boards:close(), true)
  end
end)
