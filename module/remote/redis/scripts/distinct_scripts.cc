// Scripts about the distinct scores of a season, which dense ranks count.
//
//   set       boards of one shard with dense ranks have a sorted set of them: its members are the
//             texts of the scores. Every script that changes entries keeps it in the same step.
//   'to'      a member that is not a score. Its score says how far the set is complete: it has all
//             scores that are as good or better; the worst infinity: all of them. It is not better
//             than any score of which the better ones may be counted.
//   begin     with the first write, or read of a rank. It is complete at once if the season is
//             empty. Otherwise the board's ranking was changed, and `extend` adds what is there, in
//             steps, as far as reads need it.
//   end       by a write for another ranking. That write may come from a server that does not know
//             yet that the ranking is dense; then the set begins again. The shard's state has the
//             season that has a set, so that boards without one need no command to know it.
//   without   boards of several shards, and other rankings: `distinct` reads the scores themselves.
#include "remote/redis/scripts/script_texts.h"

namespace laurel::redis {

namespace {

constexpr std::string_view kBegin = R"lua(
local BEST, WORST = '+inf', '-inf'
if order == 'a' then BEST, WORST = WORST, BEST end
local function begin_distinct()
  call('UNLINK', distinct)
  call('ZADD', distinct, call('EXISTS', scores) == 1 and BEST or WORST, 'to')
end
)lua";

// keep_distinct(): `left` are scores that entries had, `entered` those that they have now. The
// entries are written before.
constexpr std::string_view kKeep = R"lua(
if dense == '1' then
  if marks[2] ~= season then
    begin_distinct()
    call('HSET', state, 'distinct', season)
  end
elseif marks[2] == season then
  call('UNLINK', distinct)
  call('HDEL', state, 'distinct')
end
local function keep_distinct(distinct, scores, left, entered)
  local gone, added = {}, {}
  for _, score in ipairs(left) do
    score = text(score)
    if call('ZCOUNT', scores, score, score) == 0 then gone[#gone + 1] = score end
  end
  for k, score in ipairs(entered) do
    score = text(score)
    added[2 * k - 1], added[2 * k] = score, score
  end
  if #gone > 0 then call('ZREM', distinct, unpack(gone)) end
  if #added > 0 then call('ZADD', distinct, unpack(added)) end
end
)lua";

constexpr std::string_view kCount = R"lua(
local function number(score)  -- Lua need not read infinities
  if score == 'inf' then return math.huge end
  if score == '-inf' then return -math.huge end
  return tonumber(score)
end
local function distinct_better(score)
  if dense ~= '1' then return -1 end
  local to = call('ZSCORE', distinct, 'to')
  if not to then return call('EXISTS', scores) == 1 and -1 or 0 end
  if order == 'd' then
    if number(to) > tonumber(score) then return -1 end
    return call('ZCOUNT', distinct, '(' .. score, '+inf')
  end
  if number(to) < tonumber(score) then return -1 end
  return call('ZCOUNT', distinct, '-inf', '(' .. score)
end
)lua";

// walk(): calls take(texts) for the distinct scores behind `after`, which is excluded, up to
// `till`, until it met `most` or a few more. Returns the last one, or nil if it met all. A run of
// equals is read only as far as the reads of different scores before it suggest.
constexpr std::string_view kWalk = R"lua(
local function read(after, till, n)
  if order == 'd' then
    return call('ZRANGE', scores, '(' .. after, till, 'BYSCORE', 'REV', 'LIMIT', 0, n, 'WITHSCORES')
  end
  return call('ZRANGE', scores, '(' .. after, till, 'BYSCORE', 'LIMIT', 0, n, 'WITHSCORES')
end
local function walk(after, till, most, take)
  local met, rows = 0, 16
  while met < most do
    local found, fresh = read(after, till, rows), {}
    if #found == 0 then return nil end
    for i = 2, #found, 2 do
      if found[i] ~= found[i - 2] then fresh[#fresh + 1] = found[i] end
    end
    take(fresh)
    after, met, rows = found[#found], met + #fresh, math.min(2 * #fresh, 128)
  end
  return after
end
)lua";

// Answers {'ok', 1 if there are more, {scores, the best first}}: those behind `after` that are
// better than `till`.
constexpr std::string_view kDistinct = R"lua(
local listed = {}
local last = walk(after, '(' .. till, tonumber(most), function(fresh)
  for _, score in ipairs(fresh) do listed[#listed + 1] = score end
end)
return {'ok', last and 1 or 0, listed}
)lua";

// KEYS ... distinct. Answers {'ok', the new 'to'}; the worst infinity if there is no entry. A
// season that has ended in the board's hash may still run in this shard: then its writes have to
// keep the set.
constexpr std::string_view kExtend = R"lua(
local to = call('ZSCORE', distinct, 'to')
if not to then
  if call('EXISTS', scores) == 0 then return {'ok', WORST} end
  begin_distinct()
  if call('HGET', state, 'season') == number_of_season then
    call('HSET', state, 'distinct', number_of_season)
  end
  to = call('ZSCORE', distinct, 'to')
end
local last = walk(to, WORST, tonumber(most), function(fresh)
  local added = {}
  for k, score in ipairs(fresh) do
    added[2 * k - 1], added[2 * k] = score, text(tonumber(score))
  end
  call('ZADD', distinct, unpack(added))
end)
call('ZADD', distinct, last or WORST, 'to')
return {'ok', call('ZSCORE', distinct, 'to')}
)lua";

}  // namespace

std::string_view distinct_keeping() {
  static const auto& text = *new std::string(std::string(kBegin).append(kKeep));
  return text;
}
std::string_view distinct_counting() { return kCount; }

std::string distinct_script() {
  return with_prelude({lua_values(kOfDistinct.names, kOfShard.size()), kWalk, kDistinct});
}
std::string extend_script() {
  return with_prelude({"local distinct = KEYS[4]\n", kBegin,
                       lua_values(kOfExtend.names, kOfShard.size()), kWalk, kExtend});
}

}  // namespace laurel::redis
