-- A board's top in a text source of OBS Studio 29, live: Tools, Scripts, +, this file. For a second
-- board copy this file, because OBS runs a file only once.
--
-- Needs the folder `laurel` of laurel's scripts (beside this file, in the repository, or installed
-- on Lua's path) and libenet.so.7 (Debian: libenet7). It does not need laurel.so.
--
-- OBS calls the functions named script_..., all on one thread. Names are converted to valid UTF-8
-- without control bytes, because OBS stores the text in a JSON file.

local obs = obslua
local here = script_path()
package.path = here .. "?.lua;" .. here .. "../../scripts/?.lua;" .. package.path

local board_view = require "laurel.board_view"
local enet = require "laurel.enet_ffi"
local legible = require "laurel.legible"
local overlay = require "laurel.overlay"

local POLL_MS = 50     -- the default interval of a server's updates
local SETTLE_POLLS = 8 -- OBS reports each typed letter; connect only after the last one
local TEXT_SOURCES = { text_ft2_source = true, text_gdiplus = true, text_pango_source = true }
local OWN_MARK = "▶ "

local NOTHING = { host = "", port = 0, token = "", board = "", top = 0, around = 0, player = "" }
local asked = { connection = NOTHING, source = "", format = "" }
local client, view
local settling, changes_taken, written -- polls until connecting; view.changes; the source's text

function script_description()
  return [[<b>laurel: a live leaderboard</b><br>Shows the top of a board in a text source, and
beneath it your own place when the game gave you a token. Columns are aligned in fonts whose letters
are all equally wide, such as DejaVu Sans Mono; with East Asian names Noto Sans Mono CJK.]]
end

function script_defaults(settings)
  obs.obs_data_set_default_string(settings, "host", "127.0.0.1")
  obs.obs_data_set_default_int(settings, "port", 7777)
  obs.obs_data_set_default_string(settings, "board", "race")
  obs.obs_data_set_default_int(settings, "top", 10)
  obs.obs_data_set_default_int(settings, "around", 2)
  obs.obs_data_set_default_string(settings, "format", "{mark}{rank}. {change} {name}  {score}")
end

-- OBS numbers the versions of a source's kind: text_ft2_source_v2.
local function is_text(source)
  return TEXT_SOURCES[(obs.obs_source_get_unversioned_id(source))]
end

local function add_text_sources(list)
  local sources = obs.obs_enum_sources()
  for _, source in ipairs(sources or {}) do
    if is_text(source) then
      local name = obs.obs_source_get_name(source)
      obs.obs_property_list_add_string(list, name, name)
    end
  end
  obs.source_list_release(sources)
end

function script_properties()
  local page = obs.obs_properties_create()
  obs.obs_properties_add_text(page, "host", "Server", obs.OBS_TEXT_DEFAULT)
  obs.obs_properties_add_int(page, "port", "Port", 1, 65535, 1)
  obs.obs_properties_add_text(page, "token", "Token (from the game)", obs.OBS_TEXT_PASSWORD)
  obs.obs_properties_add_text(page, "board", "Board", obs.OBS_TEXT_DEFAULT)
  obs.obs_properties_add_int(page, "top", "How many of the top", 1, 100, 1)
  obs.obs_properties_add_int(page, "around", "Above and below your own place", 0, 10, 1)
  obs.obs_properties_add_text(page, "player", "Your player id (without a token)",
    obs.OBS_TEXT_DEFAULT)
  add_text_sources(obs.obs_properties_add_list(page, "source", "Text source",
    obs.OBS_COMBO_TYPE_EDITABLE, obs.OBS_COMBO_FORMAT_STRING))
  local format = obs.obs_properties_add_text(page, "format", "A line", obs.OBS_TEXT_DEFAULT)
  obs.obs_property_set_long_description(format,
    "{mark} of your own row, {rank}, {change} of the rank since the board's mark, {name}, "
    .. "{player} for the id, {score}")
  return page
end

local function same_connection(one, other)
  for name in pairs(NOTHING) do
    if one[name] ~= other[name] then return false end
  end
  return true
end

-- A change of the appearance is shown at once. Other changes connect again, SETTLE_POLLS polls
-- after the last one.
function script_update(settings)
  local function words(name) return obs.obs_data_get_string(settings, name) end
  local function number(name) return obs.obs_data_get_int(settings, name) end
  local connection = {
    host = words "host", port = number "port", token = words "token", board = words "board",
    top = number "top", around = number "around", player = words "player",
  }
  if not same_connection(connection, asked.connection) then settling = SETTLE_POLLS end
  asked = { connection = connection, source = words "source", format = words "format" }
  changes_taken, written = nil, nil
end

local function disconnect()
  if client then client:close() end
  client, view = nil, nil
end

-- Returns why the client cannot be made; nil if it is made.
local function connect()
  disconnect()
  local to = asked.connection
  local token = to.token ~= "" and to.token or nil
  local why
  client, why = overlay.connect { host = to.host, port = to.port, token = token, enet = enet }
  if not client then return why end
  view = board_view.watch(client, {
    board = to.board, top = to.top, around = token and to.around,
    player = to.player ~= "" and to.player or nil,
  })
  changes_taken = nil
end

local function write(text)
  if text == written then return end
  local source = obs.obs_get_source_by_name(asked.source)
  if not source then return end -- the source may be created later
  local settings = obs.obs_data_create()
  obs.obs_data_set_string(settings, "text", text)
  obs.obs_source_update(source, settings)
  obs.obs_data_release(settings)
  obs.obs_source_release(source)
  written = text
end

-- The table; if it is empty, the reason.
local function picture()
  local rows = view:rows()
  if #rows > 0 then
    return table.concat(legible.lines(rows, asked.format, OWN_MARK, view.board), "\n")
  end
  local state, why = board_view.state(client)
  if state ~= "live" then return legible.text(why) end
  return view.reason and legible.text(view.reason) or ""
end

local refused, shown = nil, ""
local function poll()
  if settling then
    settling = settling > 1 and settling - 1 or nil
    if settling then return end
    refused = connect()
  end
  if not client then
    write(refused or "")
    return
  end
  client:tick()
  if view.changes ~= changes_taken or view.changes == 0 or #view.top == 0 then
    changes_taken, shown = view.changes, picture()
  end
  write(shown)
end

function script_load()
  obs.timer_add(poll, POLL_MS)
end

-- OBS removes the timer itself. Before 30.0 it crashed if a script did it in this function
-- (obs-studio issue 8997).
function script_unload()
  disconnect()
end
