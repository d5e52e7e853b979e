-- board_fixture.lua - what several specs of boards check in one way.
local spec = require "spec"
local refuses = spec.refuses

local board_fixture = {}

-- "1 ada 50, 2 cleo 30.5 of 3": the rank, the player, the score, and, in a part of a board, the rank
-- on the whole board.
function board_fixture.shown(entries)
  local texts = {}
  for i, entry in ipairs(entries) do
    local score = tostring(entry.score):gsub("%.0$", "")
    texts[i] = ("%d %s %s"):format(entry.rank, entry.player, score)
    if entry.overall then texts[i] = texts[i] .. " of " .. entry.overall end
  end
  return table.concat(texts, ", ")
end

-- A board that is made from others takes no writes.
function board_fixture.takes_no_writes(board, player)
  for _, write in ipairs { "submit", "add", "set", "post", "submit_report" } do
    refuses("unsupported", board[write](board, player, 5))
  end
  for _, write in ipairs { "remove", "leave", "ban", "unban", "join" } do
    refuses("unsupported", board[write](board, player))
  end
  refuses("unsupported", board:clear())
  refuses("unsupported", board:set_data(player, "x"))
end

return board_fixture
