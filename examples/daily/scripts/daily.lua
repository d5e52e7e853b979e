-- A month's table with arrows since midnight in Tokyo, of all players and by country.
--
--   the host emits      "country", player, code         such as JP; "" takes it off
--                       "result", player, points
--                       "show"                          asks for the table
--                       "show_country", code
--   the script emits    "row", rank, player, points, climbed      since midnight; "new" if not in
--                                                                 the table then
--                       "country_row", code, rank, player, points, rank of all
--                       "refused", player, reason
--
-- Overlays draw the arrows by themselves if the board is published with `{ changes = true }`.

local ROWS = 10

local monthly = boards:board("monthly", {
  keep = "sum",
  decimals = 0,
  zone = "Asia/Tokyo", -- in which the next two are meant
  reset = "0 0 1 * *", -- a new table each month
  marks = "0 0 * * *", -- at midnight the ranks are remembered; no timer is needed
  segments = { "country" },
  archive = 12,
})

laurel.on("country", function(player, code)
  local saved, reason = boards:save_player {
    id = player, attributes = { country = code ~= "" and code },
  }
  if not saved then laurel.emit("refused", player, reason) end
end)

laurel.on("result", function(player, points)
  local held, reason = monthly:submit(player, points)
  if not held then laurel.emit("refused", player, reason) end
end)

laurel.on("show", function()
  for _, entry in ipairs(monthly:top(ROWS)) do
    laurel.emit("row", entry.rank, entry.player, entry.score, entry.rank_change or "new")
  end
end)

laurel.on("show_country", function(code)
  for _, entry in ipairs(monthly:segment("country", code):top(ROWS, { overall = true })) do
    laurel.emit("country_row", code, entry.rank, entry.player, entry.score, entry.overall)
  end
end)
