#include "bindings/sandbox/rule.h"

#include <array>
#include <cmath>
#include <utility>

#include <fmt/core.h>
#include <lua.hpp>

#include "base/limits.h"
#include "base/text.h"
#include "base/time.h"
#include "bindings/lua/args.h"
#include "bindings/sandbox/sandbox_library.h"
#include "bindings/values/column_values.h"

namespace laurel {

namespace {

// The version in force is at the bottom of its state's stack, in these slots.
constexpr int kJudge = 1;        // the judge of rule_trampoline.h, or nil
constexpr int kChanged = 2;      // function(player, board, score, …), or nil
constexpr int kRule = 3;         // the table that the file returned
constexpr int kVersionSlot = 4;  // its `version`, or nil
constexpr int kAgain = 5;        // as the judge, without `accept`; nil if there is no `score`
constexpr int kSlots = 5;
constexpr int kBoard = 6;  // the last board's name: a cache, since the next one is often the same
constexpr int kTop = 6;

// Makes a function that calls `changed` with a table. It is in Lua for speed, as the judge is.
constexpr const char* kTell = R"(
local changed = ...
return function(player, board, score, previous, rank, previous_rank, passed, at)
  changed{ player = player, board = board, score = score, previous = previous, rank = rank,
           previous_rank = previous_rank, passed = passed, at = at }
end
)";

struct RuleField {
  std::string_view name;
  int type;
};
constexpr std::array<RuleField, 6> kRuleFields = {{{"version", LUA_TSTRING},
                                                   {"accept", LUA_TFUNCTION},
                                                   {"score", LUA_TFUNCTION},
                                                   {"changed", LUA_TFUNCTION},
                                                   {"reload", LUA_TFUNCTION},
                                                   {"rehearse", LUA_TBOOLEAN}}};

struct Source {
  std::string_view text;
  const char* place;
  std::string problem;  // outlives the call that raises it
  Shown shown;          // what the rule's functions read
  bool rehearse = false;
};

int raise(lua_State* L, const Source& source) {
  lua_pushlstring(L, source.problem.data(), source.problem.size());
  return lua_error(L);
}

// Returns true if the table's fields are those of a rule. If not, sets source.problem.
bool check_fields(lua_State* L, int table, Source& source) {
  lua_pushnil(L);
  while (lua_next(L, table) != 0) {
    if (lua_type(L, -2) != LUA_TSTRING) {
      source.problem = fmt::format("{}: the names of a rule's fields are strings, got a {}",
                                   source.place, luaL_typename(L, -2));
      return false;
    }
    std::size_t size = 0;
    const char* const bytes = lua_tolstring(L, -2, &size);
    const std::string_view name(bytes, size);
    const RuleField* known = nullptr;
    for (const RuleField& field : kRuleFields) {
      if (field.name == name) known = &field;
    }
    if (known == nullptr) {
      std::array<std::string_view, kRuleFields.size()> names;
      for (std::size_t i = 0; i < names.size(); ++i) names[i] = kRuleFields[i].name;
      const std::string_view meant = nearest(name, names);
      source.problem = meant.empty()
                           ? fmt::format("{}: a rule has no field \"{}\"; it has {}", source.place,
                                         escaped(name, 64), one_of(names))
                           : fmt::format("{}: a rule has no field \"{}\"; did you mean \"{}\"?",
                                         source.place, escaped(name, 64), meant);
      return false;
    }
    if (lua_type(L, -1) != known->type) {
      source.problem = fmt::format("{}: \"{}\" is a {}; a {} was expected", source.place, name,
                                   luaL_typename(L, -1), lua_typename(L, known->type));
      return false;
    }
    lua_pop(L, 1);
  }
  return true;
}

void push_raw_field(lua_State* L, int table, const char* name) {
  lua_pushstring(L, name);
  lua_rawget(L, table);
}

// Pushes the judge of a rule, and the one that does not ask `accept`; nil if they have nothing to
// ask.
void push_judges_of(lua_State* L, int rule, Shown& shown) {
  push_raw_field(L, rule, "accept");
  push_raw_field(L, rule, "score");
  const int score = lua_gettop(L);
  const int accept = score - 1;
  const bool accepts = !lua_isnil(L, accept);
  const bool scores = !lua_isnil(L, score);
  if (accepts || scores) {
    shown = shown_to(L, accept, score);
    push_judge(L, shown, accept, score);
  } else {
    lua_pushnil(L);
  }
  if (accepts && scores) {
    lua_pushnil(L);
    lua_replace(L, accept);
    push_judge(L, shown, accept, score);
  } else {
    lua_pushvalue(L, scores ? -1 : score);
  }
  lua_replace(L, score);
  lua_replace(L, accept);
}

void push_teller_of(lua_State* L, int rule) {
  push_raw_field(L, rule, "changed");
  if (lua_isnil(L, -1)) return;
  if (load_text(L, kTell, "=laurel") != 0) lua_error(L);
  lua_insert(L, -2);
  lua_call(L, 1, 1);
}

// (source, old rule or nil) -> judge, changed, rule, version, judge without `accept`: the slots of
// the new version.
int load_version(lua_State* L) {
  Source& source = *static_cast<Source*>(lua_touserdata(L, 1));
  lua_pushfstring(L, "@%s", source.place);
  if (RuleState::compile(L, source.text, lua_tostring(L, -1)) != 0) return lua_error(L);
  push_sandbox_library(L);
  set_globals_of(L, -2);
  lua_call(L, 0, 1);
  const int rule = lua_gettop(L);
  if (!lua_istable(L, rule)) {
    source.problem = fmt::format("{}: it returned {} {}; a rule is a table", source.place,
                                 lua_isnil(L, rule) ? "nothing," : "a",
                                 lua_isnil(L, rule) ? "or nil" : luaL_typename(L, rule));
    return raise(L, source);
  }
  if (!check_fields(L, rule, source)) return raise(L, source);

  push_raw_field(L, rule, "version");
  if (raw_length(L, -1) > kRuleVersionBytesMax) {
    source.problem = fmt::format("{}: \"version\" has {} bytes; at most {} are allowed",
                                 source.place, raw_length(L, -1), kRuleVersionBytesMax);
    return raise(L, source);
  }
  push_judges_of(L, rule, source.shown);
  push_teller_of(L, rule);
  push_raw_field(L, rule, "rehearse");
  source.rehearse = lua_toboolean(L, -1) != 0;
  lua_pop(L, 1);

  push_raw_field(L, rule, "reload");
  if (lua_isfunction(L, -1) && lua_istable(L, 2)) {
    lua_pushvalue(L, 2);
    lua_call(L, 1, 0);
  } else {
    lua_pop(L, 1);
  }
  // On the stack are rule, version, judge, judge without `accept`, changed.
  for (const int slot : {rule + 2, rule + 4, rule, rule + 1, rule + 3}) lua_pushvalue(L, slot);
  return kSlots;
}

template <typename Value, typename Push>
void push_or_nil(lua_State* L, const std::optional<Value>& value, Push push) {
  if (value)
    push(L, *value);
  else
    lua_pushnil(L);
}

// What `score` returned. A refusal's message says what is wrong.
Result<double> returned_number(lua_State* L, int index) {
  if (lua_type(L, index) != LUA_TNUMBER) {
    return Refusal(Code::rejected, "score returned a {}; a number was expected",
                   luaL_typename(L, index));
  }
  const double score = score_at(L, index);
  if (std::isfinite(score)) return score;
  if (loses_digits(L, index)) {
    return Refusal(Code::rejected, "{}", not_finite("what score returned", score).message());
  }
  return Refusal(Code::rejected, "score returned {}; a finite number was expected",
                 std::isnan(score) ? "nan" : "an infinity");
}

Result<double> returned_columns(lua_State* L, int index, const ScoreColumns& columns) {
  ColumnValues values;
  ShortText problem;
  if (!read_values(L, index, columns, LaterColumns::required, values, problem)) {
    return Refusal(Code::rejected, "what score returned: {}", problem.text);
  }
  const Result<double> score = columns.number(values);
  if (score) return *score;
  return Refusal(Code::rejected, "what score returned: {}", score.refusal().message());
}

}  // namespace

std::optional<std::string> LuaRule::load(std::string_view source, const std::string& place) {
  if (source.starts_with('\x1b')) {
    return fmt::format("{}: it is bytecode; a rule is text", place);
  }
  lua_State* const L = state_.lua();
  if (lua_gettop(L) == 0) lua_settop(L, kTop);
  Source from{
      .text = source, .place = place.c_str(), .problem = {}, .shown = {}, .rehearse = false};
  lua_pushcfunction(L, load_version);
  lua_pushlightuserdata(L, &from);
  lua_pushvalue(L, kRule);
  const bool loaded = state_.call(2, kSlots, RuleState::Allowance::whole_state);
  if (loaded) {
    for (int slot = kSlots; slot >= 1; --slot) lua_replace(L, slot);
  }
  // Collects the garbage of the compiler, of a failed version and of the old version. If it stayed,
  // the next calls would have to collect it.
  state_.collect_all();
  if (!loaded) {
    const std::string& failure = state_.failure();
    // An error without a position, such as one thrown as a table, still names its file.
    if (failure.starts_with(place)) return failure;
    return fmt::format("{}: {}", place, failure);
  }
  ++loads_;
  judges_ = lua_isfunction(L, kJudge);
  shown_ = from.shown;
  wants_changes_ = lua_isfunction(L, kChanged);
  wants_rehearsal_ = from.rehearse;
  scores_ = lua_isfunction(L, kAgain);
  version_ = lua_isnil(L, kVersionSlot) ? fmt::format("{}", loads_)
                                        : std::string(Call::string_at(L, kVersionSlot));
  failures_in_a_row_ = 0;
  failures_before_ = 0;
  return std::nullopt;
}

LuaRule::Ruling LuaRule::judge(const RuleCase& the_case) {
  failures_before_ = failures_in_a_row_;
  if (!judges_) {  // it has only `changed`
    verdict_ = {};
    return Ruling::passed;
  }
  const Ruling ruling = ask(kJudge, the_case);
  if (ruling != Ruling::failed) failures_in_a_row_ = 0;
  return ruling;
}

LuaRule::Ruling LuaRule::judge_again(const RuleCase& the_case) {
  const std::uint64_t failures = failures_in_a_row_;
  const Ruling ruling = ask(kAgain, the_case);
  failures_in_a_row_ = failures;
  return ruling;
}

LuaRule::Ruling LuaRule::ask(int judge, const RuleCase& the_case) {
  lua_State* const L = state_.lua();
  lua_pushvalue(L, judge);
  push_case(the_case);
  if (!state_.call(lua_gettop(L) - kTop - 1, 3)) return fail(state_.failure());
  const Ruling ruling = conclude(the_case);
  lua_settop(L, kTop);
  return ruling;
}

// Pushes the arguments of the judge.
void LuaRule::push_case(const RuleCase& the_case) {
  lua_State* const L = state_.lua();
  if (the_case.differences != nullptr) {
    push_values(L, *the_case.differences);
  } else {
    push_score_of(L, the_case.score, the_case.columns);
  }
  if (shown_.player) push(L, the_case.player);
  if (shown_.data) push_or_nil(L, the_case.data, push);
  if (shown_.at) push_number(L, seconds_from_time(the_case.at));
  if (shown_.board) push_board(the_case.board);
  if (!the_case.held || !shown_.old) return;
  push_score_of(L, the_case.held->score, the_case.columns);
  if (!shown_.held) return;
  push_number(L, seconds_from_time(the_case.held->at));
  push_or_nil(L, the_case.held->data, push);
}

void LuaRule::push_board(std::string_view name) {
  lua_State* const L = state_.lua();
  if (board_ != name) {
    board_ = name;
    push(L, name);
    lua_replace(L, kBoard);
  }
  lua_pushvalue(L, kBoard);
}

// Evaluates the three results of the judge, on top of the stack.
LuaRule::Ruling LuaRule::conclude(const RuleCase& the_case) {
  lua_State* const L = state_.lua();
  verdict_ = {};
  if (lua_isnil(L, -3)) return Ruling::passed;  // it has no `score`
  const bool accepted = lua_toboolean(L, -3) != 0;
  if (!accepted) {
    lua_pushvalue(L, -2);
    return reject();
  }
  if (!lua_toboolean(L, -2)) return reject();
  const Result<double> score = the_case.columns == nullptr
                                   ? returned_number(L, -2)
                                   : returned_columns(L, lua_gettop(L) - 1, *the_case.columns);
  if (!score) return fail(std::string(score.refusal().message()));
  if (lua_type(L, -1) == LUA_TSTRING) {
    const std::string_view data = Call::string_at(L, -1);
    if (data.size() > kDataBytesMax) {
      return fail(fmt::format("score returned data of {} bytes; at most {} are allowed",
                              data.size(), kDataBytesMax));
    }
    data_ = data;
    verdict_.data = data_;
  } else if (!lua_isnil(L, -1)) {
    return fail(fmt::format("score returned data that is a {}; a string was expected",
                            luaL_typename(L, -1)));
  }
  verdict_.score = *score;
  return Ruling::passed;
}

// Rejects with the reason on top of the stack.
LuaRule::Ruling LuaRule::reject() {
  lua_State* const L = state_.lua();
  if (lua_type(L, -1) == LUA_TSTRING)
    reason_ = escaped(Call::string_at(L, -1), kRefusalBytesMax);
  else if (lua_type(L, -1) == LUA_TNUMBER)
    reason_ = fmt::format("{}", lua_tonumber(L, -1));
  else
    reason_ = "the rule said no";
  return Ruling::rejected;
}

void LuaRule::overrule(std::string reason) {
  failures_in_a_row_ = failures_before_;
  fail(std::move(reason));
}

LuaRule::Ruling LuaRule::fail(std::string reason) {
  reason_ = std::move(reason);
  ++failures_in_a_row_;
  return Ruling::failed;
}

std::optional<std::string> LuaRule::tell(const Change& change) {
  lua_State* const L = state_.lua();
  lua_pushvalue(L, kChanged);
  push(L, change.player);
  push(L, change.board);
  const auto push_rank = [](lua_State* to, Rank rank) {
    push_number(to, static_cast<double>(rank));
  };
  const auto push_score = [&change](lua_State* to, double score) {
    push_score_of(to, score, change.columns.get());
  };
  push_or_nil(L, change.score, push_score);
  push_or_nil(L, change.previous, push_score);
  push_or_nil(L, change.rank, push_rank);
  push_or_nil(L, change.previous_rank, push_rank);
  push_number(L, static_cast<double>(change.passed));
  push_number(L, seconds_from_time(change.at));
  if (!state_.call(8, 0)) return state_.failure();
  return std::nullopt;
}

}  // namespace laurel
