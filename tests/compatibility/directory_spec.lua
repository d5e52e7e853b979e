-- A directory of 0.1.0 opens, has the contents that 0.1.0 read from it, and can be played on. The folder
-- 0.1.0 has the directory, an export, and the expected output; its write.lua shows how they were made.
local here = debug.getinfo(1, "S").source:match("^@(.*)/") or "."
package.path = here .. "/?.lua;" .. package.path
local laurel = require "laurel"
local spec = require "spec"
local scene = require "scene"
local it, eq, until_ = spec.it, spec.eq, spec.until_

local OLD, RULES = here .. "/0.1.0/", here .. "/../../scripts/rules"

local function lines_of(name)
  local lines = {}
  for line in io.lines(OLD .. name) do lines[#lines + 1] = line end
  return lines
end

-- Compares two lists of lines; raises an error with the first line that differs.
local function same(actual, expected)
  for i = 1, math.max(#actual, #expected) do
    if actual[i] ~= expected[i] then
      error(("line %d is %s, and was %s"):format(i, tostring(actual[i]), tostring(expected[i])), 2)
    end
  end
end

-- Runs fn with a scratch folder that holds the unpacked file.
local function unpacked(name, fn)
  local folder = os.tmpname()
  os.remove(folder)
  local function run(command) assert(os.execute(command) == 0, command) end
  run("mkdir '" .. folder .. "'")
  run(("gzip -dc '%s%s.gz' >'%s/%s'"):format(OLD, name, folder, name))
  scene.set_clock(scene.LEFT)
  local fine, why = xpcall(function() fn(folder) end, debug.traceback)
  run("rm -r '" .. folder .. "'")
  if not fine then error(why, 0) end
end

it("a directory of 0.1.0 has the contents that 0.1.0 read from it", function()
  unpacked("laurel.mdb", function(path)
    local boards = scene.open(laurel, path, RULES)
    same(scene.contents(boards), lines_of "contents.txt")
    boards:close()
  end)
end)

it("play continues in a directory of 0.1.0 as in that version, and the results are stored", function()
  unpacked("laurel.mdb", function(path)
    local boards = scene.open(laurel, path, RULES)
    same(scene.play_on(boards), lines_of "continued.txt")
    local contents = scene.contents(boards)
    eq(boards:close(), true)
    boards = scene.open(laurel, path, RULES)
    same(scene.contents(boards), contents)
    eq(boards:backup(path .. "/copy"), true)
    boards:close()
    local copy = scene.open(laurel, path .. "/copy", RULES)
    same(scene.contents(copy), contents)
    copy:close()
  end)
end)

it("pending posts and tokens of 0.1.0 are still valid", function()
  unpacked("laurel.mdb", function(path)
    local boards = scene.open(laurel, path, RULES)
    local live = assert(boards:serve { auth = "token" })
    local kept = {}
    for _, line in ipairs(lines_of "kept.txt") do
      local what, value = line:match("^(.*) (%x+)$")
      kept[what] = value
    end
    eq(tostring(scene.posts(boards)), kept.posts)
    until_(function() return tostring(live:stats().tickets) == kept.tickets end, boards)

    local plain = boards:board("plain")
    live:publish(plain)
    for _, player in ipairs { "ada", "bea", "cleo" } do
      local client = assert(laurel.connect { port = live:port(), token = kept["token " .. player] })
      local top, around
      client:subscribe("plain", 3, function(entries) top = entries end)
      client:follow("plain", 0, function(entries) around = entries end)
      until_(function() return top and around end, client, boards)
      eq(spec.players(top), spec.players(plain:top(3)))
      eq(spec.players(around), player)
      client:close()
    end
    boards:close()
  end)
end)

it("an export of 0.1.0 is imported with the same contents", function()
  unpacked("boards.jsonl", function(path)
    for _, directory in ipairs { false, path .. "/boards" } do
      local boards = scene.open(laurel, directory or nil, RULES)
      eq(boards:import(path .. "/boards.jsonl"), true)
      same(scene.contents(boards), lines_of "contents.txt")
      boards:close()
    end
  end)
end)
