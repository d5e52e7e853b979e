-- examples/daily on real boards, with a clock that the case sets.
local laurel = require "laurel"
local spec = require "spec"
local example = require "example_host"
local it, eq, refuses = spec.it, spec.eq, spec.refuses

local hour, day = 3600, 86400
local midnight = 20774 * day - 9 * hour -- 2026-11-17, 00:00 in Tokyo, nine hours ahead of UTC

local function new()
  local world = { now = midnight + 10 * hour }
  world.boards = laurel.open { clock = function() return world.now end }
  world.game = example("daily", world.boards)
  return world, world.game
end

it("daily: arrows tell how far a player has climbed since midnight in Tokyo", function()
  local world, game = new()
  for i, player in ipairs { "ada", "bob", "cleo" } do game.result(player, 100 - 10 * i) end
  game.show()
  eq(game.heard "row", { { 1, "ada", 90, "new" }, { 2, "bob", 80, "new" }, { 3, "cleo", 70, "new" } })
  world.now = midnight + day - 1
  game.result("cleo", 1)
  game.show()
  eq(game.heard("row")[2], { 2, "bob", 80, "new" })
  world.now = midnight + day
  game.show()
  eq(game.heard "row", { { 1, "ada", 90, 0 }, { 2, "bob", 80, 0 }, { 3, "cleo", 71, 0 } })
  game.result("cleo", 50)
  game.result("dora", 50)
  game.show()
  eq(game.heard "row",
    { { 1, "cleo", 121, 2 }, { 2, "ada", 90, -1 }, { 3, "bob", 80, -1 }, { 4, "dora", 50, "new" } })
  world.now = midnight + 2 * day
  game.show()
  eq(game.heard("row")[1], { 1, "cleo", 121, 0 })
  world.boards:close()
end)

it("daily: a month ends at midnight in Tokyo, and the new one has no arrows yet", function()
  local world, game = new()
  game.result("ada", 5)
  world.now = midnight + 14 * day - 1 -- until December
  eq(world.boards:board("monthly"):season(), 1)
  world.now = midnight + 14 * day
  eq(world.boards:board("monthly"):season(), 2)
  game.result("bob", 1)
  game.show()
  eq(game.heard "row", { { 1, "bob", 1, "new" } })
  world.boards:close()
end)

it("daily: a country's table has its players, with their ranks in it and of all", function()
  local world, game = new()
  for i, player in ipairs { "ada", "bob", "cleo", "dora" } do
    game.country(player, i % 2 == 0 and "JP" or "DE")
    game.result(player, 100 - i)
  end
  game.show_country "JP"
  eq(game.heard "country_row", { { "JP", 1, "bob", 98, 2 }, { "JP", 2, "dora", 96, 4 } })
  game.country("ada", "JP")
  game.country("bob", "")
  game.show_country "JP"
  eq(game.heard "country_row", { { "JP", 1, "ada", 99, 1 }, { "JP", 2, "dora", 96, 4 } })
  game.show_country "FR"
  eq(game.heard "country_row", {})
  game.country("eve", ("x"):rep(256))
  refuses("bad_data", nil, game.told[3])
  world.boards:close()
end)
