-- The unchanged pure-Lua client of 0.1.0, which speaks version 1 of the protocol, with a server of today.
-- It needs ENet by ffi; without ffi none of this can run.
if not pcall(require, "ffi") then return end

local here = debug.getinfo(1, "S").source:match("^@(.*)/") or "."
for name in pairs(package.loaded) do
  if name:match("^laurel%.") then package.loaded[name] = nil end
end
package.path = here .. "/0.1.0/scripts/?.lua;" .. package.path
local laurel = require "laurel"
local overlay = require "laurel.overlay"
local spec = require "spec"
local it, eq, players, until_ = spec.it, spec.eq, spec.players, spec.until_

-- The last values that a client received for a view.
local function shown(subscribe, client, n)
  local seen = {}
  assert(subscribe(client, "season", n, function(top, size, version)
    seen.top, seen.size, seen.version = top, size, version
  end))
  return seen
end

-- Whether the list equals the board's entries.
local function same_places(top, board, entries)
  if not top or #top ~= #entries then return false end
  for i, entry in ipairs(entries) do
    local one = top[i]
    if one.player ~= entry.player or one.score ~= entry.score or one.rank ~= entry.rank
      or one.data ~= entry.data then
      return false
    end
  end
  return board:size() > 0
end

it("the client in this test is that of 0.1.0", function()
  spec.contains(debug.getinfo(overlay.connect, "S").source, "/0.1.0/")
end)

it("a client of protocol version 1 sees the final states of a board", function()
  local boards = laurel.open()
  local board = boards:board("season", { decimals = 1, ranking = "dense" })
  for i = 1, 60 do board:submit("player " .. i, i / 2, i % 3 == 0 and "data " .. i or nil) end
  boards:save_player { id = "player 60", name = "Näme" }
  local live = assert(boards:serve { auth = "token", rate = 200 })
  live:publish(board, { top = 50, data = true })
  local token = live:token("player 7", 60, { clear = true })
  local client = assert(overlay.connect { port = live:port(), token = token })
  local top = shown(client.subscribe, client, 40)
  local near = shown(client.follow, client, 2)
  local random = 1
  local function below(n)
    random = random * 48271 % 2147483647
    return random % n
  end
  for _ = 1, 20 do -- the neighbours of a player are sent five times a second
    until_(function()
      return same_places(top.top, board, board:top(40)) and top.size == board:size()
        and same_places(near.top, board, board:around("player 7", 2))
    end, client, boards)
    for _ = 0, below(4) do
      local player = "player " .. 1 + below(80)
      if below(6) == 0 and player ~= "player 7" then
        board:remove(player)
      else
        board:set(player, below(400) / 10, below(3) == 0 and "data" .. below(9) or nil)
      end
    end
  end
  board:set("player 60", 1000)
  until_(function() return top.top[1].name == "Näme" end, client, boards)
  eq(client:state(), "connected")
  eq({ live:stats().offences, live:stats().resyncs }, { 0, 0 })
  client:close()
  boards:close()
end)

it("a client of protocol version 1 sees resets and unpublished boards, and reconnects", function()
  local boards = laurel.open()
  local board = boards:board("season", {})
  board:submit("ada", 1)
  local live = assert(boards:serve { rate = 200 })
  local port = live:port()
  local client = assert(overlay.connect { port = port })
  local seen = shown(client.subscribe, client, 5)
  until_(function() return seen.size end, client, boards)
  spec.refuses("unknown", seen.top, seen.size)
  live:publish(board)
  until_(function() return seen.top end, client, boards)
  eq(players(seen.top), "ada")
  board:reset()
  until_(function() return #seen.top == 0 end, client, boards)

  board:submit("bea", 2)
  live:unpublish(board)
  until_(function() return not seen.top end, client, boards)
  live:publish(board)
  until_(function() return seen.top end, client, boards)
  eq(players(seen.top), "bea")

  live:close()
  until_(function() return client:state() ~= "connected" end, client, boards)
  spec.contains(client:state(), "lost: closing: ")
  live = assert(boards:serve { port = port, rate = 200 })
  live:publish(board)
  board:submit("cleo", 3)
  until_(function() return seen.top and #seen.top == 2 end, client, boards)
  eq({ players(seen.top), client:state() }, { "cleo bea", "connected" })
  client:close()
  boards:close()
end)

it("a client of 0.1.0 without a valid token is refused with a message that it shows", function()
  local boards = laurel.open()
  local live = assert(boards:serve { auth = "token" })
  local client = assert(overlay.connect { port = live:port(), token = ("0123456789"):rep(4) })
  until_(function() return client:state() ~= "connecting" end, client, boards)
  spec.contains(client:state(), "refused")
  client:close()
  boards:close()
end)

it("a client of 0.1.0 is refused with a token for an encrypted connection, or half of it", function()
  local boards = laurel.open()
  local live = assert(boards:serve { auth = "token" })
  local token = live:token("ada", 60)
  for _, text in ipairs { token, token:sub(1, 40) } do
    local client = assert(overlay.connect { port = live:port(), token = text })
    until_(function() return client:state():find("^refused") end, client, boards)
    client:close()
  end
  boards:close()
end)
