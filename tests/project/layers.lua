-- Which room may include which: the architecture, checked against every #include. Also: no cycle of
-- files, and no folder with too many.
--
--   luajit tests/project/layers.lua

local SOURCES_MAX = 35 -- of one folder

-- The rooms, and which of them each may include besides itself.
local MAY_INCLUDE = {
  base = "",
  metrics = "base",
  rank = "base",
  store = "base metrics rank",
  engine = "base metrics rank store",
  profile = "base metrics rank store engine",
  board = "base metrics rank store engine profile",
  registry = "base metrics rank store engine profile board",
  transfer = "base metrics rank store engine profile board registry",
  control = "base metrics rank store engine profile board registry transfer",
  remote = "base metrics rank store engine profile board registry",
  live = "base metrics rank store engine profile board registry remote",
  bindings = "base metrics rank store engine profile board registry transfer control remote live",
  plugin = "base metrics rank store engine profile board registry transfer control remote live bindings"
    .. " laurel",
  tool = "base metrics rank store engine profile board registry transfer control live bindings",
  web = "base metrics rank store engine profile board registry remote live",
  laurel = "",
}

-- The folders of a room from the bottom up: each may include itself and those before it. "." are the
-- files of the room itself.
local FOLDERS = {
  base = "process . zone",
  rank = ". score player tree",
  store = ". check durable reading",
  engine = ". gather ranked capped padded paged rolling sharded factory",
  board = "spec standings results marks segments seasons . submission derived",
  registry = "derived .",
  remote = "request remote core archive redis/scripts redis/net redis dynamodb/net dynamodb .",
  live = "wire net auth secure server client",
  bindings = "lua values handle remote sandbox api . scripts",
  web = "http feed .",
}

-- Files that belong to another folder than their own: the interface of all remotes, below them; the limits
-- of a room, below all of it; what a board and its results both use, below these; what makes the engine that
-- a spec names, above them; and what opens the Lua module, in its API.
local BELONGS = {
  ["module/remote/remote.h"] = "remote",
  ["module/remote/limits.h"] = "request",
  ["module/live/limits.h"] = "wire",
  ["bindings/module.h"] = "api",
  ["module/board/marks/marked_board.cc"] = ".",
  ["module/board/segments/cohorted_board.cc"] = ".",
  ["module/board/segments/segmented_board.cc"] = ".",
  ["module/board/part_context.h"] = "standings",
  ["module/board/reclaimer.h"] = "standings",
  ["module/board/reclaimer.cc"] = "standings",
  ["module/board/persistent_rows.h"] = "standings",
  ["module/board/persistent_rows.cc"] = "standings",
  ["module/board/rules.h"] = "standings",
  ["module/engine/engine_factory.h"] = "factory",
  ["module/engine/engine_factory.cc"] = "factory",
}

-- Headers that only one place may include.
local ONE_HOME = {
  { header = "^lua%.h", home = "^bindings/" },
  { header = "^lauxlib%.h", home = "^bindings/" },
  { header = "^lualib%.h", home = "^bindings/" },
  { header = "^lua%.hpp", home = "^bindings/" },
  { header = "^luajit%.h", home = "^bindings/" },
  { header = "^enet/", home = "^module/live/net/enet_%w+%.[ch]c?$" },
  { header = "^sodium", home = "^module/live/secure/" },
  { header = "^lmdb%.h", home = "^module/store/" },
  { header = "^date/", home = "^module/base/zone/zone_data%.cc$" },
  { header = "^hiredis/", home = "^module/remote/redis/net/connection%.cc$" },
  { header = "^openssl/", home = "^module/remote/redis/net/tls_%w+%.cc$" },
  { header = "^emmintrin%.h", home = "^module/rank/simd%.h$" },
  { header = "^arm_neon%.h", home = "^module/rank/simd%.h$" },
  { header = "^boost/asio", home = "^module/web/" },
  { header = "^boost/beast/", home = "^module/web/" },
  { header = "^curl/", home = "^module/remote/dynamodb/net/http%.cc$" },
}

-- Also reads `<...>`: our own headers must not be included as system headers.
local function includes(path)
  local number, found = 0, {}
  for line in io.lines(path) do
    number = number + 1
    local header = line:match('^%s*#%s*include%s*[<"]([^>"]+)[>"]')
    if header then found[#found + 1] = { header = header, line = number } end
  end
  return found
end

-- The place of a word in a list, or nil.
local function place_in(list, word)
  local place = 0
  for each in list:gmatch("%S+") do
    place = place + 1
    if each == word then return place end
  end
end

local function room_of(path)
  return path:match("^module/include/(%w+)/") or path:match("^module/(%w+)/") or path:match("^(bindings)/")
end

local function folder_of(path)
  return BELONGS[path] or path:match("^module/%w+/(.+)/[^/]+$") or path:match("^bindings/(.+)/[^/]+$") or "."
end

local wrong, read = 0, 0
local function complain(path, line, why)
  wrong = wrong + 1
  print(("%s:%d: %s"):format(path, line, why))
end

local paths, by_header, sources = {}, {}, {}
local files = assert(io.popen("git ls-files --cached --others --exclude-standard"))
for path in files:lines() do
  local folder = path:match("^(.*)/")
  local is_source = path:match("%.[ch]c?$") or path:match("%.lua$")
  if folder and is_source and io.open(path) then sources[folder] = (sources[folder] or 0) + 1 end
  if path:match("%.[ch]c?$") and room_of(path) and io.open(path) then
    paths[#paths + 1] = path
    by_header[path:gsub("^module/include/", ""):gsub("^module/", "")] = path
  end
end

-- A component is a header with its source. A header that ends in _impl is a part of its component.
local function component_of(path) return (path:gsub("%.[ch]c?$", ""):gsub("_impl$", "")) end

local uses = {} -- component: the components that it includes, each with a line that does
local function check(path, include)
  local room, target = room_of(path), by_header[include.header]
  for _, rule in ipairs(ONE_HOME) do
    if include.header:match(rule.header) and not path:match(rule.home) then
      complain(path, include.line, ("%s may only be included in %s"):format(include.header, rule.home))
    end
  end
  if not target then return end
  local other = room_of(target)
  if other ~= room then
    if not place_in(MAY_INCLUDE[room], other) then
      complain(path, include.line, ("includes %s: %s may include %s"):format(include.header, room,
        MAY_INCLUDE[room]))
    end
  elseif FOLDERS[room] then
    local own, its = folder_of(path), folder_of(target)
    local from, to = place_in(FOLDERS[room], own), place_in(FOLDERS[room], its)
    if not from or not to then
      complain(path, include.line, ("the order of %s does not list %s"):format(room, from and its or own))
    elseif to > from then
      complain(path, include.line, ("includes %s: the order of %s is %s"):format(include.header, room,
        FOLDERS[room]))
    end
  end
  local mine, theirs = component_of(path), component_of(target)
  if mine ~= theirs then
    uses[mine] = uses[mine] or {}
    uses[mine][theirs] = ("%s:%d"):format(path, include.line)
  end
end

for _, path in ipairs(paths) do
  read = read + 1
  for _, include in ipairs(includes(path)) do check(path, include) end
end

for folder, count in pairs(sources) do
  if count > SOURCES_MAX then
    complain(folder, 0, ("%d sources, and at most %d are allowed"):format(count, SOURCES_MAX))
  end
end

-- Walks what a component includes; a component that is met again on the way is in a cycle.
local state, way = {}, {}
local function walk(component)
  state[component] = "on the way"
  way[#way + 1] = component
  for other in pairs(uses[component] or {}) do
    if state[other] == "on the way" then
      local first = 1
      while way[first] ~= other do first = first + 1 end
      complain(uses[component][other], 0, "a cycle: " .. table.concat(way, " -> ", first) .. " -> " .. other)
    elseif not state[other] then
      walk(other)
    end
  end
  way[#way] = nil
  state[component] = "done"
end
for component in pairs(uses) do
  if not state[component] then walk(component) end
end

assert(read > 20, "no sources were found: run this at the top of the project")
print(("%d files read, %d wrong"):format(read, wrong))
os.exit(wrong == 0 and 0 or 1)
