// call_buffers.h - reusable buffers between boards and Lua, in memory that a Lua error cannot leak.
//
// Making a table may collect garbage and run a script's finalizer, which may call any method and
// change any board. So values are copied before they are pushed: a list owns its bytes, and no
// other call uses it until it is given back.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <lua.hpp>

#include "base/result.h"
#include "bindings/values/entry_extras.h"
#include "board/results/kept_result.h"
#include "board/spec/spec_change.h"
#include "board/standings/change.h"
#include "board/submission/rehearsal.h"
#include "registry/registry.h"

namespace laurel {

struct RefusedItem {
  std::size_t index;  // from 1
  Refusal refusal;
};

struct NamedScore {
  std::string board;
  double score = 0;
  ScoreColumns::Ptr columns = {};  // of the board
  ColumnValues values{};           // in place of the score, if there are columns
};

// A value of an attribute, and how many players of a board have it.
struct ValueSize {
  std::string value;
  std::size_t size = 0;
};

struct ShownField {
  std::string name;
  std::variant<std::string, double, bool> value;
};

// The buffers of one call; each call uses those that it needs.
struct CallBuffers {
  Entries entries;
  std::string bytes;   // own_entries() copies the strings of `entries` into it
  EntryExtras extras;  // of `entries`
  std::vector<std::string> strings;
  std::vector<std::string_view> views;
  std::vector<std::string_view> sorted;
  std::vector<Submission> submissions;
  std::deque<ColumnValues> column_values;  // of some of the submissions, and of given scores
  std::vector<RefusedItem> refused;
  std::vector<std::uint64_t> numbers;
  std::vector<std::optional<double>> scores;
  std::vector<NamedScore> named_scores;
  std::vector<Registry::GivenScore> given_scores;
  std::vector<ScoreColumns::Ptr> columns;  // of several boards, null without columns
  std::vector<ShownField> fields;
  std::vector<Registry::ScoreOf> scores_of;
  std::vector<UnheardEnd> unheard_ends;
  std::vector<Session> sessions;
  std::vector<ValueSize> value_sizes;
  std::vector<PastResult> results;
  RehearsalReport report;
  Arena arena;  // own() copies the strings of a profile or session into it
  Change change;
  SpecChange spec;
  std::string text;

  // Copies the ids and data of `entries`, so that they stay valid when the board changes.
  void own_entries();
  // Copies the strings of a profile or a session, so that they stay valid when the store changes.
  void own(Profile& profile);
  void own(Session& session);
  // Empties all lists, and frees the memory of long ones.
  void clear();
};

// The buffers of one registry. A nested call, from a finalizer, gets a spare that Lua collects.
class CallBufferPool {
 public:
  // Pushes one value (nil, or the spare), which anchors borrowed lists.
  CallBuffers& borrow(lua_State* L);
  // If a call raises before it gives the lists back, which only happens when memory or a stack of
  // Lua runs out, they stay lent, and later calls use spares.
  void give_back(CallBuffers& buffers);
  // Frees everything.
  void end() { buffers_.reset(); }

 private:
  std::unique_ptr<CallBuffers> buffers_;
  bool lent_ = false;
};

// Makes and pushes the metatable of spares.
void push_buffers_metatable(lua_State* L);

}  // namespace laurel
