-- Compares scripts/laurel.d.lua with what is registered, in both directions.
--
-- The file is read as text: `function Board:submit(player, score, data, at) end` annotates a method of
-- class Board. Its path is the global ANNOTATIONS, or LAUREL_ANNOTATIONS of the environment.
local laurel = require "laurel"
local spec = require "spec"

local file = rawget(_G, "ANNOTATIONS") or assert(os.getenv("LAUREL_ANNOTATIONS"))

local annotated = {}
for line in io.lines(file) do
  local object, name = line:match("^function ([%w]+)[.:]([%w_]+)%(")
  if object then annotated[object .. "." .. name] = true end
end

local boards = laurel.open()
local live = assert(boards:serve { port = 0 })
local client = assert(laurel.connect { port = live:port() })
local function methods(object) return debug.getmetatable(object).__index end
local registered = {
  laurel = laurel,
  Boards = methods(boards),
  Board = methods(boards:board("season", {})),
  Live = methods(live),
  Client = methods(client),
}

for object, functions in pairs(registered) do
  for name, value in pairs(functions) do
    if type(value) == "function" then
      spec.it(("%s.%s is annotated"):format(object, name), function()
        assert(annotated[object .. "." .. name], "registered, not annotated")
      end)
    end
  end
end

for name in pairs(annotated) do
  spec.it(name .. " is registered", function()
    local object, method = name:match("^(%w+)%.([%w_]+)$")
    assert(registered[object] and type(registered[object][method]) == "function",
      "annotated, not registered")
  end)
end

local function documented(class)
  local fields, inside = {}, false
  for line in io.lines(file) do
    local name = line:match("^%-%-%-@class ([%w_.]+)")
    if name then inside = name == class end
    local field = inside and line:match("^%-%-%-@field ([%w_]+)")
    if field then fields[field] = true end
  end
  return fields
end

spec.it("the counters of boards and of live are exactly the documented ones", function()
  local function names(table)
    local keys = {}
    for key in pairs(table) do keys[key] = true end
    return keys
  end
  spec.eq(documented("laurel.Stats"), names(boards:stats()))
  spec.eq(documented("laurel.LiveStats"), names(live:stats()))
end)

client:close()
boards:close()
