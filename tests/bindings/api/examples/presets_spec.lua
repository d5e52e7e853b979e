-- The rules in scripts/rules on real boards, unmodified.
local laurel = require "laurel"
local spec = require "spec"
local it, eq = spec.it, spec.eq
local in_folder = spec.in_folder

local annotations = rawget(_G, "ANNOTATIONS") or assert(os.getenv("LAUREL_ANNOTATIONS"))
local presets = annotations:match("^(.*)/") .. "/rules"

local REFERENCE = 1767225600 -- as in decay.lua
local now = REFERENCE

local function open(path)
  return laurel.open {
    path = path, rules = presets, clock = function() return now end,
    log = function(level, text) if level == "error" then error(text) end end,
  }
end

local function refused(reason, _, why)
  spec.contains(why or "nothing was refused", "rejected: ")
  spec.contains(why, reason)
end

-- Plays the history on one board, and again on a board that is closed and opened after each move. Both must
-- have the same entries, which are returned.
local function with_and_without_restarts(name, fields, history)
  local entries
  in_folder(function(path)
    local started = now
    local boards = open()
    local board = boards:board(name, fields)
    for _, move in ipairs(history) do move(board) end
    entries = board:top(100)
    boards:close()

    now = started
    for _, move in ipairs(history) do
      boards = open(path)
      move(boards:board(name, fields))
      eq(boards:close(), true)
    end
    boards = open(path)
    eq(boards:board(name):top(100), entries)
    boards:close()
  end)
  return entries
end

-- plausible

it("plausible: the best score within the bounds counts", function()
  local boards = open()
  local board = boards:board("arena", { rule = "plausible" })
  eq({ board:submit("ada", 4000) }, { 4000, true })
  eq({ board:submit("ada", 3000) }, { 4000, false })
  refused("a score is between 0 and 1000000", board:submit("ada", -1))
  refused("a score is between 0 and 1000000", board:submit("ada", 1000001))
  eq(board:score("ada"), 4000)
  boards:close()
end)

it("plausible: a gain in one submission is limited, also for new players", function()
  local boards = open()
  local board = boards:board("arena", { rule = "plausible" })
  refused("5001 more at once, at most 5000", board:submit("ada", 5001))
  eq({ board:submit("ada", 5000) }, { 5000, true })
  now = now + 1000
  refused("5001 more at once", board:submit("ada", 10001))
  eq({ board:submit("ada", 10000) }, { 10000, true })
  boards:close()
end)

it("plausible: the gain per second since the current entry is limited", function()
  local boards = open()
  local board = boards:board("arena", { rule = "plausible" })
  board:submit("ada", 100, nil, now)
  refused("501 more in 10 s, at most 50 a second", board:submit("ada", 601, nil, now + 10))
  eq({ board:submit("ada", 600, nil, now + 10) }, { 600, true })
  refused("in 0 s", board:submit("ada", 601, nil, now)) -- earlier than the current entry
  eq(board:score("ada"), 600)
  boards:close()
end)

it("plausible: the limits depend on the board only, so a restart changes nothing", function()
  local function at(seconds, score)
    return function(board) now = REFERENCE + seconds board:submit("ada", score) end
  end
  local entries = with_and_without_restarts("arena", { rule = "plausible" },
    { at(0, 100), at(10, 601), at(20, 1100), at(21, 1200), at(25, 1300) })
  eq(entries[1].score, 1300)
  eq(entries[1].at, REFERENCE + 25)
end)

-- decay

it("decay: a point is worth twice a point that is one half-life older", function()
  local boards = open()
  local board = boards:board("form", { rule = "decay" })
  now = REFERENCE
  eq(board:submit("ada", 10), 10)
  now = REFERENCE + 7 * 86400
  local function points(player) return board:score(player) / 2 ^ ((now - REFERENCE) / (7 * 86400)) end
  eq(points("ada"), 5)
  board:submit("bea", 5)
  eq(board:score("bea"), board:score("ada"))
  board:submit("ada", 1)
  assert(math.abs(points("ada") - 6) < 1e-9) -- about a microsecond has passed
  now = now + 7 * 86400
  assert(math.abs(points("ada") - 3) < 1e-9)
  boards:close()
end)

it("decay: the order does not change without submissions", function()
  local boards = open()
  local board = boards:board("form", { rule = "decay" })
  for day = 0, 20 do
    now = REFERENCE + day * 86400
    for i = 1, 20 do board:submit("p" .. i, (i * 7 + day * 3) % 11) end
  end
  local before = spec.players(board:top(100))
  now = now + 365 * 86400
  eq(spec.players(board:top(100)), before)
  boards:close()
end)

it("decay: a late submission counts as if it had arrived in time", function()
  local boards = open()
  local board = boards:board("form", { rule = "decay" })
  board:submit("ada", 10, nil, REFERENCE + 14 * 86400)
  board:submit("ada", 8, nil, REFERENCE + 7 * 86400)
  board:submit("bea", 8, nil, REFERENCE + 7 * 86400)
  board:submit("bea", 10, nil, REFERENCE + 14 * 86400)
  eq(board:score("ada"), 56)
  eq(board:score("bea"), 56)
  refused("too far from the moment", board:submit("ada", 1, nil, REFERENCE + 1001 * 7 * 86400))
  boards:close()
end)

it("decay: a restart changes nothing", function()
  local history = {}
  for i = 1, 6 do
    history[i] = function(board)
      now = REFERENCE + i * 200000
      board:submit("ada", i / 3)
      board:submit("bea", 7 - i)
    end
  end
  eq(#with_and_without_restarts("form", { rule = "decay" }, history), 2)
end)

-- best_of

it("best_of: the score is the sum of the best five attempts, which are in the data", function()
  local boards = open()
  local board = boards:board("jumps", { rule = "best_of" })
  eq({ board:submit("ada", 10) }, { 10, true })
  eq(board:get("ada").data, "10")
  for _, attempt in ipairs { 30, 20.5, 25, 5 } do board:submit("ada", attempt, "sent along") end
  eq(board:score("ada"), 90.5)
  eq(board:get("ada").data, "30 25 20.5 10 5")
  eq(board:submit("ada", 4), 90.5)
  eq(board:submit("ada", 12), 97.5)
  eq(board:get("ada").data, "30 25 20.5 12 10")
  boards:close()
end)

it("best_of: attempts are stored exactly, however many digits they have", function()
  local seed = os.time()
  math.randomseed(seed)
  local boards = open()
  local board = boards:board("jumps", { rule = "best_of" })
  for round = 1, 200 do
    local player = "p" .. round
    local attempts = {}
    for i = 1, 8 do
      local scale = 10 ^ math.random(-300, 290)
      if math.random(2) == 1 then scale = 10 ^ math.random(-3, 8) end
      attempts[i] = (math.random() - 0.3) * scale
      if math.random(5) == 1 then attempts[i] = math.random(1000) end
      local held, why = board:submit(player, attempts[i])
      assert(held, ("seed %d, round %d: %s"):format(seed, round, tostring(why)))
      table.sort(attempts, function(a, b) return a > b end)
      local sum = 0
      for k = 1, math.min(5, #attempts) do sum = sum + attempts[k] end
      if held ~= sum then
        error(("seed %d, round %d: %.17g, not %.17g"):format(seed, round, held, sum))
      end
      assert(#board:get(player).data <= 1024)
    end
  end
  boards:close()
end)

it("best_of: sixteen attempts of the longest numbers fit the data and the budget", function()
  local folder = os.tmpname()
  os.remove(folder)
  os.execute("mkdir '" .. folder .. "'")
  local source = assert(io.open(presets .. "/best_of.lua")):read("*a")
  local file = assert(io.open(folder .. "/most.lua", "w"))
  file:write((source:gsub("local KEPT = 5", "local KEPT = 16")))
  file:close()
  local boards = laurel.open { rules = folder, log = function() end }
  local board = boards:board("jumps", { rule = "most" })
  for i = 1, 40 do
    local held, why = board:submit("ada", -i / 3 * 1e-290)
    assert(held, why)
  end
  assert(#board:get("ada").data <= 1024)
  boards:close()
  os.execute("rm -rf '" .. folder .. "'")
end)

it("best_of: works with decimals, and a score set by a moderator counts as one attempt", function()
  local boards = open()
  local board = boards:board("jumps", { rule = "best_of", decimals = 2 })
  for i = 1, 10 do board:submit("ada", i / 10) end
  eq(board:score("ada"), 4)
  board:set("ada", 3)
  eq(board:submit("ada", 0.25), 3.25)
  eq(board:get("ada").data, "3 0.25")
  boards:close()
end)

it("best_of: a restart changes nothing", function()
  local history = {}
  for i = 1, 8 do
    history[i] = function(board)
      now = REFERENCE + i
      board:submit("ada", (i * 5 % 8) / 3)
      board:submit("bea", 1e20 / i)
    end
  end
  local entries = with_and_without_restarts("jumps", { rule = "best_of" }, history)
  eq(spec.players(entries), "bea ada")
end)
