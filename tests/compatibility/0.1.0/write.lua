-- write.lua - left the files beside it, run once by version 0.1.0 and never again:
--
--   luajit tests/compatibility/0.1.0/write.lua FOLDER      where 0.1.0's laurel.so lies
--
--   laurel.mdb.gz     a directory's file, as 0.1.0 closed it
--   boards.jsonl.gz   its export
--   contents.txt      what 0.1.0 read of it
--   kept.txt          what it keeps for others, and the tokens that clients still have
--   continued.txt     what the calls of play_on returned there
local folder = assert(arg[1], "the folder of laurel.so")
package.cpath = folder .. "/?.so"
package.path = "tests/compatibility/?.lua;tests/compatibility/0.1.0/scripts/?.lua"
local laurel = require "laurel"
local credentials = require "laurel.credentials"
local overlay = require "laurel.overlay"
local scene = require "scene"
assert(laurel.version == "0.1.0", laurel.version)

local HERE, RULES = "tests/compatibility/0.1.0/", "scripts/rules"
local DAY = 86400
local path = os.tmpname()
os.remove(path)

local function run(command) assert(os.execute(command) == 0, command) end

local function write_lines(name, lines)
  local file = assert(io.open(HERE .. name, "w"))
  file:write(table.concat(lines, "\n"), "\n")
  file:close()
end

-- The same numbers in every run.
local state = 1
local function below(n)
  state = state * 48271 % 2147483647
  return state % n
end

local function fill(board, players, factor)
  for i = 1, players do
    local data = i % 5 == 0 and "data " .. i or nil
    local at = i % 7 == 0 and scene.LEFT - 1e6 + i / 8 or nil
    assert(board:submit(("p%04d"):format(i), below(players) * factor, data, at) ~= nil
      or board:info().engine == "capped")
  end
end

local now = scene.LEFT - 20 * DAY
scene.set_clock(now)
local boards
local function pass(seconds)
  now = now + seconds
  scene.set_clock(now)
  boards:tick()
end

boards = scene.open(laurel, path, RULES)

---- any score, any id, any data, any moment

local plain = boards:board("plain", { archive = 3, meta = "naïve ☂\n\"quoted\"" })
plain:submit("huge", 1e300, "a\0b\255", -1698624000.000001) -- 1916
plain:submit("tiny", 5e-324, "")
plain:submit("whole", 2 ^ 53)
plain:submit("negative", -12.5, ("d"):rep(1024))
plain:submit("a tenth", 0.1)
for i, id in ipairs(scene.PLAYERS) do
  if id ~= "nobody" then plain:submit(id, i % 4, nil, scene.LEFT - i) end
end

---- every engine, with a season that has ended

for _, each in ipairs {
  { "ranked best", { archive = 3 }, 24 },
  { "ranked asc", { order = "asc", decimals = 3, ties = "latest", ranking = "dense" }, 24, 0.125 },
  { "ranked latest", { keep = "latest", ties = "player", ranking = "modified" }, 24, -1 },
  { "ranked sum", { keep = "sum", decimals = 1, ties = "player_desc", ranking = "ordinal" }, 24, 0.1 },
  { "ranked first", { keep = "first" }, 24 },
  { "capped", { engine = "capped", cap = 5, reserve = 5 }, 24 },
  { "capped asc", { engine = "capped", cap = 3, reserve = 1, order = "asc", ties = "player" }, 24 },
  { "padded", { engine = "padded", digits = 6 }, 24 },
  { "padded asc", { engine = "padded", order = "asc", ties = "earliest", decimals = 2, keep = "sum" }, 24 },
  { "paged", { engine = "paged" }, 1100 },
  { "paged asc", { engine = "paged", order = "asc", ties = "latest", decimals = 1, archive = 0 }, 24, 0.5 },
  { "sharded", { engine = "sharded", shards = 4 }, 24 },
  { "sharded padded", { engine = "sharded", shards = 3, of = "padded", digits = 4 }, 24 },
  { "sharded paged", { engine = "sharded", shards = 3, of = "paged", ties = "player" }, 24, 2.5 },
} do
  local name, spec, players, factor = unpack(each, 1, 4)
  local board = boards:board(name, spec)
  fill(board, math.min(players, 24), factor or 1)
  pass(1)
  board:reset()
  fill(board, players, factor or 1)
  board:set("ada", 7, "set")
  board:remove("p0003")
  board:remove("p0004")
  pass(1)
  for i = 1, 24, 4 do board:submit(("p%04d"):format(i), below(players) * (factor or 1)) end
  boards:flush()
end

---- time: weeks that ended by themselves, windows that move

local weekly = boards:board("weekly", { reset = "0 0 * * 1", archive = 2, keep = "sum" })
local rolling = boards:board("rolling", { engine = "rolling", days = 7, decimals = 1 })
while now < scene.LEFT - DAY do
  weekly:submit("ada", below(9))
  weekly:submit("bea", below(9))
  rolling:add("ada", 0.5 + below(9))
  rolling:add("bea", 1.5, "run")
  rolling:add("cleo", below(9) - 3)
  pass(DAY)
end
local minutes = boards:board("minutes", { engine = "rolling", window = { buckets = 5, seconds = 60 } })
pass(scene.LEFT - 240 - now)
for i = 1, 4 do
  minutes:add("ada", i)
  minutes:add("bea", 10 - i, nil, now - 30)
  pass(60)
end
assert(now == scene.LEFT)

---- who may play; rules

local cup = boards:board("cup", { join = "required", opens = scene.LEFT - DAY,
  closes = scene.LEFT + 30 * DAY })
cup:join("ada", 5)
cup:join("bea", 7)
cup:join("cleo")
cup:leave("bea")
local judged = boards:board("judged", { rule = "best_of", rule_failure = "keep" })
for _, points in ipairs { 30, 0.1, 25, 12.5, 7, 40 } do judged:submit("ada", points) end

plain:ban("dora")
plain:ban("stranger")
for _, name in ipairs(scene.HIDDEN) do boards:board(name):submit("mallory", 999, "hidden") end
boards:ban("mallory")
boards:board("ranked sum"):unban("mallory")
boards:ban("cleo")
boards:unban("cleo")

---- players and sessions

boards:save_player { id = "ada", name = "Ada", email = "ada@example.org" }
boards:save_player { id = "bea", email = "bea@example.org" }
boards:save_player { id = "naïve ☂", name = "n\255me" }
for i = 1, 12 do
  boards:record_session { player = i % 3 == 0 and "bea" or "ada", game = i % 2 == 0 and "chess" or "tetris",
    score = i * 10.5, seconds = i, data = i % 4 == 0 and "level " .. i or nil }
end
boards:record_session { player = "#PROFILE", game = "tetris", score = -1, seconds = 0,
  id = "01ARZ3NDEKTSV4RRFFQ69G5FAV", at = 1469918176 }

---- what is gone

local gone = boards:board("gone", { engine = "paged" })
fill(gone, 300, 1)
boards:flush()
boards:drop("gone")

---- the live channel: a token, one that is half used, and a client that may come back by its pass

local live = boards:serve { port = 0, auth = "token" }
live:publish(plain)
local tokens = { ada = assert(live:token("ada", 30 * DAY, { uses = 3 })),
  bea = assert(live:token("bea", 30 * DAY)), cleo = assert(live:token("cleo", 30 * DAY)) }
local welcomed = credentials.welcomed
function credentials.welcomed(self, word) -- the pass has the token's secret behind a word of its own
  tokens.cleo = ("%08x"):format(word) .. tokens.cleo:sub(9)
  return welcomed(self, word)
end
for player, connect in pairs { ada = laurel.connect, cleo = overlay.connect } do
  local client, top = connect { port = live:port(), token = tokens[player] }, nil
  client:subscribe("plain", 3, function(entries) top = entries end)
  repeat
    boards:tick()
    client:tick()
  until top
  client:close()
end
repeat boards:tick() until live:stats().clients == 0

---- posts that nobody took

local world = boards:board(scene.REMOTE_BOARD, { engine = "sharded", shards = 2, remote = "main" })
for i = 1, 5 do assert(world:post("p" .. i, i, i == 2 and "data" or nil, i == 3 and 100.5 or nil)) end
assert(boards:close())

run(("gzip -9nc %s/laurel.mdb >%slaurel.mdb.gz"):format(path, HERE))
run(("mkdir %s/copy && cp %s/laurel.mdb %s/copy"):format(path, path, path))
-- Without the remote: with one, 0.1.0 cannot export.
local copy = laurel.open { path = path .. "/copy", clock = function() return now end }
assert(copy:export(path .. "/boards.jsonl"))
copy:close()
run(("gzip -9nc %s/boards.jsonl >%sboards.jsonl.gz"):format(path, HERE))
boards = scene.open(laurel, path, RULES)
write_lines("contents.txt", scene.contents(boards))
live = boards:serve { auth = "token" }
repeat boards:tick() until live:stats().tickets == 4 -- two tokens, two passes
local kept = { "posts " .. scene.posts(boards), "tickets 4" }
for _, player in ipairs { "ada", "bea", "cleo" } do
  kept[#kept + 1] = "token " .. player .. " " .. tokens[player]
end
write_lines("kept.txt", kept)
write_lines("continued.txt", scene.play_on(boards))
boards:close()
run("rm -r " .. path)
