-- Boards with columns against a naive list that is sorted for every question: random histories with ties,
-- bans, removals, resets, restarts and exports, on every engine.
local laurel = require "laurel"
local spec = require "spec"
local it = spec.it

local seed = tonumber(os.getenv "LAUREL_SEED") or os.time()
local histories, steps = 6, 90
if os.getenv "LAUREL_LONG" then histories, steps = 200, 1200 end

local function pick(list) return list[math.random(#list)] end

-- ---- random columns and scores

-- Small ranges, so that equal columns and equal scores are common; sometimes a wide first one.
local function any_columns()
  local columns = {}
  for i = 1, math.random(2, 4) do
    local decimals = math.random(0, 2)
    local min, scale = math.random(-6, 3), 10 ^ decimals
    columns[i] = { name = "c" .. i, order = pick { "desc", "asc" }, decimals = decimals, min = min / scale,
      max = (min + math.random(2, 12)) / scale }
  end
  if math.random(3) == 1 then columns[1].min, columns[1].max, columns[1].decimals = 0, 1e9, 0 end
  return columns
end

-- A number of steps of a column's last digit as a value.
local function value(column, n) return n / 10 ^ column.decimals end
local function steps_of(column, number) return math.floor(number * 10 ^ column.decimals + 0.5) end

local function any_score(columns)
  local score = {}
  for i, column in ipairs(columns) do
    local low, high = steps_of(column, column.min), steps_of(column, column.max)
    score[i] = value(column, math.random(low, math.min(high, low + 12)))
  end
  return score
end

local function any_difference(columns)
  local score = {}
  for i, column in ipairs(columns) do score[i] = value(column, math.random(-4, 6)) end
  return score
end

local function by_name(columns, score)
  local named = {}
  for i, column in ipairs(columns) do named[column.name] = score[i] end
  return named
end

-- ---- the oracle

local Oracle = {}
Oracle.__index = Oracle

local function new_oracle(fields)
  return setmetatable({ fields = fields, entries = {}, banned = {}, seasons = {} }, Oracle)
end

-- Below 0 if score a stands before score b.
function Oracle:compare(a, b)
  for i, column in ipairs(self.fields.columns) do
    if a[i] ~= b[i] then return (a[i] > b[i]) == (column.order == "desc") and -1 or 1 end
  end
  return 0
end

function Oracle:sorted(entries)
  local list = {}
  for player, entry in pairs(entries or self.entries) do
    if not self.banned[player] or entries then list[#list + 1] = entry end
  end
  local ties = self.fields.ties
  table.sort(list, function(a, b)
    local order = self:compare(a.score, b.score)
    if order ~= 0 then return order < 0 end
    if ties == "earliest" and a.at ~= b.at then return a.at < b.at end
    if ties == "latest" and a.at ~= b.at then return a.at > b.at end
    if ties == "player_desc" then return a.player > b.player end
    return a.player < b.player
  end)
  return list
end

function Oracle:is_held(score)
  for i, column in ipairs(self.fields.columns) do
    if score[i] < column.min - 1e-9 or score[i] > column.max + 1e-9 then return false end
  end
  return true
end

function Oracle:sum(held, difference)
  local sum = {}
  for i, column in ipairs(self.fields.columns) do
    sum[i] = value(column, steps_of(column, held and held[i] or 0) + steps_of(column, difference[i]))
  end
  return sum
end

-- Returns the score held, or the word of a refusal.
function Oracle:write(how, player, score, data, at)
  local held = self.entries[player]
  if self.banned[player] then return "banned" end
  local adds = how == "add" or (how == "submit" and self.fields.keep == "sum")
  if adds then
    score = self:sum(held and held.score, score)
    if not self:is_held(score) then return "out_of_range" end
  elseif held and how == "submit" then
    local keep = self.fields.keep
    if keep == "first" or (keep == "best" and self:compare(held.score, score) < 0) then return held.score end
  end
  if held and self:compare(held.score, score) == 0 then
    held.data = data or held.data
  else
    self.entries[player] = { player = player, score = score, at = at, data = data }
  end
  return score
end

-- Where a score is in the stretch that a bound ends: -1 before it, 0 in or at it, 1 behind it. Before is the
-- side of the smaller first column.
function Oracle:side(score, bound)
  for i, column in ipairs(self.fields.columns) do
    if bound[i] == nil then return 0 end
    if score[i] ~= bound[i] then
      return (score[i] < bound[i]) == (column.order == self.fields.columns[1].order) and -1 or 1
    end
  end
  return 0
end

local function ranks_of(oracle, list, i)
  local first, last, distinct = i, i, 1
  while first > 1 and oracle:compare(list[first - 1].score, list[i].score) == 0 do first = first - 1 end
  while last < #list and oracle:compare(list[last + 1].score, list[i].score) == 0 do last = last + 1 end
  for j = 2, first do
    if oracle:compare(list[j - 1].score, list[j].score) ~= 0 then distinct = distinct + 1 end
  end
  return { competition = first, modified = last, dense = distinct, ordinal = i }
end

-- ---- comparing

local function text(score)
  if type(score) ~= "table" then return tostring(score) end
  local parts = {}
  for i, number in ipairs(score) do parts[i] = ("%.10g"):format(number) end
  return "{" .. table.concat(parts, ",") .. "}"
end

local function check(what, got, expected)
  if got == expected then return end
  error(("%s: got %s, expected %s"):format(what, tostring(got), tostring(expected)), 0)
end

local function check_list(what, got, expected, ranks)
  check(what .. ": entries", #got, #expected)
  for i, entry in ipairs(expected) do
    local line = ("%s %s %s %s"):format(entry.player, text(entry.score), entry.at, tostring(entry.data))
    local is = got[i]
    check(what, ("%s %s %s %s"):format(is.player, text(is.score), is.at, tostring(is.data)), line)
    if ranks then check(what .. ": rank of " .. entry.player, is.rank, ranks(i)) end
  end
end

local function check_reads(what, oracle, board)
  local list = oracle:sorted()
  local ranking = oracle.fields.ranking
  check(what .. ": size", board:size(), #list)
  check_list(what, board:top(1000), list, function(i) return ranks_of(oracle, list, i)[ranking] end)
  for _ = 1, 3 do
    if #list > 0 then
      local i = math.random(#list)
      local entry, ranks = list[i], ranks_of(oracle, list, i)
      check(what .. ": score", text { board:score(entry.player) }, text(entry.score))
      for mode, rank in pairs(ranks) do
        check(what .. ": " .. mode, (board:rank(entry.player, mode)), rank)
      end
      local worse = #list - (ranking == "ordinal" and i or ranks.modified)
      check(what .. ": percentile", board:percentile(entry.player), 100 * worse / #list)
    end
    local columns = oracle.fields.columns
    local low, high = any_score(columns), any_score(columns)
    if math.random(2) == 1 then low[1], high[1] = (list[1] or { score = low }).score[1], high[1] end
    for _, bound in ipairs { low, high } do
      for i = #columns, math.random(#columns + 1), -1 do bound[i] = nil end
    end
    local between = {}
    for _, entry in ipairs(list) do
      if oracle:side(entry.score, low) >= 0 and oracle:side(entry.score, high) <= 0 then
        between[#between + 1] = entry
      end
    end
    check_list(what .. ": between " .. text(low) .. text(high), board:between(low, high), between)
    check(what .. ": count", board:count(low, high), #between)
    local asked, better, equals = any_score(columns), 0, 0
    for _, entry in ipairs(list) do
      local order = oracle:compare(entry.score, asked)
      if order < 0 then better = better + 1 elseif order == 0 then equals = equals + 1 end
    end
    if ranking == "competition" then check(what .. ": rank_of", board:rank_of(asked), better + 1) end
  end
end

-- ---- histories

local engines = {
  ranked = {}, padded = { engine = "padded" }, paged = { engine = "paged" },
  sharded = { engine = "sharded", shards = 3 },
  shards_padded = { engine = "sharded", shards = 3, of = "padded" },
  shards_paged = { engine = "sharded", shards = 3, of = "paged" }, capped = { engine = "capped", cap = 100 },
}

local function play(fields, folder)
  local now = 1e6
  local clock = function() return now end
  local boards = laurel.open { path = folder, clock = clock }
  local all, oracle = {}, new_oracle(fields)
  local with_sums = fields.keep == "sum"
  local with_capped = not with_sums and math.random(2) == 1 -- it cannot add
  for name, engine in pairs(engines) do
    if with_capped or name ~= "capped" then
      local given = {}
      for field, setting in pairs(fields) do given[field] = setting end
      for field, setting in pairs(engine) do given[field] = setting end
      all[name] = boards:board(name, given)
    end
  end
  local function each(act) for name, board in pairs(all) do act(name, board) end end

  local function write(how)
    local player, data = "p" .. math.random(14), math.random(4) == 1 and "d" .. math.random(3) or nil
    local adds = how == "add" or (how == "submit" and with_sums)
    local score = adds and any_difference(fields.columns) or any_score(fields.columns)
    if not adds and math.random(25) == 1 then score[1] = fields.columns[1].max + 1 end
    local at = 1000 + math.random(30)
    local expected
    if not adds and not oracle:is_held(score) then
      expected = oracle.banned[player] and "refused" or "out_of_range"
    else
      expected = text(oracle:write(how, player, score, data, at))
    end
    each(function(name, board)
      local given = math.random(2) == 1 and score or by_name(fields.columns, score)
      local held, changed = board[how](board, player, given, data, at)
      local answer = held and text(held) or changed:match("^[%w_]+")
      if expected == "refused" then answer = held == nil and "refused" end
      check(("%s: %s %s %s"):format(name, how, player, text(score)), answer, expected)
    end)
  end

  for _ = 1, steps do
    now = now + 1
    local kind = math.random(100)
    if kind <= 60 then
      write "submit"
    elseif kind <= 70 and not all.capped then
      write "add"
    elseif kind <= 76 then
      write "set"
    elseif kind <= 84 then
      local player = "p" .. math.random(14)
      oracle.entries[player] = nil
      each(function(_, board) board:remove(player) end)
    elseif kind <= 92 then
      local player = "p" .. math.random(14)
      oracle.banned[player] = not oracle.banned[player]
      each(function(_, board) board[oracle.banned[player] and "ban" or "unban"](board, player) end)
    elseif kind == 93 then
      oracle.last = oracle:sorted()
      oracle.entries = {}
      each(function(_, board) board:reset() end)
    elseif kind <= 96 then
      assert(boards:close())
      boards = laurel.open { path = folder, clock = clock }
      each(function(name) all[name] = assert(boards:board(name)) end)
    elseif kind == 97 then
      local file = folder .. ".jsonl"
      assert(boards:export(file))
      local copy = laurel.open { clock = clock }
      assert(copy:import(file))
      os.remove(file)
      each(function(name) check_reads(name .. " imported", oracle, copy:board(name)) end)
      copy:close()
    else
      boards:tick()
    end
    each(function(name, board) check_reads(name, oracle, board) end)
  end
  if oracle.last then
    each(function(name, board)
      local past = board:archived(board:season() - 1)
      check_list(name .. " archived", past:top(1000), oracle.last)
    end)
  end
  boards:close()
end

it("boards with columns of every engine answer as a sorted list does", function()
  math.randomseed(seed)
  for history = 1, histories do
    local fields = {
      columns = any_columns(), keep = pick { "best", "latest", "sum", "first" },
      ties = pick { "earliest", "latest", "player", "player_desc" },
      ranking = pick { "competition", "modified", "dense", "ordinal" },
    }
    spec.in_folder(function(folder)
      local ok, why = pcall(play, fields, folder)
      if not ok then error(("seed %d, history %d: %s"):format(seed, history, tostring(why)), 0) end
    end)
  end
end)
