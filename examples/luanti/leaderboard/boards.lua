-- boards.lua - the boards of a world, and the API for other mods.
--
--   stored     in the world's folder, so that a copy of the world has its boards. Each step passes
--              the changes to laurel's writer thread; closing waits for the disk.
--   handles    stay in this mod. Other mods use names, so they cannot clear a board by mistake.
--   shutdown   Luanti may run one more step, and let players leave, after its on_shutdown. After
--              the boards are closed, submissions are ignored and do not raise.
--
-- Called with laurel and the folder of rules. Returns the boards, or nil and why they cannot be
-- opened.
local laurel, rules = ...

local LEVELS = { debug = "verbose", info = "action", warn = "warning", error = "error" }

-- laurel.open raises if the directory is open in another server or its file is damaged.
local opened, registry = pcall(laurel.open, {
  path = minetest.get_worldpath() .. "/leaderboards",
  rules = rules,
  log = function(level, text) minetest.log(LEVELS[level], "[leaderboard] " .. text) end,
})
if not opened then return nil, tostring(registry) end

-- list: in the order of registration, { name =, title =, unit =, format =, board = }.
local boards = { registry = registry, list = {}, named = {}, closed = false, api = {} }

-- The score as it is; of a board with columns "12 / 53.21".
local function plain(score)
  local values = type(score) == "table" and score or { score }
  local parts = {}
  for i, value in ipairs(values) do parts[i] = ("%.14g"):format(value) end
  return table.concat(parts, " / ")
end

local loading = true
minetest.register_on_mods_loaded(function() loading = false end)

-- For mods with `optional_depends = leaderboard`. Without laurel this global does not exist, and
-- minetest.global_exists("leaderboard") is false.
--
--   leaderboard.register("parkour:lap", {
--     title = "Fastest lap", unit = "seconds",           -- headers of the tab and of the score
--     format = function(score) return score .. " s" end, -- default: the number
--     spec = { order = "asc", keep = "best" },           -- see laurel's boards:board; with `marks`
--                                                        -- the form shows ▲ and ▼ since then
--   })
--   leaderboard.submit("parkour:lap", player:get_player_name(), 41.5)
--
-- Must be called while mods load, so that every board has its tab, watch and overlay.
function boards.api.register(name, about)
  if not loading then error("boards are registered while mods load", 2) end
  if boards.named[name] then error("there is a board of this name: " .. name, 2) end
  local entry = {
    name = name, title = about.title, unit = about.unit,
    format = about.format or plain,
    board = assert(registry:board(name, about.spec)),
  }
  boards.list[#boards.list + 1], boards.named[name] = entry, entry
end

-- Returns the held score and whether it changed; or nil and why it was refused.
function boards.api.submit(name, player, score)
  local entry = boards.named[name]
  if not entry then error("there is no board of this name: " .. tostring(name), 2) end
  if boards.closed then return nil, "closed: the server is shutting down" end
  return entry.board:submit(player, score)
end

-- The index of the board whose name begins with a text such as "dig"; or nil and the names of all.
function boards.find(word)
  local names = {}
  for i, entry in ipairs(boards.list) do
    if entry.name:sub(1, #word) == word then return i end
    names[i] = entry.name
  end
  return nil, "There is no such board; there are: " .. table.concat(names, ", ")
end

-- Sets the name that overlays show: the name with which the player joined.
minetest.register_on_joinplayer(function(player)
  if boards.closed then return end
  local name = player:get_player_name()
  registry:save_player { id = name, name = name }
end)

-- Luanti loads mods on one thread and runs its steps on another. laurel allows this, if only one
-- thread calls at a time.
minetest.register_globalstep(function()
  if not boards.closed then registry:tick() end
end)

function boards.close()
  boards.closed = true
  local flushed, reason = registry:close() -- also ends the live channel and all threads
  if not flushed then minetest.log("error", "[leaderboard] not everything was kept: " .. reason) end
end

return boards
