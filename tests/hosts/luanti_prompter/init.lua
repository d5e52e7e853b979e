-- An ordinary mod, not trusted. It runs the Lua that a test writes to the world's folder, writes the
-- result there, and has a board of its own.
local world = minetest.get_worldpath()
local ASK, ANSWER = world .. "/ask.lua", world .. "/answer.txt"

if minetest.global_exists("leaderboard") then
  leaderboard.register("prompter:lap", {
    title = "Fastest lap", unit = "seconds", spec = { order = "asc", decimals = 1 },
  })
end

minetest.register_globalstep(function()
  local file = io.open(ASK)
  if not file then return end
  local text = file:read("*a")
  file:close()
  os.remove(ASK)
  local chunk, problem = loadstring(text)
  local fine, answer
  if chunk then fine, answer = pcall(chunk) end
  minetest.safe_file_write(ANSWER, chunk and (fine and "" or "raised: ") .. tostring(answer) or problem)
end)
