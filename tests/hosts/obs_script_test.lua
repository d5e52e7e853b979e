-- The OBS script with a fake OBS and a fake client: when it connects, what it writes, and that it
-- releases everything at its end.
package.path = "scripts/?.lua;" .. package.path

local texts, timers, clients = { standings = "" }, {}, {}
local connect_refusal

local obs = { OBS_TEXT_DEFAULT = 0, OBS_TEXT_PASSWORD = 1 }
local held = 0 -- references that the script must give back
function obs.obs_data_get_string(settings, name) return settings[name] or "" end
function obs.obs_data_get_int(settings, name) return settings[name] or 0 end
function obs.obs_data_create() held = held + 1; return {} end
function obs.obs_data_set_string(settings, name, text) settings[name] = text end
function obs.obs_data_release() held = held - 1 end
function obs.obs_get_source_by_name(name)
  if not texts[name] then return nil end
  held = held + 1
  return { name = name }
end
function obs.obs_source_update(source, settings) texts[source.name] = settings.text end
function obs.obs_source_release() held = held - 1 end
function obs.timer_add(call) timers[call] = true end
local unloading = false
function obs.timer_remove(call)
  assert(not unloading, "OBS 29 crashes here")
  timers[call] = nil
end

package.loaded["laurel.enet_ffi"] = {}
package.loaded["laurel.overlay"] = {
  connect = function(options)
    if connect_refusal then return nil, connect_refusal end
    local client = { options = options, now = "connecting" }
    function client:subscribe(_, _, call) self.top = call end
    function client:follow(_, n, call) self.follows, self.own = n, call end
    function client.tick() end
    function client:state() return self.now end
    function client:close() self.closed = true end
    clients[#clients + 1] = client
    return client
  end,
}

local script = setmetatable({ obslua = obs, script_path = function() return "examples/obs/" end },
  { __index = _G })
setfenv(assert(loadfile("examples/obs/laurel_overlay.lua")), script)()

local function same(got, wanted, what)
  assert(got == wanted, ("%s: got %q, wanted %q"):format(what, tostring(got), tostring(wanted)))
end

local function poll(times)
  for _ = 1, times or 1 do
    for call in pairs(timers) do call() end
  end
end

local LONG = 100 -- polls; longer than a pause in typing
local settings = { host = "h", port = 7777, board = "race", top = 3, source = "standings",
  format = "{mark}{rank} {name} {score}" }
local function update(changes)
  for name, value in pairs(changes or {}) do settings[name] = value end
  script.script_update(settings)
end

-- The script does not connect while the user types.
update { host = "1" }
script.script_load()
for i = 1, 5 do
  update { host = ("1"):rep(i) }
  poll()
end
same(#clients, 0, "nobody is asked while somebody types")
poll(LONG)
same(#clients, 1, "one connection once the hand rests")
same(clients[1].options.host, "11111", "to what was typed last")
same(clients[1].options.token, nil, "no token is no token")
same(texts.standings, "connecting", "why there is nothing to show")

-- The table stays while the server is unavailable.
local client = clients[1]
client.now = "connected"
client.top({ { player = "a", rank = 1, score = 2.5 }, { player = "b", rank = 2, score = 1 } }, 2)
poll()
same(texts.standings, "  1 a 2.5\n  2 b 1.0", "the top")
client.now = "lost: no answer"
poll(LONG)
same(texts.standings, "  1 a 2.5\n  2 b 1.0", "the top stays")
client.now = "connected"

-- Columns and rank changes.
update { format = "{mark}{rank}. {change} {name} {score}" }
client.top({ { player = "a", rank = 1, score = { 12, 3.25 }, rank_change = 2 },
  { player = "b", rank = 2, score = { 9, 10 } } }, 2)
poll()
same(texts.standings, "  1. ▲2 a 12   3.25\n  2. ★  b  9  10.00", "columns and changes")
client.top({ { player = "a", rank = 1, score = 2.5 }, { player = "b", rank = 2, score = 1 } }, 2)
poll()
same(texts.standings, "  1. a 2.5\n  2. b 1.0", "and neither")

-- A new format does not reconnect; a source that is created later is filled.
update { format = "{rank}. {name}" }
poll()
same(texts.standings, "1. a\n2. b", "another format")
update { source = "later" }
poll(LONG)
texts.later = ""
poll()
same(texts.later, "1. a\n2. b", "another source")
update()
poll(LONG)
same(#clients, 1, "and no other connection")
same(client.closed, nil, "nor an end of this one")

-- Another token means another connection, with its player's neighbours.
update { token = ("ab"):rep(20), around = 2 }
poll(LONG)
same(#clients, 2, "a new connection")
same(client.closed, true, "the old one ended")
same(clients[2].options.token, ("ab"):rep(20), "with the token")
same(clients[2].follows, 0, "whose player is followed")
clients[2].now = "connected"
clients[2].top(nil, "unknown: no board")
poll()
same(texts.later, "unknown: no board", "a board that is not there")
clients[2].top({}, 0)
poll()
same(texts.later, "", "an empty board")

-- A failed connect shows its reason.
connect_refusal = "invalid: the host"
update { host = "" }
poll(LONG)
same(texts.later, "invalid: the host", "a refusal")
same(clients[2].closed, true, "nothing stays connected")
connect_refusal = nil
update { host = "h" }
poll(LONG)
same(#clients, 3, "and forgotten")

unloading = true -- OBS removes the timers of a script afterwards
script.script_unload()
same(clients[3].closed, true, "no connection")
same(held, 0, "no reference")
print("the OBS script connects when it should")
