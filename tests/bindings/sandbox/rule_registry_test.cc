// Board rules through the interface that boards use.
#include "bindings/sandbox/rule_registry.h"

#include <cmath>
#include <filesystem>
#include <limits>

#include <doctest/doctest.h>

#include "base/limits.h"
#include "folder.h"

using namespace laurel;
using laurel::test::Folder;
using laurel::test::Journal;

namespace {

// A folder with one rule, "season", and its log.
struct Scene {
  Folder folder;
  Journal journal;
  std::unique_ptr<Rules> rules = open_lua_rules(folder.path(), journal.log());
  RuleId season = 0;
  RuleFailure without = RuleFailure::refuse;

  explicit Scene(const char* text) {
    folder.write("season.lua", text);
    season = rules->open("season");
  }
  void edit(std::string_view text) {
    folder.write("season.lua", text);
    rules->reload_changed();
  }

  // "42", "42 data", "keep" if the rule leaves the score to the board, or the refusal.
  std::string submit(double score, std::optional<Held> held = {},
                     std::optional<std::string_view> data = {}) {
    const auto verdict = rules->judge(season,
                                      {.board = "season_3",
                                       .player = "alice",
                                       .score = score,
                                       .data = data,
                                       .at = 1'500'000,
                                       .held = held},
                                      without);
    if (!verdict) return std::string(verdict.refusal().text());
    if (!verdict->score) return "keep";
    return fmt::format("{}{}{}", *verdict->score, verdict->data ? " " : "",
                       verdict->data.value_or(""));
  }
};

}  // namespace

TEST_CASE("a rule without functions leaves everything to the board") {
  Scene scene("return {}");
  CHECK(scene.submit(5) == "keep");
  CHECK_FALSE(scene.rules->wants_changes(scene.season));
  CHECK(scene.rules->version(scene.season) == "1");
}

TEST_CASE("accept refuses with its reason, or with a default reason") {
  Scene scene("return { accept = function(s) return s.score < 10, 'too good to be true' end }");
  CHECK(scene.submit(5) == "keep");
  CHECK(scene.submit(50) == "rejected: too good to be true");
  scene.edit("return { accept = function(s) return false end }");
  CHECK(scene.submit(5) == "rejected: the rule said no");
  scene.edit("return { accept = function(s) end }");
  CHECK(scene.submit(5) == "rejected: the rule said no");
  scene.edit("return { accept = function(s) return nil, 7 end }");
  CHECK(scene.submit(5) == "rejected: 7");
  CHECK(scene.rules->stats().rejected == 4);
  CHECK(scene.rules->stats().failed == 0);
  CHECK(scene.journal.count("error: ") == 0);  // a rejection is not an error
}

TEST_CASE("a reason is cut to the maximum length, and its control bytes are escaped") {
  Scene scene("return { accept = function(s) return false, 'a\\n\\27[2J' .. s.data end }");
  const std::string reason = scene.submit(1, {}, std::string(1000, 'x'));
  CHECK(reason.starts_with("rejected: a\\n\\x1b[2Jxxx"));
  CHECK(reason.size() <= kRefusalBytesMax);
}

TEST_CASE("score decides the stored score and its data, instead of keep") {
  Scene scene("return { score = function(old, new) return (old or 0) + 2 * new end }");
  CHECK(scene.submit(5) == "10");
  CHECK(scene.submit(5, Held{.score = 7, .at = 0, .data = {}}) == "17");
  scene.edit("return { score = function(old, new, s) return new, 'from ' .. s.player end }");
  CHECK(scene.submit(5) == "5 from alice");
  scene.edit("return { score = function() return nil, 'not today' end }");
  CHECK(scene.submit(5) == "rejected: not today");
  scene.edit("return { score = function() end }");
  CHECK(scene.submit(5) == "rejected: the rule said no");
}

TEST_CASE("a rule sees the submission and the held entry") {
  Scene scene(R"(return { accept = function(s, old)
      local h = s.held
      return false, s.player .. ' ' .. s.score .. ' ' .. tostring(s.data) .. ' ' .. s.at .. ' ' .. s.board
        .. ' ' .. tostring(old) .. ' ' .. (h and h.score .. ' ' .. h.at .. ' ' .. tostring(h.data) or 'none')
    end })");
  CHECK(scene.submit(5) == "rejected: alice 5 nil 1.5 season_3 nil none");
  CHECK(scene.submit(5, Held{.score = 3, .at = -500'000, .data = "old"}, "new") ==
        "rejected: alice 5 new 1.5 season_3 3 3 -0.5 old");
}

TEST_CASE("a submission that a rule keeps does not change later") {
  Scene scene(R"(
      local first
      return { score = function(old, new, s) first = first or s return first.score end })");
  CHECK(scene.submit(5) == "5");
  CHECK(scene.submit(6) == "5");
}

TEST_CASE("any error in a rule refuses the submission, with file and line in the log") {
  Scene scene("return {}");
  struct Wrong {
    std::string text;
    std::string refusal;
  };
  const Wrong wrongs[] = {
      {"return { accept = function(s)\n return s.held.score > 1 end }",
       "rejected: rules/season.lua:2: attempt to index field 'held' (a nil value)"},
      {"return { score = function() return 0/0 end }",
       "rejected: score returned nan; a finite number was expected"},
      {"return { score = function() return math.huge end }",
       "rejected: score returned an infinity; a finite number was expected"},
      {"return { score = function() return '12' end }",
       "rejected: score returned a string; a number was expected"},
      {"return { score = function() return {} end }",
       "rejected: score returned a table; a number was expected"},
      {"return { score = function() return 1, 2 end }",
       "rejected: score returned data that is a number; a string was expected"},
      {"return { score = function(o, n, s) return 1, s.data .. s.data end }",
       "rejected: score returned data of 1200 bytes; at most 1024 are allowed"},
      {"return { accept = function() error{} end }",
       "rejected: an error that is no text but a table value"},
      {"return { accept = function() error(nil) end }",
       "rejected: an error that is no text but a nil value"},
      {"return { accept = function()\n\n while true do end end }",
       "rejected: rules/season.lua:3: more than 100000 instructions in one call"},
      {"return { accept = function() local s = 'x' while true do s = s .. s end end }",
       "rejected: more than 1048576 bytes allocated in one call"},
      {"return { accept = function() local function f() return 1 + f() end return f() end }",
       "stack overflow"},
  };
  std::uint64_t failed = 0;
  for (const Wrong& wrong : wrongs) {
    CAPTURE(wrong.text);
    scene.edit(wrong.text);
    CHECK(scene.submit(5, {}, std::string(600, 'x')).ends_with(wrong.refusal));
    CHECK(scene.rules->stats().failed == ++failed);
    CHECK(scene.journal.lines.back().starts_with("error: rules/season.lua:"));
    CHECK(scene.journal.lines.back().ends_with("; refused \"alice\" on \"season_3\""));
    scene.edit("return { score = function() return 1 end }");
    CHECK(scene.submit(5) == "1");
  }
}

TEST_CASE("a rule that hoards memory harms only itself") {
  Scene scene(R"(
      local hoard = {}
      return { score = function(old, new)
        if new > 0 then
          local t = {} for i = 1, 8000 do t[i] = i end
          hoard[#hoard + 1] = t
        else hoard = {} end
        return new end })");
  scene.folder.write("other.lua", "return { score = function() return 9 end }");
  const RuleId other = scene.rules->open("other");
  std::string refusal;
  for (int i = 0; i < 1000 && refusal.empty(); ++i) {
    const std::string said = scene.submit(1);
    if (said != "1") refusal = said;
  }
  CHECK(refusal == "rejected: more than 16777216 bytes held");
  CHECK(
      scene.rules
          ->judge(other, {.board = "b", .player = "p", .data = {}, .held = {}}, RuleFailure::refuse)
          ->score == 9);
  CHECK(scene.submit(0) == "0");  // releases it
  std::string said;
  for (int call = 0; call < 200 && said != "1"; ++call) said = scene.submit(1);
  CHECK(said == "1");  // once it is collected, a part after each call
}

TEST_CASE("a rule that fails at every call does not flood the log") {
  Scene scene("return { accept = function() error('no') end }");
  for (int i = 0; i < 60; ++i) scene.submit(1);
  CHECK(scene.journal.count("refused \"alice\"") == kRuleLinesPerTick);
  scene.rules->reload_changed();
  CHECK(scene.journal.count("rules/season.lua: 55 more failures since the last tick") == 1);
  scene.submit(1);
  CHECK(scene.journal.count("refused \"alice\"") == kRuleLinesPerTick + 1);
}

TEST_CASE("changed is told of changes, and its errors are logged") {
  Scene scene(R"(
      local heard = ''
      return {
        changed = function(c)
          heard = heard .. c.player .. ' ' .. c.board .. ' ' .. c.score .. ' ' .. tostring(c.previous)
            .. ' ' .. c.rank .. ' ' .. tostring(c.previous_rank) .. ' ' .. c.passed .. ' ' .. c.at .. ';'
          if c.score == 13 then error('unlucky') end
        end,
        accept = function() return false, heard end })");
  REQUIRE(scene.rules->wants_changes(scene.season));
  const auto tell = [&scene](double score, std::optional<double> previous) {
    Change change;
    change.player = "bob";
    change.board = "season_3";
    change.score = score;
    change.previous = previous;
    change.rank = 2;
    if (previous) change.previous_rank = 5;
    change.passed = 3;
    change.at = 2'500'000;
    scene.rules->changed(scene.season, change);
  };
  tell(7, std::nullopt);
  tell(8, 7.0);
  CHECK(scene.submit(1) == "rejected: bob season_3 7 nil 2 nil 3 2.5;bob season_3 8 7 2 5 3 2.5;");
  tell(13, 8.0);
  CHECK(scene.journal.count("rules/season.lua:7: unlucky; in changed") == 1);
  CHECK(scene.rules->stats().failed == 0);
}

TEST_CASE("a rule's version is its own, or the number of loads") {
  Scene scene("return { version = '2026-11-20' }");
  CHECK(scene.rules->version(scene.season) == "2026-11-20");
  scene.edit("return {}");
  CHECK(scene.rules->version(scene.season) == "2");
  scene.edit("return { accept = function() return true end }");
  CHECK(scene.rules->version(scene.season) == "3");
  scene.rules->reload_changed();
  CHECK(scene.rules->version(scene.season) == "3");
  CHECK(scene.rules->reload_all().empty());
  CHECK(scene.rules->version(scene.season) == "4");
}

TEST_CASE("a version that does not load leaves the old one in force, and is logged once") {
  const std::string long_version = "return { version = '" + std::string(129, 'v') + "' }";
  struct Bad {
    std::string text;
    std::string why;
  };
  const Bad bads[] = {
      {"return {\n  accept = function( end }", "rules/season.lua:2: "},
      {"", "rules/season.lua: it returned nothing, or nil; a rule is a table"},
      {"return nil", "it returned nothing, or nil; a rule is a table"},
      {"return 42", "it returned a number; a rule is a table"},
      {"\n\nerror('not now')", "rules/season.lua:3: not now"},
      {"error{}", "rules/season.lua: an error that is no text but a table value"},
      {"local x = nil + 1", "rules/season.lua:1: attempt to perform arithmetic on a nil value"},
      {"\nwhile true do end", "rules/season.lua:2: more than 100000 instructions in one call"},
      {"local t = {} for i = 1, 90 do t = {t, t} end local s = 'x' while true do s = s .. s end",
       "rules/season.lua: more than 540672 bytes in one text or table"},
      {"return { accept = 1 }", "\"accept\" is a number; a function was expected"},
      {"return { score = 'x' }", "\"score\" is a string; a function was expected"},
      {"return { version = 3 }", "\"version\" is a number; a string was expected"},
      {"return { changed = {} }", "\"changed\" is a table; a function was expected"},
      {"return { reload = true }", "\"reload\" is a boolean; a function was expected"},
      {"return { acept = function() end }", "no field \"acept\"; did you mean \"accept\"?"},
      {"return { xyzzy = 1 }", "no field \"xyzzy\"; it has \"version\", "},
      {"return { 1 }", "the names of a rule's fields are strings, got a number"},
      {long_version, "\"version\" has 129 bytes; at most 128 are allowed"},
      {"\x1bLJ\x02", "rules/season.lua: it is bytecode; a rule is text"},
      {"return { reload = function(old) error('lost') end }", "rules/season.lua:1: lost"},
      {"return { reload = function(old) while true do end end }", "more than 100000 instructions"},
      {std::string(kRuleFileBytesMax + 1, ' '),
       "it has 1048577 bytes; at most 1048576 are allowed"},
  };
  for (const Bad& bad : bads) {
    CAPTURE(bad.why);
    Scene scene("return { version = 'good', score = function() return 1 end }");
    scene.edit(bad.text);
    CAPTURE(scene.journal.all());
    CHECK(scene.submit(5) == "1");
    CHECK(scene.rules->version(scene.season) == "good");
    CHECK(scene.journal.count(bad.why) == 1);
    CHECK(scene.journal.count("; version good stays in force") == 1);
    for (int tick = 0; tick < 3; ++tick) scene.rules->reload_changed();
    CHECK(scene.journal.count("; version good stays in force") == 1);
    const auto failed = scene.rules->reload_all();
    REQUIRE(failed.size() == 1);
    CHECK(failed[0].rule == "season");
    CHECK(failed[0].error.find(bad.why) != std::string::npos);
    scene.edit("return { version = 'better', score = function() return 2 end }");
    CHECK(scene.submit(5) == "2");
    CHECK(scene.rules->version(scene.season) == "better");
  }
}

TEST_CASE("reload can take state over from the replaced table") {
  Scene scene("local r = { version = 'a', changed = function() end } r.accept = nil return r");
  scene.edit(R"(
      local n = 0
      local rule = { version = 'b' }
      function rule.score() n = n + 1 return n end
      rule.reload = function(old) if old.version == 'a' then n = 100 else n = old.score() end end
      return rule)");
  CHECK(scene.submit(0) == "101");
  scene.edit(R"(
      local n = 0
      local rule = { version = 'c' }
      function rule.score() n = n + 1 return n end
      rule.reload = function(old) n = old.score() end
      return rule)");
  CHECK(scene.submit(0) == "103");
}

TEST_CASE("reload is not called at the first load") {
  Scene scene("return { reload = function(old) error('called') end }");
  CHECK(scene.submit(0) == "keep");
}

TEST_CASE("a result is judged again by score alone, and failures do not count") {
  Scene scene(R"(return {
    accept = function() return false end,
    score = function(old, new)
      if new == 13 then error("oh no") end
      if new > 13 then return nil, "too much" end
      return (old or 0) + new
    end })");
  const auto again = [&](double score) {
    const auto verdict = scene.rules->judge_again(
        scene.season, {.board = "b", .player = "ada", .score = score, .held = Held{.score = 1}},
        scene.without);
    return verdict ? fmt::format("{}", *verdict->score) : std::string(verdict.refusal().text());
  };
  CHECK(again(5) == "6");
  CHECK(again(14) == "rejected: too much");
  for (std::uint64_t i = 0; i < 2 * kRuleFailuresMax; ++i) {
    CHECK(again(13).starts_with("rejected: "));
  }
  CHECK(scene.rules->stats().off == 0);
  CHECK(scene.rules->stats().failed == 0);
  CHECK(scene.submit(1) == "rejected: the rule said no");
  scene.edit("return { accept = function() return false end }");
  const auto verdict = scene.rules->judge_again(
      scene.season, {.board = "b", .player = "ada", .score = 1}, scene.without);
  REQUIRE(verdict);
  CHECK_FALSE(verdict->score);
}

TEST_CASE("a trial has a state of its own") {
  Scene scene("local n = 0 return { score = function() n = n + 1 return n end }");
  CHECK(scene.submit(0) == "1");
  const auto trial = scene.rules->trial("season");
  REQUIRE(trial);
  const RuleCase the_case{.board = "b", .player = "ada"};
  for (int i = 1; i <= 3; ++i) {
    CHECK((*trial)->judge(the_case) == RuleTrial::Ruling::passed);
    CHECK((*trial)->verdict().score == i);
  }
  CHECK(scene.submit(0) == "2");
  CHECK(scene.rules->stats().judged == 2);
  CHECK(scene.rules->trial("nothing").refusal().code() == Code::unknown);
  scene.folder.write("broken.lua", "return {");
  CHECK(scene.rules->trial("broken").refusal().code() == Code::unavailable);
}

TEST_CASE("a version that asks for it waits for its rehearsal") {
  Scene scene("return { version = 'a', rehearse = true }");
  CHECK(scene.rules->version(scene.season) == "a");  // there was none before
  CHECK(scene.rules->candidates().empty());
  scene.edit("return { version = 'b', rehearse = true }");
  CHECK(scene.rules->version(scene.season) == "a");
  REQUIRE(scene.rules->candidates().size() == 1);
  const auto error = scene.rules->settle(scene.season, "fails");
  REQUIRE(error);
  CHECK(error->rule == "season");
  CHECK(scene.journal.count("rules/season.lua: version b fails; version a stays in force") == 1);
  CHECK(scene.rules->candidates().empty());
  scene.edit("return { version = 'c', rehearse = true }");
  scene.edit("return { version = 'd', rehearse = true }");
  CHECK(scene.rules->candidates().size() == 1);
  CHECK_FALSE(scene.rules->settle(scene.season, std::nullopt));
  CHECK(scene.rules->version(scene.season) == "d");
  scene.edit("return { version = 'e', rehearse = false }");
  CHECK(scene.rules->version(scene.season) == "e");
  scene.edit("return { version = 'f', rehearse = 1 }");
  CHECK(scene.rules->version(scene.season) == "e");
}

TEST_CASE("two changes of the same size within one second are both noticed") {
  Scene scene("return { score = function() return 0 end }");
  for (int i = 1; i < 10; ++i) {
    scene.edit(fmt::format("return {{ score = function() return {} end }}", i));
    CHECK(scene.submit(5) == fmt::format("{}", i));
  }
}

TEST_CASE(
    "a rule whose file vanishes stays in force, is logged once, and is loaded again when it "
    "changed") {
  Scene scene("return { score = function() return 1 end }");
  scene.folder.remove("season.lua");
  for (int tick = 0; tick < 3; ++tick) scene.rules->reload_changed();
  CHECK(scene.submit(5) == "1");
  CHECK(scene.journal.count("rules/season.lua: there is no such file; version 1 stays in force") ==
        1);
  scene.edit("return { score = function() return 1 end }");
  CHECK(scene.rules->version(scene.season) == "1");
  scene.edit("return { score = function() return 2 end }");
  CHECK(scene.submit(5) == "2");
}

TEST_CASE("until a version has loaded, submissions are refused as unavailable") {
  Folder folder;
  Journal journal;
  const auto rules = open_lua_rules(folder.path(), journal.log());
  const RuleId id = rules->open("season");
  const RuleCase a_case{.board = "b", .player = "p", .score = 1, .data = {}, .held = {}};
  CHECK(rules->judge(id, a_case, RuleFailure::refuse).refusal().text() ==
        "unavailable: rules/season.lua: there is no such file");
  CHECK(rules->version(id).empty());
  CHECK_FALSE(rules->wants_changes(id));
  folder.write("season.lua", "return {\n");
  rules->reload_changed();
  CHECK(rules->judge(id, a_case, RuleFailure::refuse)
            .refusal()
            .text()
            .starts_with("unavailable: rules/season.lua:2: "));
  folder.write("season.lua", "return {}");
  rules->reload_changed();
  CHECK(rules->judge(id, a_case, RuleFailure::refuse));
  CHECK(rules->open("season") == id);
}

TEST_CASE("a rules directory that is created later is found") {
  Folder folder;
  Journal journal;
  const auto rules = open_lua_rules(folder / "later", journal.log());
  const RuleId id = rules->open("season");
  CHECK_FALSE(
      rules->judge(id, {.board = "b", .player = "p", .data = {}, .held = {}}, RuleFailure::refuse));
  std::filesystem::create_directory(folder / "later");
  folder.write("later/season.lua", "return {}");
  rules->reload_changed();
  CHECK(
      rules->judge(id, {.board = "b", .player = "p", .data = {}, .held = {}}, RuleFailure::refuse));
}

TEST_CASE("a name that could leave the directory names no rule") {
  Folder folder;
  Journal journal;
  folder.write("../outside.lua", "return {}");
  const auto rules = open_lua_rules(folder.path(), journal.log());
  for (const std::string& name :
       {std::string("../outside"), std::string("a/b"), std::string(""), std::string("a.b"),
        std::string("a\0b", 3), std::string(65, 'a')}) {
    CAPTURE(name);
    const RuleId id = rules->open(name);
    CHECK(
        rules->judge(id, {.board = "b", .player = "p", .data = {}, .held = {}}, RuleFailure::refuse)
            .refusal()
            .code() == Code::unavailable);
    CHECK_FALSE(rules->wants_changes(id));
    CHECK(rules->version(id).empty());
  }
  rules->reload_changed();
  CHECK(rules->reload_all().empty());
}

TEST_CASE("the same history gives the same verdicts, including exhausted budgets") {
  const char* const text = R"(return { score = function(old, new)
      local n = 0 for i = 1, new do n = n + i % 7 end return n end })";
  const auto replay = [text] {
    Scene scene(text);
    std::string said;
    for (int i = 0; i < 200; ++i) said += scene.submit(25'000 + i * 100) + "\n";
    return said;
  };
  const std::string first = replay();
  CHECK(first.find("rejected") != std::string::npos);
  CHECK_FALSE(first.starts_with("rejected"));
  CHECK(replay() == first);
}
