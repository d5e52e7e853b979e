-- The LÖVE modules that fonts need.
function love.conf(t)
  t.version = "11.4"
  for _, module in ipairs { "audio", "sound", "joystick", "physics", "video", "touch", "mouse" } do
    t.modules[module] = false
  end
end
