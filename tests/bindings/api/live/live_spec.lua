-- Serving boards and following them, over the loopback interface.
local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises, refuses, contains = spec.it, spec.eq, spec.raises, spec.refuses, spec.contains
local players, until_ = spec.players, spec.until_

local function serve(options)
  local boards = laurel.open()
  local board = boards:board("season", {})
  options = options or {}
  options.port = options.port or 0
  return boards, board, assert(boards:serve(options))
end

it("a client gets the top at once, then after each change", function()
  local boards, board, live = serve { rate = 200 }
  board:submit("anna", 10, "d", 1000.25)
  board:submit("bob", 5, nil, -7)
  eq(live:publish(board, { top = 10, data = true }), true)
  local client = assert(laurel.connect { host = "127.0.0.1", port = live:port() })
  eq(client:state(), "connecting")
  local top, size, version
  eq(client:subscribe("season", 10, function(...) top, size, version = ... end), true)
  until_(function() return top end, client, boards)
  eq(client:state(), "connected")
  eq(tostring(client), "client: connected")
  eq(top, { { player = "anna", score = 10, rank = 1, at = 1000.25, data = "d" },
    { player = "bob", score = 5, rank = 2, at = -7 } })
  eq({ size, type(version) }, { 2, "number" })
  board:submit("cleo", 20)
  until_(function() return #top == 3 end, client, boards)
  eq(players(top), "cleo anna bob")
  local stats = live:stats()
  eq({ stats.clients, stats.subscriptions, stats.boards }, { 1, 1, 1 })
  eq(stats.sent > 0 and stats.bytes > 0, true)
  client:close()
  boards:close()
end)

it("data is not sent unless it is published", function()
  local boards, board, live = serve { rate = 200 }
  board:submit("anna", 10, "secret")
  live:publish(board)
  local client, top = assert(laurel.connect { port = live:port() }), nil
  client:subscribe("season", 5, function(list) top = list end)
  until_(function() return top end, client, boards)
  eq(top[1].data, nil)
  client:close()
  boards:close()
end)

it("a board is unknown before it is published, and after it is unpublished or dropped", function()
  local boards, board, live = serve { rate = 200 }
  local client = assert(laurel.connect { port = live:port() })
  local top, reason
  client:subscribe("season", 5, function(list, why)
    top, reason = list, why
  end)
  until_(function() return reason end, client, boards)
  refuses("unknown", top, reason)
  live:publish(board)
  until_(function() return top end, client, boards)
  eq(live:unpublish(board), true)
  eq(live:unpublish(board), false)
  until_(function() return not top end, client, boards)
  refuses("unknown", top, reason)
  live:publish(board)
  until_(function() return top end, client, boards)
  boards:drop("season")
  until_(function() return not top end, client, boards)
  refuses("unknown", top, reason)
  client:close()
  boards:close()
end)

it("changes by the clock alone are sent, also after a schedule is changed", function()
  local now = 0
  local boards = laurel.open { clock = function() return now end }
  local hourly = boards:board("hourly", { reset = "0 * * * *" })
  local plain = boards:board("plain", {})
  local live = assert(boards:serve { port = 0, rate = 200 })
  for _, board in ipairs { hourly, plain } do
    board:submit("anna", 1)
    live:publish(board)
  end
  local client, sizes = assert(laurel.connect { port = live:port() }), {}
  for _, name in ipairs { "hourly", "plain" } do
    client:subscribe(name, 5, function(list) sizes[name] = #list end)
  end
  until_(function() return sizes.hourly == 1 and sizes.plain == 1 end, client, boards)
  for hour = 1, 3 do
    now = hour * 3600
    until_(function() return sizes.hourly == 0 end, client, boards)
    hourly:submit("anna", hour)
    until_(function() return sizes.hourly == 1 end, client, boards)
  end
  eq(sizes.plain, 1)
  boards:board("plain", { reset = "30 * * * *" })
  boards:tick()
  now = now + 1800
  until_(function() return sizes.plain == 0 end, client, boards)
  eq(hourly:season(), 4)
  boards:close()
end)

it("a board that is dropped and created again in one tick is a different board", function()
  local boards, board, live = serve { rate = 200 }
  board:submit("anna", 1)
  live:publish(board)
  local client = assert(laurel.connect { port = live:port() })
  local top, reason
  client:subscribe("season", 5, function(list, why)
    top, reason = list, why
  end)
  until_(function() return top end, client, boards)
  boards:drop("season")
  board = boards:board("season", {})
  board:submit("bob", 1)
  until_(function() return not top end, client, boards)
  refuses("unknown", top, reason)
  live:publish(board)
  until_(function() return top end, client, boards)
  eq(players(top), "bob")
  boards:close()
end)

it("an unsubscribed board no longer calls back", function()
  local boards, board, live = serve { rate = 200 }
  local other = boards:board("other", {})
  live:publish(board)
  live:publish(other)
  local client = assert(laurel.connect { port = live:port() })
  local calls, other_size = 0, 0
  client:subscribe("season", 5, function() calls = calls + 1 end)
  client:subscribe("other", 5, function(list) other_size = #list end)
  until_(function() return calls == 1 end, client, boards)
  eq(client:unsubscribe("season"), true)
  board:submit("anna", 1)
  other:submit("anna", 1)
  until_(function() return other_size == 1 end, client, boards)
  eq(calls, 1)
  client:close()
  boards:close()
end)

it("a callback may subscribe, tick, raise and close", function()
  local boards, board, live = serve { rate = 200 }
  live:publish(board)
  local client = assert(laurel.connect { port = live:port() })
  local calls = 0
  client:subscribe("season", 5, function()
    calls = calls + 1
    eq(client:tick(), true)
    client:subscribe("season", 3, function()
      calls = calls + 1
      client:close()
    end)
  end)
  until_(function()
    if calls == 2 then return true end
    client:tick()
  end, boards)
  raises("closed", client.tick, client)
  raises("closed", client.state, client)
  raises("closed", client.subscribe, client, "x", 1, print)
  raises("closed", client.unsubscribe, client, "x")
  eq(client:close(), true)
  eq(tostring(client), "client: closed")
  boards:close()
end)

it("invalid subscriptions are refused", function()
  local client = assert(laurel.connect { port = 9 })
  refuses("out_of_range", client:subscribe("season", 101, print))
  refuses("out_of_range", client:subscribe("season", math.huge, print))
  refuses("out_of_range", client:subscribe("season", 0, print))
  client:close()
end)

it("invalid options of serve raise an error that says what is allowed", function()
  local boards = laurel.open()
  raises("bad argument #1 to 'serve' (no field is called 'prot'; did you mean 'port'?)", boards.serve,
    boards, { prot = 1 })
  raises("bad argument #1 to 'serve' (field 'port': number expected, got string)", boards.serve,
    boards, { port = "7777" })
  raises("field 'port' is 65536; it takes a whole number from 0 to 65535", boards.serve, boards,
    { port = 65536 })
  raises("field 'port' is 1.5; it takes a whole number", boards.serve, boards, { port = 1.5 })
  raises("field 'clients' is 0; it takes a whole number from 1 to 4000", boards.serve, boards,
    { clients = 0 })
  raises("field 'clients_per_address' is 0; it takes a whole number from 1 to 4000", boards.serve,
    boards, { clients_per_address = 0 })
  raises("field 'auth' is \"none\"; it takes \"open\" or \"token\"", boards.serve, boards,
    { auth = "none" })
  raises("bad argument #1 to 'serve' (", boards.serve, boards, { port = 0, rate = -1 })
  raises("bad argument #1 to 'serve' (", boards.serve, boards, { port = 0, rate = 0 / 0 })
  raises("bad argument #1 to 'serve' (", boards.serve, boards, { port = 0, bind = "no address" })
end)

it("invalid options of connect and publish raise an error that says what is allowed", function()
  raises("bad argument #1 to 'connect' (no field is called 'hots'; did you mean 'host'?)",
    laurel.connect, { hots = "x" })
  raises("field 'token': string or function expected, got number", laurel.connect, { token = 5 })
  raises("field 'port' is 0; it takes a whole number from 1 to 65535", laurel.connect, { port = 0 })
  raises("bad argument #1 to 'connect' (", laurel.connect, { host = "" })
  local boards, board, live = serve()
  raises("bad argument #2 to 'publish' (no field is called 'topp'; did you mean 'top'?)", live.publish,
    live, board, { topp = 1 })
  raises("bad argument #2 to 'publish' (field 'top' is 101; it takes a whole number from 1 to 100)",
    live.publish, live, board, { top = 101 })
  raises("field 'data': boolean expected, got number", live.publish, live, board, { data = 1 })
  boards:close()
end)

it("serve on a port in use is unavailable", function()
  local boards, _, live = serve()
  refuses("unavailable", boards:serve { port = live:port() })
  boards:close()
end)

it("only boards of the served registry can be published", function()
  local boards, board, live = serve()
  local stranger = laurel.open():board("season", {})
  raises("bad argument #1 to 'publish' (a board of the same registry expected)",
    live.publish, live, stranger)
  boards:drop("season")
  raises("dropped", live.publish, live, board)
  boards:close()
end)

it("publish and unpublish take a board or its name", function()
  local boards, _, live = serve()
  eq(live:publish("season"), true)
  refuses("unknown", live:publish("seasons"))
  eq(live:unpublish("seasons"), false)
  eq({ live:unpublish("season"), live:unpublish("season") }, { true, false })
  boards:close()
end)

it("a closed live channel raises closed, and its boards still work", function()
  local boards, board, live = serve()
  contains(tostring(live), "live: port ")
  eq(live:close(), true)
  eq(live:close(), true)
  eq(tostring(live), "live: closed")
  raises("closed: this live channel is closed", live.port, live)
  raises("closed", live.publish, live, board)
  raises("closed", live.unpublish, live, board)
  raises("closed", live.stats, live)
  boards:tick()
  eq(board:submit("anna", 1), 1)
  boards:close()
  raises("closed", live.port, live)
  eq(live:close(), true)
end)

it("a live handle keeps its boards alive, and collecting it does not stop the server", function()
  -- luacheck: ignore 231 311
  local boards, board, live = serve()
  local port = live:port()
  live = nil
  collectgarbage()
  collectgarbage()
  refuses("unavailable", boards:serve { port = port })
  live = assert(boards:serve { port = 0 })
  boards, board = nil, nil
  collectgarbage()
  collectgarbage()
  eq(live:port() > 0, true)
end)

it("an unreferenced client is collected", function()
  local kept = setmetatable({}, { __mode = "v" })
  do
    local client = assert(laurel.connect { port = 9 })
    client:subscribe("season", 3, function() client:tick() end)
    client:tick()
    kept[1] = client
  end
  collectgarbage()
  collectgarbage()
  eq(kept[1], nil)
end)
