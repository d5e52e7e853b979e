#!/usr/bin/env luajit
-- A compiler launcher for clang, for a build that compiles each source alone: headers that many sources
-- begin with are compiled once, and not hundreds of times. A source of 40 lines has 100,000 lines of them.
--
--   LAUREL_PRECOMPILED=FOLDER CMAKE_CXX_COMPILER_LAUNCHER=.../alone.lua
--
-- One of SHARED is put in front of a source if the source's own header includes it, or, of a source
-- without one, any of its includes. All includes stand above other code, so what is behind them sees the
-- same with it and without it: a file that lacks an include is still found.
local SHARED = { -- the first that fits is taken: those that include others stand before them
  "bindings/api/board_call.h", "module/remote/remote.h", "module/remote/request/request.h",
  "module/registry/registry.h", "module/board/board.h", "module/board/standings/standings.h",
  "module/board/spec/spec.h", "module/engine/engine.h", "module/rank/tree/row_order.h",
  "module/base/result.h",
}

local folder, command = os.getenv "LAUREL_PRECOMPILED", { unpack(arg) }
local source = ""
for i, word in ipairs(command) do
  if word == "-c" then source = command[i + 1] end
end
local root = source:match "^(.*)/module/" or source:match "^(.*)/bindings/" or "."

local function quoted(words)
  local parts = {}
  for i, word in ipairs(words) do parts[i] = "'" .. word:gsub("'", [['\'']]) .. "'" end
  return table.concat(parts, " ")
end

local function run(words)
  local status = os.execute(quoted(words))
  return status == true or status == 0
end

local includes = {} -- by path: the project's own headers that it includes, in order
local function included(path)
  if includes[path] then return includes[path] end
  local found = {}
  includes[path] = found
  local file = io.open(path)
  if not file then return found end
  for name in ("\n" .. file:read "*a"):gmatch '\n#include "([^"]+)"' do
    for _, under in ipairs { root .. "/module/", root .. "/" } do
      local at = under .. name
      local there = io.open(at)
      if there then
        there:close()
        found[#found + 1] = at
        break
      end
    end
  end
  file:close()
  return found
end

local function add_all(path, all)
  if all[path] then return end
  all[path] = true
  for _, each in ipairs(included(path)) do add_all(each, all) end
end

local function shared_header()
  local all = {}
  for i, path in ipairs(included(source)) do
    local is_own = path:gsub("%.h$", "") == source:gsub("%.cc$", "")
    add_all(path, all)
    if i == 1 and is_own then break end
  end
  for _, header in ipairs(SHARED) do
    if all[root .. "/" .. header] then return header end
  end
end

-- The words without what is of one source: its name, its object and its list of dependencies; and, as a
-- text, those that must be the same. The folders of headers may differ.
local function flags_of(words)
  local flags, key, i = {}, {}, 2
  while i <= #words do
    local word = words[i]
    if word == "-o" or word == "-c" or word == "-MF" or word == "-MT" then
      i = i + 1
    elseif word ~= "-MD" then
      flags[#flags + 1] = word
      if not word:find "^%-I" then key[#key + 1] = word end
    end
    i = i + 1
  end
  return flags, table.concat(key, " ")
end

-- A name for each set of flags.
local function numbered(text)
  local hash = 2166136261
  for i = 1, #text do hash = (hash * 31 + text:byte(i)) % 4294967296 end
  return ("%08x"):format(hash)
end

local function precompiled(header, words)
  local flags, key = flags_of(words)
  local base = ("%s/%s-%s"):format(folder, header:gsub("/", "."), numbered(key))
  local done = io.open(base .. ".pch")
  if done then
    done:close()
    return base .. ".pch"
  end
  local build = { words[1], unpack(flags) }
  for _, word in ipairs { "-x", "c++-header", base .. ".h", "-o", base .. ".making" } do
    build[#build + 1] = word
  end
  -- One process makes it, others wait.
  local name = header:gsub("^module/", "")
  local line = ([=[[ -f '%s.pch' ] || { echo '#include "%s"' >'%s.h' && %s && mv '%s.making' '%s.pch'; }]=])
    :format(base, name, base, quoted(build), base, base)
  return run { "flock", base .. ".lock", "sh", "-c", line } and base .. ".pch" or nil
end

local header = source:find "%.cc$" and shared_header()
local pch = header and precompiled(header, command)
if pch then
  table.insert(command, 2, "-include-pch")
  table.insert(command, 3, pch)
end
os.exit(run(command) and 0 or 1)
