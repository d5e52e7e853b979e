-- Disables the LÖVE modules that the overlay does not use. main.lua opens the window, when it knows
-- the size.
function love.conf(t)
  t.version = "11.4"
  t.window = false
  for _, module in ipairs { "audio", "sound", "joystick", "physics", "video", "touch", "mouse" } do
    t.modules[module] = false
  end
end
