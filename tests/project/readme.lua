-- Runs what the README shows: its Lua blocks, line for line against the output that they promise, in
-- a folder of their own; and holds its shell commands against the tests that run them.
--
--   luajit tests/project/readme.lua BUILD_FOLDER

local RUN_ELSEWHERE = {
  ["./examples/run"] = "example_race",
  ["./tests/run"] = "this very run",
  ["love examples/love --host 127.0.0.1 --port 7777 --board race"] = "love_window",
  ["cmake -S . -B build && cmake --build build"] = "for_users",
}

local ffi = require "ffi"
ffi.cdef "int chdir(const char *path); char *mkdtemp(char *template);"

local here = io.popen("pwd"):read("*l")
local folder = ffi.string(ffi.C.mkdtemp(ffi.new("char[?]", 64, "/tmp/laurel-readme-XXXXXX")))
local function enter(directory)
  assert(ffi.C.chdir(directory) == 0, "there is no folder " .. directory)
end

local build = assert(arg[1], "the build folder is needed")
package.cpath = build .. "/?.so;" .. package.cpath

local file = assert(io.open("README.md"))
local readme = file:read("*a")
file:close()

local blocks = { sh = 0, lua = 0 }
for language, block in readme:gmatch("```(%l+)\n(.-)```") do
  blocks[language] = (blocks[language] or 0) + 1
  if language == "sh" then
    for line in block:gmatch("[^\n]+") do
      assert(RUN_ELSEWHERE[line], "no test runs this command: " .. line)
    end
  elseif language == "lua" then
    local printed, promised = {}, {}
    for text in block:gmatch("%-%-> ([^\n]*)") do promised[#promised + 1] = text end
    local environment = setmetatable({
      print = function(...)
        local words = {}
        for i = 1, select("#", ...) do words[i] = tostring((select(i, ...))) end
        printed[#printed + 1] = table.concat(words, "\t")
      end,
    }, { __index = _G })
    enter(folder)
    setfenv(assert(loadstring(block, "=README.md")), environment)()
    enter(here)
    local next_printed = 1
    for _, text in ipairs(promised) do
      while printed[next_printed] and printed[next_printed] ~= text do
        next_printed = next_printed + 1
      end
      assert(printed[next_printed], ("promised and not printed: %q\nprinted:\n%s"):format(text,
        table.concat(printed, "\n")))
      next_printed = next_printed + 1
    end
    assert(#promised > 0, "a Lua block that promises nothing tests nothing")
  else
    error("nobody runs blocks of this language: " .. language)
  end
end
assert(blocks.sh >= 3 and blocks.lua >= 1, "the README lost its blocks")

for link in readme:gmatch("%]%(([^)#]+)%)") do
  if not link:match("^https?:") then assert(io.open(link), "the README links to nothing: " .. link) end
end
os.execute("rm -rf '" .. folder .. "'")
print(("README: %d commands run elsewhere, %d scripts run here"):format(blocks.sh, blocks.lua))
