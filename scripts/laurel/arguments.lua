-- arguments.lua - checks the arguments of a script, and raises errors that name the called
-- function.
--
--   "bad argument #2 to 'subscribe' (number expected, got string)"
--
--   argument   counted without self.
--   position   the error has the position of the script's line. So a check must be called directly
--              by the function that the script called.
local text = require "laurel.text"

local arguments = {}

local CALLER = 4 -- the error level of the script, in `bad`

local function bad(name, position, why)
  error(("bad argument #%d to '%s' (%s)"):format(position, name, why), CALLER)
end

local function is_whole(value) return value == math.floor(value) end

function arguments.check_type(name, position, value, expected)
  if type(value) ~= expected then
    bad(name, position, ("%s expected, got %s"):format(expected, type(value)))
  end
end

function arguments.check_optional(name, position, value, expected)
  if value ~= nil and type(value) ~= expected then
    bad(name, position, ("%s expected, got %s"):format(expected, type(value)))
  end
end

-- A whole number; a negative one counts as 0.
function arguments.check_count(name, position, value)
  if type(value) ~= "number" then
    bad(name, position, ("number expected, got %s"):format(type(value)))
  end
  if value ~= value then bad(name, position, "whole number expected, got nan") end
  if not is_whole(value) then
    bad(name, position, ("whole number expected, got %.14g"):format(value))
  end
  return math.max(value, 0)
end

function arguments.check_self(name, value, class, class_name)
  if getmetatable(value) == class then return end
  error(("bad self to '%s' (%s expected, got %s; call it as %s:%s(...))"):format(name, class_name,
    type(value), class_name, name), CALLER - 1)
end

local function known_names(fields)
  local names = {}
  for field in pairs(fields) do names[#names + 1] = field end
  table.sort(names)
  return names
end

-- A table of options: fields[name] is a type, or several types separated by "|".
function arguments.check_options(name, position, options, fields)
  if type(options) ~= "table" then
    bad(name, position, ("table expected, got %s"):format(type(options)))
  end
  for field, value in pairs(options) do
    if type(field) ~= "string" then
      bad(name, position, ("the names of fields are strings, got a %s"):format(type(field)))
    end
    local types = fields[field]
    if not types then
      local meant = text.nearest(field, known_names(fields))
      local hint = meant and ("; did you mean '%s'?"):format(meant) or ""
      bad(name, position, ("no field is called '%s'%s"):format(text.escaped(field, 60), hint))
    end
    if not ("|" .. types .. "|"):find("|" .. type(value) .. "|", 1, true) then
      bad(name, position,
        ("field '%s': %s expected, got %s"):format(field, types:gsub("|", " or "), type(value)))
    end
  end
end

-- A whole number in a range.
function arguments.check_range(name, position, field, value, low, high)
  if value >= low and value <= high and is_whole(value) then return end
  bad(name, position, ("field '%s' is %.14g; it takes a whole number from %.14g to %.14g"):format(
    field, value, low, high))
end

-- Raises an error for another reason.
function arguments.raise(name, position, why) bad(name, position, why) end

return arguments
