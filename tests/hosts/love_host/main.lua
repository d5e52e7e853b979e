-- A game server in LÖVE's loop:
--
--   love tests/hosts/love_host                      plays tests/hosts/game.lua, a frame each update
--   love tests/hosts/love_host SCRIPT [ARGUMENT...] runs a script like the luajit command, except that
--                                                   the loop continues unless the script ends it
local folder = love.filesystem.getSource()
local game

-- LÖVE's own handler would wait for a key press.
function love.errorhandler(message)
  io.stderr:write(debug.traceback(tostring(message), 2), "\n")
  return function() return 1 end
end

function love.load(arguments)
  if #arguments > 0 then
    arg = { [0] = arguments[1], unpack(arguments, 2) }
    package.preload.enet = nil -- LÖVE includes ENet; some specifications need it missing
    dofile(arg[0])
    return
  end
  game = coroutine.wrap(function()
    dofile(folder .. "/../game.lua")(coroutine.yield)
    print "played"
    love.event.quit()
  end)
end

function love.update()
  if game then game() end
end
