-- Numbers in every Lua: if it has integers, whole numbers are integers.
local laurel = require "laurel"
local spec = require "spec"
local it, eq, refuses, raises = spec.it, spec.eq, spec.refuses, spec.raises

local type_of = rawget(math, "type")
local HAS_INTEGERS = type_of ~= nil
local MOST = 2 ^ 53
local to_integer = rawget(math, "tointeger")
local GREATEST, LEAST = rawget(math, "maxinteger"), rawget(math, "mininteger")

-- The kinds of the numbers in a table, by their names, also of those in tables within.
local function kinds(value, name, into)
  into = into or {}
  if type(value) == "table" then
    for key, each in pairs(value) do kinds(each, type(key) == "string" and key or name, into) end
  elseif type(value) == "number" then
    into[name] = type_of(value)
  end
  return into
end

local function in_folder_of_rules(source, fn)
  spec.in_folder(function(folder)
    assert(os.execute("mkdir '" .. folder .. "'"))
    local file = assert(io.open(folder .. "/r.lua", "wb"))
    file:write(source)
    file:close()
    local boards = laurel.open { rules = folder, log = function() end, clock = function() return 1000 end }
    fn(boards:board("b", { rule = "r", keep = "latest" }))
    boards:close()
  end)
end

if HAS_INTEGERS then
  it("ranks, sizes, counts, versions and whole scores are integers", function()
    local boards = laurel.open { clock = function() return 1000 end }
    local board = boards:board("b", { history = 10, marks = "0 0 * * 1" })
    for i, player in ipairs { "ada", "bob", "cy" } do board:submit(player, i * 10) end
    eq(kinds(board:top(3)), { score = "integer", rank = "integer", at = type_of(board:get("ada").at) })
    eq(kinds({ held = (board:submit("ada", 70)), got = board:score("ada"), rank = (board:rank("ada")),
        size = select(2, board:rank("ada")), all = board:size(), new = board:rank_of(1),
        count = board:count(), season = board:season(), changed = (board:submit_all { { "di", 1 } }),
        report = board:submit_report("di", 99, nil, 7) }),
      { held = "integer", got = "integer", rank = "integer", size = "integer", all = "integer",
        new = "integer", count = "integer", season = "integer", changed = "integer", score = "integer",
        at = "integer", previous = "integer", previous_rank = "integer", passed = "integer" })
    local version
    board:watch(3, function(change) version = change.version end)
    board:submit("eva", 1000)
    boards:tick()
    eq(type_of(version), "integer")
    eq(("%d of %d"):format(board:rank("eva")), "1 of 5")
    eq(tostring(board:score("eva")), "1000")
    boards:close()
  end)

  it("a score with a fraction, or a whole one beyond 2^53, is a float", function()
    local boards = laurel.open()
    local board = boards:board("b", {})
    for _, each in ipairs { { 0.5, "float" }, { -7.0, "integer" }, { MOST, "integer" },
      { -MOST, "integer" }, { MOST + 2, "float" }, { 1e300, "float" } } do
      local score, kind = each[1], each[2]
      board:clear()
      local held = board:submit("ada", score)
      eq(held, score)
      eq(type_of(held), kind)
    end
    boards:close()
  end)

  it("an integer beyond 2^53 is out_of_range, since it would lose digits", function()
    local boards = laurel.open()
    local board = boards:board("b", {})
    local columns = boards:board("c", {
      columns = { { name = "a", min = 0, max = 9 }, { name = "b", min = 0, max = 9 } } })
    for _, score in ipairs { to_integer(MOST) + 1, -to_integer(MOST) - 1, GREATEST, LEAST } do
      for _, name in ipairs { "submit", "add", "set", "post", "submit_report", "join" } do
        refuses("out_of_range", board[name](board, "ada", score))
      end
      refuses("out_of_range", board:rank_of(score))
      refuses("out_of_range", boards:submit({ "b" }, "ada", score))
      refuses("out_of_range", boards:submit_each("ada", { b = score }))
      refuses("out_of_range", columns:submit("ada", { 1, score }))
      refuses("out_of_range",
        boards:record_session { player = "ada", game = "g", score = score, seconds = 1 })
      local changed, wrong = board:submit_all { { "ada", score }, { "bob", 1 } }
      eq({ changed, #wrong, wrong[1].index }, { 1, 1, 1 })
      refuses("out_of_range", nil, wrong[1].reason)
      board:clear()
    end
    eq((board:submit("ada", to_integer(MOST))), MOST)
    eq(#board:top(GREATEST), 1)
    boards:close()
  end)

  it("a rule calculates with integers, and its integers beyond 2^53 refuse the result", function()
    in_folder_of_rules([[return { score = function(old, new)
      if new == 1 then return 1 << 60 end
      if new == 2 then return #("x" .. new) end
      if new == 3 then return 7 // 2 end
      if new == 4 then return math.fmod(7, 4) + math.tointeger(5.0) + tonumber("0x10") + tonumber("3") end
      if new == 5 then return #tostring(5.0) end
      if new == 6 then return "10" + 1 end
      if new == 7 then return 1 // 0 end
    end }]], function(board)
      refuses("rejected", board:submit("ada", 1))
      eq((board:submit("ada", 2)), 2)
      eq((board:submit("ada", 3)), 3)
      eq((board:submit("ada", 4)), 27)
      eq((board:submit("ada", 5)), 3)
      eq((board:submit("ada", 6)), 11)
      refuses("rejected", board:submit("ada", 7))
    end)
  end)
end

it("numbers in messages have no more digits than they need", function()
  local boards = laurel.open()
  local board = boards:board("b", {})
  raises("whole number expected, got 1.5", board.top, board, 1.5)
  raises("takes seconds above 0, up to", laurel.open, { remote_timeout = -5 })
  raises("field 'remote_timeout' is -5;", laurel.open, { remote_timeout = -5 })
  board:submit("ada", 1)
  local season = board:reset()
  eq(tostring(board:archived(season)), "board: b (season 1)")
  boards:close()
end)

-- What a rule of each Lua could call to get out of its sandbox, or to make it unpredictable.
it("a rule sees a list of functions, whatever else its Lua has", function()
  in_folder_of_rules([[
    local missing = 0
    for _, value in ipairs {
      load == nil, loadstring == nil, loadfile == nil, dofile == nil, require == nil, package == nil,
      debug == nil, io == nil, os == nil, string == nil, table == nil, utf8 == nil, bit32 == nil, bit == nil,
      coroutine == nil, collectgarbage == nil, setmetatable == nil, getmetatable == nil, rawset == nil,
      rawget == nil, rawlen == nil, pcall == nil, xpcall == nil, print == nil, warn == nil, newproxy == nil,
      getfenv == nil, setfenv == nil, _G == nil, jit == nil, math.random == nil, math.randomseed == nil,
      gcinfo == nil, module == nil, _VERSION == nil } do
      if not value then missing = missing + 1 end
    end
    return { score = function(old, new) return missing end }]], function(board)
    eq((board:submit("ada", 1)), 0)
  end)
  for _, body in ipairs { "return ('x'):rep(5)", "return ('%a'):format(1)", "return ('x').y" } do
    in_folder_of_rules("return { score = function() " .. body .. " end }", function(board)
      refuses("rejected", board:submit("ada", 1))
    end)
  end
end)

it("bytecode is not a rule", function()
  in_folder_of_rules(string.dump(loadstring("return {}")), function(board)
    refuses("unavailable", board:submit("ada", 1))
  end)
end)
