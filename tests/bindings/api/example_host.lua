-- example_host.lua - plays the host that runs a gameplay script of examples/.
--
--   local game = host("elo", boards)      runs examples/elo/scripts/elo.lua with those boards
--   game.result("ada", "bea", false)      fires the event "result"
--   game.told                             what the script emitted last: { "rated", "ada", … }
--   game.heard("rated")                   the values of each "rated" since the last call, oldest first
--   game.before_emit = function(…) end    runs before each event that the script emits
local annotations = rawget(_G, "ANNOTATIONS") or assert(os.getenv("LAUREL_ANNOTATIONS"))
local root = annotations:match("^(.*)/scripts/") or "."

local function host(name, boards)
  local emitted = {}
  local game = {}

  function game.heard(event)
    local values, others = {}, {}
    for _, each in ipairs(emitted) do
      if each[1] == event then values[#values + 1] = { unpack(each, 2) } else others[#others + 1] = each end
    end
    emitted = others
    return values
  end

  local function emit(...)
    if game.before_emit then game.before_emit(...) end
    game.told = { ... }
    emitted[#emitted + 1] = game.told
  end

  local chunk = assert(loadfile(("%s/examples/%s/scripts/%s.lua"):format(root, name, name)))
  setfenv(chunk, setmetatable({
    boards = boards,
    laurel = { on = function(event, handler) game[event] = handler end, emit = emit },
  }, { __index = _G }))
  chunk()
  return game
end

return host
