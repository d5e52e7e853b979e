// boards: operations on several boards (submit, submit_each, bans, forget,
// rename_player), rules, and counters.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "bindings/handle/methods.h"
#include "bindings/handle/registry_handle.h"
#include "bindings/values/column_values.h"
#include "bindings/values/push_entry.h"
#include "registry/counters.h"

namespace laurel {

namespace {

// ---- boards:submit(names, player, score [, data [, at [, id]]])

// Returns a name that occurs twice, if any; `sorted` is working memory.
std::optional<std::string_view> twice(const std::vector<std::string_view>& names,
                                      std::vector<std::string_view>& sorted) {
  sorted = names;
  std::sort(sorted.begin(), sorted.end());
  const auto found = std::adjacent_find(sorted.begin(), sorted.end());
  if (found == sorted.end()) return std::nullopt;
  return *found;
}

// Reads the names in argument 1; raises if one occurs twice.
void read_names(const Call& call, CallBufferPool& owner, CallBuffers& buffers) {
  if (const int wrong = call.read_strings(1, buffers.views)) {
    owner.give_back(buffers);
    call.raise_item(1, wrong);
  }
  if (const std::optional<std::string_view> name = twice(buffers.views, buffers.sorted)) {
    const ShortText quoted = shown(*name);
    owner.give_back(buffers);
    call.bad(1, "board \"%s\" is named twice", quoted.text);
  }
}

// Notes the columns of the boards in `views`.
void note_columns(const Registry& registry, CallBuffers& buffers) {
  for (const std::string_view name : buffers.views) {
    const std::optional<BoardHandle> handle = registry.find(name);
    const Board* const board = handle ? registry.peek(*handle) : nullptr;
    buffers.columns.push_back(board == nullptr ? nullptr : board->columns());
  }
}

bool has_columns(const CallBuffers& buffers) {
  const auto is_given = [](const auto& columns) { return columns != nullptr; };
  return std::ranges::any_of(buffers.columns, is_given);
}

// Adds what is given to a board with columns.
void give(CallBuffers& buffers, const ScoreColumns& columns, const ColumnValues& values) {
  Submission score;
  const ColumnValues& kept = buffers.column_values.emplace_back(values);
  score.set_values(columns, kept);
  buffers.given_scores.push_back({score.score, score.columns});
}

// A score by the names of columns of several boards: each takes its own.
struct NamedColumns {
  std::array<bool, kColumnsMax> given{};
  ColumnValues values;
};

// Reads from the table at the stack index what belongs to these columns. False if a value is no
// number, or a key no text.
bool read_own_columns(lua_State* L, int index, const ScoreColumns& columns, NamedColumns& out,
                      ShortText& problem) {
  out.values.count = columns.size();
  lua_pushnil(L);
  while (lua_next(L, index) != 0) {
    const std::string_view name =
        lua_type(L, -2) == LUA_TSTRING ? Call::string_at(L, -2) : std::string_view();
    if (const std::optional<std::size_t> column = columns.find(name)) {
      if (lua_type(L, -1) != LUA_TNUMBER) {
        problem =
            short_text(fmt::format("column '{}': number expected, got {}", name, type_name(L, -1)));
        lua_pop(L, 2);
        return false;
      }
      out.values.values[*column] = score_at(L, -1);
      out.given[*column] = true;
    }
    lua_pop(L, 1);
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (out.given[i]) continue;
    problem = short_text(fmt::format("column '{}' is missing", columns[i].name));
    return false;
  }
  return true;
}

// Whether each key of the table is the name of a column of one of the boards.
bool check_keys(lua_State* L, int index, const CallBuffers& buffers, ShortText& problem) {
  lua_pushnil(L);
  while (lua_next(L, index) != 0) {
    const std::string_view name = Call::string_at(L, -2);
    const auto has = [&](const auto& columns) { return columns && columns->find(name); };
    if (std::ranges::none_of(buffers.columns, has)) {
      problem =
          short_text(fmt::format("no column of these boards is called \"{}\"", escaped(name, 64)));
      lua_pop(L, 2);
      return false;
    }
    lua_pop(L, 1);
  }
  return true;
}

bool has_names(lua_State* L, int index) {
  lua_pushnil(L);
  bool named = false;
  while (lua_next(L, index) != 0) {
    named = lua_type(L, -2) == LUA_TSTRING;
    lua_pop(L, 1);
    if (!named) {
      lua_pop(L, 1);
      return false;
    }
  }
  return named;
}

// Reads a score of columns for each of the boards in `views`; false if it does not fit them.
bool read_columns_of_each(const Call& call, int argument, const Registry& registry,
                          CallBuffers& buffers, ShortText& problem) {
  const int index = call.index(argument);
  const bool named = lua_istable(call.L, index) && has_names(call.L, index);
  bool all_here = true;
  for (std::size_t i = 0; i < buffers.views.size(); ++i) {
    const ScoreColumns* const columns = buffers.columns[i].get();
    if (columns == nullptr && !registry.find(buffers.views[i])) {
      buffers.given_scores.emplace_back();  // the board is refused
      all_here = false;
      continue;
    }
    if (columns == nullptr) {
      problem = short_text(fmt::format("board \"{}\": number expected, got {}",
                                       escaped(buffers.views[i], 64), type_name(call.L, index)));
      return false;
    }
    NamedColumns own;
    if (!(named ? read_own_columns(call.L, index, *columns, own, problem)
                : read_values(call.L, index, *columns, LaterColumns::required, own.values,
                              problem))) {
      return false;
    }
    give(buffers, *columns, own.values);
  }
  return !named || !all_here || check_keys(call.L, index, buffers, problem);
}

// Submits to the boards in `views`: what is given in `given_scores`, or the submission's score.
std::optional<Refusal> submit_to(Registry& registry, const Submission& submission,
                                 CallBuffers& buffers) {
  auto refused = registry.submit(buffers.views, submission, buffers.scores, buffers.given_scores);
  if (!refused) return std::nullopt;
  buffers.text = std::move(refused->board);
  return refused->refusal;
}

// An array of the scores held, in order; false for a missing score.
void push_scores(lua_State* L, const CallBuffers& buffers) {
  lua_createtable(L, static_cast<int>(buffers.scores.size()), 0);
  for (std::size_t i = 0; i < buffers.scores.size(); ++i) {
    push_score(L, buffers.scores[i], buffers.columns[i].get());
    lua_rawseti(L, -2, static_cast<int>(i) + 1);
  }
}

// nil, reason, name of the board that refused
int refuse_for_board(lua_State* L, const Refusal& refusal, const CallBuffers& buffers) {
  const int answers = refuse(L, refusal);
  push(L, buffers.text);
  return answers + 1;
}

// Submits to the boards of the buffers, and pushes the scores by push_held, or the refusal.
int answer_submission(const Call& call, RegistryHandle& boards, const Submission& submission,
                      CallBuffers& buffers, void (*push_held)(lua_State*, const CallBuffers&)) {
  const std::optional<Refusal> refusal = submit_to(registry_of(call, boards), submission, buffers);
  flush_log(call.L, boards);
  int answers = 1;
  if (refusal) {
    answers = refuse_for_board(call.L, *refusal, buffers);
  } else {
    push_held(call.L, buffers);
  }
  boards.buffers.give_back(buffers);
  return answers;
}

// boards:submit(names, player, score [, data [, at [, id]]]) -> array of scores, with false for a
// board that does not show the player | nil, reason, name
int boards_submit(lua_State* L) {
  const Call call{L, "submit"};
  RegistryHandle& boards = boards_self(call);
  call.strings(1);
  const bool with_columns = lua_istable(L, call.index(3));
  const Submission submission{.player = call.string(2),
                              .score = with_columns ? 0 : call.score(3),
                              .data = call.optional_string(4),
                              .at = call.optional_number(5),
                              .id = call.optional_string(6)};
  read_clock(call, boards);
  CallBuffers& buffers = borrow_buffers(call, boards);
  read_names(call, boards.buffers, buffers);
  note_columns(registry_of(call, boards), buffers);
  if (with_columns || has_columns(buffers)) {
    ShortText problem;
    if (!read_columns_of_each(call, 3, registry_of(call, boards), buffers, problem)) {
      boards.buffers.give_back(buffers);
      call.bad(3, "%s", problem.text);
    }
  }

  return answer_submission(call, boards, submission, buffers, push_scores);
}

// ---- boards:submit_each(player, scores [, data [, at [, id]]])

// Reads one item of the table: the score is on top of the stack, the name of its board below.
bool read_named_score(lua_State* L, const Registry& registry, CallBuffers& buffers,
                      ShortText& problem) {
  if (lua_type(L, -2) != LUA_TSTRING) {
    problem = short_text(fmt::format("the keys are names of boards, got a {}", type_name(L, -2)));
    return false;
  }
  NamedScore& score = buffers.named_scores.emplace_back();
  score.board = Call::string_at(L, -2);
  const std::optional<BoardHandle> handle = registry.find(score.board);
  const Board* const board = handle ? registry.peek(*handle) : nullptr;
  if (board != nullptr) score.columns = board->columns();
  const std::string quoted = escaped(score.board, 64);
  ShortText why;
  if (score.columns) {
    if (read_values(L, lua_gettop(L), *score.columns, LaterColumns::required, score.values, why)) {
      return true;
    }
  } else if (lua_type(L, -1) == LUA_TNUMBER) {
    score.score = score_at(L, -1);
    return true;
  } else {
    why = short_text(fmt::format("number expected, got {}", type_name(L, -1)));
  }
  problem = short_text(fmt::format("board \"{}\": {}", quoted, why.text));
  return false;
}

// Reads the table in argument 2, sorted by name, so that of several boards that would refuse the
// same one does. Returns false if a key is not a string, or a score not one of its board.
bool read_named_scores(const Call& call, const Registry& registry, CallBuffers& buffers,
                       ShortText& problem) {
  lua_State* const L = call.L;
  lua_pushnil(L);
  while (lua_next(L, call.index(2)) != 0) {
    const bool taken = read_named_score(L, registry, buffers, problem);
    lua_pop(L, taken ? 1 : 2);
    if (!taken) return false;
  }
  std::ranges::sort(buffers.named_scores, {}, &NamedScore::board);
  for (const NamedScore& each : buffers.named_scores) {
    buffers.views.push_back(each.board);
    buffers.columns.push_back(each.columns);
    if (each.columns) {
      give(buffers, *each.columns, each.values);
    } else {
      buffers.given_scores.push_back({each.score, nullptr});
    }
  }
  return true;
}

// { name = score }, with false for a board that does not show the player
void push_named_scores(lua_State* L, const CallBuffers& buffers) {
  lua_createtable(L, 0, static_cast<int>(buffers.named_scores.size()));
  for (std::size_t i = 0; i < buffers.named_scores.size(); ++i) {
    push(L, buffers.named_scores[i].board);
    push_score(L, buffers.scores[i], buffers.columns[i].get());
    lua_rawset(L, -3);
  }
}

// boards:submit_each(player, scores [, data [, at [, id]]]) -> table of the scores held by board,
// with false for a board that does not show the player | nil, reason, name
int boards_submit_each(lua_State* L) {
  const Call call{L, "submit_each"};
  RegistryHandle& boards = boards_self(call);
  Submission submission{.player = call.string(1)};
  call.table(2);
  submission.data = call.optional_string(3);
  submission.at = call.optional_number(4);
  submission.id = call.optional_string(5);
  read_clock(call, boards);
  CallBuffers& buffers = borrow_buffers(call, boards);
  ShortText problem;
  if (!read_named_scores(call, registry_of(call, boards), buffers, problem)) {
    boards.buffers.give_back(buffers);
    call.bad(2, "%s", problem.text);
  }
  return answer_submission(call, boards, submission, buffers, push_named_scores);
}

// ---- boards:ban(player), boards:unban(player) -> boolean | nil, reason

constexpr const char* kBan = "ban";
constexpr const char* kUnban = "unban";

template <const char* const& name, Result<bool> (Registry::*act)(std::string_view)>
int boards_ban_or_unban(lua_State* L) {
  const Call call{L, name};
  RegistryHandle& boards = boards_self(call);
  const std::string_view player = call.string(1);
  read_clock(call, boards);
  const Result<bool> changed = (registry_of(call, boards).*act)(player);
  flush_log(L, boards);
  if (!changed) return refuse(L, changed.refusal());
  lua_pushboolean(L, *changed);
  return 1;
}

// boards:forget(player) -> number of removed entries | nil, reason
int boards_forget(lua_State* L) {
  const Call call{L, "forget"};
  RegistryHandle& boards = boards_self(call);
  const std::string_view player = call.string(1);
  read_clock(call, boards);
  const Result<std::size_t> entries = registry_of(call, boards).forget(player);
  flush_log(L, boards);
  if (!entries) return refuse(L, entries.refusal());
  push_number(L, static_cast<double>(*entries));
  return 1;
}

// boards:rename_player(from, to) -> boolean | nil, reason
int boards_rename_player(lua_State* L) {
  const Call call{L, "rename_player"};
  RegistryHandle& boards = boards_self(call);
  const std::string_view from = call.string(1);
  const std::string_view to = call.string(2);
  read_clock(call, boards);
  const Result<bool> renamed = registry_of(call, boards).rename(from, to);
  flush_log(L, boards);
  if (!renamed) return refuse(L, renamed.refusal());
  lua_pushboolean(L, *renamed);
  return 1;
}

// boards:reload_rules() -> array of { rule=, error= }
int boards_reload_rules(lua_State* L) {
  const Call call{L, "reload_rules"};
  RegistryHandle& boards = boards_self(call);
  CallBuffers& buffers = borrow_buffers(call, boards);
  for (RuleError& error : registry_of(call, boards).reload_rules()) {
    buffers.strings.push_back(std::move(error.rule));
    buffers.strings.push_back(std::move(error.error));
  }
  flush_log(L, boards);
  lua_newtable(L);
  for (std::size_t i = 0; i + 1 < buffers.strings.size(); i += 2) {
    lua_createtable(L, 0, 2);
    push(L, buffers.strings[i]);
    lua_setfield(L, -2, "rule");
    push(L, buffers.strings[i + 1]);
    lua_setfield(L, -2, "error");
    lua_rawseti(L, -2, static_cast<int>(i / 2) + 1);
  }
  boards.buffers.give_back(buffers);
  return 1;
}

// boards:stats() -> table of counters
int boards_stats(lua_State* L) {
  const Call call{L, "stats"};
  const RegistryHandle& boards = boards_self(call);
  const RegistryStats stats = registry_of(call, boards).stats();
  const auto counters = counters_of(stats);
  lua_createtable(L, 0, static_cast<int>(counters.size()));
  for (const Counter& counter : counters) {
    push_number(L, counter.value);
    lua_setfield(L, -2, counter.name);
  }
  return 1;
}

constexpr std::array kBoardsPlayMethods = {
    luaL_Reg{"submit", guarded<write_method<boards_submit>>},
    luaL_Reg{"submit_each", guarded<write_method<boards_submit_each>>},
    luaL_Reg{"ban", guarded<write_method<boards_ban_or_unban<kBan, &Registry::ban>>>},
    luaL_Reg{"unban", guarded<write_method<boards_ban_or_unban<kUnban, &Registry::unban>>>},
    luaL_Reg{"forget", guarded<write_method<boards_forget>>},
    luaL_Reg{"rename_player", guarded<write_method<boards_rename_player>>},
    luaL_Reg{"reload_rules", guarded<boards_reload_rules>},
    luaL_Reg{"stats", guarded<boards_stats>},
};

}  // namespace

Methods boards_play_methods() { return kBoardsPlayMethods; }

}  // namespace laurel
