std = "luajit"
max_line_length = 100
exclude_files = { "build", "**/*.d.lua" }

-- Gameplay scripts that a host runs find these two as globals.
files["examples/**/scripts"] = { read_globals = { "boards" }, globals = { "laurel" } }
-- LÖVE's and OBS Studio's scripts define what their program calls.
files["examples/love"] = { globals = { "love" } }
files["tests/hosts/love_host"] = { globals = { "love", "arg" } }
files["tests/hosts/love_fonts"] = { globals = { "love" } }
files["tests/hosts/until_told.lua"] = { globals = { "love" } }
local obs_script = {
  read_globals = { "obslua", "script_path" },
  globals = { "script_description", "script_defaults", "script_properties", "script_update",
    "script_load", "script_unload" },
}
files["examples/obs"] = obs_script
files["tests/hosts/obs"] = obs_script
-- Luanti gives its mods `minetest`; the leaderboard mod gives others `leaderboard`.
files["examples/luanti"] = { read_globals = { "minetest" }, globals = { "leaderboard" } }
files["tests/hosts/luanti_prompter"] = { read_globals = { "minetest", "leaderboard" } }
-- A rule sees Lua's harmless functions only, and split.
files["**/rules"] = { std = "min", read_globals = { "split" } }

-- Sentences about error texts are as long as the texts.
files["tests"] = { max_line_length = 110 }
