-- examples/league on real boards, with a clock that the case sets.
local laurel = require "laurel"
local spec = require "spec"
local example = require "example_host"
local it, eq, players = spec.it, spec.eq, spec.players

local hour, day, week = 3600, 86400, 7 * 86400
local monday = 20535 * day -- 2026-03-23, 00:00 UTC

local function new()
  local world = { now = monday + 10 * hour }
  world.boards = laurel.open { clock = function() return world.now end }
  world.game = example("league", world.boards)
  function world.next_week()
    world.now = world.now + week
    world.boards:tick()
  end
  return world, world.game
end

-- Results of players name1, name2, …: the first has the most points.
local function play(game, name, count)
  for i = 1, count do game.result(("%s%02d"):format(name, i), 100 - i) end
end

local function division(world, name) return world.boards:board("league_" .. name) end

it("league: the best tenth of bronze goes up to silver", function()
  local world, game = new()
  play(game, "p", 20)
  world.next_week()
  eq(game.heard("promoted"), { { "p01", "silver" }, { "p02", "silver" } })
  eq(game.heard("relegated"), {})
  play(game, "p", 20)
  eq(players(division(world, "silver"):top(100)), "p01 p02")
  eq(division(world, "bronze"):size(), 18)
  world.boards:close()
end)

it("league: the last fifth goes down, but not below bronze; gold has nothing above it", function()
  local world, game = new()
  local levels = world.boards:board("league_levels")
  for i = 1, 10 do
    levels:set(("g%02d"):format(i), 3)
    levels:set(("s%02d"):format(i), 2)
  end
  for _, name in ipairs { "g", "s", "b" } do play(game, name, 10) end
  world.next_week()
  local up, down = game.heard("promoted"), game.heard("relegated")
  table.sort(up, function(a, b) return a[1] < b[1] end)
  table.sort(down, function(a, b) return a[1] < b[1] end)
  eq(up, { { "b01", "silver" }, { "s01", "gold" } })
  eq(down, { { "g09", "silver" }, { "g10", "silver" }, { "s09", "bronze" }, { "s10", "bronze" } })
  eq(levels:score("g01"), 3)
  eq(levels:score("b10"), nil)
  world.boards:close()
end)

it("league: a player who did not play in the week stays, however many weeks", function()
  local world, game = new()
  play(game, "p", 10)
  world.next_week()
  eq(game.heard("promoted"), { { "p01", "silver" } })
  for _ = 1, 4 do world.next_week() end
  eq(world.boards:board("league_levels"):score("p01"), 2)
  eq(game.heard("relegated"), {})
  world.boards:close()
end)

it("league: points of the new week go along with a player who is moved", function()
  local world, game = new()
  play(game, "p", 10)
  world.now = world.now + week
  game.result("p01", 7) -- before the tick that moves the player
  world.boards:tick()
  eq(division(world, "bronze"):score("p01"), nil)
  eq(division(world, "silver"):score("p01"), 7)
  game.result("p01", 5)
  eq(division(world, "silver"):score("p01"), 12)
  world.boards:close()
end)

it("league: in a division of one the player goes up, and does not go down", function()
  local world, game = new()
  for _ = 1, 3 do
    game.result("ada", 10)
    world.next_week()
  end
  eq(game.heard("promoted"), { { "ada", "silver" }, { "ada", "gold" } })
  eq(game.heard("relegated"), {})
  world.boards:close()
end)
