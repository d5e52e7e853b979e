-- protected.lua - calls functions of scripts. An error is logged with its traceback and does not
-- propagate.
local text = require "laurel.text"

local unpack = rawget(table, "unpack") or unpack -- moved in Lua 5.2

local LINE_BYTES_MAX = 1024 -- longer than a line of a traceback

local function traceback(why)
  if type(why) ~= "string" then return ("(the error is a %s)"):format(type(why)) end
  return debug.traceback(why, 2)
end

-- Escapes control bytes, except line ends.
local function escaped_lines(lines)
  return (lines:gsub("[^\n]+", function(line) return text.escaped(line, LINE_BYTES_MAX) end))
end

local function log_to_stderr(level, line)
  io.stderr:write("laurel: ", level, ": ", line, "\n")
end

-- Returns protect(title, fn, ...) -> true and two results, or false. `title` names the function in
-- the log.
--   log   function(level, text), whose errors are caught too; nil: standard error
return function(log)
  return function(title, fn, ...)
    local arguments, count = { ... }, select("#", ...)
    local results = { xpcall(function() return fn(unpack(arguments, 1, count)) end, traceback) }
    if results[1] then return true, results[2], results[3] end
    local line = title .. ": " .. escaped_lines(results[2])
    if not (log and pcall(log, "error", line)) then log_to_stderr("error", line) end
    return false
  end
end
