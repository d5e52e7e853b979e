-- Which room may include which: the architecture, checked against every #include.
--
--   luajit tests/project/layers.lua

local MAY_INCLUDE = {
  base = "base",
  rank = "base rank",
  store = "base rank store",
  engine = "base rank store engine",
  profile = "base rank store profile",
  board = "base rank store engine profile board",
  registry = "base rank store engine profile board registry",
  transfer = "base rank store engine profile board registry transfer",
  remote = "base rank store engine profile board registry remote",
  live = "base rank store engine profile board registry remote live",
  bindings = "base rank store engine profile board registry transfer remote live bindings",
  plugin = "base rank store engine profile board registry transfer remote live bindings plugin laurel",
  laurel = "",
}

-- Headers that only one place may include.
local ONE_HOME = {
  { header = "^lua%.h", home = "^bindings/" },
  { header = "^lauxlib%.h", home = "^bindings/" },
  { header = "^lualib%.h", home = "^bindings/" },
  { header = "^lua%.hpp", home = "^bindings/" },
  { header = "^luajit%.h", home = "^bindings/" },
  { header = "^enet/", home = "^module/live/net/enet_%w+%.[ch]c?$" },
  { header = "^lmdb%.h", home = "^module/store/" },
  { header = "^hiredis/", home = "^module/remote/redis/net/connection%.cc$" },
  { header = "^emmintrin%.h", home = "^module/rank/simd%.h$" },
  { header = "^arm_neon%.h", home = "^module/rank/simd%.h$" },
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

local function allows(list, room)
  for word in list:gmatch("%S+") do
    if word == room then return true end
  end
  return false
end

local wrong, read = 0, 0
local function complain(path, include, why)
  wrong = wrong + 1
  print(("%s:%d: includes %s: %s"):format(path, include.line, include.header, why))
end

local files = assert(io.popen("git ls-files --cached --others --exclude-standard -- module bindings"))
for path in files:lines() do
  local room = path:match("^module/include/(%w+)/") or path:match("^module/(%w+)/")
    or path:match("^(bindings)/")
  if path:match("%.[ch]c?$") and room then
    read = read + 1
    for _, include in ipairs(includes(path)) do
      local target = include.header:match("^(%w+)/")
      if MAY_INCLUDE[target] and not allows(MAY_INCLUDE[room], target) then
        complain(path, include, ("%s may include %s"):format(room, MAY_INCLUDE[room]))
      end
      for _, rule in ipairs(ONE_HOME) do
        if include.header:match(rule.header) and not path:match(rule.home) then
          complain(path, include, "it has its home elsewhere")
        end
      end
    end
  end
end

assert(read > 20, "no sources were found: run this at the top of the project")
print(("%d files read, %d wrong includes"):format(read, wrong))
os.exit(wrong == 0 and 0 or 1)
