-- scene.lua - a registry that an old version left, made by write.lua in that version's folder: how it is
-- opened, what is read from it, and how play continues. The output must be the same in each version, so
-- this file and describe.lua never change what they do: a version with more to print gets its own scene.
--
--   scene.open(laurel, path)      opens the directory, with the clock at the moment when it was left
--   scene.contents(boards)        all local contents, as lines
--   scene.posts(boards)           the number of pending posts to a remote board
--   scene.play_on(boards)         plays, and returns the results of the calls, as lines; advances the clock
local describe = require "describe"

local scene = {
  LEFT = 1795176000, -- a Friday at noon, 20 November 2026
  PLAYERS = { "ada", "bea", "cleo", "dora", "mallory", "naïve ☂", "#PROFILE", ("x"):rep(255), "nobody" },
  GAMES = { "chess", "tetris" },
  HIDDEN = { "capped", "ranked sum", "padded", "paged", "sharded", "sharded padded", "sharded paged",
    "rolling", "minutes" }, -- boards on which a ban hides an entry of mallory
  REMOTE_BOARD = "world",
}
local DAY = 86400

local now = scene.LEFT
function scene.set_clock(moment) now = moment end

-- Opens it with the rules in `rules`, and a remote that never answers: posts to it stay pending.
function scene.open(laurel, path, rules)
  return laurel.open { path = path, rules = rules, clock = function() return now end,
    remotes = { main = "redis://127.0.0.1:1" }, remote_timeout = 0.1, log = function() end }
end

function scene.contents(boards)
  return describe(boards, { players = scene.PLAYERS, games = scene.GAMES, now = now })
end

-- The number of posts that the remote has not acknowledged.
function scene.posts(boards)
  return boards:board(scene.REMOTE_BOARD, { remote = "main" }):remote().pending
end

-- Values as text; for an error only its code, since the message may change.
local function words(...)
  local parts = {}
  for i = 1, select("#", ...) do
    local value = select(i, ...)
    if type(value) == "table" then
      local inner = {}
      for j, each in ipairs(value) do inner[j] = words(each) end
      value = "{" .. table.concat(inner, ", ") .. "}"
    elseif type(value) == "number" then
      value = ("%.17g"):format(value)
    elseif i > 1 and select(i - 1, ...) == nil and type(value) == "string" then
      value = value:match("^[%l_]+")
    end
    parts[i] = tostring(value)
  end
  return table.concat(parts, " ")
end

local function entries(list)
  local parts = {}
  for i, entry in ipairs(list) do
    parts[i] = ("%d:%s %.17g"):format(entry.rank, entry.player, entry.score)
  end
  return table.concat(parts, ", ")
end

function scene.play_on(boards)
  local lines = {}
  local function tell(what, ...) lines[#lines + 1] = what .. ": " .. words(...) end
  local function board(name) return assert(boards:board(name)) end

  local plain = board "plain"
  tell("an entry that a ban hid is back", plain:unban("dora"), entries({ plain:get("dora") }))
  tell("mallory is banned everywhere", plain:submit("mallory", 1))
  tell("but was pardoned here", board("ranked sum"):submit("mallory", 1))
  tell("and is banned from boards to come", boards:board("to come", {}):banned())
  tell("joined before", board("cup"):join("ada"), board("cup"):join("bea"), board("cup"):join("dora"))

  local capped = board "capped"
  tell("capped", entries(capped:top(9)))
  tell("the reserve moves up", capped:remove(capped:top(1)[1].player), entries(capped:top(9)))
  tell("best of", board("judged"):submit("ada", 1000), board("judged"):get("ada").data)

  local session = boards:sessions_of("ada")[1]
  tell("a session counts once", boards:record_session(session) == session.id,
    boards:player("ada").games_played)
  tell("an email is one player's", boards:save_player { id = "eve", email = "ada@example.org" })

  for _, name in ipairs(boards:names()) do
    local each = board(name)
    local first = not each:remote() and each:top(1)[1]
    if first and each:info().join == "open" then
      tell(name .. ": the first again", each:submit(first.player, first.score))
      tell(name .. ": a newcomer", each:submit("newcomer", first.score, "new"))
      tell(name .. ": adds", each:add("ada", 3))
      tell(name, each:rank("newcomer"))
      tell(name, entries(each:top(5)), each:size())
    end
  end

  tell("mallory is let in again", boards:unban("mallory"))
  for _, name in ipairs(scene.HIDDEN) do
    tell(name, entries({ board(name):get("mallory") }), board(name):banned())
  end

  now = now + 8 * DAY
  boards:tick()
  local weekly = board "weekly"
  tell("the week went on", weekly:season(), weekly:size(), weekly:seasons())
  tell("and is in the archive", entries(weekly:archived(weekly:season() - 1):top(9)))
  local rolling = board "rolling"
  tell("the window moved", rolling:size(), entries(rolling:top(9)))
  rolling:submit("bea", 2)
  tell("and takes results", entries(rolling:top(9)))
  tell("forgotten", boards:forget("ada"), boards:player("ada"), #boards:scores_of("ada"))
  tell("posted", boards:board(scene.REMOTE_BOARD, { remote = "main" }):post("ada", 9))
  tell("names", boards:names())
  return lines
end

return scene
