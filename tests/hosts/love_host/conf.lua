-- LÖVE as a server: no window and nothing to draw on, only its loop.
function love.conf(t)
  t.version = "11.4"
  t.window = false
  for _, module in ipairs { "audio", "graphics", "image", "joystick", "font", "keyboard", "mouse",
    "physics", "sound", "system", "thread", "touch", "video", "window" } do
    t.modules[module] = false
  end
end
