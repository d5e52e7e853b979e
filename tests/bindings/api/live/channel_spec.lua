-- What clients have since version 2 of the live channel's protocol: columns, moments, rank changes,
-- the list of published boards, and gateways.
local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises, refuses, contains = spec.it, spec.eq, spec.raises, spec.refuses, spec.contains
local players, until_ = spec.players, spec.until_
local new_token, new_gateway_token = spec.new_token, spec.new_gateway_token

local function serve(options)
  local boards = laurel.open()
  options = options or {}
  options.port, options.rate = 0, 200
  return boards, assert(boards:serve(options))
end

local function connect(live, token)
  return assert(laurel.connect { port = live:port(), token = token })
end

local columns = { { name = "laps" }, { name = "seconds", order = "asc", decimals = 3, max = 100000 } }

it("the score of a board with columns is an array in clients, too", function()
  local boards, live = serve()
  local race = boards:board("race", { columns = columns })
  race:submit("ada", { 12, 53.21 })
  race:submit("bob", { laps = 12, seconds = 54 })
  eq(live:publish(race), true)
  local client, top, around = connect(live, new_token(live, "bob", 60)), nil, nil
  client:subscribe("race", 5, function(list) top = list end)
  client:follow("race", 1, function(list) around = list end)
  until_(function() return top and around end, client, boards)
  eq({ top[1].player, top[1].score, top[2].score }, { "ada", { 12, 53.21 }, { 12, 54 } })
  eq(around[2].score, { 12, 54 })
  race:submit("bob", { 12, 50.125 })
  until_(function() return top[1].player == "bob" end, client, boards)
  eq(top[1].score, { 12, 50.125 })
  boards:close()
end)

it("entries carry the moment and, where published so, how far a player climbed", function()
  local boards, live = serve()
  local board = boards:board("season", {})
  board:submit("anna", 10, nil, 1000.5)
  board:submit("bob", 5, nil, -7)
  board:mark()
  live:publish(board)
  local client, top = connect(live), nil
  client:subscribe("season", 5, function(list) top = list end)
  until_(function() return top end, client, boards)
  eq({ top[1].at, top[2].at, top[1].rank_change }, { 1000.5, -7, nil })
  live:publish(board, { changes = true })
  until_(function() return top[1].rank_change end, client, boards)
  eq({ top[1].rank_change, top[2].rank_change }, { 0, 0 })
  board:submit("bob", 20)
  board:submit("cleo", 1)
  until_(function() return #top == 3 end, client, boards)
  eq(players(top), "bob anna cleo")
  eq({ top[1].rank_change, top[2].rank_change, top[3].rank_change }, { 1, -1, nil })
  board:mark()
  until_(function() return top[1].rank_change == 0 end, client, boards)
  eq(top[3].rank_change, 0)
  raises("field 'changes': boolean expected, got number", live.publish, live, board, { changes = 1 })
  boards:close()
end)

it("clients see fractional ranks, also of a board that had whole ones", function()
  local boards, live = serve()
  local board = boards:board("season", {})
  board:submit_all { { "anna", 10 }, { "bob", 10 } }
  eq(live:publish(board), true)
  local client, top = connect(live), nil
  client:subscribe("season", 5, function(list) top = list end)
  local function ranks(first, second)
    until_(function() return top and top[1].rank == first and top[2].rank == second end, client, boards)
  end
  ranks(1, 1)
  boards:board("season", { ranking = "fractional" })
  ranks(1.5, 1.5)
  board:submit("cleo", 20)
  ranks(1, 2.5)
  boards:board("season", { ranking = "modified" })
  ranks(1, 3)
  client:close()
  boards:close()
end)

it("a client lists the published boards with their descriptions, and hears when they change", function()
  local now = 0
  local boards = laurel.open { clock = function() return now end }
  local live = assert(boards:serve { port = 0, rate = 200 })
  local weekly = boards:board("weekly",
    { decimals = 2, ranking = "dense", meta = "Week\0", reset = "0 0 * * *" })
  local race = boards:board("race", { columns = columns })
  weekly:submit("anna", 1.25)
  live:publish(weekly)
  live:publish(race)
  local client, told = connect(live), nil
  eq(client:boards(), {})
  eq(client:on_boards(function(list) told = list end), true)
  until_(function() return told end, client, boards)
  eq(#told, 2)
  eq(told[1].board, "race")
  eq(told[1].columns, race:info().columns)
  eq({ told[1].order, told[1].ranking, told[1].size, told[1].season }, { "desc", "competition", 0, 1 })
  eq({ told[1].decimals, told[1].meta, told[1].resets_at, told[1].closes_at }, {})
  eq(told[2], { board = "weekly", order = "desc", decimals = 2, ranking = "dense", meta = "Week\0", size = 1,
    season = 1, resets_at = 86400 })
  eq(client:boards(), told)
  boards:board("weekly", { meta = "Two", duration = 3600 })
  until_(function() return told[2].meta == "Two" end, client, boards)
  eq(told[2].closes_at, weekly:info().closes_at)
  now = 86400
  until_(function() return told[2].season == 2 and told[2].size == 0 end, client, boards)
  eq(told[2].resets_at, 2 * 86400)
  live:unpublish(race)
  until_(function() return #told == 1 end, client, boards)
  boards:drop("weekly")
  until_(function() return #told == 0 end, client, boards)
  raises("bad argument #1 to 'on_boards' (function expected, got nil)", client.on_boards, client)
  client:close()
  raises("closed", client.boards, client)
  raises("closed", client.on_boards, client, print)
  raises("closed", client.player, client)
  raises("closed", client.player_of, client, "x", print)
  boards:close()
end)

it("a client knows the player of its token while it is connected", function()
  local boards, live = serve { auth = "token" }
  boards:board("season", {}):submit("ada", 1)
  local client = connect(live, new_token(live, "ada", 60))
  eq(client:player(), nil)
  until_(function() return client:state() == "connected" end, client, boards)
  eq(client:player(), "ada")
  boards:rename_player("ada", "countess")
  until_(function() return client:player() == "countess" end, client, boards)
  client:close()
  boards:close()
end)

it("a gateway follows any player, and asks whose a token is without spending it", function()
  local boards, live = serve { auth = "token" }
  local board = boards:board("season", {})
  board:submit_all { { "ada", 3 }, { "bob", 2 }, { "cleo", 1 } }
  live:publish(board)
  local token = new_gateway_token(live)
  eq(type(token), "string")
  local gateway = connect(live, token)
  local seen, whose, refused = {}, {}, {}
  for _, player in ipairs { "ada", "cleo", "nobody" } do
    eq(gateway:follow("season", 0, function(list) seen[player] = list end, player), true)
  end
  local ticket = new_token(live, "ada", 60, { uses = 1 })
  for _ = 1, 2 do
    eq(gateway:player_of(ticket, function(player) whose[#whose + 1] = player end), true)
  end
  eq(gateway:player_of("no token", function(player, why) refused = { player, why } end), true)
  until_(function() return seen.ada and seen.cleo and seen.nobody and #whose == 2 and refused[2] end,
    gateway, boards)
  eq({ seen.ada[1].rank, seen.cleo[1].rank, #seen.nobody }, { 1, 3, 0 })
  eq(whose, { "ada", "ada" })
  refuses("unknown", refused[1], refused[2])
  eq(gateway:player(), nil)
  local own = connect(live, ticket)
  until_(function() return own:state() == "connected" end, own, gateway, boards)
  eq(own:player(), "ada")
  eq(gateway:unsubscribe("season", "ada"), true)
  until_(function() return live:stats().followed == 2 end, own, gateway, boards)
  refuses("bad_player", gateway:follow("season", 1, print, ""))
  refuses("out_of_range", gateway:player_of("", print))
  boards:close()
end)

it("only gateways may do what is for gateways", function()
  local boards, live = serve()
  local board = boards:board("season", {})
  live:publish(board)
  local client, told = connect(live), {}
  client:follow("season", 1, function(list, why) told.follow = { list, why } end, "ada")
  client:player_of("x", function(player, why) told.player_of = { player, why } end)
  until_(function() return told.follow and told.player_of end, client, boards)
  refuses("unsupported", told.follow[1], told.follow[2])
  refuses("unsupported", told.player_of[1], told.player_of[2])
  eq(live:stats().offences, 0)
  boards:close()
end)

it("a gateway's token is good for many, until it is revoked or its time is over", function()
  local now = 0
  local boards = laurel.open { clock = function() return now end }
  local live = assert(boards:serve { port = 0, rate = 200, auth = "token" })
  local token, short = new_gateway_token(live), new_gateway_token(live, 10)
  local clients = {}
  for i = 1, 5 do clients[i] = connect(live, token) end
  until_(function()
    for _, client in ipairs(clients) do
      client:tick()
      if client:state() ~= "connected" then return false end
    end
    return true
  end, boards)
  eq(live:revoke_gateway_token("no token"), false)
  eq(live:revoke_gateway_token(new_token(live, "ada", 60)), false)
  eq(live:revoke_gateway_token(token), true)
  eq(live:revoke_gateway_token(token), false)
  until_(function()
    for _, client in ipairs(clients) do
      client:tick()
      if client:state() == "connected" then return false end
    end
    return true
  end, boards)
  contains(clients[1]:state(), "refused: ")
  now = 11
  boards:tick()
  eq(live:revoke_gateway_token(short), false)
  refuses("out_of_range", new_gateway_token(live, 0))
  raises("bad argument #1 to 'gateway_token' (number expected, got string)", live.gateway_token, live, "1")
  raises("bad argument #1 to 'revoke_gateway_token' (string expected, got nil)",
    live.revoke_gateway_token, live)
  boards:close()
end)

it("a gateway's token outlives the server of a durable registry", function()
  local path = os.tmpname()
  os.remove(path)
  local boards = laurel.open { path = path }
  local token = new_gateway_token(assert(boards:serve { port = 0, auth = "token" }))
  boards:close()
  boards = laurel.open { path = path }
  local live = assert(boards:serve { port = 0, rate = 200, auth = "token" })
  local client = connect(live, token)
  until_(function() return client:state() == "connected" end, client, boards)
  eq(live:revoke_gateway_token(token), true)
  boards:close()
  boards = laurel.open { path = path }
  eq(assert(boards:serve { port = 0, auth = "token" }):revoke_gateway_token(token), false)
  boards:close()
  os.execute("rm -rf '" .. path .. "'")
end)

it("a client has 64 subscriptions, and a gateway 1,024", function()
  local boards, live = serve()
  local client, gateway = connect(live), connect(live, new_gateway_token(live))
  for i = 1, 64 do eq(client:subscribe("board " .. i, 1, print), true) end
  refuses("out_of_range", client:subscribe("board 65", 1, print))
  eq(client:subscribe("board 64", 2, print), true)
  for i = 1, 1024 do eq(gateway:subscribe("board " .. i, 1, print), true) end
  refuses("out_of_range", gateway:subscribe("board 1025", 1, print))
  client:close()
  gateway:close()
  boards:close()
end)
