-- Every file that a comment names exists: "board/spec/spec.h", "post_journal.h", "TABLE.md". So do
-- those that the pages about the source name.
--
--   luajit tests/project/citations.lua
--
--   name     a file, from any folder on: "spec.h" and "board/spec/spec.h" name module/board/spec/spec.h.

package.path = "tests/project/?.lua;" .. package.path
local comments = require "comments"

local KINDS = { h = true, c = true, cc = true, lua = true, md = true, cmake = true }

-- Names of files that are not ours.
local FOREIGN = {}
for _, names in ipairs {
  "enet.h protocol.h", -- ENet's
  "lmdb.h mdb.c midl.h", -- LMDB's
  "xxhash.h", -- xxHash's
  "t_zset.c dict.c sds.c", -- Redis's
  "rules/season.lua host.c", -- a user's
  "tree_test.cc bench_SUBJECT.cc TEST.lua", -- placeholders
} do
  for name in names:gmatch("%S+") do FOREIGN[name] = true end
end

-- Calls found(name) for each name of a file in the text.
local function each_name(text, found)
  for word in text:gmatch("[%w_./*-]+") do
    local name, kind = word:match("^[./]*([%w_].-%.(%l+))[.-]*$")
    if KINDS[kind] and not name:find("*", 1, true) then found(name) end
  end
end

-- The files that are there, by each name that one has.
local function names_of(paths)
  local names = {}
  for _, path in ipairs(paths) do
    local name = path
    while name do
      names[name] = true
      name = name:match("/(.*)")
    end
  end
  return names
end

-- Guides name files that their readers write, too: of a guide, only tests are looked for.
local function missing(line, kind, names, is_guide)
  local list = {}
  each_name(comments.of(line, kind), function(name)
    local is_ours = not is_guide or name:match("^tests/")
    if is_ours and not names[name] and not FOREIGN[name] then list[#list + 1] = name end
  end)
  return list
end

do -- what it finds, and what not
  local names = names_of { "module/board/spec/spec.h", "module/docs/remotes.md" }
  local gone = "docs/gone" .. ".md"
  local function finds(line, kind, expected)
    assert(table.concat(missing(line, kind, names), " ") == expected, line)
  end
  finds("int a;  // as board/spec/spec.h says, and gone.h.", "h", "gone.h")
  finds(" * store/spec.h. remotes.md", "h", "store/spec.h")
  finds('#include "gone.h"', "cc", "")
  finds('Path path = folder / "gone.lua";', "cc", "")
  finds("local a -- *_spec.lua, a.b, docs/remotes.md, " .. gone, "lua", gone)
  finds("# gone.cc", "txt", "gone.cc")
  finds("the `spec.cc` of [it](../docs/remotes.md)", "md", "spec.cc")
  local guide = "`host.c` of yours, `tests/" .. "gone.cc`"
  assert(table.concat(missing(guide, "md", names, true), " ") == "tests/gone" .. ".cc")
end

local paths, commented = comments.files()
local sources = {}
for _, source in ipairs(commented) do
  local path = source.path
  -- Changes and decisions name files that are gone.
  source.is_guide = path:match("^module/docs/[^/]+$")
  local is_of_now = source.kind ~= "md" or path:match("^module/") and path ~= "module/CHANGELOG.md"
    and (source.is_guide or not path:match("^module/docs/"))
  if is_of_now then sources[#sources + 1] = source end
end

local names, wrong = names_of(paths), 0
for _, source in ipairs(sources) do
  local number = 0
  for line in io.lines(source.path) do
    number = number + 1
    for _, name in ipairs(missing(line, source.kind, names, source.is_guide)) do
      wrong = wrong + 1
      print(("%s:%d: names %s, which does not exist"):format(source.path, number, name))
    end
  end
end
print(("%d files read, %d names of files that do not exist"):format(#sources, wrong))
os.exit(wrong == 0 and 0 or 1)
