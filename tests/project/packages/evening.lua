-- Makes a script of the guide "An evening with laurel in production": its commands, in order, in one shell,
-- each block compared with what it promises.
--
--   luajit tests/project/packages/evening.lua >SCRIPT
package.path = "tests/project/?.lua;" .. package.path
local page = require "page"

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local blocks = 0
print [[
set -eu
exec 3>&1
trap '[ $? -eq 0 ] || cat printed errors >&3' EXIT]]
for _, block in ipairs(page.read("module/docs/operating.md").blocks) do
  if block.section == "An evening with laurel in production" and block.language == "sh" then
    blocks = blocks + 1
    print(("echo '== operating.md:%d'"):format(block.first))
    print("exec >printed 2>errors\n" .. block.text .. "exec >&3 2>&3")
    print "cat printed"
    if #block.promises > 0 then
      print("printf '%s\\n' " .. quoted(table.concat(block.promises, "\n")) .. " >promised")
      print("tr -s ' ' <printed | diff promised - || { " ..
        "echo 'WRONG: the guide promises other lines'; exit 1; }")
    end
  end
end
assert(blocks >= 8, "the guide has lost its commands")
