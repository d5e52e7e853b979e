// push_entry.h - entries, changes and windows as the tables that scripts read.
//
// Each function pushes one value. It may raise when memory runs out, and may run finalizers, so its
// arguments must not point into a board (see call_buffers.h).
#pragma once

#include <optional>

#include <lua.hpp>

#include "bindings/values/call_buffers.h"
#include "bindings/values/column_values.h"
#include "board/standings/change.h"
#include "registry/watch.h"

namespace laurel {

// { player=, score=, rank=, at=, data= [, overall=] [, name=] [, with=] [, rank_change=] }. The
// entry is the first of those that `extras` is of, which may be null.
void push_entry(lua_State* L, const Entry& entry, const EntryExtras* extras);
// An array of such entries, in order.
void push_entries(lua_State* L, const Entries& entries, const EntryExtras* extras);
// { player=, score=, previous=, rank=, previous_rank=, passed=, board=, at= }, without the fields
// that have no value
void push_change(lua_State* L, const Change& change);
// An array of { player=, name=, score=, rank=, data= [, rank_change=] }, in order; the columns are
// those of the board, or null.
void push_window_entries(lua_State* L, const std::vector<WindowEntry>& entries,
                         const ScoreColumns* columns);
// A score of a table of scores; false if it is missing.
void push_score(lua_State* L, const std::optional<double>& score, const ScoreColumns* columns);
// An array of { index=, reason= }, in order.
void push_refused(lua_State* L, const std::vector<RefusedItem>& refused);
// A number, or nil.
void push_optional(lua_State* L, const std::optional<double>& number);
// { board=, version=, top=, entered=, left=, moved= }
void push_watch_event(lua_State* L, const WatchEvent& event);

}  // namespace laurel
