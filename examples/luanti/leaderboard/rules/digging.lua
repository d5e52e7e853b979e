-- Limits how fast a player can dig. If a client digs faster than any tool allows, the excess is
-- rejected. Edits of this file apply from the next step on.

local PER_SECOND = 10 -- the best tools dig seven nodes per second
local AT_ONCE = 100   -- for mods with tools that dig a whole vein or tree

-- The load: the number of dug nodes, which decreases by PER_SECOND each second. It is stored as
-- text in the entry's data, so that it survives a reload of this file and a restart of the server.
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
