-- examples/anticheat on real boards, with a clock that the case sets.
local laurel = require "laurel"
local spec = require "spec"
local example = require "example_host"
local it, eq, players = spec.it, spec.eq, spec.players

local day = 86400
local monday = 20535 * day -- 2026-03-23, 00:00 UTC

-- Eleven honest players with 11 to 1 points on Monday, and mallory, who has 5.5 points on Monday and
-- cheats on Tuesday and Wednesday.
local function new(path)
  local world = { now = monday }
  world.boards = laurel.open { path = path, clock = function() return world.now end }
  local game = example("anticheat", world.boards)
  for i = 1, 11 do game.result(("p%02d"):format(i), 12 - i, "") end
  game.result("mallory", 5.5, "replay 1")
  for i, points in ipairs { 900, 300, 950 } do
    world.now = monday + (i + 1) * day / 2
    game.result("mallory", points, "replay " .. i + 1)
  end
  world.boards:tick()
  game.heard("top")
  return world, game, world.boards:board("ladder")
end

it("anticheat: the results of two days are voided, and the former best returns with its time", function()
  local world, game, ladder = new()
  eq(players(ladder:top(3)), "mallory p01 p02")
  local honest = ladder:history("mallory")[4].at
  game.cheated("mallory", monday + day, monday + 3 * day)
  local voided = game.heard("voided")
  eq(#voided, 3)
  eq({ voided[1][2], voided[1][4], voided[3][2], voided[3][4] }, { 950, "replay 4", 900, "replay 2" })
  eq(game.heard("holds"), { { "mallory", 5.5 } })
  local entry = ladder:get("mallory")
  eq({ entry.rank, entry.at, entry.data }, { 7, honest, "replay 1" })
  eq(#ladder:history("mallory"), 1)
  world.boards:close()
end)

it("anticheat: the top ten refills, and its watchers hear of it", function()
  local world, game, ladder = new()
  eq(players(ladder:top(10)), "mallory p01 p02 p03 p04 p05 p06 p07 p08 p09")
  game.cheated("mallory", monday, monday + 3 * day) -- the first result, too
  eq(game.heard("holds"), { { "mallory", "nothing" } })
  world.boards:tick()
  local top = game.heard("top")
  eq(#top, 10)
  eq(top[1], { 1, "p01", 11 })
  eq(top[10], { 10, "p10", 2 })
  eq(ladder:get("mallory"), nil)
  world.boards:close()
end)

it("anticheat: the end of the days is not included, and other players keep theirs", function()
  local world, game, ladder = new()
  local results = ladder:history("mallory")
  game.cheated("mallory", results[3].at, results[1].at)
  eq(#game.heard("voided"), 2)
  eq(ladder:score("mallory"), 950)
  eq(ladder:score("p01"), 11)
  game.cheated("zoe", monday, monday + day)
  eq(game.heard("holds")[2], { "zoe", "nothing" })
  world.boards:close()
end)

it("anticheat: what was voided stays so after a restart", function()
  local path = os.tmpname()
  os.remove(path)
  local world, game = new(path)
  game.cheated("mallory", monday + day, monday + 3 * day)
  world.boards:close()
  world.boards = laurel.open { path = path, clock = function() return world.now end }
  example("anticheat", world.boards)
  eq(world.boards:board("ladder"):score("mallory"), 5.5)
  eq(#world.boards:board("ladder"):history("mallory"), 1)
  world.boards:close()
  os.execute("rm -rf '" .. path .. "'")
end)
