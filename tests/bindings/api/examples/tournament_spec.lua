-- examples/tournament on real boards, with a clock that the case sets.
local laurel = require "laurel"
local spec = require "spec"
local example = require "example_host"
local it, eq = spec.it, spec.eq

local hour, day, week = 3600, 86400, 7 * 86400
local saturday = 20533 * day -- 2026-03-21, 00:00 UTC; Berlin is an hour ahead until the 29th, then two

-- A registry at 20:00 in Berlin on that Saturday, and the script.
local function new(path)
  local world = { now = saturday + 19 * hour, path = path, lines = {} }
  function world.open()
    world.boards = laurel.open {
      path = path,
      clock = function() return world.now end,
      log = function(_, text) world.lines[#world.lines + 1] = text end,
    }
    world.game = example("tournament", world.boards)
    return world.game
  end
  world.open()
  return world, world.game
end

local function play(game, player, points, match)
  game.register(player)
  game.result(player, match or "m1", points)
end

-- Plays a tournament of this many players: p001 has the most points.
local function play_all(game, players)
  for i = 1, players do play(game, ("p%03d"):format(i), 1000 - i) end
end

local function coins(world) return world.boards:board("coins") end

local function begins(text, word)
  assert(type(text) == "string" and text:sub(1, #word + 1) == word .. ":", tostring(text))
end

it("tournament: results count from 20:00 to 22:00 in Berlin, in winter and in summer", function()
  local world, game = new()
  for _, case in ipairs {
    { saturday + 19 * hour, true }, { saturday + 21 * hour - 1, true }, { saturday + 21 * hour, false },
    { saturday + week + 19 * hour - 1, false }, { saturday + week + 19 * hour, true },
    { saturday + 2 * week + 18 * hour - 1, false }, { saturday + 2 * week + 18 * hour, true }, -- summer time
    { saturday + 2 * week + 20 * hour - 1, true }, { saturday + 2 * week + 20 * hour, false },
  } do
    world.now = case[1]
    local player = "player " .. case[1]
    play(game, player, 50)
    if case[2] then
      eq(game.told, { "accepted", player, 50, 2 })
    else
      begins(game.told[3], "closed")
    end
  end
  world.boards:close()
end)

it("tournament: a player who has not registered is refused", function()
  local world, game = new()
  game.result("ada", "m1", 50)
  eq(game.told[1], "refused")
  begins(game.told[3], "not_joined")
  game.register("ada")
  game.result("ada", "m1", 50)
  eq(game.told, { "accepted", "ada", 50, 2 })
  world.boards:close()
end)

it("tournament: three attempts each Saturday, and a repeated report takes none", function()
  local world, game = new()
  play(game, "ada", 50, "m1")
  game.result("ada", "m1", 50)
  eq(game.told, { "accepted", "ada", 50, 2 })
  game.result("ada", "m2", 80)
  game.result("ada", "m3", 70)
  eq(game.told, { "accepted", "ada", 80, 0 })
  game.result("ada", "m4", 90)
  begins(game.told[3], "exhausted")
  eq(world.boards:board("cup"):score("ada"), 80)
  world.now = world.now + week
  game.result("ada", "m5", 60)
  eq(game.told, { "accepted", "ada", 60, 2 })
  world.boards:close()
end)

it("tournament: each player gets the prize of the best bracket, once", function()
  local world, game = new()
  play_all(game, 200)
  world.boards:tick()
  eq(#game.heard("prize"), 0)
  world.now = world.now + week
  world.boards:tick()
  local prizes = game.heard("prize")
  eq(#prizes, 200)
  eq(prizes[1], { "p001", "winner", 1000 })
  eq(prizes[2], { "p002", "top ten", 250 })
  eq(prizes[10], { "p010", "top ten", 250 })
  eq(prizes[11], { "p011", "top 10 %", 100 })
  eq(prizes[20], { "p020", "top 10 %", 100 })
  eq(prizes[21], { "p021", "took part", 25 })
  eq(coins(world):size(), 200)
  for _ = 1, 5 do
    world.now = world.now + week
    world.boards:tick()
  end
  eq(#game.heard("prize"), 0)
  eq(coins(world):score("p001"), 1000)
  world.boards:close()
end)

it("tournament: players with equal scores get the same prize", function()
  local world, game = new()
  for _, player in ipairs { "ada", "bea" } do play(game, player, 70) end
  play(game, "cleo", 50)
  world.now = world.now + week
  world.boards:tick()
  eq(game.heard("prize"),
    { { "ada", "winner", 1000 }, { "bea", "winner", 1000 }, { "cleo", "top ten", 250 } })
  world.boards:close()
end)

it("tournament: the ceremony gives the prizes at once, and the next tournament is next Saturday", function()
  local world, game = new()
  play(game, "ada", 50)
  world.now = world.now + 2 * hour
  game.ceremony()
  world.boards:tick()
  eq(game.heard("prize"), { { "ada", "winner", 1000 } })
  game.result("ada", "m2", 60)
  begins(game.told[3], "closed")
  game.ceremony() -- of an empty board
  world.now = saturday + week + 19 * hour
  world.boards:tick()
  game.result("ada", "m3", 40)
  eq(game.told, { "accepted", "ada", 40, 2 })
  eq(#game.heard("prize"), 0)
  eq(coins(world):score("ada"), 1000)
  world.boards:close()
end)

it("tournament: an error halfway gives no prize twice, and none is missed", function()
  local world, game = new()
  play_all(game, 30)
  local emitted = 0
  function game.before_emit(event)
    if event == "prize" then emitted = emitted + 1 end
    if emitted == 12 then error("the game's mail server is away") end
  end
  world.now = world.now + week
  world.boards:tick()
  eq(coins(world):size(), 12)
  eq(world.boards:season_ends()[1].tries, 1)
  for _ = 1, 3 do
    world.now = world.now + 2
    world.boards:tick()
  end
  eq(world.boards:season_ends(), {})
  eq(coins(world):size(), 30)
  eq(coins(world):score("p001"), 1000)
  eq(coins(world):score("p012"), 25)
  world.boards:close()
end)

it("tournament: prizes are given once, although the server was down when the season ended", function()
  local path = os.tmpname()
  os.remove(path)
  local world, game = new(path)
  play_all(game, 3)
  world.boards:tick()
  world.boards:close()
  world.now = world.now + 3 * week
  for _ = 1, 3 do
    world.open()
    world.boards:tick()
    eq(coins(world):score("p001"), 1000)
    eq(coins(world):score("p002"), 250)
    world.boards:close()
  end
  os.execute("rm -rf '" .. path .. "'")
end)
