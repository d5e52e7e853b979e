// The script that writes submissions to a shard.
#include "remote/redis/scripts/script_texts.h"

namespace laurel::redis {

namespace {

// Notifies followers. Called if a followed top may have changed.
constexpr std::string_view kTelling = R"lua(
local function tell(channel) call('SPUBLISH', channel, call('HINCRBY', state, 'top', 1)) end
)lua";

// Remembers posts: 'again' was applied before, 'gap' if its predecessor was not. A post that is met
// again is written once more, so that the following WAIT covers it.
constexpr std::string_view kPosts = R"lua(
local servers = KEYS[7]
local clock
local function now()
  clock = clock or call('TIME')
  return tonumber(clock[1]) * 1000000 + tonumber(clock[2])
end
local last_posts, met = {}, {}
local function last_post(server)
  if not last_posts[server] then
    local last = call('HGET', servers, server)
    last_posts[server] = last and tonumber(last:match('^%d+')) or 0
  end
  return last_posts[server]
end
local function post_is(server, number, before)
  if server == '' then return nil end
  local last = last_post(server)
  if tonumber(number) <= last then
    met[server] = true
    return 'again'
  end
  if before ~= '0' and last < tonumber(before) then return 'gap' end
  return nil
end
local function remember_post(server, number)
  if server == '' then return end
  last_posts[server] = tonumber(number)
  met[server] = true
end
local function keep_posts()
  for server in pairs(met) do
    local seconds = math.floor(now() / 1000000)
    local last = string.format('%.0f %.0f', last_posts[server], seconds)
    if call('HSET', servers, server, last) == 1 then
      local all = call('HGETALL', servers)
      for i = 1, #all, 2 do
        local seen = tonumber(all[i + 1]:match(' (%d+)$') or '0')
        if seen < seconds - 2592000 then call('HDEL', servers, all[i]) end
      end
    end
  end
end
)lua";

// KEYS ... hidden, banned, joined, servers, ids, attempts, distinct. Answers for each submission
// {word, ...}, or {'done', score or '', changed, joined, and for reports: at, previous score or '',
// previous at or '', size before, size after, position before, better, not worse and distinct
// better than the score before (-1: not known), and the same four after}. There is no score if the
// id of the result was accepted before, and the player has no entry now. The entries of all
// players, and the ids, are read at once. Changes are written at the end, or before a report: a few
// commands, however many submissions there are.
constexpr std::string_view kWrite = R"lua(
local banned, joined = KEYS[5], KEYS[6]
limit, watched, most_ids = tonumber(limit), tonumber(watched), tonumber(most_ids)
capacity = tonumber(capacity)
local ranked = capacity and call('ZCARD', scores)
local last_at, written = tonumber(marks[3] or '-1e18'), marks[4]
local begun, any, told = last_at, false, false

-- By player, as they will be; `there` is the member that the set has now, and if distinct scores
-- are kept, `was` its score.
local rows = {}
local function read_rows()
  local ids = {}
  for i = FIRST, #ARGV, SIZE do ids[#ids + 1] = ARGV[i + PLAYER] end
  local values, members, found = call('HMGET', players, unpack(ids)), {}, {}
  for k, value in ipairs(values) do
    if value and not rows[ids[k]] then
      local row = {player = ids[k], at = time_of(value), data = value:sub(9)}
      row.there = member_of(ARGV[FIRST + SIZE * (k - 1) + PART], row.at)
      row.member = row.there
      rows[ids[k]] = row
      found[#found + 1], members[#members + 1] = row, row.there
    end
  end
  if #members == 0 then return end
  for k, score in ipairs(call('ZMSCORE', scores, unpack(members))) do
    found[k].score = tonumber(score)
    if dense == '1' then found[k].was = found[k].score end
    if not found[k].score then rows[found[k].player] = nil end
  end
end

local changed_rows = {}
local function write_rows()
  if #changed_rows == 0 then return end
  local gone, added, values, left, entered = {}, {}, {}, {}, {}
  for k, row in ipairs(changed_rows) do
    if row.there and row.there ~= row.member then gone[#gone + 1] = row.there end
    added[2 * k - 1], added[2 * k] = text(row.score), row.member
    values[2 * k - 1], values[2 * k] = row.player, at8(row.at) .. row.data
    if dense == '1' and row.was ~= row.score then
      left[#left + 1], entered[#entered + 1] = row.was, row.score
      row.was = row.score
    end
    row.there, row.is_changed = row.member, false
  end
  if #gone > 0 then call('ZREM', scores, unpack(gone)) end
  call('ZADD', scores, unpack(added))
  call('HSET', players, unpack(values))
  if dense == '1' then keep_distinct(distinct, scores, left, entered) end
  changed_rows = {}
end

local fields = {}  -- of a packed score, by column
for unit, size, min, max, turned in columns:gmatch('(%d+) (%d+) (%S+) (%S+) (%d);') do
  fields[#fields + 1] = {unit = tonumber(unit), size = tonumber(size), min = tonumber(min),
                         max = tonumber(max), turned = turned == '1'}
end
-- The packed score with a difference added to each column, or nil if that is out of range. All
-- numbers are whole and below 2^53.
local function add_columns(held, differences)
  local sum, i = 0, 0
  for difference in differences:gmatch('([^;]+);') do
    i = i + 1
    local field, value = fields[i], 0
    difference = tonumber(difference)
    if held then
      local kept = math.floor(held / field.unit) % field.size
      value = field.turned and field.max - kept or field.min + kept
    end
    if difference < field.min - value or difference > field.max - value then return nil end
    value = value + difference
    sum = sum + field.unit * (field.turned and field.max - value or value - field.min)
  end
  return sum
end

local edge  -- the score of the last watched place; false if there are fewer entries
local function is_watched(score)
  if edge == nil then
    local row = call(order == 'd' and 'ZREVRANGE' or 'ZRANGE', scores, watched - 1, watched - 1,
                     'WITHSCORES')
    edge = tonumber(row[2]) or false
  end
  if not edge then return true end
  if order == 'd' then return score >= edge end
  return score <= edge
end

local has_bans
local function is_banned(player)
  if has_bans == nil then has_bans = call('EXISTS', banned) == 1 end
  return has_bans and call('SISMEMBER', banned, player) == 1
end
local function is_in(player) return call('SISMEMBER', joined, player) == 1 end

local offered_ids = {}  -- by submission
local function read_offered_ids()
  local digests = {}
  for i = FIRST, #ARGV, SIZE do
    if ARGV[i + ID] ~= '' then
      offered_ids[i] = id_of(ARGV[i + ID])
      digests[#digests + 1] = offered_ids[i].digest
    end
  end
  read_ids(digests)
end

local function standing(row)
  if not row then return -1, 0, 0, -1 end
  local score = text(row.score)
  return rank(row.there), better(score), not_worse(score), distinct_better(score)
end

local function repeated(i, row)
  local score = row and text(row.score) or ''
  local report = {'done', score, 0, 0}
  if ARGV[i + REPORTS] == '1' then
    write_rows()
    local at = row and string.format('%.0f', row.at) or ''
    report[5], report[6], report[7] = row and at or ARGV[i + AT], score, at
    report[8] = call('ZCARD', scores)
    report[9] = report[8]
    report[10], report[11], report[12], report[13] = standing(row)
    for i = 10, 13 do report[i + 4] = report[i] end
  end
  return report
end

local function write(i, post)
  local player, keep, offered = ARGV[i + PLAYER], ARGV[i + KEEP], tonumber(ARGV[i + SCORE])
  local data, given, refused = ARGV[i + DATA], ARGV[i + AT], ARGV[i + REFUSED]
  local joins, reports = ARGV[i + JOINS] == '1', ARGV[i + REPORTS] == '1'
  local row, judged = rows[player], ARGV[i + JUDGED]
  if judged ~= '' then
    local stale
    if judged == '-' then
      stale = row ~= nil
    else
      stale = not row or row.score ~= tonumber(judged) or row.at ~= tonumber(ARGV[i + JUDGED_AT]) or
        row.data ~= ARGV[i + JUDGED_DATA]
    end
    if stale then return {'stale'} end
  end
  if post then return {post} end
  local id = offered_ids[i]
  if id and repeats(id) then return repeated(i, row) end
  if joins then
    if is_banned(player) then return {'banned'} end
    if is_in(player) then return {'joined', row and text(row.score) or ''} end
  end
  if refused == '1' then return {'refused'} end
  if not joins then
    if is_banned(player) then return {'banned'} end
    if required == '1' and not is_in(player) then return {'not_joined'} end
  end
  local count = most_attempts and keep ~= 'm' and count_of(player)
  if count and left(count) == 0 then return {'exhausted'} end
  if capacity and keep ~= 'm' and not row and ranked >= capacity then return {'full'} end
  if refused == '2' then return {'refused'} end

  local score, held = offered, row and row.score
  if keep == 's' and #fields > 0 then
    score = add_columns(held, ARGV[i + SCORE])
    if not score then return {'sum', held and text(held) or '', ''} end
  elseif held then
    if keep == 's' then
      score = held + offered + 0
      local size = math.abs(score)
      if size == math.huge or (limit and size > limit) then
        return {'sum', text(held), text(offered)}
      end
    elseif keep == 'f' or (keep == 'b' and ((order == 'd' and offered < held) or
                                            (order == 'a' and offered > held))) then
      score, data = held, ''
    end
  end
  local at
  if given ~= '' then
    at = tonumber(given)
  else
    at = math.max(now(), last_at + 1)
    last_at = at
  end
  local changed = true
  if held == score then
    changed = data ~= '' and data ~= row.data
    at = row.at
    if data == '' then data = row.data end
  end

  local report = {'done', text(score), changed and 1 or 0, joins and 1 or 0}
  if reports then
    write_rows()
    report[5], report[6], report[7] = string.format('%.0f', at), '', ''
    report[8] = call('ZCARD', scores)
    report[10], report[11], report[12], report[13] = standing(row)
    if row then report[6], report[7] = text(held), string.format('%.0f', row.at) end
  end
  if changed then
    told = told or not row or is_watched(held) or is_watched(score)
    if not row then
      row = {player = player}
      rows[player] = row
      if ranked then ranked = ranked + 1 end
    end
    row.score, row.at, row.data, row.member = score, at, data, member_of(ARGV[i + PART], at)
    if not row.is_changed then changed_rows[#changed_rows + 1] = row end
    row.is_changed, any = true, true
  end
  if reports then
    write_rows()
    report[9] = call('ZCARD', scores)
    report[14], report[15], report[16], report[17] = standing(row)
  end
  if id then accept(id) end
  if count then
    count.taken = count.taken + 1
    change_count(count)
  end
  if joins then call('SADD', joined, player) end
  return report
end

read_rows()
read_offered_ids()
local answers = {}
for i = FIRST, #ARGV, SIZE do
  local server, number = ARGV[i + SERVER], ARGV[i + NUMBER]
  local post = post_is(server, number, ARGV[i + BEFORE])
  local answer = post == 'again' and {post} or write(i, post)
  local word = answer[1]
  if word ~= 'again' and word ~= 'stale' and word ~= 'gap' then remember_post(server, number) end
  answers[#answers + 1] = answer
end
write_rows()
keep_posts()
keep_ids(most_ids)
keep_counts()
if last_at ~= begun then call('HSET', state, 'at', string.format('%.0f', last_at)) end
if any and written ~= season then call('HSET', state, 'written', season) end
if told then tell(channel) end
return {'ok', answers}
)lua";

}  // namespace

std::string_view telling_functions() { return kTelling; }
std::string_view post_functions() { return kPosts; }

std::string write_script() {
  return with_prelude(
      {kTelling, kPosts, "local ids, attempts, distinct = KEYS[8], KEYS[9], KEYS[10]\n",
       distinct_counting(), distinct_keeping(), id_functions(),
       lua_values(kOfWrite.names, kOfShard.size()), attempt_functions(),
       lua_offsets(kOfSubmission.names, kOfShard.size() + kOfWrite.size()), kWrite});
}

}  // namespace laurel::redis
