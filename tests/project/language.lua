-- Comments, pages and names of test cases are plain technical English: none has a word or a phrase of the
-- list below. Names in the C++ code are the field's.
--
--   luajit tests/project/language.lua [PATH...]     without a path, the whole project

package.path = "tests/project/?.lua;" .. package.path
local comments = require "comments"

-- A Lua pattern, and what to write instead. %f[%w] and %f[%W] are the ends of a word. What begins with ^ is
-- a comment's first words, as they are written; all else is compared in lower case.
local REFUSED = {
  { "%f[%w]who[m]?ever%f[%W]", "the caller, the client, the thread" },
  { "%f[%w]nobody%f[%W]", "no client, not used, null" },
  { "%f[%w]he%f[%W]", "it, they" },
  { "%f[%w]his%f[%W]", "its, their" },
  { "%f[%w]him%f[%W]", "it, them" },
  { "%f[%w]himself%f[%W]", "itself, themselves" },
  { "%f[%w]elsewhere%f[%W]", "remote, another" },
  { "%f[%w]but for%f[%W]", "except" },
  { "%f[%w]so many%f[%W]", "n, at most n" },
  { "%f[%w]as many%f[%W]", "the number, the same number of, all that, until" },
  { "%f[%w]anew%f[%W]", "again, from the start, new" },
  { "%f[%w]any more%f[%W]", "no longer" },
  { "%f[%w]some %d", "about" },
  { "%f[%w]goe?s? on%f[%W]", "continue" },
  { "%f[%w]for who%f[%W]", "for a player who, for a client that" },
  { "%f[%w]where there is%f[%W]", "if" },
  { "%f[%w]where there are%f[%W]", "if" },
  { "%f[%w]where no%f[%W]", "if" },
  { "%f[%w]where nothing%f[%W]", "if" },
  { "^ ?Of ", "a subject and a verb" },
  { "^ ?Likewise", "a subject and a verb" },
  { "^ ?As of ", "a subject and a verb" },
  { "^ ?The same of ", "a subject and a verb" },
  { "^ ?The same where", "a subject and a verb" },
  { "^ ?Those ", "a subject and a verb" },
}

-- Phrases that are plain, though a part of them is refused.
local PLAIN = { "times as many%f[%W]", "twice as many%f[%W]", "half as many%f[%W]" }

-- Kept as they were written, or not prose of ours.
local EXCEPT = {
  "^tests/compatibility/0%.1%.0/", -- as 0.1.0 had it
  "^module/cmake/copyright$",
  "^LICENSE$",
  "^tests/project/language%.lua$",
}

-- Names in the code, and what a program prints, that comments quote.
local QUOTED = {
  "ours, the skiplist, and Nobody", 'in 87", or "nobody"', "commands in RUN_BY_TESTS",
}

-- Words that no type, function or variable of the C++ code has: each is a private word for something that
-- has a name in the field.
local NAMES = {
  Seldom = "a pointer that may be null", immortal = "a static made by new", Borrowed = "ScriptResources",
  BoardsBox = "RegistryHandle", Doorman = "ConnectFilter", Farewell = "CloseReason",
  Knock = "ConnectAttempt", ShardDoor = "FlatCombiningLock", Errand = "Request",
  Carrier = "RemoteArchiver", Copier = "LocalArchiver", homeless_ = "unrouted_", elsewhere = "remote",
  anew = "is_whole, restart", begin_anew = "start_over",
  Audience = "RegistryObserver", Moments = "TimestampSource", HandOver = "CommitBatch", Fate = "Outcome",
}

-- In a page, a line may begin in the middle of a sentence.
local function is_begun(pattern) return pattern:sub(1, 1) == "^" end

-- The first phrase of the text that is refused, and what to write instead.
local function refused(text, is_page)
  for _, quoted in ipairs(QUOTED) do
    if text:match(quoted) then return nil end
  end
  text = text:gsub("`[^`]*`", "``") -- names in the code
  local lower = text:lower()
  for _, plain in ipairs(PLAIN) do lower = lower:gsub(plain, "") end
  for _, each in ipairs(REFUSED) do
    if not (is_page and is_begun(each[1])) then
      local found = (is_begun(each[1]) and text or lower):match(each[1])
      if found then return found, each[2] end
    end
  end
end

-- The name of a test case on the line, or "".
local function name_of_case(line, kind)
  if kind == "cc" then
    return line:match('^TEST_CASE[%w_]*%(.*"(.*)"') or line:match('^    +"(.*)"%)? ?{?$') or ""
  elseif kind == "lua" then
    return line:match('^%s*it%("(.-)",') or ""
  end
  return ""
end

do -- what it finds, and what not
  local function finds(text, expected, is_page)
    assert((refused(text, is_page)) == expected, text)
  end
  finds(" no" .. "body knows", "no" .. "body")
  finds(" the header of a file; hers, this and then", nil)
  finds(" Of" .. " the caller", " Of ")
  finds(" of the caller", nil)
  finds("Of" .. " the caller", nil, true)
  finds(" about 10 us, at most 3 more", nil)
  finds(" some" .. " 10 us", "some" .. " 1")
  finds(" it goes" .. " on", "goes" .. " on")
  finds(" as" .. " many as fit", "as" .. " many")
  finds(" it has" .. " many, or four times as" .. " many as that", nil)
  finds(" nil for" .. " who was not ranked", "for" .. " who")
  assert(name_of_case('TEST_CASE("a finding") {', "cc") == "a finding")
  assert(name_of_case('it("a finding", function()', "lua") == "a finding")
end

local function is_wanted(path)
  for _, pattern in ipairs(EXCEPT) do
    if path:match(pattern) then return false end
  end
  if #arg == 0 then return true end
  for _, wanted in ipairs(arg) do
    if path:sub(1, #wanted) == wanted then return true end
  end
  return false
end

local _, sources = comments.files()
local read, wrong = 0, 0
for _, source in ipairs(sources) do
  if is_wanted(source.path) then
    read = read + 1
    local number, in_code = 0, false
    for line in io.lines(source.path) do
      number = number + 1
      local is_page = source.kind == "md"
      if is_page and line:match("^%s*```") then in_code = not in_code end
      local words, instead
      if not in_code then
        words, instead = refused(comments.of(line, source.kind), is_page)
        if not words then words, instead = refused(name_of_case(line, source.kind), true) end
      end
      if not words and source.kind == "cc" then
        for name in line:gsub('"[^"]*"', '""'):gsub("//.*", ""):gmatch("[%a_][%w_]*") do
          local is_place = name:match("_there_?$") or name == "there_" or name == "here_"
          local field = NAMES[name] or is_place and "remote_..."
          if field then words, instead = name, field end
        end
      end
      if words then
        wrong = wrong + 1
        print(('%s:%d: "%s": %s'):format(source.path, number, words:match("^%s*(.-)%s*$"), instead))
      end
    end
  end
end
print(("%d files read, %d lines to be rewritten"):format(read, wrong))
os.exit(wrong == 0 and 0 or 1)
