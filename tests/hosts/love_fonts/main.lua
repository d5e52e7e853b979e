-- Tests the fonts of the LÖVE overlay: prints each of the given texts for which they have no glyphs. With
-- `without` before the texts, as on a machine without fonts. Prints "asked" at the end.
package.path = "examples/love/?.lua;" .. package.path
local fonts = require "fonts"

function love.load(words)
  if words[1] == "without" then
    table.remove(words, 1)
    for part in pairs(fonts.FILES) do fonts.FILES[part] = { "/nowhere/none.ttf", "/" } end
  end
  local chain = fonts.new()
  for _, weight in ipairs { "plain", "bold" } do
    local font = chain:of(weight, 20)
    assert(font:getHeight() >= 20 and chain:of(weight, 20) == font)
    for _, text in ipairs(words) do
      if not font:hasGlyphs(fonts.drawable(text)) then print("boxes", weight, text) end
    end
  end
  print "asked"
  love.event.quit(0)
end
