// hostile_rules.h - rules that could hurt the server, by mistake or on purpose.
//
//   body    of `score`. It sees n, which counts the calls from 1, and a table `kept` that survives
//           calls. A line before it answers n = 0 with 7.
//   calls   the number of calls until it hurts; the last one must be refused.
//   reason  a part of the refusal's text.
#pragma once

#include <string>
#include <vector>

#include <lua.hpp>

namespace laurel::test {

struct HostileRule {
  std::string name;
  std::string body;
  std::string reason;
  int calls = 1;
};

inline std::string rule_of(const HostileRule& hostile) {
  return "local kept = {}\nreturn { score = function(old, n, s)\nif n == 0 then return 7 end\n" +
         hostile.body + "\nend }";
}

inline std::string repeated(const std::string& text, int times, const std::string& between) {
  std::string all = text;
  for (int i = 1; i < times; ++i) all += between + text;
  return all;
}

inline std::vector<HostileRule> hostile_rules() {
  const std::string instructions = "more than 100000 instructions in one call";
  const std::string bytes = "more than 1048576 bytes allocated in one call";
  const std::string block = "more than 540672 bytes in one text or table";
  const std::string time = "more than 1.0 ms in one call";
  const std::string any = "more than ";
  // From 5.2 on a stack may be larger than all that a call may allocate.
  const std::string overflow = LUA_VERSION_NUM == 501 ? "stack overflow" : any;
  // Later Luas make a long text again, although there is the same one already.
  const std::string same_text = LUA_VERSION_NUM == 501 ? time : any;
  // 5.2 and 5.3 use a closure again that has the same upvalues.
  const bool reuses_closures = LUA_VERSION_NUM == 502 || LUA_VERSION_NUM == 503;
  const std::string closures = reuses_closures ? instructions : bytes;
  // Before the first value, later Luas do not write where the error was.
  const std::string first_of_many = LUA_VERSION_NUM == 501 ? ": 1" : " 1";
  const std::string list = "local t = {} for i = 1, 7000 do t[i] = i end ";
  const std::string many = "local t = {} for i = 1, 250 do t[i] = i end ";
  const std::string text = "local a = 'x' for i = 1, 17 do a = a .. a end ";
  const std::string text_twice =
      "local a = 'xxxxxxxx' for i = 1, 13 do a = a .. a end local b = a .. 'c' a = a .. 'b' ";
  const std::string two_hundred = repeated("x", 200, ", ");
  return {
      // Loops and calls.
      {"an endless loop", "while true do end", instructions},
      {"an endless loop in a loop", "for i = 1, 1e9 do for j = 1, 1e9 do end end", instructions},
      {"a step too small to arrive", "for i = 0, 1, 1e-300 do end", instructions},
      {"calls without end", "local function f() end while true do f() end", instructions},
      {"tail calls without end", "local function f() return f() end return f()", instructions},
      {"calls through a table",
       "local t = {} function t.f() return t.g() end "
       "function t.g() return t.f() end return t.f()",
       instructions},
      {"recursion without end", "local function f() return 1 + f() end return f()", overflow},
      {"recursion with many locals",
       "local function f() local " + repeated("x", 1, "") +
           ", a, b, c, d, e, g, h = 1, 2, 3, 4, 5, 6, 7, 8 return 1 + f() + a end return f()",
       overflow},
      {"recursion that branches",
       "local function f(k) if k > 0 then f(k - 1) f(k - 1) end end f(60)", instructions},
      {"a sort of thousands, by hand",
       "local t = {} for i = 1, 5000 do t[i] = -i end for i = 1, 5000 do for j = 1, 4999 do "
       "if t[j] > t[j + 1] then t[j], t[j + 1] = t[j + 1], t[j] end end end",
       instructions},
      // Many arguments.
      {"unpacking thousands", list + "while true do local a = unpack(t) end", "too many results"},
      {"unpacking hundreds", many + "while true do local a = unpack(t) end", instructions},
      {"unpacking a range that never ends", "return unpack({}, 1, 1e300)", "too many results"},
      {"selecting among hundreds",
       many + "local function f(...) while true do local a = select('#', "
              "...) end end f(unpack(t))",
       instructions},
      {"selecting the last of hundreds",
       many + "local function f(...) while true do local a = "
              "select(-1, ...) end end f(unpack(t))",
       instructions},
      {"the largest of hundreds", many + "while true do local a = math.max(unpack(t)) end", any},
      {"the largest of hundreds of arguments",
       many + "local function f(...) while true do local a = "
              "math.max(...) end end f(unpack(t))",
       any},
      {"asserting hundreds",
       many + "local function f(...) while true do assert(...) end end "
              "f(unpack(t))",
       any},
      {"tail calls with hundreds of arguments",
       many + "local function f(...) return f(...) end "
              "return f(unpack(t))",
       any},
      {"tail calls with thousands of arguments",
       "local x = 1 local function f(k, ...) if k > 0 then "
       "return f(k - 1, " +
           two_hundred + ", ...) end return f(0, ...) end return f(30)",
       any},
      {"arguments that grow without end",
       "local x = 1 local function f(...) return f(" + two_hundred + ", ...) end return f()",
       overflow},
      {"a table of hundreds of arguments",
       many + "local function f(...) while true do local a = {...} "
              "end end f(unpack(t))",
       bytes},
      {"calls with hundreds of arguments",
       many + "local function g(...) end local function f(...) "
              "while true do g(...) end end f(unpack(t))",
       any},
      // Strings.
      {"a doubling text", "local a = 'x' while true do a = a .. a end", bytes},
      {"a growing text",
       "local a = 'xxxxxxxxxxxxxxxx' while true do a = a .. 'xxxxxxxxxxxxxxxx' end", bytes},
      {"comparing long texts", text_twice + "while true do local c = a < b end", time},
      {"comparing long texts kept of calls before",
       "if n < 4 then kept.a = (kept.a or 'xxxxxxxx') for i = 1, 5 do kept.a = kept.a .. kept.a "
       "end "
       "return 1 end kept.b = kept.b or kept.a .. 'b' if n == 4 then return 1 end "
       "kept.c = kept.c or kept.a .. 'c' if n == 5 then return 1 end "
       "while true do local c = kept.b < kept.c end",
       time, 6},
      {"joining long texts that are there already",
       text + "local b = a .. a while true do local c = a "
              ".. a end",
       same_text},
      {"joining long texts kept of calls before",
       "if n == 1 then local a = 'x' for i = 1, 17 do a = a "
       ".. a end kept.a = a return 1 end kept.b = kept.b or kept.a .. kept.a if n == 2 then return "
       "1 end "
       "while true do local c = kept.a .. kept.a end",
       same_text, 3},
      {"a text that grows from call to call",
       "kept.a = (kept.a or 'xxxxxxxx') for i = 1, 4 do kept.a = "
       "kept.a .. kept.a end return 1",
       any, 5},
      {"long texts as names", text + "local t = {} while true do t[a .. #t] = 1 end", any},
      {"a long text plus one",
       "local a = '9' for i = 1, 17 do a = a .. a end while true do local c = "
       "a + 1 end",
       time},
      {"a long hexadecimal text plus itself",
       "local a = 'f' for i = 1, 17 do a = a .. a end a = '0x' .. "
       "a while true do local c = a + a end",
       time},
      {"long blanks plus one",
       "local a = ' ' for i = 1, 17 do a = a .. a end a = a .. '1' while true do "
       "local c = a + 1 end",
       time},
      {"the smallest number as text",
       "local a = '4.9406564584124654e-324' while true do local c = a + a "
       "end",
       time},
      {"the largest number as text",
       "local a = '1.7976931348623157e308' while true do local c = a * 1 "
       "end",
       time},
      {"hundreds of digits as text",
       "local a = '9' for i = 1, 9 do a = a .. a end a = a .. 'e-800' "
       "while true do local c = a + 0 end",
       time},
      {"loops from text to text", "while true do for i = '1e-300', '0' do end end", any},
      {"tonumber of a long text",
       "local a = '9' for i = 1, 17 do a = a .. a end while true do local c = "
       "tonumber(a) end",
       "tonumber: a text of 131072 bytes; at most 1024 are looked at"},
      {"tonumber of text after text",
       "local a = '9' for i = 1, 9 do a = a .. a end while true do local "
       "c = tonumber(a) end",
       instructions},
      {"tonumber of small numbers",
       "while true do local c = tonumber('4.9406564584124654e-324') end", any},
      {"tonumber in another base",
       "local a = 'z' for i = 1, 9 do a = a .. a end while true do local c = "
       "tonumber(a, 36) end",
       instructions},
      {"tostring of numbers", "while true do local c = tostring(1.5e-300) end", instructions},
      {"tostring of new numbers", "local i = 0 while true do i = i + 0.1 local c = tostring(i) end",
       any},
      {"numbers joined", "local x = 1.5e-300 while true do local c = x .. '' end", any},
      {"hundreds of numbers joined",
       "local x = 1.5e-300 while true do local c = " + repeated("x", 180, " .. ") + " end", any},
      {"splitting",
       "local a = ',,,,,,,,' for i = 1, 6 do a = a .. a end while true do local c = split(a,"
       " ',') end",
       any},
      {"splitting a long text", text + "return split(a, 'y')",
       "split: a text of 131072 bytes; at most 1024 are looked at"},
      {"splitting by nothing", "return split('abc', '')", "empty separator"},
      // Numbers.
      {"remainders", "while true do local c = math.fmod(1e308, 1e-308) end", instructions},
      {"sines", "local x = 1e300 while true do local c = math.sin(x) end", instructions},
      {"powers", "local x = 1.0000001 while true do local c = math.pow(x, 1e7) end", instructions},
      {"powers without a call",
       "local x, y = 1.0000001, 1e7 while true do " + repeated("x = y ^ x", 1, " ") +
           repeated(" local c = x ^ y", 50, "") + " end",
       any},
      {"remainders without a call",
       "local x, y = 1e308, 1e-308 while true do " + repeated("local c = x % y", 50, " ") + " end",
       any},
      // Tables.
      {"a growing table", "local t = {} for i = 1, 1e9 do t[i] = {i} end", bytes},
      {"names without end", "local t = {} for i = 1, 1e9 do t['k' .. i] = i end", any},
      {"garbage without end", "while true do local t = {1, 2, 3, 4} end", bytes},
      {"closures without end", "while true do local t = function() return n end end", closures},
      {"a table that is larger than any may be",
       "local t = kept for i = 1, 6000 do t[(n - 1) * 6000 + i] = i end "
       "return 1",
       block, 11},
      {"next over what a table held once",
       "local t = kept if n == 1 then for i = 1, 4000 do t[-i] = i "
       "end return 1 end for i = 1, 4000 do t[-i] = nil end if n == 2 then return 1 end while true "
       "do "
       "local c = next(t) end",
       time, 3},
      {"pairs over what a table held once",
       "local t = kept if n == 1 then for i = 1, 4000 do t[-i] = i "
       "end return 1 end for i = 1, 4000 do t[-i] = nil end if n == 2 then return 1 end while true "
       "do "
       "for _ in pairs(t) do end end",
       time, 3},
      {"a list that makes room for one name again and again",
       "local t = kept if n < 5 then for i = 1, "
       "8000 do t[#t + 1] = i end return 1 end local k = 0 while true do k = k + 1 t[-k] = 1 t[-k] "
       "= nil "
       "end",
       any, 6},
      {"an index far away",
       "local t = {} local k = 1 while true do k = k * 2 t[k] = 1 t[-k] = 1 if k > "
       "1e300 then k = 1 end end",
       any},
      {"the length of lists with holes",
       "local t = {} for i = 1, 16384 do t[i] = i end for i = 2, 16383 "
       "do t[i] = nil end while true do local c = #t end",
       any},
      {"lists walked again and again",
       "local t = {} for i = 1, 5000 do t[i] = i end while true do for _ "
       "in ipairs(t) do end end",
       instructions},
      // Memory that is kept.
      {"hoarding lists",
       "local t = {} for i = 1, 16384 do t[i] = i end kept[#kept + 1] = t return 1",
       "more than 16777216 bytes held", 300},
      {"hoarding small tables",
       "local t = {} for i = 1, 1500 do t[i] = {i} end kept[#kept + 1] = t return 1",
       "more than 16777216 bytes held", 300},
      {"hoarding texts",
       "local a = 'x' for i = 1, 16 do a = a .. a end kept[#kept + 1] = a .. n return 1",
       "more than 16777216 bytes held", 340},
      // Errors.
      {"a long error", text + "error(a)", "xxxxxxxx"},
      {"an error that is a table", "error({})", "no text but a table value"},
      {"an error of hundreds", many + "error(unpack(t))", first_of_many},
      {"an error of control bytes", "error('\\n\\27[2J')", "\\n\\x1b[2J"},
      {"assert of nothing", "assert(nil)", "assertion failed"},
      // Results.
      {"no number", "return 0 / 0", "score returned nan"},
      {"an infinite number", "return math.huge", "score returned an infinity"},
      {"a text as score", text + "return a", "score returned a string"},
      {"data that is too long", text + "return 1, a", "score returned data of 131072 bytes"},
      {"a long reason", text + "return nil, a", "xxxxxxxx"},
      // Missing functions.
      {"catching errors", "while true do pcall(function() while true do end end) end", "'pcall'"},
      {"patterns", "return ('a'):find('a')", "attempt to index"},
      {"a coroutine", "coroutine.wrap(function() while true do end end)()", "'coroutine'"},
      {"code made of text", "loadstring('while true do end')()", "'loadstring'"},
      {"metatables", "setmetatable({}, {})", "'setmetatable'"},
      {"randomness", "return math.random()", "'random'"},
      {"addresses of tables", "if tostring({}) == 'table' then error('no address') end return 1",
       "no address"},
  };
}

}  // namespace laurel::test
