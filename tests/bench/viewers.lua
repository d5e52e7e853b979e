-- viewers.lua - how late viewers see a change, when one game server feeds gateways and each gateway feeds
-- viewers. Prints the tables of module/docs/sizing.md.
--
--   luajit tests/bench/viewers.lua               the tables
--   luajit tests/bench/viewers.lua --check PAGE  fails if the page lacks a line of them
--
-- The model, in milliseconds:
--   change    a moment at random: a player's score changes. The game's next tick takes it up.
--   server    sends what changed in its ticks, at most every 50 ms, to one gateway after the other.
--   network   from the server to a gateway.
--   gateway   looks each 5 ms. module/web/feed/pacer.h: a pass over all viewers begins 1/rate after the
--             last one at least, and is held back if the next state is expected soon. Each viewer in turn
--             gets the newest state.
--   viewer    a change is seen with the first message that has it or a newer state. The way from the gateway
--             to the viewer and what the browser does come on top: add yours.
-- Each gateway and each of its places in a pass is simulated, with random phases. The random numbers are the
-- same in each run.

-- What real programs were measured to take. module/docs/sizing.md says with which commands.
local measured = {
  server_message = 0.0060,  -- ms of the live thread for a state to a client, with its answer, encrypted
  gateway_message = 0.0059, -- ms of a gateway for a message to a viewer
  message_bytes = 331,      -- of an event, ten entries
  state_bytes = 185,        -- from the server to a gateway: ten entries changed, with headers of IP and UDP
  viewer_bytes = 1000,      -- of the gateway, a viewer
  kernel_bytes = 6000,      -- of the kernel, a viewer
  network = 0.1,            -- from the server to a gateway
}
-- The delays of one gateway's viewers, in four runs of bench_web.
local seen = {
  { viewers = 2000, half = "66 to 76 ms", most = "124 to 129 ms" },
  { viewers = 4000, half = "68 to 74 ms", most = "125 to 132 ms" },
  { viewers = 10000, half = "76 to 78 ms", most = "142 to 144 ms" },
}
local SERVER_TICK, RATE = 50, 10
local ETHERNET, TCP = 18, 52 -- bytes of headers; TCP with IP and timestamps
local LOOK, STATE_LATE = 5, 10 -- kTick and kStateLate of module/web/http/limits.h

local seed = 1
local function random() -- source: Park and Miller's minimal standard
  seed = seed * 16807 % 2147483647
  return seed / 2147483647
end

-- The states that reach a gateway: when, and up to which moment each has all changes. And the changes.
--   every     the board changes so often
--   at_ticks  each change comes just before a tick of the game
local function states_of(seconds, game_tick, every, at_ticks, gateway)
  local states, changes = {}, {}
  local phase, look = random() * game_tick, random() * LOOK
  for at = at_ticks and phase or random() * every, seconds * 1000, every do changes[#changes + 1] = at end
  local function tick_from(at) return phase + math.ceil((at - phase) / game_tick) * game_tick end
  local sent, i = -SERVER_TICK, 1
  while i <= #changes do
    sent = tick_from(math.max(changes[i], sent + SERVER_TICK))
    while i <= #changes and changes[i] <= sent do i = i + 1 end
    local arrives = sent + (gateway + 1) * measured.server_message + measured.network
    states[#states + 1] = { at = look + math.ceil((arrives - look) / LOOK) * LOOK, upto = sent }
  end
  return states, changes
end

-- When the passes of a gateway over its viewers begin.
local function passes_of(states, viewers)
  local interval, length = 1000 / RATE, viewers * measured.gateway_message
  local passes, next_at, i = {}, 0, 1
  while i <= #states do
    local begin = math.max(states[i].at, next_at)
    while states[i + 1] and states[i + 1].at <= begin do i = i + 1 end
    local period = i > 1 and states[i].at - states[i - 1].at or math.huge
    local expected = states[i].at + period
    local following = states[i + 1]
    if following and begin > states[i].at and expected - begin <= math.min(interval, period) / 2
      and following.at <= expected + math.min(STATE_LATE, period / 4) then
      begin, i = following.at, i + 1
    end
    passes[#passes + 1] = begin
    next_at = begin + math.max(interval, length)
    i = i + 1
  end
  return passes
end

local Delays = {}
Delays.__index = Delays
local function delays() return setmetatable({ count = {}, all = 0, most = 0 }, Delays) end
function Delays:add(ms)
  local place = math.floor(ms * 2)
  self.count[place] = (self.count[place] or 0) + 1
  self.all = self.all + 1
  self.most = math.max(self.most, ms)
end
function Delays:quantile(q)
  local left = q * self.all
  for place = 0, math.ceil(self.most * 2) do
    left = left - (self.count[place] or 0)
    if left <= 0 then return (place + 1) / 2 end
  end
  return self.most
end

-- Adds, for changes of one gateway's board, when the viewers at evenly spread places see them.
local function watch(found, gateway, viewers, play, places)
  local states, changes = states_of(play.seconds, play.game_tick, play.every, play.at_ticks, gateway)
  local passes = passes_of(states, viewers)
  for place = 1, places do
    local offset = math.floor((place - 0.5) / places * viewers) * measured.gateway_message
    local state, pass = 1, 1
    for _, change in ipairs(changes) do
      while states[state] and states[state].upto < change do state = state + 1 end
      if not states[state] then break end
      while passes[pass] and passes[pass] + offset < states[state].at do pass = pass + 1 end
      if not passes[pass] then break end
      if change > 1000 then found:add(passes[pass] + offset - change) end
    end
  end
end

-- `rounds` times, each with other phases.
local function simulate(gateways, viewers, play, rounds, places)
  local found = delays()
  for _ = 1, rounds do
    for gateway = 0, gateways - 1 do watch(found, gateway, viewers, play, places) end
  end
  return found
end

local function grouped(n)
  local text = ("%.0f"):format(n)
  repeat
    local more
    text, more = text:gsub("^(%d+)(%d%d%d)", "%1,%2")
  until more == 0
  return text
end

local lines = {}
local function row(form, ...) lines[#lines + 1] = form:format(...) end
local CASES = { { 1e4, 1 }, { 1e6, 100 }, { 1e7, 1000 } } -- viewers, gateways

-- What bench_web measures: changes come just before ticks, 100 a second.
row("| viewers of one gateway | half of them, model | measured | 99 of 100, model | measured |")
for _, one in ipairs(seen) do
  local play = { seconds = 20, game_tick = 10, every = 10, at_ticks = true }
  local found = simulate(1, one.viewers, play, 200, 20)
  row("| %s | %.0f ms | %s | %.0f ms | %s |", grouped(one.viewers), found:quantile(0.5), one.half,
    found:quantile(0.99), one.most)
end

-- Delays.
row("| viewers | gateways | changes all the time: half, 99 of 100 | every two seconds: half, 99 of 100 |")
for _, case in ipairs(CASES) do
  local viewers, gateways = case[1], case[2]
  local each, rounds = viewers / gateways, 1000 / gateways
  local busy = simulate(gateways, each, { seconds = 5, game_tick = 50, every = 7 }, rounds, 25)
  local calm = simulate(gateways, each, { seconds = 60, game_tick = 50, every = 1999 }, rounds, 25)
  row("| %s | %s | %.0f ms, %.0f ms | %.0f ms, %.0f ms |", grouped(viewers), grouped(gateways),
    busy:quantile(0.5), busy:quantile(0.99), calm:quantile(0.5), calm:quantile(0.99))
end

-- Loads, of one board that changes all the time, which all viewers watch.
row("| viewers | gateways | the server sends | of a core | each gateway sends | of a core | memory "
  .. "| all viewers get |")
for _, case in ipairs(CASES) do
  local viewers, gateways = case[1], case[2]
  local each = viewers / gateways
  local to_gateways, to_viewers = gateways * 1000 / SERVER_TICK, each * RATE
  local state_bits = 8 * (measured.state_bytes + ETHERNET)
  local event_bits = 8 * (measured.message_bytes + TCP + ETHERNET)
  row("| %s | %s | %s messages/s, %.1f Mbit/s | %.1f %% | %s messages/s, %.0f Mbit/s | %.0f %% | %.0f MB "
    .. "| %.1f Gbit/s |", grouped(viewers), grouped(gateways),
    grouped(to_gateways), to_gateways * state_bits / 1e6, to_gateways * measured.server_message / 10,
    grouped(to_viewers), to_viewers * event_bits / 1e6, to_viewers * measured.gateway_message / 10,
    each * (measured.viewer_bytes + measured.kernel_bytes) / 1e6, viewers * RATE * event_bits / 1e9)
end

if arg[1] ~= "--check" then
  print(table.concat(lines, "\n"))
  os.exit(0)
end
local file = assert(io.open(arg[2]))
local page = file:read("*a")
file:close()
local missing = 0
for _, line in ipairs(lines) do
  if not page:find(line, 1, true) then
    missing = missing + 1
    print(arg[2] .. " lacks this line: " .. line)
  end
end
os.exit(missing == 0 and 0 or 1)
