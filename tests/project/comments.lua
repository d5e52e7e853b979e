-- comments.lua - the comments of the project, line by line, for tests that read them.
--
--   comment  what follows // or a line's /* and * in C and C++, -- in Lua, # in CMake and scripts. All
--            of a page.
local comments = {}

-- What begins a comment, by the kind of file; of a page all is read.
local C = { "//(.*)", "/%*(.*)", "^%s*%* (.*)" }
local MARKS = { h = C, c = C, cc = C, js = C, mjs = C, css = { "/%*(.*)", "^   (.*)" },
  lua = { "%-%-(.*)" }, cmake = { "#(.*)" }, txt = { "#(.*)" }, script = { "# (.*)" },
  md = { "(.*)" } }

-- The comment of a line in a file of the kind; "" if it has none.
function comments.of(line, kind)
  for _, mark in ipairs(MARKS[kind]) do
    local comment = line:match(mark)
    if comment then return comment end
  end
  return ""
end

-- Without a known extension, the first line of the file decides.
local function kind_of(path)
  local extension = path:match("%.(%l+)$")
  if extension or path:match("^tests/fuzz/seeds/") then return extension end
  local file = assert(io.open(path))
  local first = file:read("*l")
  file:close()
  return first and first:match("^#!") and "script"
end

-- The paths of all files, and of those with comments {path, kind}.
function comments.files()
  local paths, sources = {}, {}
  for path in assert(io.popen("git ls-files --cached --others --exclude-standard")):lines() do
    paths[#paths + 1] = path
    local kind = kind_of(path)
    if MARKS[kind] then sources[#sources + 1] = { path = path, kind = kind } end
  end
  assert(#sources > 20, "no sources were found: run this at the top of the project")
  return paths, sources
end

return comments
