-- Which clients may connect, and features that need the client's player: tokens, follow, names.
local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises, refuses, contains = spec.it, spec.eq, spec.raises, spec.refuses, spec.contains
local players, until_ = spec.players, spec.until_
local new_token = spec.new_token

local function serve(options, open)
  local boards = laurel.open(open)
  local board = boards:board("season", {})
  options = options or {}
  options.port, options.auth, options.rate = options.port or 0, options.auth or "token", 200
  local live = assert(boards:serve(options))
  live:publish(board)
  return boards, board, live
end

local function connect(live, token)
  return assert(laurel.connect { port = live:port(), token = token })
end

local function state_is(client, word)
  return function() return client:state():sub(1, #word) == word end
end

-- Waits until the client is connected and has a list of the board.
local function is_in(client, boards)
  local top
  client:subscribe("season", 5, function(list) top = list or false end)
  local came, why = pcall(until_, function() return top ~= nil end, client, boards)
  if not came then error(("%s, %s"):format(why, client:state()), 2) end
  eq(client:state(), "connected")
  return top
end

it("a token is hexadecimal digits: forty of its own, and the server's key unless it is in clear", function()
  local boards, _, live = serve()
  local seen, keys, count = {}, {}, 0
  for i = 1, 100 do
    local clear = i % 2 == 0
    local token = live:token("anna", 60, { clear = clear })
    eq(#token, clear and 40 or 104)
    eq(token:find("[^%x]"), nil)
    eq(seen[token:sub(1, 40)], nil)
    seen[token:sub(1, 40)] = true
    local key = token:sub(41)
    if not keys[key] then keys[key], count = true, count + 1 end
  end
  eq(count, 2) -- the server's key, and none
  eq(live:stats().tickets <= 100, true)
  local gateway, plain = live:gateway_token(), live:gateway_token(60, { clear = true })
  eq({ gateway:sub(1, 8), #gateway, plain:sub(1, 8), #plain }, { "gateway-", 112, "gateway-", 48 })
  eq(keys[gateway:sub(49)], true)
  local other = serve({ auth = "open" })
  eq(#assert(other:serve { port = 0, auth = "open" }):token("anna", 60), 40)
  other:close()
  boards:close()
end)

if not spec.clear_tokens then -- what is encrypted
  it("the server's key is that of the registry's directory, and its tokens outlast a restart", function()
    local path = os.tmpname()
    os.remove(path)
    local key, token
    for round = 1, 2 do
      local boards, board, live = serve(nil, { path = path })
      board:submit("anna", 5)
      local fresh = live:token("anna", 600)
      eq(key or fresh:sub(41), fresh:sub(41))
      local second = assert(boards:serve { port = 0, auth = "token" })
      eq(second:token("anna", 60):sub(41), fresh:sub(41))
      if round == 2 then eq(players(is_in(connect(live, token), boards)), "anna") end
      key, token = fresh:sub(41), fresh
      boards:close()
    end
    local other = serve()
    eq(select(3, serve()):token("anna", 60):sub(41) ~= key, true)
    other:close()
    os.execute("rm -r '" .. path .. "'")
  end)

  it("a client whose token has another key, or a changed secret, is not let in", function()
    local boards, _, live = serve()
    local _, _, stranger = serve()
    local token = live:token("anna", 60)
    local changed = token:sub(1, 20) .. (token:sub(21, 21) == "0" and "1" or "0") .. token:sub(22)
    local foreign = token:sub(1, 40) .. stranger:token("anna", 60):sub(41)
    for _, bad in ipairs { foreign, changed, token:sub(1, 40) } do
      local client = connect(live, bad)
      until_(state_is(client, "refused: "), client, boards)
      client:close()
    end
    is_in(connect(live, token), boards)
    boards:close()
  end)
end

it("a client with a valid token is admitted, without one or with another it is refused", function()
  local boards, board, live = serve()
  board:submit("anna", 5)
  local client = connect(live, new_token(live, "anna", 60))
  eq(players(is_in(client, boards)), "anna")
  for _, token in ipairs { "", "nonsense", ("0"):rep(40), new_token(live, "bob", 60):reverse() } do
    local stranger = connect(live, token)
    until_(state_is(stranger, "refused: "), stranger, boards)
    stranger:close()
  end
  local nobody = assert(laurel.connect { port = live:port() })
  until_(state_is(nobody, "refused: "), nobody, boards)
  contains(nobody:state(), "the token is missing, used up, too old or not of this server")
  eq(live:stats().clients, 1)
  eq(live:stats().denied >= 5, true)
  boards:close()
end)

it("a token admits one client, or the number in uses", function()
  local boards, _, live = serve()
  local once, thrice = new_token(live, "anna", 60), new_token(live, "bob", 60, { uses = 3 })
  is_in(connect(live, once), boards)
  local second = connect(live, once)
  until_(state_is(second, "refused: "), second, boards)
  for _ = 1, 3 do is_in(connect(live, thrice), boards) end
  local fourth = connect(live, thrice)
  until_(state_is(fourth, "refused: "), fourth, boards)
  boards:close()
end)

it("a token expires by the clock of the registry", function()
  local now = 1000
  local boards, _, live = serve(nil, { clock = function() return now end })
  local early, late = new_token(live, "anna", 60), new_token(live, "bob", 60)
  now = now + 59
  boards:tick()
  is_in(connect(live, early), boards)
  now = now + 2
  boards:tick()
  local client = connect(live, late)
  until_(state_is(client, "refused: "), client, boards)
  boards:close()
end)

it("live:token refuses invalid arguments", function()
  local boards, _, live = serve()
  refuses("bad_player", new_token(live, "", 60))
  refuses("bad_player", new_token(live, ("x"):rep(256), 60))
  refuses("out_of_range", new_token(live, "anna", 0))
  refuses("out_of_range", new_token(live, "anna", -1))
  refuses("out_of_range", new_token(live, "anna", math.huge))
  refuses("out_of_range", new_token(live, "anna", 0 / 0))
  raises("bad argument #1 to 'token' (string expected, got number)", live.token, live, 5, 60)
  raises("bad argument #2 to 'token' (number expected, got nil)", live.token, live, "anna")
  raises("field 'uses' is 0; it takes a whole number from 1 to 1000000", live.token, live, "anna", 60,
    { uses = 0 })
  raises("field 'clear': boolean expected, got number", live.token, live, "anna", 60, { clear = 1 })
  raises("no field is called 'use'; did you mean 'uses'?", live.token, live, "anna", 60, { use = 2 })
  live:close()
  raises("closed", live.token, live, "anna", 60)
  boards:close()
end)

it("a token function is called when a token is needed, and may return it later", function()
  local boards, board, live = serve()
  board:submit("anna", 5)
  local asked, ready = 0, false
  local client = connect(live, function()
    asked = asked + 1
    if not ready then return nil, "the game's server has none yet" end
    return new_token(live, "anna", 60)
  end)
  until_(function() return asked > 0 end, client, boards)
  contains(client:state(), "the game's server has none yet")
  ready = true
  is_in(client, boards)
  eq(asked >= 2, true)

  local wrong = connect(live, function() error("no") end)
  until_(state_is(wrong, "lost: "), wrong, boards)
  contains(wrong:state(), "the token's function failed")
  boards:close()
end)

it("a lost client reconnects without another token, also to another server on the same path",
  function()
    local path = os.tmpname()
    os.remove(path)
    local boards, board, live = serve(nil, { path = path })
    board:submit("anna", 5)
    local port, unused = live:port(), new_token(live, "bob", 600)
    local client = connect(live, new_token(live, "anna", 600))
    local top
    client:subscribe("season", 5, function(list) top = list end)
    until_(function() return top end, client, boards)
    for round = 1, 3 do
      eq(boards:close(), true)
      until_(state_is(client, "lost: "), client)
      boards, board, live = serve({ port = port }, { path = path })
      board:submit("anna", 5 + round)
      until_(function() return top[1].score == 5 + round end, client, boards)
      eq(client:state(), "connected")
    end
    is_in(connect(live, unused), boards)
    boards:close()
    os.execute("rm -rf '" .. path .. "'")
  end)

it("forget removes a player's tokens", function()
  local boards, _, live = serve()
  local anna, bob = new_token(live, "anna", 60), new_token(live, "bob", 60)
  boards:forget("anna")
  is_in(connect(live, bob), boards)
  local client = connect(live, anna)
  until_(state_is(client, "refused: "), client, boards)
  is_in(connect(live, new_token(live, "anna", 60)), boards)
  boards:close()
end)

it("on an open server a token only identifies the player", function()
  local boards, board, live = serve { auth = "open" }
  for i = 1, 9 do board:submit("p" .. i, i) end
  local known, stranger = connect(live, new_token(live, "p5", 60)), connect(live, "nonsense")
  local around, none, why
  known:follow("season", 1, function(list) around = list end)
  stranger:follow("season", 1, function(list, reason)
    none, why = list, reason
  end)
  until_(function() return around and why end, known, stranger, boards)
  eq(players(around), "p6 p5 p4")
  refuses("unsupported", none, why)
  is_in(stranger, boards)
  boards:close()
end)

it("follow shows the token's player with neighbours above and below", function()
  local boards, board, live = serve()
  for i = 1, 50 do board:submit(("p%02d"):format(i), i) end
  local client = connect(live, new_token(live, "p20", 60))
  local around, size, version
  eq(client:follow("season", 2, function(...) around, size, version = ... end), true)
  until_(function() return around end, client, boards)
  eq(players(around), "p22 p21 p20 p19 p18")
  eq({ around[3].rank, around[3].score, size, type(version) }, { 31, 20, 50, "number" })

  board:submit("p20", 49.5)
  until_(function() return around[3].player ~= "p20" or around[2].player == "p50" end, client, boards)
  until_(function() return players(around) == "p50 p20 p49 p48 p47" end, client, boards)
  board:submit("p20", 60)
  until_(function() return players(around) == "p20 p50 p49 p48 p47" end, client, boards)
  board:remove("p20")
  until_(function() return #around == 0 end, client, boards)
  eq(size, 49)
  board:submit("p20", 0)
  until_(function() return players(around) == "p04 p03 p02 p01 p20" end, client, boards)
  boards:close()
end)

it("a client may both subscribe to and follow a board, and unsubscribe ends both", function()
  local boards, board, live = serve()
  for i = 1, 9 do board:submit("p" .. i, i) end
  local client = connect(live, new_token(live, "p2", 60))
  local top, around, calls = nil, nil, 0
  client:subscribe("season", 2, function(list) top, calls = list, calls + 1 end)
  client:follow("season", 0, function(list) around, calls = list, calls + 1 end)
  until_(function() return top and around end, client, boards)
  eq({ players(top), players(around) }, { "p9 p8", "p2" })
  until_(function() return live:stats().followed == 1 end, client, boards)
  client:unsubscribe("season")
  until_(function() return live:stats().subscriptions == 0 end, client, boards)
  eq(live:stats().followed, 0)
  local before = calls
  board:submit("p1", 100)
  is_in(client, boards)
  eq(calls, before)
  boards:close()
end)

it("follow of an unpublished board is unknown until it is published", function()
  local boards, board, live = serve()
  board:submit("anna", 5)
  live:unpublish(board)
  local client = connect(live, new_token(live, "anna", 60))
  local around, why
  client:follow("season", 1, function(list, reason)
    around, why = list, reason
  end)
  until_(function() return why end, client, boards)
  refuses("unknown", around, why)
  live:publish(board)
  until_(function() return around end, client, boards)
  eq(players(around), "anna")
  boards:drop("season")
  until_(function() return not around end, client, boards)
  refuses("unknown", around, why)
  boards:close()
end)

it("invalid arguments of follow are refused", function()
  local client = assert(laurel.connect { port = 9 })
  refuses("out_of_range", client:follow("season", 11, print))
  refuses("out_of_range", client:follow("", 1, print))
  raises("bad argument #3 to 'follow' (function expected, got nil)", client.follow, client, "x", 1)
  raises("bad argument #2 to 'follow' (", client.follow, client, "x", 1.5, print)
  for i = 1, 8 do
    eq(client:subscribe("b" .. i, 1, print), true)
    eq(client:follow("b" .. i, 1, print), true)
  end
  client:close()
  raises("closed", client.follow, client, "x", 1, print)
end)

it("entries have the players' names, and a new name is sent at once", function()
  local boards, board, live = serve()
  boards:save_player { id = "anna", name = "Anna A." }
  board:submit("anna", 5)
  board:submit("bob", 4)
  local client = connect(live, new_token(live, "bob", 60))
  local top, around
  client:subscribe("season", 5, function(list) top = list end)
  client:follow("season", 1, function(list) around = list end)
  until_(function() return top and around end, client, boards)
  eq({ top[1].name, top[2].name, around[1].name }, { "Anna A.", nil, "Anna A." })
  boards:save_player { id = "anna", name = "Anna B." }
  boards:save_player { id = "bob", name = "Bob" }
  until_(function()
    return top[1].name == "Anna B." and top[2].name == "Bob" and around[1].name == "Anna B."
      and around[2].name == "Bob"
  end, client, boards)
  boards:forget("anna")
  until_(function() return players(top) == "bob" and top[1].name == "Bob" end, client, boards)
  boards:close()
end)

it("boards of every engine can be published and followed, in their own order", function()
  local now = 1e9
  local boards, _, live = serve(nil, { clock = function() return now end })
  local specs = {
    capped = { engine = "capped", cap = 5, reserve = 5 },
    ranked = { engine = "ranked", order = "asc", decimals = 2 },
    padded = { engine = "padded" },
    paged = { engine = "paged", ranking = "dense" },
    sharded = { engine = "sharded", shards = 3, ties = "latest" },
    padded_shards = { engine = "sharded", shards = 3, of = "padded" },
    paged_shards = { engine = "sharded", shards = 3, of = "paged" },
    rolling = { engine = "rolling", days = 3 },
  }
  local client = connect(live, new_token(live, "p10", 60))
  local tops, around, served = {}, {}, {}
  for name, fields in pairs(specs) do
    local board = boards:board(name, fields)
    served[name] = board
    for i = 1, 20 do board:submit("p" .. i, i * 7 % 20 + 1) end
    live:publish(board)
    client:subscribe(name, 10, function(list) tops[name] = list end)
    client:follow(name, 3, function(list) around[name] = list end)
  end
  local function shows(list, held)
    if not list or #list ~= #held then return false end
    for i, entry in ipairs(held) do
      local shown = list[i]
      if shown.player ~= entry.player or shown.score ~= entry.score or shown.rank ~= entry.rank then
        return false
      end
    end
    return true
  end
  local function all_shown()
    for name, board in pairs(served) do
      if not shows(tops[name], board:top(10)) or not shows(around[name], board:around("p10", 3)) then
        return false
      end
    end
    return true
  end
  until_(all_shown, client, boards)
  for i = 1, 20 do
    for name, board in pairs(served) do
      if name == "ranked" then board:submit("p" .. i, i % 3) else board:submit("p" .. i, 21 + i % 9) end
    end
  end
  until_(all_shown, client, boards)
  now = now + 4 * 86400 -- changes by the clock alone are sent too
  until_(function() return all_shown() and #tops.rolling == 0 end, client, boards)
  boards:close()
end)
