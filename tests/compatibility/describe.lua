-- describe.lua - the local contents of a registry as lines of text: describe(boards, told) reads every
-- board with its past seasons, and the players and games in `told` with their sessions. Two
-- registries with equal lines have the same contents.
--
-- It uses only the calls of 0.1.0, and names each field that it prints: fields of later versions are
-- not printed.
local INFO = {
  "engine", "order", "keep", "ties", "ranking", "decimals", "cap", "reserve", "digits", "shards",
  "of", "days", "reset", "archive", "opens", "closes", "join", "rule", "rule_failure", "rule_version",
  "meta", "season", "size", "created", "started", "ended", "resets_at",
}
local PLAYER = { "name", "email", "lifetime_score", "games_played", "created_at", "updated_at" }
local SESSION = { "id", "player", "game", "score", "seconds", "at", "data" }

-- A player's name, or data: any bytes, escaped on one line.
local function text(value)
  return '"' .. value:gsub('[%c"\\\127-\255]', function(byte)
    return ("\\%03d"):format(byte:byte())
  end) .. '"'
end

local function show(value)
  if type(value) == "number" then return ("%.17g"):format(value) end
  return type(value) == "string" and text(value) or tostring(value)
end

local function fields(of, names)
  local parts = {}
  for _, name in ipairs(names) do
    if of[name] ~= nil then parts[#parts + 1] = name .. " " .. show(of[name]) end
  end
  return table.concat(parts, ", ")
end

local function entry_line(entry)
  return ("    %d %s %s at %.6f%s"):format(entry.rank, text(entry.player), show(entry.score), entry.at,
    entry.data and " data " .. text(entry.data) or "")
end

-- Describes one season of a board.
local function describe_season(lines, board)
  local info = board:info()
  lines[#lines + 1] = "  " .. fields(info, INFO)
  if info.window then
    lines[#lines + 1] = "  window " .. fields(info.window, { "buckets", "seconds" })
  end
  for entry in board:each() do lines[#lines + 1] = entry_line(entry) end
  if info.engine == "capped" then lines[#lines + 1] = "  lowest " .. show(board:lowest()) end
  if info.engine == "paged" then
    lines[#lines + 1] = "  layout " .. fields(board:layout(),
      { "layers", "manifests", "entry_sets", "lowest" })
  end
  local first = board:top(1)[1]
  if info.engine == "padded" and first then
    lines[#lines + 1] = "  key " .. text(board:key(first.player))
  end
end

local function describe_days(lines, board, now)
  local window = board:info().window
  for bucket = 1, window.buckets - 1 do
    local at = now + bucket * window.seconds
    lines[#lines + 1] = "  in " .. bucket .. " buckets"
    for _, entry in ipairs(board:top(1000, { at = at })) do lines[#lines + 1] = entry_line(entry) end
  end
end

local function describe_board(lines, board, now)
  lines[#lines + 1] = "board " .. text(board:info().name)
  for i, season in ipairs(board:seasons()) do
    if i == 1 then
      for _, player in ipairs(board:banned()) do lines[#lines + 1] = "  banned " .. text(player) end
      describe_season(lines, board)
      if board:info().engine == "rolling" then describe_days(lines, board, now) end
    else
      lines[#lines + 1] = "  season " .. season
      describe_season(lines, board:archived(season))
    end
  end
end

local function describe_player(lines, boards, id)
  local player = boards:player(id)
  lines[#lines + 1] = "player " .. text(id) .. (player and ": " .. fields(player, PLAYER) or "")
  if player and player.email then
    assert(boards:player_by_email(player.email).id == id, player.email)
  end
  for _, session in ipairs(boards:sessions_of(id)) do
    assert(boards:session(id, session.id).at == session.at, session.id)
    lines[#lines + 1] = "  session " .. fields(session, SESSION)
  end
  for _, place in ipairs(boards:scores_of(id)) do
    lines[#lines + 1] = "  place " .. fields(place, { "board", "season", "score", "rank", "at" })
  end
end

-- `told` has the fields players, games and now.
local function describe(boards, told)
  local lines = {}
  for _, name in ipairs(boards:names()) do
    local board = boards:board(name)
    if not board:remote() then describe_board(lines, board, told.now) end
  end
  for _, id in ipairs(told.players) do describe_player(lines, boards, id) end
  for _, game in ipairs(told.games) do
    lines[#lines + 1] = "game " .. text(game)
    for _, session in ipairs(boards:sessions_in(game)) do
      lines[#lines + 1] = "  session " .. fields(session, { "id", "player" })
    end
  end
  return lines
end

return describe
