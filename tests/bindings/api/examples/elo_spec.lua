-- examples/elo on real boards.
local laurel = require "laurel"
local spec = require "spec"
local example = require "example_host"
local it, eq = spec.it, spec.eq

local function ratings(boards)
  local list = {}
  for _, entry in ipairs(boards:board("elo"):top(100)) do list[entry.player] = entry.score end
  return list
end

it("elo: between equal players a win is worth half of K, a draw nothing", function()
  local boards = laurel.open()
  local game = example("elo", boards)
  game.result("ada", "bea", false)
  eq(game.told, { "rated", "ada", 1516, "bea", 1484 })
  game.result("cleo", "dora", true)
  eq(ratings(boards), { ada = 1516, bea = 1484, cleo = 1500, dora = 1500 })
  boards:close()
end)

it("elo: a player with 200 points more is expected to win 76 games of 100", function()
  for _, case in ipairs {
    { "ada", "bea", false, 1707.69, 1492.31 }, -- the favourite wins
    { "bea", "ada", false, 1675.69, 1524.31 }, -- the favourite loses
    { "ada", "bea", true, 1691.69, 1508.31 },
    { "bea", "ada", true, 1691.69, 1508.31 }, -- the order of the players does not matter for a draw
  } do
    local boards = laurel.open()
    local game = example("elo", boards)
    boards:board("elo"):set("ada", 1700)
    boards:board("elo"):set("bea", 1500)
    game.result(case[1], case[2], case[3])
    eq(ratings(boards), { ada = case[4], bea = case[5] })
    boards:close()
  end
end)

it("elo: the sum of ratings is constant, and a reload loses no rating", function()
  local seed = os.time()
  math.randomseed(seed)
  local function play(reloads)
    math.randomseed(seed)
    local boards = laurel.open()
    local game = example("elo", boards)
    for _ = 1, 500 do
      local a, b = math.random(20), math.random(20)
      game.result("p" .. a, "p" .. b, math.random(3) == 1)
      if reloads and math.random(10) > 0 then game = example("elo", boards) end
      if not reloads then math.random(10) end
    end
    local list, sum, players = ratings(boards), 0, 0
    for _, rating in pairs(list) do
      sum = sum + rating * 100
      players = players + 1
    end
    boards:close()
    assert(math.floor(sum + 0.5) == players * 150000, ("seed %d: the sum is %.17g"):format(seed, sum))
    return list
  end
  eq(play(true), play(false))
end)

it("elo: if one of the two players cannot be rated, neither is", function()
  local boards = laurel.open()
  local game = example("elo", boards)
  game.result("ada", "bea", false)
  local before = boards:board("elo"):top(10)
  for _, pair in ipairs { { "ada", "" }, { "", "ada" }, { "dora", "" }, { "ada", "ada" } } do
    game.result(pair[1], pair[2], false)
    eq(game.told[1], "unrated")
    eq(boards:board("elo"):top(10), before)
  end
  boards:close()
end)

it("elo: ratings are durable if the boards are", function()
  local path = os.tmpname()
  os.remove(path)
  local boards = laurel.open { path = path }
  example("elo", boards).result("ada", "bea", false)
  eq(boards:close(), true)
  boards = laurel.open { path = path }
  local game = example("elo", boards)
  game.result("ada", "bea", false)
  eq(game.told, { "rated", "ada", 1530.53, "bea", 1469.47 })
  boards:close()
  os.execute("rm -rf '" .. path .. "'")
end)
