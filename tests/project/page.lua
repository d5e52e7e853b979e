-- Parses a page of Markdown: its code blocks, headings, links and pictures.
--
--   block    { language, first, lines, text, file, continues, promises, section }
--     first      the line of the page on which its text begins
--     file       the file to write it to, named by its first line: "-- rules/season.lua", "/* host.c */"
--     continues  its first line is "-- continues": it continues the previous block of its
--                language
--     section    the heading of the second level above it
--     promises   the expected output, from the text after "-->", line by line
local page = {}

-- The part of a line that is compared: its words, without regard to spaces.
function page.words(line) return (line:gsub("%s+", " "):gsub("^ ", ""):gsub(" $", "")) end

local function block_of(language, first, lines)
  local block = { language = language, first = first, lines = lines, promises = {} }
  block.text = table.concat(lines, "\n") .. "\n"
  local head = lines[1] or ""
  block.file = head:match("^%-%- ([%w_/]+%.lua)$") or head:match("^/%* ([%w_/]+%.c) %*/$")
  block.continues = head:match("^%-%- continues") ~= nil
  for _, line in ipairs(lines) do
    local promise = line:match("%-%-> ?(.*)$")
    if promise then
      block.promises[#block.promises + 1] = page.words((promise:gsub("%s*%*/%s*$", "")))
    end
  end
  return block
end

-- The anchor of a heading as Markdown hosts make it; a repeated heading gets a number, as in a changelog.
local function anchor_of(heading, anchors)
  local first = heading:lower():gsub("[^%w%s_-]", ""):gsub("%s", "-")
  local anchor, number = first, 0
  while anchors[anchor] do
    number = number + 1
    anchor = first .. "-" .. number
  end
  return anchor
end

function page.read(path)
  local blocks, anchors, links, pictures = {}, {}, {}, {}
  local language, first, lines, section
  local number = 0
  for line in io.lines(path) do
    number = number + 1
    local fence = line:match("^```(.*)$")
    if language then
      if fence == "" then
        blocks[#blocks + 1] = block_of(language, first, lines)
        blocks[#blocks].section = section
        language = nil
      else
        lines[#lines + 1] = line
      end
    elseif fence then
      language, first, lines = fence, number + 1, {}
    else
      section = line:match("^## (.*)$") or section
      local heading = line:match("^#+ (.*)$")
      if heading then
        anchors[anchor_of(heading, anchors)] = true
      end
      for alternative, target in line:gmatch("!%[([^%]]*)%]%(([^)%s]+)%)") do
        pictures[#pictures + 1] = { line = number, target = target, alternative = alternative }
      end
      for target in line:gsub("`[^`]*`", ""):gmatch("%]%(([^)%s]+)%)") do
        links[#links + 1] = { line = number, target = target }
      end
    end
  end
  assert(not language, path .. " has a block that does not end")
  return { path = path, blocks = blocks, anchors = anchors, links = links, pictures = pictures }
end

return page
