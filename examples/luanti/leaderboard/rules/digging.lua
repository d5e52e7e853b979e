-- How fast somebody can dig. A client that digs faster than any tool lets it is refused the rest.
-- Edit this file while the server runs: it counts from the next step on.

local PER_SECOND = 10 -- the best tools dig seven
local AT_ONCE = 100   -- for mods whose tools dig a whole vein or tree

-- What somebody dug and the seconds since have not worn off yet, as text in the entry's data: it
-- outlives this file and the server, which a variable would not.
local function load_of(submission)
  local held = submission.held
  if not held then return submission.score end
  local worn_off = (submission.at - held.at) * PER_SECOND
  return math.max(0, (tonumber(held.data) or 0) - worn_off) + submission.score
end

return {
  version = "1",
  accept = function(submission)
    if submission.score <= 0 then return false, "nobody digs less than nothing" end
    return load_of(submission) <= AT_ONCE, "nobody digs that fast"
  end,
  score = function(old, new, submission)
    return (old or 0) + new, tostring(load_of(submission))
  end,
}
