-- Names in many scripts on the LÖVE overlay, if fonts for them are installed: the picture has no boxes.
package.path = "examples/love/?.lua;scripts/?.lua;tests/hosts/?.lua;" .. package.path
local fonts = require "fonts"
local layout = require "layout"
local rows = require "rows"
local processes = require "process_fixture"

-- Names of two characters each: as missing-glyph boxes they would all look alike.
local NAMES = { "名前", "张伟", "龍神", "さく", "김민", "Ол", "🏆🔥", "👑🚀", "😀🥇" }
local WIDTH, HEIGHT = 840, 1000

for _, part in ipairs { "plain", "bold", "asian", "emoji" } do
  local found = false
  for _, path in ipairs(fonts.FILES[part]) do found = found or processes.read(path) ~= nil end
  if not found then
    print("SKIPPED: no " .. part .. " font is installed")
    os.exit(77)
  end
end

-- The glyphs that the fonts have.
local function ask(name, texts)
  processes.start(name, "love tests/hosts/love_fonts " .. texts)
  local code = processes.await("the fonts' answer", function() return processes.exit_code(name) end)
  local said = processes.read(("%s/%s.log"):format(processes.scratch, name))
  assert(code == 0 and said:find("asked\n", 1, true), said)
  return said
end
local joined = "👍🏽 ❤️ 👨‍💻" -- with a skin tone, a variation selector and a joiner
local said = ask("fonts", table.concat(NAMES, " ") .. " " .. joined)
assert(not said:find("boxes", 1, true), "every name has its letters:\n" .. said)
said = ask("without", "without Ada 名前")
assert(said:find("boxes\tplain\t名前\n", 1, true), "without fonts there are boxes:\n" .. said)
assert(not said:find("Ada", 1, true), "and LÖVE's own letters:\n" .. said)

-- The picture that the overlay draws.
local server = processes.serve()
for i, name in ipairs(NAMES) do
  server:run(("boards:save_player { id = 'p%d', name = '%s' } board:submit('p%d', %d)"):format(i, name, i,
    1000 - i))
end
local shot = processes.scratch .. "/love-names.png"
processes.start("love", ("love examples/love --port %d --token %s --top %d --around 0 --size %dx%d"
  .. " --backdrop 000000 --shot %s --after live"):format(server.port, server:token { clear = true },
  #NAMES, WIDTH, HEIGHT, shot))
processes.await("a picture", function() return processes.read(shot) end)

-- A fingerprint of the name in a row: thresholded to black and white, and trimmed.
local at = layout.of(WIDTH, HEIGHT, #NAMES + 1 + rows.GAP_PLACES)
local function look_of(place)
  return processes.output(("convert %s -crop %dx%d+%d+%d +repage -threshold 50%% -trim -format '%%wx%%h %%#'"
    .. " info:"):format(shot, math.floor((at.right - at.name_x) / 2), math.floor(at.row_height),
    math.floor(at.name_x), math.floor(at.row_y(place))))
end
local seen = {}
for i, name in ipairs(NAMES) do
  local look = look_of(i - 1)
  local width, height = look:match("^(%d+)x(%d+) ")
  assert(tonumber(width) > 15 and tonumber(height) > 10, name .. " is shown: " .. look)
  assert(not seen[look], ("%s looks like %s: boxes"):format(name, tostring(seen[look])))
  seen[look] = name
end
print("the LÖVE overlay has letters for names from everywhere")
