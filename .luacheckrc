std = "luajit"
max_line_length = 100
exclude_files = { "build", "**/*.d.lua" }

-- Gameplay scripts that a host runs find these two as globals.
files["examples/**/scripts"] = { read_globals = { "boards" }, globals = { "laurel" } }
-- A rule sees Lua's harmless functions only.
files["**/rules"] = { std = "min" }

-- Sentences about error texts are as long as the texts.
files["tests"] = { max_line_length = 110 }
