-- Tasks that wait for no remote; those that wait are in remote_spec.lua.
local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises, contains = spec.it, spec.eq, spec.raises, spec.contains

local function lines_of(act)
  local lines = {}
  local boards = laurel.open {
    log = function(level, text) lines[#lines + 1] = level .. ": " .. text end,
  }
  act(boards)
  boards:close()
  return lines
end

it("a task runs at once, with its arguments, and returns nothing", function()
  local got
  eq(select("#", laurel.task(function(...) got = { ... } return 5 end, 1, "two", false)), 0)
  eq(got, { 1, "two", false })
end)

it("laurel.task needs a function", function()
  raises("bad argument #1 to 'task' (function expected, got nil)", laurel.task)
  raises("bad argument #1 to 'task' (function expected, got string)", laurel.task, "print")
end)

it("a task has its own coroutine, which is reused after it ends normally", function()
  local outer, first, second = coroutine.running(), nil, nil
  laurel.task(function() first = coroutine.running() end)
  laurel.task(function() second = coroutine.running() end)
  assert(first ~= nil and first ~= outer)
  eq(first, second)
end)

it("nested tasks run in the order of their calls", function()
  local order = ""
  laurel.task(function()
    order = order .. "a"
    laurel.task(function() order = order .. "b" end)
    order = order .. "c"
  end)
  eq(order, "abc")
end)

it("at most a hundred tasks may be nested", function()
  local deepest, why = 0, nil
  local function go(depth)
    deepest = depth
    local ok, message = pcall(laurel.task, go, depth + 1)
    if not ok then why = message end
  end
  laurel.task(go, 1)
  if _VERSION == "Lua 5.1" or deepest == 100 then
    eq(deepest, 100)
    contains(why, "laurel.task: 100 tasks within each other, and no more are allowed")
  else -- later Luas count nested calls of C functions through all coroutines
    contains(why, "C stack overflow")
    eq(deepest > 60, true)
  end
  local ran = false
  laurel.task(function() ran = true end)
  eq(ran, true)
end)

it("an error ends only its task, and is logged with its traceback", function()
  local after = false
  local lines = lines_of(function()
    laurel.task(function() error("boom") end)
    after = true
  end)
  eq(after, true)
  eq(#lines, 1)
  contains(lines[1], "error: task: ")
  contains(lines[1], "task_spec.lua:")
  contains(lines[1], "boom")
  contains(lines[1], "stack traceback")
  contains(lines[1], "in function 'error'")
end)

it("an error that Lua itself raises shows the line in its traceback", function()
  local lines = lines_of(function()
    laurel.task(function()
      local function deep(x) local y = x + 1 return y end
      deep(nil)
    end)
  end)
  local line = lines[1]:match("task_spec%.lua:(%d+): attempt")
  contains(lines[1]:match("traceback:(.*)"), "task_spec.lua:" .. line .. ": in ")
end)

if _VERSION == "Lua 5.4" then
  it("a task that fails closes its variables", function()
    local closed = 0
    local start = assert(loadstring([[
      local laurel, on_close = ...
      laurel.task(function()
        local one <close> = setmetatable({}, { __close = on_close })
        error("boom")
      end)
    ]]))
    local lines = lines_of(function() start(laurel, function() closed = closed + 1 end) end)
    eq(closed, 1)
    eq(#lines, 1)
    contains(lines[1], "boom")
  end)
end

it("an error that is not a string is logged with its type", function()
  contains(lines_of(function() laurel.task(error, {}) end)[1], "(the error is a table)")
end)

it("errors of tasks go to the log of the open registry that was opened last", function()
  local told = {}
  local function open(name)
    return laurel.open { log = function() told[#told + 1] = name end }
  end
  local first, second = open("first"), open("second")
  laurel.task(error, "x")
  second:close()
  laurel.task(error, "y")
  first:close()
  eq(told, { "second", "first" })
end)

it("a task that calls coroutine.yield itself ends with an error that says so", function()
  local went_on = false
  local lines = lines_of(function()
    laurel.task(function() coroutine.yield(1) went_on = true end)
  end)
  eq(went_on, false)
  contains(lines[1], "coroutine.yield in a task")
  contains(lines[1], _VERSION == "Lua 5.1" and "in function 'yield'" or "yield'")
end)

it("a coroutine within a task may yield to it", function()
  local got = {}
  laurel.task(function()
    for n in coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) do
      got[#got + 1] = n
    end
  end)
  eq(got, { 1, 2, 3 })
end)

it("a task may close the registry whose log it uses", function()
  local boards = laurel.open { log = function() end }
  laurel.task(function() boards:close() error("x", 0) end)
  eq(tostring(boards), "boards: closed")
end)

it("a tick within a task calls callbacks as usual", function()
  local boards = laurel.open()
  local board = boards:board("season", {})
  local calls = 0
  board:watch(3, function() calls = calls + 1 end)
  board:submit("anna", 1)
  laurel.task(function() boards:tick() end)
  eq(calls, 1)
  boards:close()
end)

it("post on a local board is submit, and remote returns nil", function()
  local boards = laurel.open()
  local board = boards:board("season", {})
  eq({ board:post("anna", 5) }, { 5, true })
  spec.refuses("not_finite", board:post("anna", 0 / 0))
  raises("bad argument #1 to 'post' (string expected, got nil)", board.post, board)
  eq(board:remote(), nil)
  boards:close()
end)
