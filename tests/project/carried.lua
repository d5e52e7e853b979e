-- carried.lua - a directory that one machine writes and another one reads:
--
--   luajit tests/project/carried.lua write DIRECTORY     creates it, plays in it, and prints its contents
--   luajit tests/project/carried.lua read DIRECTORY      prints its contents
--
-- It has all boards of tests/compatibility/0.1.0, from its export, without their rules: a call of a rule has
-- a time limit, which an emulated processor exceeds.
package.path = "tests/compatibility/?.lua;" .. package.path
local laurel = require "laurel"
local scene = require "scene"

local what, path = arg[1], assert(arg[2], "usage: carried.lua write|read DIRECTORY")
local LEFT_AGAIN = scene.LEFT + 8 * 86400 -- the time after scene.play_on

local function open() return assert(scene.open(laurel, path)) end
local function run(command) assert(os.execute(command) == 0, command) end

if what == "write" then
  local export = path .. "/boards.jsonl"
  run("mkdir '" .. path .. "'")
  run(("gzip -dc tests/compatibility/0.1.0/boards.jsonl.gz >'%s'"):format(export))
  scene.set_clock(scene.LEFT)
  local boards = open()
  assert(boards:import(export))
  scene.play_on(boards)
  assert(boards:close())
end
scene.set_clock(LEFT_AGAIN)
local boards = open()
print(table.concat(scene.contents(boards), "\n"))
assert(boards:close())
