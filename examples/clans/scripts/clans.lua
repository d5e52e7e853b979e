-- Clans of a shooter: kills, deaths, kills for each death, a table of the clans, and a board of
-- each clan's own players.
--
--   the host emits      "clan", player, clan       the player joins a clan; "" leaves it
--                       "kill", killer, victim
--                       "my_clan", player          asks for the player's surroundings in the clan
--                       "clans"                    asks for the table of clans
--   the script emits    "clan_row", player, rank in the clan, rank of all, who, kills
--                       "clan", rank, clan, kills of its best five
--                       "refused", player, reason
--
-- The boards that overlays and websites may show: "kills", "deaths", "kd", "clans", and a clan's
-- own one, such as "kills:clan=reds".

local LEAST_DEATHS = 10 -- with fewer, a lucky newcomer would lead the ratios

local season = { keep = "sum", decimals = 0, reset = "0 4 * * 1", archive = 4 }

local kills = boards:board("kills", {
  keep = season.keep, decimals = season.decimals, reset = season.reset, archive = season.archive,
  segments = { "clan" }, -- a board of each clan's players, kept up to date beside this one
})
boards:board("deaths", season)

-- Kills for each death. It is made from the two boards, so nothing is written to it.
boards:board("kd", {
  engine = "combined",
  sources = { "kills", "deaths" },
  take = "ratio",
  least = LEAST_DEATHS,
  decimals = 2,
})

-- A clan's score is the kills of its best five, so that a big clan is not better than a good one.
-- It is made from "kills", too, and follows each player who changes the clan.
local clans = boards:board("clans", {
  engine = "groups",
  source = "kills",
  group = "clan",
  take = "sum",
  best = 5,
  least = 2, -- one player is not a clan
})

laurel.on("clan", function(player, clan)
  local saved, reason = boards:save_player {
    id = player,
    attributes = { clan = clan ~= "" and clan }, -- false takes it off
  }
  if not saved then laurel.emit("refused", player, reason) end
end)

laurel.on("kill", function(killer, victim)
  local died, why = boards:board("deaths"):submit(victim, 1)
  if not died then laurel.emit("refused", victim, why) end
  if killer == victim then return end
  local held, reason = kills:submit(killer, 1)
  if not held then laurel.emit("refused", killer, reason) end
end)

laurel.on("clans", function()
  for _, entry in ipairs(clans:top(10)) do
    laurel.emit("clan", entry.rank, entry.player, entry.score)
  end
end)

laurel.on("my_clan", function(player)
  local known = boards:player(player)
  local clan = known and known.attributes.clan
  if not clan then return end
  for _, entry in ipairs(kills:segment("clan", clan):around(player, 2, { overall = true })) do
    laurel.emit("clan_row", player, entry.rank, entry.overall, entry.player, entry.score)
  end
end)
