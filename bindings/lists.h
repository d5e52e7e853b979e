// lists.h - lists on their way between boards and Lua, in memory that no Lua error can leak.
//
// Making a table may collect garbage, and with it run a script's finalizer, which may call anything
// here and change any board. So what is shown to Lua is copied first: a list owns its bytes, and it
// is nobody else's until it is given back.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <lua.hpp>

#include "base/result.h"
#include "board/change.h"
#include "board/registry.h"
#include "board/spec.h"

namespace laurel {

struct RefusedItem {
  std::size_t index;  // from 1
  Refusal refusal;
};

struct ShownField {
  std::string name;
  std::variant<std::string, double, bool> value;
};

// One call's buffers; each call uses those that it needs.
struct Lists {
  Entries entries;
  std::string bytes;  // what the views of `entries` point to once they are owned
  std::vector<std::string> strings;
  std::vector<std::string_view> views;
  std::vector<std::string_view> sorted;
  std::vector<Submission> submissions;
  std::vector<RefusedItem> refused;
  std::vector<double> numbers;
  std::vector<std::optional<double>> scores;
  std::vector<ShownField> fields;
  std::vector<Registry::ScoreOf> scores_of;
  std::vector<Session> sessions;
  Arena arena;  // what the views of a profile or of `sessions` point to once they are owned
  Change change;
  SpecChange spec;
  std::string text;

  // Copies the ids and data of `entries`, so that the board may change.
  void own_entries();
  // Likewise what a profile or a session shows, so that the store may change.
  void own(Profile& profile);
  void own(Session& session);
  // Empties all of it, and gives memory back that only a long list needs.
  void clear();
};

// The buffers of one registry. A call that comes while another one's list is still being shown,
// from a finalizer, gets a spare that Lua collects.
class ListsOwner {
 public:
  // Pushes one value (nil, or the spare), so that borrowed lists stay anchored.
  Lists& borrow(lua_State* L);
  // After an error between the two (only memory that ran out) the lists stay out, and calls go on
  // with spares.
  void give_back(Lists& lists);
  // Frees everything.
  void end() { lists_.reset(); }

 private:
  std::unique_ptr<Lists> lists_;
  bool lent_ = false;
};

// Makes the metatable of spares; leaves it on the stack.
void push_lists_metatable(lua_State* L);

}  // namespace laurel
