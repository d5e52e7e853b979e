// Scripts about what is kept of results besides entries: their ids, which count once, and how many
// of a player were taken.
//
//   digest    in place of an id: the set keeps no name of a player, and its members have one size.
//   kept      24 hours, by the clocks of the servers that ask. Ids that are older go when new ones
//             come.
//   counting  of a count: one that is lower than the board's no longer counts, though its season
//             continues.
#include "remote/redis/scripts/script_texts.h"

namespace laurel::redis {

namespace {

constexpr std::string_view kIds = R"lua(
local ID_KEPT = 86400000000
local accepted_at, new_ids = {}, {}  -- by digest, as far as they were read; pairs to add
local function id_of(text)
  local cut = text:find(' ', 1, true)
  local digest = redis.sha1hex(text:sub(cut + 1)):sub(1, 32)
  return {now = tonumber(text:sub(1, cut - 1)), digest = digest}
end
local function read_ids(digests)
  if #digests == 0 then return end
  for k, at in ipairs(call('ZMSCORE', ids, unpack(digests))) do
    if at then accepted_at[digests[k]] = tonumber(at) end
  end
end
local function repeats(id)
  local at = accepted_at[id.digest]
  return at ~= nil and id.now < at + ID_KEPT
end
local function accept(id)
  accepted_at[id.digest] = id.now
  new_ids[#new_ids + 1], new_ids[#new_ids + 2] = string.format('%.0f', id.now), id.digest
end
local function keep_ids(most)
  if #new_ids == 0 then return end
  call('ZADD', ids, unpack(new_ids))
  local last = string.format('%.0f', tonumber(new_ids[#new_ids - 1]) - ID_KEPT)
  local old = call('ZRANGEBYSCORE', ids, '-inf', last, 'LIMIT', 0, #new_ids)
  if #old > 0 then call('ZREM', ids, unpack(old)) end
  local over = call('ZCARD', ids) - most
  if over > 0 then call('ZREMRANGEBYRANK', ids, 0, over - 1) end
end
)lua";

// KEYS ... ids. Answers {'ok', 1 if a result with the id was accepted, else 0}.
constexpr std::string_view kRepeats = R"lua(
local offered = id_of(id)
read_ids({offered.digest})
return {'ok', repeats(offered) and 1 or 0}
)lua";

constexpr std::string_view kAttemptCounts = R"lua(
most_attempts, counting = tonumber(most_attempts), tonumber(counting)
local counts, changed_counts = {}, {}
local function count_of(player)
  local count = counts[player]
  if count then return count end
  count = {player = player, taken = 0, granted = 0, counting = counting}
  local value = call('HGET', attempts, player)
  if value then
    local taken, granted, known = value:match('^(%S+) (%S+) (%S+)$')
    if tonumber(known) >= counting then
      count.taken, count.granted = tonumber(taken), tonumber(granted)
      count.counting = tonumber(known)
    end
  end
  counts[player] = count
  return count
end
local function left(count)
  return math.max(most_attempts + count.granted - count.taken, 0)
end
local function change_count(count)
  if not count.is_changed then changed_counts[#changed_counts + 1] = count end
  count.is_changed = true
end
local function keep_counts()
  if #changed_counts == 0 then return end
  local values = {}
  for k, count in ipairs(changed_counts) do
    values[2 * k - 1] = count.player
    values[2 * k] = string.format('%.0f %.0f %.0f', count.taken, count.granted, count.counting)
  end
  call('HSET', attempts, unpack(values))
end
)lua";

// KEYS ... attempts. Answers {'ok', how many were taken, how many are left}, or {'ok', 'range'}.
constexpr std::string_view kAttempts = R"lua(
local count = count_of(player)
if more ~= '' then
  if math.abs(count.granted + tonumber(more)) > 9007199254740992 then return {'ok', 'range'} end
  count.granted = count.granted + tonumber(more)
  change_count(count)
  keep_counts()
end
return {'ok', count.taken, left(count)}
)lua";

}  // namespace

std::string_view id_functions() { return kIds; }
std::string_view attempt_functions() { return kAttemptCounts; }

std::string attempts_script() {
  return with_prelude({"local attempts = KEYS[4]\n", lua_values(kOfAttempts.names, kOfShard.size()),
                       kAttemptCounts, kAttempts});
}

std::string repeats_script() {
  return with_prelude(
      {"local ids = KEYS[4]\n", kIds, lua_values(kOfRepeats.names, kOfShard.size()), kRepeats});
}

}  // namespace laurel::redis
