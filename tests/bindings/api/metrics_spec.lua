-- boards:metrics(), and the file for Prometheus.
local laurel = require "laurel"
local spec = require "spec"
local it, eq, raises, contains = spec.it, spec.eq, spec.raises, spec.contains

-- The value of a series; nil if there is none.
local function value(text, series)
  for line in text:gmatch("[^\n]+") do
    local name, number = line:match("^(.*) (%S+)$")
    if name == series then return tonumber(number) end
  end
end

local function read(name)
  local file = io.open(name, "rb")
  if not file then return "" end
  local text = file:read("*a")
  file:close()
  return text
end

it("metrics are text, with help and type of each family once", function()
  local boards = laurel.open()
  boards:board("b", {}):submit("ada", 1)
  boards:tick()
  local text, seen, typed = boards:metrics(), {}, nil
  for line in text:gmatch("[^\n]+") do
    local kind, name = line:match("^# (%u+) (%S+)")
    if kind == "HELP" then
      eq(seen[name], nil)
      seen[name] = true
      typed = name
    elseif kind == "TYPE" then
      eq(name, typed)
    else
      eq(line:sub(1, #typed), typed)
      assert(tonumber(line:match(" (%S+)$")), line)
    end
  end
  eq(text:sub(-1), "\n")
  eq(value(text, "laurel_up"), 1)
  eq(value(text, 'laurel_board_players{board="b"}'), 1)
  eq(value(text, "laurel_tick_seconds_count"), 1)
end)

it("the build info has the module's version, and the Lua that runs the script", function()
  local lua = jit and jit.version or _VERSION
  local info = ('laurel_build_info{version="%s",lua="%s"} 1'):format(laurel.version, lua)
  contains(laurel.open():metrics(), info)
end)

it("submissions are counted by what became of them, and types that raise are none", function()
  local boards = laurel.open()
  local board = boards:board("b", {})
  board:submit("ada", 5)
  board:submit("ada", 4)
  board:submit("ada", 0 / 0)
  board:submit("", 1)
  pcall(board.submit, board, "ada", "7")
  local text = boards:metrics()
  eq(value(text, 'laurel_submissions_total{board="b",result="changed"}'), 1)
  eq(value(text, 'laurel_submissions_total{board="b",result="unchanged"}'), 1)
  eq(value(text, 'laurel_submissions_total{board="b",result="refused"}'), 2)
  eq(value(text, 'laurel_refusals_total{reason="not_finite"}'), 1)
  eq(value(text, 'laurel_refusals_total{reason="bad_player"}'), 1)
  eq(value(text, 'laurel_refusals_total{reason="exhausted"}'), 0)
end)

it("a rule has its failures, whether it is off, and how long it took", function()
  spec.in_folder(function(folder)
    os.execute("mkdir '" .. folder .. "'")
    local file = assert(io.open(folder .. "/even.lua", "w"))
    file:write [[
return {
  accept = function(submission)
    if submission.score < 0 then error("below zero") end
    return submission.score % 2 == 0, "odd"
  end,
}]]
    file:close()
    local boards = laurel.open { rules = folder, log = function() end }
    local board = boards:board("b", { rule = "even", keep = "latest" })
    for i = 1, 6 do board:submit("ada", i) end
    board:submit("ada", -1)
    local text = boards:metrics()
    eq(value(text, 'laurel_rule_failures_total{rule="even"}'), 1)
    eq(value(text, 'laurel_rule_off{rule="even"}'), 0)
    eq(value(text, 'laurel_rule_seconds_count{rule="even"}'), 7)
    assert(value(text, 'laurel_rule_seconds_sum{rule="even"}') > 0)
    eq(value(text, 'laurel_refusals_total{reason="rejected"}'), 4)
    for _ = 1, 100 do board:submit("ada", -1) end
    eq(value(boards:metrics(), 'laurel_rule_off{rule="even"}'), 1)
  end)
end)

it("live channels are one, and their counters stay when one is stopped", function()
  local boards = laurel.open()
  local board = boards:board("b", {})
  board:submit("ada", 1)
  eq(boards:metrics():find("laurel_live", 1, true), nil)
  local one, two = boards:serve { port = 0 }, boards:serve { port = 0 }
  one:publish(board)
  two:publish(board)
  local clients = {}
  for i, live in ipairs { one, two } do
    clients[i] = laurel.connect { host = "127.0.0.1", port = live:port() }
    clients[i]:subscribe("b", 1, function() end)
  end
  local function metric(name) return value(boards:metrics(), "laurel_live_" .. name) end
  spec.until_(function() return metric("clients") == 2 and metric("subscriptions") == 2 end,
    boards, clients[1], clients[2])
  eq(metric('closed_total{reason="slow"}'), 0)
  local sent = metric("sent_messages_total")
  assert(sent >= 4 and metric("sent_bytes_total") > sent)
  one:close()
  eq(metric("clients"), 1)
  eq(metric('closed_total{reason="stopped"}'), 1)
  assert(metric("sent_messages_total") >= sent)
  two:close()
  eq(metric("clients"), nil)
  eq(metric('closed_total{reason="stopped"}'), 2)
end)

it("the file is written at the opening, and once more at the end with laurel_up 0", function()
  spec.in_folder(function(folder)
    os.execute("mkdir '" .. folder .. "'")
    local name = folder .. "/laurel.prom"
    local boards = laurel.open { metrics = name, metrics_seconds = 1 }
    spec.until_(function() return value(read(name), "laurel_up") == 1 end)
    boards:board("b", {}):submit("ada", 1)
    spec.until_(function() return value(read(name), 'laurel_board_players{board="b"}') == 1 end, boards)
    boards:close()
    eq(value(read(name), "laurel_up"), 0)
    eq(value(read(name), 'laurel_board_players{board="b"}'), 1)
  end)
end)

it("options of metrics that cannot work raise", function()
  raises("there is no directory", laurel.open, { metrics = "/nowhere at all/laurel.prom" })
  raises("field 'metrics' is empty", laurel.open, { metrics = "" })
  raises("field 'metrics_seconds' needs 'metrics'", laurel.open, { metrics_seconds = 5 })
  for _, seconds in ipairs { 0, 0.5, 3601, -1, 0 / 0 } do
    local options = { metrics = "/tmp/x.prom", metrics_seconds = seconds }
    raises("it takes seconds from 1 to 3600", laurel.open, options)
  end
  raises("string expected", laurel.open, { metrics = 5 })
end)

it("metrics of closed boards raise", function()
  local boards = laurel.open()
  boards:close()
  raises("closed", boards.metrics, boards)
end)
