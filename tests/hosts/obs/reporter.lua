-- Loaded into OBS beside the overlay. Whenever they change, it writes to files, atomically, the text of OBS's
-- text source and the overlay's settings page.
local obs = obslua
local scratch, overlay, written = nil, nil, {}

local function write(name, text)
  if written[name] == text then return end
  local path = scratch .. "/" .. name
  local file = assert(io.open(path .. ".part", "wb"))
  file:write(text)
  file:close()
  assert(os.rename(path .. ".part", path))
  written[name] = text
end

-- The fields of a settings page with these names (obs_property_next cannot be called from Lua), one
-- a line; a list is followed by its items, a password by a star.
local NAMES = { "host", "port", "token", "board", "top", "around", "player", "source", "format" }
local function page_of(properties)
  local lines = {}
  for i, name in ipairs(NAMES) do
    local property = obs.obs_properties_get(properties, name)
    local kind = property and obs.obs_property_get_type(property)
    lines[i] = property and obs.obs_property_name(property) or name .. " is missing"
    if kind == obs.OBS_PROPERTY_LIST then
      for item = 0, obs.obs_property_list_item_count(property) - 1 do
        lines[i] = lines[i] .. " [" .. obs.obs_property_list_item_string(property, item) .. "]"
      end
    elseif kind == obs.OBS_PROPERTY_TEXT
      and obs.obs_property_text_type(property) == obs.OBS_TEXT_PASSWORD then
      lines[i] = lines[i] .. "*"
    end
  end
  return table.concat(lines, "\n")
end

-- Loads a second copy of the overlay, which OBS does not run, to call its functions.
local function report_page()
  local script = setmetatable({ script_path = function() return overlay:match("^.*/") end },
    { __index = _G })
  setfenv(assert(loadfile(overlay)), script)()
  local properties = script.script_properties()
  write("page.txt", page_of(properties))
  obs.obs_properties_destroy(properties)
  write("description.txt", script.script_description())
end

local function report()
  local source = obs.obs_get_source_by_name("standings")
  if not source then return end
  local settings = obs.obs_source_get_settings(source)
  write("text.txt", obs.obs_data_get_string(settings, "text"))
  obs.obs_data_release(settings)
  obs.obs_source_release(source)
  if not written["page.txt"] then report_page() end
end

function script_update(settings)
  scratch = obs.obs_data_get_string(settings, "scratch")
  overlay = obs.obs_data_get_string(settings, "overlay")
end

function script_load()
  obs.timer_add(report, 50)
end
