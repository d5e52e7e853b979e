-- The loop of a host that only runs a script.
local folder = arg[0]:match("^(.*)/")
dofile(folder .. "/game.lua")(function() end)
print "played"
