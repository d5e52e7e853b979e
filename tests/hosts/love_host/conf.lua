-- LÖVE as a server: only its loop, without a window or graphics.
function love.conf(t)
  t.version = "11.4"
  t.window = false
  for _, module in ipairs { "audio", "graphics", "image", "joystick", "font", "keyboard", "mouse",
    "physics", "sound", "system", "thread", "touch", "video", "window" } do
    t.modules[module] = false
  end
end
