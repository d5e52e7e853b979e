-- The OBS script in OBS Studio on a display: the text source shows what the server has.
package.path = "scripts/?.lua;tests/hosts/?.lua;" .. package.path
local legible = require "laurel.legible"
local obs_studio = require "obs_studio"
local processes = require "process_fixture"

local function await_text(what, matches)
  return processes.await(what, function()
    local text = processes.read(processes.scratch .. "/text.txt")
    return text and matches(text) and text, text
  end)
end

-- Waits until the text shows what the server has, in lines with aligned columns.
local function await_table(server, what)
  local wanted, last = {}, nil
  for _, entry in ipairs(server:shown(5, 1)) do
    if last and tonumber(entry.rank) > last + 1 then wanted[#wanted + 1] = "…" end
    last = tonumber(entry.rank)
    wanted[#wanted + 1] = ("%s%s. %s %s"):format(entry.own and "▶ " or "", entry.rank,
      legible.text(entry.name), entry.score)
  end
  local text = await_text(what, function(text)
    local lines = {}
    for line in text:gmatch("[^\n]+") do
      line = line:gsub("^ +", ""):gsub(" +", " ")
      lines[#lines + 1] = line:gsub("[%d%.]+$", function(score) return ("%.2f"):format(score) end)
    end
    return table.concat(lines, "\n") == table.concat(wanted, "\n")
  end)
  local ends
  for line in text:gmatch("[^\n]+") do
    if line ~= "…" then
      assert(not ends or ends == legible.columns(line), "columns stand below each other:\n" .. text)
      ends = legible.columns(line)
    end
  end
end

-- A port whose server has ended, so that OBS connects before a server answers.
local server = processes.serve()
server:fill()
local port, token = server.port, server:token { clear = true }
server:kill()

local obs = obs_studio.start("tests/hosts/obs/collection.json",
  { PORT = tostring(port), TOKEN = token, SCRATCH = processes.scratch })
await_text("why there is nothing yet", function(text)
  return text == "connecting" or text:find("^lost: ")
end)

local page = processes.await("the settings page", function()
  return processes.read(processes.scratch .. "/description.txt")
    and processes.read(processes.scratch .. "/page.txt")
end)
assert(page == "host\nport\ntoken*\nboard\ntop\naround\nplayer\nsource [standings]\nformat", page)

server = processes.serve(port)
await_table(server, "the top, and Nora's surroundings beneath")
os.execute(("import -window root %s/obs-before.png"):format(processes.scratch)) -- for people
server:run [[board:submit("nora", 900.5)]]
await_table(server, "the new order after a change")

os.execute(("import -window root %s/obs-after.png"):format(processes.scratch))

server:kill()
server = processes.serve(port)
server:run [[board:submit("elena", 1000.25)]]
await_table(server, "the order of the server that came back")

-- OBS exits cleanly, and so does the script.
os.execute("kill -INT " .. obs)
local code = processes.await("OBS ends", function() return processes.exit_code("obs") end)
assert(code == 0, "OBS ends as it should: " .. code)
local log = processes.read(processes.scratch .. "/obs.log")
assert(not log:find("%.lua:%d+:"), "no script erred:\n" .. log:sub(-3000))
print("the OBS script shows what the server has")
