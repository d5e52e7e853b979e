-- A game server that executes a test's commands, and prints what happened.
--
--   embedding_host server.lua LIBRARY NAME PATH DURABILITY REMOTE NOTES FRAME
--
--   PATH     of its boards; "-": in memory
--   REMOTE   a URL, which boards know as "main"; "-": none
--   NOTES    a file in which each post is noted: "post BOARD PLAYER SCORE" before it, "kept" or
--            "refused" after it, so that a kill leaves at most one post in doubt
--   FRAME    milliseconds
--
-- Each line on standard input is a piece of Lua that runs between two frames; the functions of
-- `told` are its commands. When the input ends, so does the server.
local library, name, path, durability, remote, notes, frame = unpack(arg)
package.cpath = library:match("^(.*)/") .. "/?.so"
package.path = arg[0]:gsub("[^/]*$", "") .. "?.lua;" .. package.path
local frames = require "frames"
local tick_times = require "tick_times"
local laurel = require "laurel"

local say, note = frames.say, frames.notes(notes)

local boards = laurel.open {
  path = path ~= "-" and path or nil,
  durability = path ~= "-" and durability or nil,
  remotes = remote ~= "-" and { main = remote } or nil,
  log = function(level, text)
    if level ~= "debug" then say("log %s %s", level, text) end
  end,
}
local told = setmetatable({}, { __index = _G })
local known, states = {}, {}
local live, playing, changing, settling

-- ---- boards

-- Prints the number of its pending posts. In the first frame these are the posts of an earlier
-- life.
function told.open(board, fields)
  if remote == "-" then fields.remote = nil end
  known[board] = boards:board(board, fields)
  local state = known[board]:remote()
  say("opened %s %d", board, state and state.pending or 0)
end

local function count_pending()
  local pending = 0
  for _, board in pairs(known) do
    local state = board:remote()
    pending = pending + (state and state.pending or 0)
  end
  return pending
end

-- Prints how many posts the remote refused.
function told.refusals()
  local refused = 0
  for _, board in pairs(known) do refused = refused + board:remote().refused end
  say("refusals %d", refused)
end

function told.serve(...)
  live = live or boards:serve { port = 0 }
  for _, board in ipairs { ... } do live:publish(known[board], { top = 10 }) end
  say("port %d", live:port())
end

-- Watches the top. Prints a line only when the top has become shorter.
function told.watch(board)
  local length = 0
  known[board]:watch(10, function(change)
    if #change.top < length then say("shrunk %s", board) end
    length = #change.top
  end)
end

-- Prints every entry, best first.
function told.dump(board)
  laurel.task(function()
    local size, why = known[board]:size()
    if not size then return say("failed %s", why) end
    for entry in known[board]:each() do
      say("entry %d %s %.17g", entry.rank, entry.player, entry.score)
    end
    say("dumped %d", size)
  end)
end

-- ---- seasons

local stops_before  -- the position of the player before whom rewarding stops

-- Lets rewarding stop before the player at that position; nil: it continues.
function told.stop_before(position) stops_before = position end

-- Gives each player of a season of `board` one point on `rewards`, once, and waits after each.
function told.reward(board, rewards)
  boards:on_season_end("rewards", function(season)
    if season.board ~= board then return end
    say("telling %d", season.season)
    local top, why = season.standings:top(100)
    assert(top, why)
    for position, entry in ipairs(top) do
      if position == stops_before then say("stopped %d", season.season) end
      while position == stops_before do assert(season.standings:size()) end
      local kept, reason = known[rewards]:post(entry.player, 1, nil, nil, season.id .. entry.player)
      assert(kept, reason)
      assert(season.standings:size())
    end
    say("told %d %d", season.season, #top)
  end)
end

function told.reset(board)
  laurel.task(function()
    local season, why = known[board]:reset()
    say("ended %s", season or why)
  end)
end

-- ---- bans

function told.ban(...)
  for _, player in ipairs { ... } do boards:ban(player) end
end
function told.unban(...)
  for _, player in ipairs { ... } do boards:unban(player) end
end
function told.banned(board)
  laurel.task(function()
    local players, why = known[board]:banned()
    say("banned %s", players and table.concat(players, " ") or why)
  end)
end

-- ---- posting

-- Posts without a note.
function told.post(board, player, score)
  local kept, reason = known[board]:post(player, score)
  if not kept then say("refused %s", reason) end
end

local function post(board, player, score)
  note(("post %s %s %.17g\n"):format(board, player, score))
  local kept, reason = known[board]:post(player, score)
  note(kept and "kept\n" or "refused\n")
  if not kept then say("refused %s", reason) end
end

-- Posts `each` times a frame, `count` times in all, while at most `at_once` posts wait, to random
-- boards { name, own =, low =, high =, parts = }. Scores are whole numbers from low to high,
-- divided by `parts`. If `own`, the players use this server only.
function told.play(seed, each, count, players, at_once, list)
  math.randomseed(seed)
  playing = { each = each, left = count, players = players, at_once = at_once, list = list }
end
function told.pause()
  playing = nil
  say("paused")
end

local function play()
  if count_pending() > playing.at_once then return end
  for _ = 1, math.min(playing.each, playing.left) do
    local board = playing.list[math.random(#playing.list)]
    local player = ("%s%02d"):format(board.own and name or "p", math.random(playing.players))
    post(board[1], player, math.random(board.low, board.high) / (board.parts or 1))
  end
  playing.left = playing.left - playing.each
  if playing.left > 0 then return end
  playing = nil
  say("played")
end

-- Prints a line when every post is acknowledged.
function told.settle() settling = true end

local function look_whether_settled()
  if count_pending() > 0 then return end
  settling = nil
  say("settled")
end

-- Posts until a post is refused, at most `most` times: 1 to each of `players` players in turn.
function told.fill(board, players, most)
  for posted = 0, most - 1 do
    local kept, reason = known[board]:post(("f%03d"):format(posted % players), 1)
    if not kept then return say("filled %d %s", posted, reason) end
  end
  say("filled %d", most)
end

-- Raises a leader's score by 1, `count` times, on one board after the other, every `gap` seconds.
function told.change(count, gap, list)
  changing = { number = 0, count = count, gap = gap, list = list, due = frames.now() }
end

local function change()
  local now = frames.now()
  if now < changing.due then return end
  changing.due = now + changing.gap
  changing.number = changing.number + 1
  local board = changing.list[changing.number % #changing.list + 1]
  local player = ("p%d"):format(changing.number % 7)
  assert(known[board]:post(player, changing.number))
  say("changed %s %d %.6f", board, changing.number, now)
  if changing.number == changing.count then
    changing = nil
    say("done")
  end
end

-- ---- frames

local times
function told.measure() times = tick_times.new() end
function told.measured()
  say("measured %s", times:text())
  times = nil
end

local function tick()
  if not times then return boards:tick() end
  local now, worked = frames.now(), frames.worked()
  boards:tick()
  times:add(frames.now() - now, frames.worked() - worked)
end

local function look_at_states()
  for board, handle in pairs(known) do
    local state = handle:remote()
    if state and state.state ~= states[board] then
      states[board] = state.state
      say("state %s %s", board, state.state)
    end
  end
end

note("\nbegun\n") -- ends a line that a kill has cut off
say("begun")
for lines in frames.each(tonumber(frame)) do
  for _, line in ipairs(lines) do setfenv(assert(loadstring(line)), told)() end
  if playing then play() end
  if changing then change() end
  if next(known) then tick() end -- nothing is sent before the boards are open
  look_at_states()
  if settling and not playing then look_whether_settled() end
end
boards:close()
say("closed")
