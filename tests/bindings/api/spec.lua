-- spec.lua - a specification is a list of cases, each with a name and a function that tests it.
--
--   it("the earlier of two equal scores ranks higher", function() ... end)
--   eq(actual, expected)                  deep comparison
--   raises("text", fn, ...)               fn(...) raises, and its message contains the text
--   refuses("bad_player", fn(...))        the results are nil and a reason that begins with the code
--   contains(text, part)
--   until_(condition, client, boards)     ticks them until the condition is true
--   new_token(live, player, ...)          live:token, for the client that is specified
--   new_gateway_token(live, seconds)
--
-- A file of specifications runs under LuaJIT and each Lua from 5.1 on, either inside a test program
-- with the module linked in, or with the installed module (see run.lua).
require "dialect"

local spec = { passed = 0, failures = {} }

local function show(value, seen)
  if type(value) == "string" then return ("%q"):format(value) end
  if type(value) ~= "table" then return tostring(value) end
  seen = seen or {}
  if seen[value] then return "{...}" end
  seen[value] = true
  local parts, keys = {}, {}
  for key in pairs(value) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  for _, key in ipairs(keys) do
    parts[#parts + 1] = ("[%s] = %s"):format(show(key), show(value[key], seen))
  end
  return "{ " .. table.concat(parts, ", ") .. " }"
end

local function same(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then return a == b end
  for key, value in pairs(a) do
    if not same(value, b[key]) then return false end
  end
  for key in pairs(b) do
    if a[key] == nil then return false end
  end
  return true
end

-- Ticks the given objects until the condition is true; raises if it is still false after ten seconds.
function spec.until_(condition, ...)
  local deadline = os.time() + 10
  while not condition() do
    for _, each in ipairs { ... } do each:tick() end
    if os.time() > deadline then error("waited ten seconds", 2) end
  end
end

-- Runs fn with the name of a directory that does not exist yet, and removes it afterwards.
function spec.in_folder(fn)
  local name = os.tmpname()
  os.remove(name)
  local ok, why = xpcall(function() fn(name) end, debug.traceback)
  os.execute("rm -rf '" .. name .. "'")
  if not ok then error(why, 0) end
end

-- Runs the function as a task, and ticks until it ends. Returns its results.
function spec.run_task(tick, fn, ...)
  local results
  require("laurel").task(function(...) results = { n = select("#", ...), fn(...) } end, ...)
  for _ = 1, 10000 do
    if results then return unpack(results, 1, 8) end
    tick()
  end
  error("the task did not end", 2)
end

function spec.eq(actual, expected)
  if not same(actual, expected) then
    error(("got %s, expected %s"):format(show(actual), show(expected)), 2)
  end
end

function spec.contains(text, part)
  if type(text) ~= "string" or not text:find(part, 1, true) then
    error(("got %s, expected it to contain %s"):format(show(text), show(part)), 2)
  end
end

function spec.raises(part, fn, ...)
  local ok, message = pcall(fn, ...)
  if ok then error(("nothing was raised, expected %s"):format(show(part)), 2) end
  if type(message) ~= "string" or not message:find(part, 1, true) then
    error(("raised %s, expected it to contain %s"):format(show(message), show(part)), 2)
  end
end

function spec.refuses(word, ...)
  local count, value, reason = select("#", ...), ...
  if count < 2 or value ~= nil or type(reason) ~= "string" or reason:sub(1, #word + 2) ~= word .. ": "
    or #reason <= #word + 2 then
    error(("got %s, %s, expected nil, \"%s: ...\""):format(show(value), show(reason), word), 2)
  end
end

function spec.it(sentence, fn)
  local ok, why = xpcall(fn, debug.traceback)
  if ok then
    spec.passed = spec.passed + 1
  else
    spec.failures[#spec.failures + 1] = sentence .. ": " .. tostring(why)
  end
  collectgarbage()  -- runs the finalizers of the case's objects within the case
end

-- The players of a list, in order, as one string: "anna bob".
function spec.players(entries)
  local names = {}
  for _, entry in ipairs(entries) do names[#names + 1] = entry.player end
  return table.concat(names, " ")
end

-- The client in pure Lua cannot encrypt: if `clear_tokens` is set, tokens are for connections in clear.
function spec.new_token(live, player, seconds, options)
  options = options or {}
  options.clear = spec.clear_tokens
  return live:token(player, seconds, options)
end

function spec.new_gateway_token(live, seconds)
  return live:gateway_token(seconds, { clear = spec.clear_tokens })
end

return spec
