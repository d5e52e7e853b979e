-- How the pure-Lua client authenticates: connect words, secrets, and the order in which it tries them.
local hand = require "fake_server"
local overlay_fixture = require "overlay_fixture"
local spec = require "spec"
local it, eq, contains = spec.it, spec.eq, spec.contains
local room, run, await = overlay_fixture.room, overlay_fixture.run, overlay_fixture.await

local TOKEN = "f1223344" .. "00112233445566778899aabbccddeeff"
local OWN = 0xF1223344 - 2 ^ 32 -- the form for bindings with signed numbers
local SECRET = "\0\17\34\51\68\85\102\119\136\153\170\187\204\221\238\255"

local function words(of)
  local list = {}
  for i, attempt in ipairs(of.network.attempts) do list[i] = attempt.word end
  return list
end

-- Refuses the current connection attempt, or ends the connection.
local function refuse(of)
  of.network:finish(of.server:last("hello").peer, 4)
  run(of, 0.05)
end

it("a token's word is sent with the connect, its secret in hello", function()
  local of = room { token = TOKEN }
  run(of, 0.05)
  eq({ words(of), of.server:last("hello").secret }, { { OWN }, SECRET })
  of = room()
  run(of, 0.05)
  eq({ words(of), of.server:last("hello").secret }, { { 0 }, "" })
end)

it("a client reconnects with the word of the last welcome, and with the token if unanswered", function()
  local of = room { token = TOKEN }
  of.server.word = 7
  run(of, 3) -- long enough for a ping, which consumes the word
  of.network.deaf = true
  of.network:finish(of.server:last("hello").peer, 8)
  await(of, function() return #of.network.attempts == 9 end)
  eq(words(of), { OWN, 7, 7, 7, OWN, 7, 7, 7, OWN })
  of.network.deaf = false
  of.server.word = 8
  await(of, function() return of.client:state() == "connected" end)
  of.network:finish(of.server:last("hello").peer, 8)
  run(of, 1)
  eq(words(of)[#words(of)], 8)
end)

it("after a refused token the word of the last welcome is tried again", function()
  local of = room { token = TOKEN }
  of.server.word = 7
  run(of, 0.05)
  of.network:send(of.server:last("hello").peer, hand.welcome(9), 0) -- a second welcome is ignored
  run(of, 3)
  of.network.deaf = true
  of.network:finish(of.server:last("hello").peer, 8)
  await(of, function() return #of.network.attempts == 4 end)
  of.server.silent = true
  run(of, 5.1)
  of.network.deaf = false
  await(of, function() return #of.network.attempts == 5 end)
  run(of, 0.05)
  refuse(of)
  await(of, function() return #of.network.attempts == 6 end)
  eq(words(of), { OWN, 7, 7, 7, OWN, 7 })
end)

it("a client gives up when every word was refused", function()
  local of = room { token = TOKEN }
  of.server.silent = true
  run(of, 0.05)
  refuse(of)
  contains(of.client:state(), "refused: ")
  of = room { token = TOKEN }
  of.server.word = 7
  run(of, 3)
  of.server.silent = true
  of.network:finish(of.server:last("hello").peer, 8)
  run(of, 1)
  refuse(of)
  contains(of.client:state(), "lost: refused: ")
  run(of, 2)
  refuse(of)
  contains(of.client:state(), "refused: ")
  run(of, 30)
  eq(words(of), { OWN, 7, OWN })
end)

it("a token function may return the token later, and is called again for each token attempt", function()
  local answers, asked = {}, 0
  local of = room { token = function()
    asked = asked + 1
    return answers[1], answers[2]
  end }
  local function state_with(...)
    answers = { ... }
    local before = asked
    await(of, function() return asked > before end)
    return of.client:state()
  end
  eq(state_with(), "lost: no token yet")
  eq(state_with(nil, "nobody\nis in"), "lost: no token yet: nobody\\nis in")
  eq(state_with(5), "lost: no token yet: the token's function returned a number")
  eq(words(of), {})
  state_with(TOKEN)
  of.server.word = 7
  run(of, 0.1)
  eq({ of.client:state(), words(of) }, { "connected", { OWN } })
  local before = asked
  of.network:finish(of.server:last("hello").peer, 8)
  run(of, 1)
  eq({ asked, of.client:state(), words(of) }, { before, "connected", { OWN, 7 } })
  of.server.silent = true
  refuse(of)
  contains(of.client:state(), "lost: refused: ")
  state_with("00000005" .. TOKEN:sub(9))
  eq(words(of), { OWN, 7, 5 })
  run(of, 0.1)
  refuse(of) -- the function may return a better token
  contains(of.client:state(), "lost: refused: ")
end)

it("a token is fetched once for each attempt, however long the attempt takes to start", function()
  local asked = 0
  local of = room { token = function()
    asked = asked + 1
    return TOKEN
  end }
  of.network.refuses_peers = true
  run(of, 1)
  eq({ asked, of.network.peers_refused }, { 1, 4 })
  of.network.refuses_peers = nil
  run(of, 0.3)
  eq({ asked, words(of), of.client:state() }, { 1, { OWN }, "connected" })
end)

it("an invalid token is sent as no token", function()
  for _, text in ipairs { "", "1234", ("g"):rep(40), TOKEN .. "0" } do
    local of = room { token = text }
    run(of, 0.05)
    eq({ words(of), of.server:last("hello").secret, of.client:state() },
      { { 0 }, "", "connected" })
  end
end)

it("a token function may raise, tick and close", function()
  local client
  local of = room { token = function() error("no network") end }
  run(of, 0.05)
  eq(of.client:state(), "lost: the token's function failed")
  contains(of.lines[1], "error: the token's function: ")
  contains(of.lines[1], "no network\nstack traceback:")
  local asked = 0
  of = room { token = function()
    asked = asked + 1
    eq(client:tick(), true)
    client:close()
    return TOKEN
  end }
  client = of.client
  eq(client:tick(), true)
  eq({ tostring(client), #of.network.attempts, asked }, { "client: closed", 0, 1 })
end)
