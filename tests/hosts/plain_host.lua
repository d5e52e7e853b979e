-- The loop of a host that runs a script and nothing else.
local folder = arg[0]:match("^(.*)/")
dofile(folder .. "/game.lua")(function() end)
print "played"
