-- Runs the examples in the documents: every page of Markdown, in a scratch folder of its own that contains
-- the project's folders like a clone. Blocks of Lua and C are run, and their output must match, line for
-- line. Commands are run too, except those that another test runs (below). Links must have targets. The page
-- of the Lua API must name every function and field.
--
--   luajit tests/project/documents.lua BUILD_FOLDER [PAGE]...
--   luajit tests/project/documents.lua BUILD_FOLDER --lua lua5.4     the blocks of Lua alone, in that Lua,
--                                                                    with the module in BUILD_FOLDER/lua5.4
package.path = "tests/project/?.lua;" .. package.path
local page = require "page"

-- Blocks that are not run: pictures, output, and the bytes in PROTOCOL.md, which tests of the live channel
-- compare.
local READ_ONLY = { [""] = true, text = true, hex = true, seal = true }
-- Programs that pages may run in this test: they write to the scratch folder only.
local RUN_HERE = {
  luajit = true, printf = true, mv = true, cp = true, laurel = true, sqlite3 = true,
  ["module/cmake/install-packages"] = true,
}
-- Any other command, and the test that runs it; at least one page shows each command.
local RUN_BY_TESTS = {
  ["./examples/run"] = "example_race",
  ["./tests/run"] = "documents", -- this very run
  ["love examples/love --host 127.0.0.1 --port 7777 --board race"] = "love_window",
  ["cmake -S . -B build && cmake --build build --parallel $(nproc)"] = "for_users",
  ["cmake --install build"] = "install_prefix",
  ["module/debian/build-packages build/packages"] = "packages_debian",
  ["apt-get install ./build/packages/lua-laurel_0.2.0_amd64.deb "
    .. "./build/packages/laurel-tools_0.2.0_amd64.deb"] = "packages_debian",
  ["luarocks --lua-version 5.4 make scripts/laurel-0.2.0-1.rockspec"] = "packages_luarocks",
  ['cc host.c -o host -DLAUREL_MODULE="\\"$(pkg-config --variable=module laurel)\\"" '
    .. "$(pkg-config --cflags --libs laurel)"] = "install_prefix",
  ["./examples/run luanti"] = "luanti_run",
  ["./examples/run cluster"] = "example_cluster",
  ["./examples/run web"] = "example_web",
  ['LUA_CPATH="build/?.so;;" luajit server.lua'] = "web_first_overlay",
  ["build/laurel-web --connect 127.0.0.1:7777"] = "web_first_overlay",
  ["minetest --go --address 127.0.0.1 --port 30010 --name ada"] = "luanti_run",
}
-- Sections whose commands another test runs, and checks what they print.
local SECTIONS_RUN_BY_TESTS = { ["An evening with laurel in production"] = "packages_debian" }

-- The only CMake project that pages show. It must equal a file that another test builds: see `install`.
local CMAKE_PROJECT = "tests/project/consumer/CMakeLists.txt"

local ffi = require "ffi"
ffi.cdef [[
  int chdir(const char *path);
  char *mkdtemp(char *template);
  unsigned alarm(unsigned seconds);
]]
ffi.C.alarm(300) -- blocks that wait for a client have no time limit
local function enter(folder)
  assert(ffi.C.chdir(folder) == 0, "there is no folder " .. folder)
end
local function output_of(command)
  local pipe = io.popen(command)
  local text = pipe:read("*a")
  pipe:close()
  return text
end
local function exists(path) return os.execute("test -e '" .. path .. "'") == 0 end

-- The Lua that runs blocks of Lua; nil: this one.
local other_lua = arg[2] == "--lua" and assert(arg[3], "a program is needed") or nil
local root = output_of("pwd"):match("[^\n]+")
local build = assert(arg[1], "the build folder is needed")
if build:sub(1, 1) ~= "/" then build = root .. "/" .. build end
package.cpath = build .. "/?.so;" .. package.cpath
package.path = root .. "/scripts/?.lua;" .. package.path

local failures = {}
local function fail(path, line, ...)
  failures[#failures + 1] = ("%s:%d: %s"):format(path, line, string.format(...))
end

local function compare(path, line, promised, printed)
  for i = 1, math.max(#promised, #printed) do
    if promised[i] ~= printed[i] then
      return fail(path, line, "line %d of its output\n  promised: %s\n  printed:  %s", i,
        promised[i] or "nothing", printed[i] or "nothing")
    end
  end
end

local function make_scratch()
  local made = ffi.C.mkdtemp(ffi.new("char[?]", 64, "/tmp/laurel-page-XXXXXX"))
  assert(made ~= nil, "no folder can be made in /tmp: is the disk full?")
  local folder = ffi.string(made)
  for _, name in ipairs { "bindings", "examples", "module", "scripts", "tests" } do
    os.execute(("ln -s '%s/%s' '%s/%s'"):format(root, name, folder, name))
  end
  os.execute(("ln -s '%s' '%s/build'"):format(build, folder))
  os.execute(("ln -s '%s/laurel.so' '%s'"):format(build, folder))
  return folder
end

-- Fails for a path in one of the project's folders: in the scratch folder these are links.
local function write(path, text)
  local folder = path:match("^(.*)/")
  if folder then
    assert(not exists(root .. "/" .. folder:match("^[^/]+")), path .. " would lie in the project")
    os.execute("mkdir -p '" .. folder .. "'")
  end
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
end

---- Lua

-- A block that continues another one is in the same chunk, so that locals stay visible; lines keep their
-- numbers. A chain is stored under its first block.
local function chains(blocks)
  local by_first, chain = {}, nil
  for _, block in ipairs(blocks) do
    if block.language == "lua" then
      if not block.continues then
        chain = { first = block.first, next_line = 1, parts = {}, promises = {}, file = block.file }
        by_first[block] = chain
      end
      chain.parts[#chain.parts + 1] = ("\n"):rep(block.first - chain.next_line) .. block.text
      chain.next_line = block.first + #block.lines
      for _, promise in ipairs(block.promises) do chain.promises[#chain.promises + 1] = promise end
    end
  end
  return by_first
end

local function run_lua_by_program(path, chain, source)
  if source:find("laurel.overlay", 1, true) then return end -- which finds ENet by LuaJIT's ffi
  write("block.lua", source)
  local text = output_of(("LUA_PATH='%s/scripts/?.lua;%s/tests/bindings/api/?.lua;;' "
    .. "LUA_CPATH='%s/%s/?.so;;' %s '%s/tests/project/lua_block.lua' block.lua '%s' 2>problem; "
    .. "echo \"$? ended\""):format(root, root, build, other_lua, other_lua, root, path))
  local printed = {}
  for line in text:gmatch("([^\n]*)\n") do printed[#printed + 1] = page.words(line) end
  if table.remove(printed) ~= "0 ended" then fail(path, chain.first, "%s", output_of("cat problem")) end
  compare(path, chain.first, chain.promises, printed)
end

local function run_lua(path, chain)
  local source = table.concat(chain.parts)
  if chain.file then write(chain.file, (source:gsub("^\n+", ""))) end
  local chunk, why = loadstring(source, "=" .. path)
  if not chunk then return fail(path, chain.first, "%s", why) end
  if #chain.promises == 0 then
    if not chain.file then fail(path, chain.first, "a block that promises nothing tests nothing") end
    return
  end
  if other_lua then return run_lua_by_program(path, chain, source) end
  local printed = {}
  local environment = setmetatable({
    print = function(...)
      local words = {}
      for i = 1, select("#", ...) do words[i] = tostring((select(i, ...))) end
      for line in (table.concat(words, " ") .. "\n"):gmatch("(.-)\n") do
        printed[#printed + 1] = page.words(line)
      end
    end,
  }, { __index = _G })
  local fine, problem = xpcall(setfenv(chunk, environment), debug.traceback)
  if not fine then fail(path, chain.first, "%s", problem) end
  compare(path, chain.first, chain.promises, printed)
  collectgarbage()
end

---- C and commands

local function run_command(path, block, command)
  local text = output_of("{ " .. command .. "\n} 2>problem; echo \"$? ended\"")
  local printed = {}
  for line in text:gmatch("([^\n]*)\n") do printed[#printed + 1] = page.words(line) end
  local ended = table.remove(printed)
  if ended ~= "0 ended" then
    return fail(path, block.first, "%s\n%s%s", ended, text, output_of("cat problem"))
  end
  if #block.promises > 0 then compare(path, block.first, block.promises, printed) end
end

local function run_c(path, block)
  local name = block.file or "block.c"
  write(name, block.text)
  local compile = "cc -std=c11 -D_DEFAULT_SOURCE -Wall -Wextra -Werror -Imodule/include "
  if block.text:find("int main", 1, true) then
    run_command(path, block, compile .. name .. " -o block -ldl && ./block")
  else
    run_command(path, block, compile .. "-fsyntax-only " .. name)
  end
end

-- Benchmarks take long: only checks that the program has the named benchmark.
local function check_benchmark(path, block, program, words)
  local source = root .. "/tests/bench/" .. program
  if not exists(source .. ".cc") and not exists(source) then
    return fail(path, block.first, "there is no %s", program)
  end
  local built = build .. "/tests/bench/" .. program
  if not (words:find("filter", 1, true) and exists(built)) then return end
  if output_of(built .. " " .. words .. " --benchmark_list_tests") == "" then
    fail(path, block.first, "%s has no such benchmark: %s", program, words)
  end
end

local shown = {} -- commands in RUN_BY_TESTS that a page shows
local counts = { lua = 0, c = 0, sh = 0, by_tests = 0, links = 0, pictures = 0, left_out = 0 }

local function run_sh(path, block)
  if SECTIONS_RUN_BY_TESTS[block.section] then
    counts.by_tests = counts.by_tests + 1
    shown[block.section] = true
    return
  end
  local here = {}
  for line in block.text:gsub("\\\n", ""):gmatch("[^\n]+") do
    local program, words = line:match("^build/release/tests/bench/([%w_]+)%s*(.*)$")
    if not program then program, words = line:match("^%./tests/bench/(compare)%s*(.*)$") end
    if RUN_BY_TESTS[line] then
      counts.by_tests = counts.by_tests + 1
      shown[line] = true
    elseif program then
      check_benchmark(path, block, program, words)
    elseif RUN_HERE[line:gsub("^[%u_]+=%S+%s+", ""):match("^%S+")] then
      here[#here + 1] = line
    elseif line:match("^# %-%->") == nil then
      fail(path, block.first, "no test runs this command: %s", line)
    end
  end
  if #here > 0 then
    write("block.sh", table.concat(here, "\n") .. "\n")
    run_command(path, block, ("PATH='%s':$PATH LUA_CPATH='%s/?.so;;' sh -eu block.sh"):format(build, build))
  end
end

local function check_cmake(path, block)
  if block.text ~= output_of("cat '" .. root .. "/" .. CMAKE_PROJECT .. "'") then
    fail(path, block.first, "is not %s, which is what a test builds", CMAKE_PROJECT)
  end
end

local function run(document)
  local path = document.path
  if #document.blocks == 0 then return end
  local scratch = make_scratch()
  enter(scratch)
  local lua = chains(document.blocks)
  for _, block in ipairs(document.blocks) do
    counts[block.language] = (counts[block.language] or 0) + 1
    if block.language == "lua" then
      if lua[block] then run_lua(path, lua[block]) end
    elseif other_lua then
      counts.left_out = counts.left_out + 1
    elseif block.language == "c" then
      run_c(path, block)
    elseif block.language == "sh" then
      run_sh(path, block)
    elseif block.language == "cmake" then
      check_cmake(path, block)
    elseif not READ_ONLY[block.language:match("^%l*")] then
      fail(path, block.first, "nobody runs blocks of this language: %q", block.language)
    end
  end
  enter(root)
  os.execute("rm -rf '" .. scratch .. "'")
end

---- links

local function check_links(pages)
  for path, document in pairs(pages) do
    for _, link in ipairs(document.links) do
      local target, anchor = link.target:match("^([^#]*)#?(.*)$")
      if not target:match("^%w+:") then
        counts.links = counts.links + 1
        local folder = path:match("^(.*/)") or ""
        local file = target == "" and path or (folder .. target)
        local before
        repeat
          before = file
          file = file:gsub("[^/]+/%.%./", "", 1)
        until file == before
        if not exists(file) then
          fail(path, link.line, "links to nothing: %s", link.target)
        elseif anchor ~= "" and not (pages[file] and pages[file].anchors[anchor]) then
          fail(path, link.line, "links to no heading: %s", link.target)
        end
      end
    end
  end
end

---- pictures: small, with a description, and used by a page

local PICTURES, PICTURE_BYTES_MAX, PICTURES_BYTES_MAX = "module/docs/pictures", 100e3, 300e3

local function check_pictures(pages)
  local seen, sum = {}, 0
  for path, document in pairs(pages) do
    for _, picture in ipairs(document.pictures) do
      local file = (path:match("^(.*/)") or "") .. picture.target
      local bytes = tonumber(output_of(("wc -c <'%s' 2>&1"):format(file))) or 0
      seen[file], sum, counts.pictures = true, sum + bytes, counts.pictures + 1
      if bytes == 0 or bytes > PICTURE_BYTES_MAX then
        fail(path, picture.line, "%s has %d bytes; wanted 1 to %d", file, bytes, PICTURE_BYTES_MAX)
      end
      if #picture.alternative < 20 then fail(path, picture.line, "%s is not described", file) end
    end
  end
  if sum > PICTURES_BYTES_MAX then
    fail("README.md", 1, "pictures of %d bytes; wanted at most %d", sum, PICTURES_BYTES_MAX)
  end
  for file in output_of("find " .. PICTURES .. " -type f"):gmatch("[^\n]+") do
    if not seen[file] then fail(file, 1, "is on no page") end
  end
end

---- commands that other tests run

local function check_run_by_tests()
  local registered = output_of("ctest --test-dir '" .. build .. "' -N")
  local commands = {}
  for _, run_by_tests in ipairs { RUN_BY_TESTS, SECTIONS_RUN_BY_TESTS } do
    for command, test in pairs(run_by_tests) do commands[command] = test end
  end
  for command, test in pairs(commands) do
    if not registered:find(": " .. test .. "\n", 1, true) then
      fail("tests/project/documents.lua", 1, "there is no test %s, which is to run %s", test, command)
    end
    if not shown[command] then
      fail("tests/project/documents.lua", 1, "no page shows this command any more: %s", command)
    end
  end
end

---- the Lua API and operating pages, compared with the annotations

local function check_api()
  local text = output_of("cat bindings/README.md module/docs/operating.md")
  local function missing(name, before)
    return name and not text:find(before .. name .. "%f[^%w_]")
  end
  local number = 0
  for line in io.lines("scripts/laurel.d.lua") do
    number = number + 1
    local call = line:match("^function %w+[.:]([%w_]+)%(")
    local word = line:match("^%-%-%-@field ([%w_]+)") or line:match('^%-%-%-| "([%w_]+)"')
    if missing(call, "[.:`]") or missing(word, "%f[%w_]") then
      fail("scripts/laurel.d.lua", number, "%s is on no page", call or word)
    end
  end
end

local pages, paths = {}, {}
local found = output_of("find . -name '*.md' -not -path './build/*' -not -path './.git/*' | sort")
for path in found:gmatch("%./([^\n]+)") do
  pages[path] = page.read(path)
  paths[#paths + 1] = path
end
local chosen = { unpack(arg, other_lua and 4 or 2) }
for _, path in ipairs(#chosen > 0 and chosen or paths) do
  run(assert(pages[path], "there is no page " .. path))
end
if #chosen == 0 and not other_lua then
  check_links(pages)
  check_pictures(pages)
  check_api()
  check_run_by_tests()
end
for _, failure in ipairs(failures) do print(failure) end
print(("%d blocks of Lua, %d of C, %d of commands, of which other tests run %d; %d links, %d pictures")
  :format(counts.lua, counts.c, counts.sh, counts.by_tests, counts.links, counts.pictures))
os.exit(#failures == 0 and 0 or 1)
