-- What the overlay needs of LÖVE: the network, and a window, which main.lua opens once it knows how
-- large; no sound, no gamepads, no physics.
function love.conf(t)
  t.version = "11.4"
  t.window = false
  for _, module in ipairs { "audio", "sound", "joystick", "physics", "video", "touch", "mouse" } do
    t.modules[module] = false
  end
end
