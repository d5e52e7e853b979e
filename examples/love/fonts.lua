-- fonts.lua - fonts for names in any language. LÖVE draws each character with the first font of a
-- chain that has it, or a box if none has it.
--
--   chain   the overlay's own font; one with Chinese, Japanese and Korean; one with emoji. Each is
--           the first of its files that can be read. If no file can be read, the font is left out.
--   emoji   have one colour: LÖVE 11.4 cannot open fonts of coloured pictures, such as Noto Color
--           Emoji.
--   files   have Debian's paths. LÖVE reads only its own folders, so io reads them.

local fonts = {}
fonts.__index = fonts

fonts.FILES = {
  -- fonts-dejavu-core; without it LÖVE's own font
  plain = { "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf" },
  bold = { "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf" },
  asian = {
    "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc", -- fonts-noto-cjk
    "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc", -- fonts-wqy-microhei
    "/usr/share/fonts/truetype/wqy/wqy-zenhei.ttc", -- fonts-wqy-zenhei
    -- fonts-droid-fallback, which comes with minetest and has no Korean
    "/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf",
  },
  emoji = { "/usr/share/fonts/truetype/ancient-scripts/Symbola_hint.ttf" }, -- fonts-symbola
}
local FONT_BYTES_MAX = 64 * 1024 * 1024

-- The LÖVE FileData of the first file that can be read; or nil.
local function data_of(paths)
  for _, path in ipairs(paths) do
    local file = io.open(path, "rb")
    local bytes = file and file:read(FONT_BYTES_MAX) -- nil if it is a folder
    if file then file:close() end
    if bytes then return love.filesystem.newFileData(bytes, "font.ttf") end
  end
end

-- file: a font that replaces the plain and the bold one, or nil
function fonts.new(file)
  local data = {}
  for part, paths in pairs(fonts.FILES) do data[part] = data_of(paths) end
  if file then
    data.plain = assert(data_of { file }, "no font can be read from " .. file)
    data.bold = data.plain
  end
  return setmetatable({ data = data, made = {} }, fonts)
end

-- The font of a weight, "plain" or "bold", and a height in pixels; cached.
function fonts:of(weight, pixels)
  local key = weight .. pixels
  if not self.made[key] then
    local data, behind = self.data, {}
    local font = data[weight] and love.graphics.newFont(data[weight], pixels)
      or love.graphics.newFont(pixels)
    for _, part in ipairs { "asian", "emoji" } do
      if data[part] then behind[#behind + 1] = love.graphics.newFont(data[part], pixels) end
    end
    if #behind > 0 then font:setFallbacks(unpack(behind)) end
    self.made[key] = font
  end
  return self.made[key]
end

-- Clears the cache; call it when the sizes change.
function fonts:clear()
  self.made = {}
end

-- Removes skin tones, variation selectors and joiners. LÖVE draws each character by itself, and
-- most fonts have a box for these.
function fonts.drawable(text)
  return (text:gsub("\240\159\143[\187-\191]", ""):gsub("\239\184[\128-\143]", "")
    :gsub("\226\128[\140\141]", ""))
end

return fonts
