-- The tables of entries: which fields they have, and that they are the script's own.
local laurel = require "laurel"
local spec = require "spec"
local it, eq = spec.it, spec.eq

-- ada has data, bea a name, cleo neither
local function new()
  local boards = laurel.open()
  boards:board("kills", {}):submit("cleo", 3)
  local board = boards:board("b", {})
  board:submit("ada", 30, "sword", 1)
  board:submit("bea", 20, nil, 2)
  board:submit("cleo", 10, nil, 3)
  boards:save_player { id = "bea", name = "Bea" }
  return board, boards
end

local function fields(entry)
  local list = {}
  for name in pairs(entry) do list[#list + 1] = name end
  table.sort(list)
  return table.concat(list, " ")
end

-- All reads of the board, made twice: the tables of the second ones are made from what the first kept.
local function reads(board)
  local all = {}
  for _ = 1, 2 do
    all[#all + 1] = board:top(10)
    all[#all + 1] = board:page(3, 1)
    all[#all + 1] = board:bottom(2, { with = { "kills" } })
    all[#all + 1] = board:among { "cleo", "ada" }
    all[#all + 1] = board:get("bea")
    all[#all + 1] = board:top(0)
  end
  return all
end

it("an entry has the fields that have a value, and no others", function()
  local board = new()
  local top = board:top(10)
  eq(fields(top[1]), "at data player rank score")
  eq(fields(top[2]), "at name player rank score")
  eq(fields(top[3]), "at player rank score")
  eq(fields(board:page(3, 1)[1]), "at player rank score")
  eq(fields(board:get("bea")), "at name player rank score")
  eq(fields(board:among { "cleo" }[1]), "at overall player rank score")
  eq(board:bottom(1, { with = { "kills" } })[1],
    { player = "cleo", score = 10, rank = 3, at = 3, with = { kills = 3 } })
end)

it("a script that changes an entry changes no other one", function()
  local board = new()
  local was = reads(board)
  local top = board:top(10)
  for key in pairs(top[1]) do top[1][key] = "changed" end
  top[1].more, top[2].score, top[1][1] = "more", nil, 1
  eq(top[3], { player = "cleo", score = 10, rank = 3, at = 3 })
  eq(reads(board), was)
end)

it("entries and changes of the top are the same while a debugger's hook runs", function()
  local board, boards = new()
  local without = reads(board)
  local changes = {}
  board:watch(2, function(change) changes[#changes + 1] = change end)
  local function swap()
    board:submit("bea", 40, nil, 4)
    boards:tick()
    board:set("bea", 20, nil, 2)
    boards:tick()
  end
  swap()
  local seen = {}
  debug.sethook(function() seen[debug.getinfo(2, "S").short_src] = true end, "", 1)
  local with = reads(board)
  swap()
  debug.sethook()
  eq(with, without)
  eq(#changes, 4)
  for i = 1, 2 do
    changes[i].version, changes[i + 2].version = nil, nil
    eq(changes[i + 2], changes[i])
  end
  eq(changes[1].moved[1], changes[1].moved[1].player == "bea"
    and { player = "bea", name = "Bea", score = 40, rank = 1, at = 4, previous = 20, previous_rank = 2 }
    or { player = "ada", score = 30, rank = 2, at = 1, previous = 30, previous_rank = 1 })
  eq(seen.laurel, nil)
end)

it("an error that a hook raises leaves the next reads as they were", function()
  local board = new()
  local was = reads(board)
  local compiles = jit and jit.status()
  if compiles then -- compiled code calls no hook: it would be called after the reads
    jit.off()
    jit.flush()
  end
  for count = 1, 30 do
    local completed = pcall(function()
      debug.sethook(function()
        debug.sethook()
        error("stopped")
      end, "", count)
      reads(board)
    end)
    eq(completed, false)
    eq(reads(board), was)
  end
  if compiles then jit.on() end
end)
