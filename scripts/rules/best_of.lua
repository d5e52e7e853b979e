-- best_of.lua - the sum of a player's best KEPT attempts.
--
-- The attempts are stored in the entry's data, best first: "30 25 12.5". So they survive restarts
-- and are visible with the entry. The submissions' own data is not kept.
--
--   boards:board("jumps", { rule = "best_of" })     -- any `keep`, any `decimals`
--
-- Each number is stored exactly. If the fourteen digits of tostring are too few, the difference
-- follows after an "&": "0.33333333333333&3.3306690738755e-15". Sixteen attempts of the longest
-- form fit into an entry's 1,024 bytes. KEPT may be increased later. If it is decreased, an entry
-- loses attempts at its player's next submission.

local KEPT = 5 -- 1 to 16
local LOW_IS_BETTER = false -- true for times, with order = "asc"

-- Returns the text of a number; read(write(x)) == x.
local function write(number)
  local text = tostring(number)
  local missed = number - tonumber(text)
  return missed == 0 and text or text .. "&" .. tostring(missed)
end

-- Returns nil if the text was not made by write().
local function read(text)
  local number = 0
  for _, part in ipairs(split(text, "&")) do
    local value = tonumber(part)
    if not value then return nil end
    number = number + value
  end
  return number
end

-- Returns the attempts of an entry, best first. An entry that was set by hand, or is older than
-- this rule, counts as a single attempt.
local function attempts_of(held)
  if not held then return {} end
  local attempts, sum = {}, 0
  for i, text in ipairs(split(held.data or "", " ")) do
    attempts[i] = read(text)
    if not attempts[i] then return { held.score } end
    sum = sum + attempts[i]
  end
  -- With `decimals` a sum is rounded.
  if math.abs(sum - held.score) > 1e-9 * (1 + math.abs(sum)) then return { held.score } end
  return attempts
end

local function better(a, b)
  if LOW_IS_BETTER then return a < b end
  return a > b
end

return {
  version = "best_of 1",

  score = function(_, new, submission)
    local attempts = attempts_of(submission.held)
    local place = #attempts + 1
    while place > 1 and better(new, attempts[place - 1]) do
      attempts[place] = attempts[place - 1]
      place = place - 1
    end
    attempts[place] = new

    local sum, data = 0, ""
    for i = 1, math.min(#attempts, KEPT) do
      sum = sum + attempts[i]
      data = data .. (i > 1 and " " or "") .. write(attempts[i])
    end
    return sum, data
  end,
}
