// Rules see the same whether or not submissions share one table.
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "bindings/sandbox/ample_time.h"
#include "bindings/sandbox/rule.h"

using namespace laurel;
using laurel::test::kAmpleNs;

namespace {

// A case that owns its strings.
struct Case {
  std::string board = "season_3";
  std::string player = "ada";
  double score = 0;
  std::optional<std::string> data;
  Time at = 0;
  bool holds = false;
  double held_score = 0;
  Time held_at = 0;
  std::optional<std::string> held_data;

  RuleCase view() const {
    RuleCase view{
        .board = board, .player = player, .score = score, .data = data, .at = at, .held = {}};
    if (holds) view.held = Held{.score = held_score, .at = held_at, .data = held_data};
    return view;
  }
};

std::string ruling(LuaRule& rule, const RuleCase& the_case) {
  switch (rule.judge(the_case)) {
    case LuaRule::Ruling::rejected: return "rejected: " + rule.reason();
    case LuaRule::Ruling::failed: return "failed: " + rule.reason();
    case LuaRule::Ruling::passed: break;
  }
  const Verdict& verdict = rule.verdict();
  if (!verdict.score) return "passed";
  return fmt::format("passed {} {}", *verdict.score, verdict.data.value_or("without data"));
}

void load(LuaRule& rule, const std::string& text) {
  if (const auto problem = rule.load(text, "rules/r.lua")) FAIL(*problem);
}

template <typename T>
T pick(std::mt19937_64& random, const std::vector<T>& choices) {
  return choices[random() % choices.size()];
}

Case random_case(std::mt19937_64& random) {
  const std::vector<std::string> texts = {"", "ada", "bob", "a\nb", std::string(300, 'x'), "7"};
  const std::vector<double> numbers = {0, -1, 0.5, 3, 13, 17, 19, 1e300};
  const std::vector<Time> times = {0, -500'000, 1'500'000, 1'700'000'000 * kSecond};
  Case made;
  made.board = pick(random, std::vector<std::string>{"season_3", "season_4"});
  made.player = pick(random, texts);
  made.score = pick(random, numbers);
  made.at = pick(random, times);
  if (random() % 2 == 0) made.data = pick(random, texts);
  made.holds = random() % 2 == 0;
  made.held_score = pick(random, numbers);
  made.held_at = pick(random, times);
  if (random() % 2 == 0) made.held_data = pick(random, texts);
  return made;
}

// A rule that reports some of what it sees: in its reasons, its errors, and data. Each function
// begins with `begin`. A score of 13 raises an error after that, and 17 never ends.
std::string random_rule(std::mt19937_64& random, const std::string& begin) {
  const auto told = [&random] {
    std::string text = "''";
    for (const char* field : {"player", "score", "data", "at", "board", "scroe"}) {
      if (random() % 3 == 0) text += fmt::format(" .. ' ' .. tell(submission.{})", field);
    }
    if (random() % 3 == 0) {
      text +=
          " .. ' ' .. tell(submission.held and submission.held.score)"
          " .. ' ' .. tell(submission.held and submission.held.at)"
          " .. ' ' .. tell(submission.held and submission.held.data)";
    }
    if (random() % 3 == 0) text += " .. ' ' .. tell(old)";
    return text;
  };
  const bool sees_score = random() % 2 == 0;
  const std::string goes_wrong =
      sees_score ? "if submission.score == 13 then error('wrong: ' .. seen) end "
                   "if submission.score == 17 then while true do end end "
                 : "";
  std::string rule =
      "local seen = ''\n"
      "local function tell(value) return value == nil and 'nil' or value end\n"
      "local rule = {}\n";
  const std::uint64_t functions = random() % 3;
  if (functions != 0) {
    const bool takes_old = random() % 2 == 0;
    rule += fmt::format(
        "function rule.accept(submission{}) {} seen = {} {} {} end\n", takes_old ? ", old" : "",
        begin, told(), goes_wrong,
        random() % 2 == 0
            ? "return false, seen"
            : fmt::format("return {}, seen", sees_score ? "submission.score ~= 19" : "true"));
  }
  if (functions != 1) {
    rule +=
        fmt::format("function rule.score(old, new, submission) {} {} return {}, seen .. {} end\n",
                    begin, goes_wrong, random() % 2 == 0 ? "new" : "1", told());
  }
  return rule + "return rule\n";
}

}  // namespace

TEST_CASE("a rule that only reads fields sees the same as one that keeps its submissions") {
  int told = 0;
  for (int round = 0; round < 150; ++round) {
    const std::uint64_t seed = std::random_device()();
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    // In one pair of states, so that a version finds what earlier versions have left.
    LuaRule shared(Metering::by_allocator, kAmpleNs);
    LuaRule keeping(Metering::by_allocator, kAmpleNs);
    for (int version = 0; version < 3; ++version) {
      const std::uint64_t of_rule = random();
      std::mt19937_64 once(of_rule);
      std::mt19937_64 again(of_rule);
      const std::string text = random_rule(once, "");
      CAPTURE(text);
      load(shared, text);
      load(keeping, random_rule(again, "local kept = submission"));
      REQUIRE(keeping.wants_held());
      for (int call = 0; call < 30; ++call) {
        const Case made = random_case(random);
        RuleCase shown = made.view();
        const std::string expected = ruling(keeping, shown);
        if (!shared.wants_held()) shown.held.reset();
        CHECK(ruling(shared, shown) == expected);
        CHECK(shared.failures_in_a_row() == keeping.failures_in_a_row());
        told += expected.size() > 10 ? 1 : 0;
      }
    }
  }
  CHECK(told > 1000);
}

TEST_CASE("a rule that keeps its submissions finds each unchanged") {
  LuaRule rule;
  load(rule, R"(
      local all, text = {}, nil
      return { accept = function(submission)
        all[#all + 1] = submission
        text = ''
        for i = 1, #all do
          local s = all[i]
          text = text .. s.player .. s.score .. tostring(s.data) .. (s.held and s.held.score or '-') .. ' '
        end
        return false, text
      end })");
  Case first{.player = "ada", .score = 1, .data = "x", .held_data = {}};
  Case second{
      .player = "bob", .score = 2, .data = {}, .holds = true, .held_score = 7, .held_data = {}};
  CHECK(ruling(rule, first.view()) == "rejected: ada1x- ");
  CHECK(ruling(rule, second.view()) == "rejected: ada1x- bob2nil7 ");
  CHECK(ruling(rule, first.view()) == "rejected: ada1x- bob2nil7 ada1x- ");
}

TEST_CASE("the table of the held entry is always new, even if the submission's is shared") {
  LuaRule rule;
  load(rule, R"(
      local first
      return { accept = function(submission)
        local held = submission.held
        first = first or held
        if held then held.more = (held.more or 0) + 1 end
        return false, first.score .. ' ' .. (held and held.score .. held.more or 'none')
      end })");
  Case held{.data = {}, .holds = true, .held_score = 7, .held_data = {}};
  CHECK(ruling(rule, held.view()) == "rejected: 7 71");
  held.held_score = 8;
  CHECK(ruling(rule, held.view()) == "rejected: 7 81");
  held.holds = false;
  CHECK(ruling(rule, held.view()) == "rejected: 7 none");
}

TEST_CASE("accept and score are shown the same submission") {
  LuaRule rule;
  load(rule, R"(
      local seen
      return { accept = function(submission) seen = submission.held return true end,
               score = function(old, new, submission)
                 return submission.held == seen and new or -1 end })");
  Case held{.score = 5, .data = {}, .holds = true, .held_score = 7, .held_data = {}};
  CHECK(ruling(rule, held.view()) == "passed 5 without data");
}

TEST_CASE("a submission without data shows none, whatever the last one had") {
  LuaRule rule;
  load(rule, "return { accept = function(s) return false, s.data or 'none' end }");
  Case with{.data = "x", .held_data = {}};
  Case without{.data = {}, .held_data = {}};
  CHECK(ruling(rule, with.view()) == "rejected: x");
  CHECK(ruling(rule, without.view()) == "rejected: none");
}

TEST_CASE("a rule wants the held entry only if it reads it, or might") {
  const std::map<std::string, bool> rules = {
      {"return {}", false},
      {"return { changed = function(change) end }", false},
      {"return { accept = function(s) return s.score < 10 end }", false},
      {"return { accept = function() return true end }", false},
      {"return { accept = function(s, old) return s.score < 10 end }", false},
      {"return { accept = function(s, old) return old == nil end }", true},
      {"return { accept = function(s) return s.held == nil end }", true},
      {"return { accept = function(s) for k in pairs(s) do end return true end }", true},
      {"return { accept = function(...) return true end }", true},
      {"return { score = function(old, new) return new end }", false},
      {"return { score = function(old, new, s) return s.score end }", false},
      {"return { score = function(old, new) return math.max(old or new, new) end }", true},
      {"return { score = function(old, new, s) return s.held and 1 or 2 end }", true},
      {"return { score = function(old, new, s) return #s end }", true},
      {"return { score = math.max }", true},
      {"return { accept = function(s) return s.at > 3 end,"
       "         score = function(old, new) return (old or 0) + new end }",
       true},
  };
  for (const auto& each : rules) {
    CAPTURE(each.first);
    LuaRule rule;
    CHECK_FALSE(rule.wants_held());
    load(rule, each.first);
    CHECK(rule.wants_held() == each.second);
  }
}

TEST_CASE("a short rule that only reads numbers allocates nothing") {
  LuaRule rule;
  load(rule,
       "return { accept = function(s, old) return s.score < 10 and s.at > 1 and not old end }");
  Case one{.data = "x", .at = 3, .held_data = {}};
  CHECK(ruling(rule, one.view()) == "rejected: the rule said no");
  CHECK(rule.call_bytes() == 0);
  load(rule, "return { accept = function(s) local kept = s return s.score < 10 end }");
  CHECK(ruling(rule, one.view()) == "passed");
  CHECK(rule.call_bytes() > 0);
}
