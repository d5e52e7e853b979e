#include "bindings/sandbox/rule_trampoline.h"

#include <array>
#include <cstdint>
#include <string_view>

#include "bindings/lua/versions.h"
#include "bindings/sandbox/parameter_use.h"

namespace laurel {

namespace {

// The judge is in Lua, since Lua builds a table of known fields several times faster than calls of
// the C API do: it copies a table constructor with constant fields as a whole, and setting existing
// fields is fast. The end of the judge depends on which functions the rule has: to test that at
// each call would be a sixth of the instructions of a short rule.
struct SubmissionField {
  std::string_view name;
  bool Shown::*shown;
  const char* parameter;  // of the judge
  const char* empty;      // the field in the table constructor
  const char* set;
};
constexpr std::array<SubmissionField, 6> kSubmissionFields = {{
    {"player", &Shown::player, ", player", "player = '', ", "submission.player = player\n"},
    {"score", &Shown::score, "", "score = 0, ", "submission.score = new\n"},
    {"data", &Shown::data, ", data", "data = '', ", "submission.data = data\n"},
    {"at", &Shown::at, ", at", "at = 0, ", "submission.at = at\n"},
    {"board", &Shown::board, ", board", "board = '', ", "submission.board = board\n"},
    {"held", &Shown::held, ", held_at, held_data", "held = true, ", R"(
      if old then
        local held = { score = 0, at = 0, data = '' }
        held.score = old
        held.at = held_at
        held.data = held_data
        submission.held = held
      else
        submission.held = nil
      end
    )"},
}};

using FieldNames = std::array<std::string_view, kSubmissionFields.size()>;

constexpr FieldNames kFieldNames = [] {
  FieldNames names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kSubmissionFields[i].name;
  return names;
}();

// accept(submission, old), score(old, new, submission)
constexpr int kSubmissionOfAccept = 0;
constexpr int kOldOfAccept = 1;
constexpr int kOldOfScore = 0;
constexpr int kSubmissionOfScore = 2;

ParameterUse use_by(lua_State* L, int function, int parameter) {
  if (lua_isnil(L, function)) return {.reads = false, .does_more = false};
  return use_of_parameter(L, function, parameter, kFieldNames);
}

// A text that grows on top of the stack. Nothing else may be pushed until push().
class Text {
 public:
  explicit Text(lua_State* L) { luaL_buffinit(L, &buffer_); }
  Text& add(const char* piece) {
    luaL_addstring(&buffer_, piece);
    return *this;
  }
  void push() { luaL_pushresult(&buffer_); }

 private:
  luaL_Buffer buffer_;
};

void add_parameters(Text& text, const Shown& shown) {
  text.add("new");
  for (const SubmissionField& field : kSubmissionFields) {
    if (field.shown == &Shown::held && shown.old) text.add(", old");
    if (shown.*field.shown) text.add(field.parameter);
  }
}

void add_new_submission(Text& text, const Shown& shown) {
  text.add("local submission = { ");
  for (const SubmissionField& field : kSubmissionFields) {
    if (shown.*field.shown) text.add(field.empty);
  }
  text.add("}\n");
}

void add_fields(Text& text, const Shown& shown) {
  for (const SubmissionField& field : kSubmissionFields) {
    if (shown.*field.shown) text.add(field.set);
  }
}

void push_source(lua_State* L, const Shown& shown, bool accepts, bool scores) {
  Text text(L);
  text.add("local accept, score = ...\n");
  if (shown.shared) add_new_submission(text, shown);
  text.add("return function(");
  add_parameters(text, shown);
  text.add(")\n");
  if (!shown.shared) add_new_submission(text, shown);
  add_fields(text, shown);
  const char* const old = shown.old ? "old" : "nil";
  if (accepts) {
    text.add("local ok, why = accept(submission, ").add(old).add(")\n");
    text.add("if not ok then return false, why end\n");
  }
  if (scores) text.add("return true, score(").add(old).add(", new, submission)\n");
  text.add("end\n");
  text.push();
}

}  // namespace

Shown shown_to(lua_State* L, int accept, int score) {
  const ParameterUse by_accept = use_by(L, accept, kSubmissionOfAccept);
  const ParameterUse by_score = use_by(L, score, kSubmissionOfScore);
  Shown shown;
  if (!by_accept.only_reads() || !by_score.only_reads()) return shown;
  const std::uint32_t fields = by_accept.fields | by_score.fields;
  for (std::size_t i = 0; i < kSubmissionFields.size(); ++i) {
    shown.*kSubmissionFields[i].shown = (fields >> i & 1) != 0;
  }
  shown.old = shown.held || !use_by(L, accept, kOldOfAccept).none() ||
              !use_by(L, score, kOldOfScore).none();
  shown.shared = true;
  return shown;
}

void push_judge(lua_State* L, const Shown& shown, int accept, int score) {
  push_source(L, shown, !lua_isnil(L, accept), !lua_isnil(L, score));
  if (load_text(L, {lua_tostring(L, -1), raw_length(L, -1)}, "=laurel") != 0) lua_error(L);
  lua_remove(L, -2);
  lua_pushvalue(L, accept);
  lua_pushvalue(L, score);
  lua_call(L, 2, 1);
}

}  // namespace laurel
