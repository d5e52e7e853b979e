-- examples/clans on real boards.
local laurel = require "laurel"
local spec = require "spec"
local example = require "example_host"
local it, eq, players = spec.it, spec.eq, spec.players

local function new()
  local boards = laurel.open()
  return boards, example("clans", boards)
end

local function fight(game, killer, victim, times)
  for _ = 1, times do game.kill(killer, victim) end
end

it("clans: kills and deaths are counted, and a ratio is listed from ten deaths on", function()
  local boards, game = new()
  fight(game, "ada", "bob", 9)
  fight(game, "bob", "ada", 4)
  eq(boards:board("kills"):score("ada"), 9)
  eq(boards:board("deaths"):score("bob"), 9)
  eq(boards:board("kd"):size(), 0)
  fight(game, "ada", "bob", 1)
  eq(boards:board("kd"):score("bob"), 0.4)
  fight(game, "bob", "ada", 7)
  eq(players(boards:board("kd"):top(9)), "bob ada")
  eq({ boards:board("kd"):score("bob"), boards:board("kd"):score("ada") }, { 1.1, 0.91 })
  boards:close()
end)

it("clans: who dies by their own hand has a death, and no kill", function()
  local boards, game = new()
  game.kill("ada", "ada")
  eq({ boards:board("kills"):score("ada"), boards:board("deaths"):score("ada") }, { nil, 1 })
  boards:close()
end)

it("clans: a player sees the own clan, with the ranks in the clan and of all", function()
  local boards, game = new()
  for i = 1, 9 do
    game.clan("red " .. i, "reds")
    game.clan("blue " .. i, "blues")
    fight(game, "red " .. i, "target", i)
    fight(game, "blue " .. i, "target", 10 + i)
  end
  game.my_clan "red 4"
  eq(game.heard "clan_row", {
    { "red 4", 4, 13, "red 6", 6 }, { "red 4", 5, 14, "red 5", 5 }, { "red 4", 6, 15, "red 4", 4 },
    { "red 4", 7, 16, "red 3", 3 }, { "red 4", 8, 17, "red 2", 2 },
  })
  game.clan("red 4", "blues")
  game.my_clan "red 4"
  eq(game.heard("clan_row")[5], { "red 4", 10, 15, "red 4", 4 })
  eq(boards:board("kills"):segment("clan", "reds"):size(), 8)
  game.clan("red 4", "")
  game.my_clan "red 4"
  game.my_clan "nobody"
  eq(game.heard "clan_row", {})
  boards:close()
end)

it("clans: the table of clans has the kills of each clan's best five, from two players on", function()
  local boards, game = new()
  for i = 1, 7 do
    game.clan("red " .. i, "reds")
    fight(game, "red " .. i, "target", i)
  end
  for i = 1, 2 do
    game.clan("blue " .. i, "blues")
    fight(game, "blue " .. i, "target", 13)
  end
  game.clan("lone", "lone wolf")
  fight(game, "lone", "target", 30)
  game.clans()
  eq(game.heard "clan", { { 1, "blues", 26 }, { 2, "reds", 25 } })
  fight(game, "red 1", "target", 6) -- the sixth best becomes one of the best
  game.clans()
  eq(game.heard("clan")[1], { 1, "reds", 29 })
  game.clan("red 1", "blues")
  game.clans()
  eq(game.heard "clan", { { 1, "blues", 33 }, { 2, "reds", 25 } })
  boards:ban("blue 1")
  game.clans()
  eq(game.heard "clan", { { 1, "reds", 25 }, { 2, "blues", 20 } })
  boards:close()
end)

it("clans: what is no clan and no player is refused", function()
  local boards, game = new()
  game.clan("ada", ("c"):rep(256))
  eq({ game.told[1], game.told[2] }, { "refused", "ada" })
  boards:ban("eve")
  game.kill("eve", "ada")
  eq({ game.told[1], game.told[2], boards:board("deaths"):score("ada") }, { "refused", "eve", 1 })
  boards:close()
end)
