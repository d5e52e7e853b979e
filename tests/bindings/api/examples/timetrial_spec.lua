-- examples/timetrial on real boards.
local laurel = require "laurel"
local spec = require "spec"
local example = require "example_host"
local it, eq, players, contains = spec.it, spec.eq, spec.players, spec.contains

it("time trial: best times and records are told, on each map by itself", function()
  local boards = laurel.open()
  local game = example("timetrial", boards)
  game.lap("ada", "01", 70.5)
  eq(game.heard "best", { { "ada", "01", 70.5, 1 } })
  eq(game.heard "record", { { "ada", "01", 70.5 } })
  game.lap("bob", "01", 71)
  eq(game.heard "best", { { "bob", "01", 71, 2 } })
  game.lap("bob", "01", 75)
  game.lap("bob", "01", 60.1234)
  eq(game.heard "best", { { "bob", "01", 60.123, 1 } })
  eq(game.heard "record", { { "bob", "01", 60.123 } })
  game.lap("bob", "01", 60.123)
  game.lap("ada", "01", 60.123) -- as fast, but later
  eq({ game.heard "best", game.heard "record" }, { { { "ada", "01", 60.123, 1 } }, {} })
  game.lap("ada", "40", 99)
  eq(game.heard "record", { { "ada", "40", 99 } })
  for _, bad in ipairs { { "41", 50 }, { "01", 0 }, { "01", -1 }, { "01", 0 / 0 } } do
    game.lap("eve", bad[1], bad[2])
    eq({ game.told[1], game.told[2] }, { "refused", "eve" })
  end
  eq(boards:board("lap_01"):size(), 2)
  boards:close()
end)

it("time trial: records, maps and points over all forty maps are those of a count by hand", function()
  local boards = laurel.open()
  local game = example("timetrial", boards)
  local best, random = {}, 7
  for _ = 1, 600 do
    random = random * 48271 % 2147483647
    local player, map = "p" .. random % 7, ("%02d"):format(1 + math.floor(random / 7) % 40)
    local seconds = 30 + math.floor(random / 280) % 90
    game.lap(player, map, seconds)
    best[map] = best[map] or {}
    best[map][player] = math.min(best[map][player] or 1e9, seconds)
  end
  local finished, points, records = {}, {}, 0
  for map, times in pairs(best) do
    for player, seconds in pairs(times) do
      finished[player] = (finished[player] or 0) + 1
      points[player] = (points[player] or 0)
        + math.min(2000, math.floor(1000 * (60 + tonumber(map)) / seconds + 0.5))
    end
    records = records + 1
  end
  for player, count in pairs(finished) do
    eq(boards:board("finished"):score(player), count)
    eq(boards:board("points"):score(player), points[player])
  end
  local held = 0
  for _, entry in ipairs(boards:board("records"):top(100)) do held = held + entry.score end
  eq(held, records) -- equal times: who came first
  boards:close()
end)

it("time trial: a record that is broken changes hands, and so does that of a banned player", function()
  local boards = laurel.open()
  local game = example("timetrial", boards)
  for map = 1, 3 do
    game.lap("ada", ("%02d"):format(map), 50)
    game.lap("bob", ("%02d"):format(map), 51)
  end
  eq(players(boards:board("records"):top(9)), "ada")
  game.lap("bob", "02", 49)
  eq({ boards:board("records"):score("ada"), boards:board("records"):score("bob") }, { 2, 1 })
  boards:ban("ada")
  eq({ boards:board("records"):score("ada"), boards:board("records"):score("bob") }, { nil, 3 })
  boards:board("lap_41", { order = "asc", decimals = 3 }):submit("bob", 1) -- a map of later
  eq(boards:board("records"):score("bob"), 4)
  contains(boards:board("records"):info().take, "firsts")
  boards:close()
end)
