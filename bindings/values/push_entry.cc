#include "bindings/values/push_entry.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

#include "bindings/lua/table.h"
#include "bindings/values/entry_tables.h"

namespace laurel {

namespace {

void push_optional_text(lua_State* L, const std::optional<std::string_view>& text) {
  if (text) {
    push(L, *text);
  } else {
    lua_pushnil(L);
  }
}

// Pushes { name = score } with the scores of entry `i`, if there are boards.
void push_with(lua_State* L, const EntryExtras& extras, std::size_t i) {
  const std::size_t boards = extras.boards.size();
  lua_createtable(L, 0, static_cast<int>(boards));
  for (std::size_t board = 0; board < boards; ++board) {
    const std::optional<double>& score = extras.scores[i * boards + board];
    if (!score) continue;
    push(L, extras.boards[board]);
    push_score_of(L, *score, extras.columns_of[board].get());
    lua_rawset(L, -3);
  }
}

// ---- entries

EntryShape shape_of(std::span<const Entry> entries, const EntryExtras* extras) {
  EntryShape shape(EntryField::player, EntryField::score, EntryField::rank, EntryField::at);
  for (const Entry& entry : entries) {
    shape.add(EntryField::data, entry.data.has_value());
    shape.add(EntryField::overall, entry.overall != 0);
  }
  if (extras == nullptr) return shape;
  for (const std::string_view name : extras->names) shape.add(EntryField::name, !name.empty());
  shape.add(EntryField::with, extras->with);
  shape.add(EntryField::rank_change, !extras->rank_changes.empty());
  return shape;
}

// Pushes the fields of entry `i` of those that the extras are of.
void push_fields(lua_State* L, EntryShape shape, const Entry& entry, const EntryExtras* extras,
                 std::size_t i) {
  push(L, entry.player);
  push_score_of(L, entry.score, extras == nullptr ? nullptr : extras->columns.get());
  push_number(L, static_cast<double>(entry.rank));
  push_number(L, seconds_from_time(entry.at));
  if (shape.has(EntryField::data)) push_optional_text(L, entry.data);
  if (shape.has(EntryField::overall)) {
    std::optional<double> overall;
    if (entry.overall != 0) overall = static_cast<double>(entry.overall);
    push_optional(L, overall);
  }
  if (shape.has(EntryField::name)) {
    std::optional<std::string_view> name;
    if (!extras->names[i].empty()) name = extras->names[i];
    push_optional_text(L, name);
  }
  if (shape.has(EntryField::with)) push_with(L, *extras, i);
  if (shape.has(EntryField::rank_change)) push_optional(L, extras->rank_changes[i]);
}

// ---- entries of windows

void add_fields(EntryShape& shape, const WindowEntry& entry) {
  shape.add(EntryField::at, entry.at.has_value());
  shape.add(EntryField::data, entry.data.has_value());
  shape.add(EntryField::name, entry.name.has_value());
  shape.add(EntryField::rank_change, entry.rank_change.has_value());
}

void push_fields(lua_State* L, EntryShape shape, const WindowEntry& entry,
                 const ScoreColumns* columns) {
  push(L, entry.player);
  push_score_of(L, entry.score, columns);
  push_number(L, static_cast<double>(entry.rank));
  if (shape.has(EntryField::at)) {
    push_optional(L, entry.at ? std::optional(seconds_from_time(*entry.at)) : std::nullopt);
  }
  if (shape.has(EntryField::data)) push_optional_text(L, entry.data);
  if (shape.has(EntryField::name)) push_optional_text(L, entry.name);
  if (shape.has(EntryField::rank_change)) push_optional(L, entry.rank_change);
}

void push_moved(lua_State* L, const std::vector<Moved>& moved, const ScoreColumns* columns) {
  EntryShape shape(EntryField::player, EntryField::score, EntryField::rank, EntryField::previous,
                   EntryField::previous_rank);
  for (const Moved& each : moved) add_fields(shape, each.entry);
  push_tables(L, moved, shape, [&](const Moved& each, std::size_t) {
    push_fields(L, shape, each.entry, columns);
    push_score_of(L, each.previous, columns);
    push_number(L, static_cast<double>(each.previous_rank));
  });
}

}  // namespace

void push_entry(lua_State* L, const Entry& entry, const EntryExtras* extras) {
  const EntryShape shape = shape_of({&entry, 1}, extras);
  EntryTables tables(L, shape);
  tables.begin();
  push_fields(L, shape, entry, extras, 0);
  tables.finish();
  tables.leave_top();
}

void push_entries(lua_State* L, const Entries& entries, const EntryExtras* extras) {
  const EntryShape shape = shape_of(entries, extras);
  push_tables(L, entries, shape,
              [&](const Entry& entry, std::size_t i) { push_fields(L, shape, entry, extras, i); });
}

void push_optional(lua_State* L, const std::optional<double>& number) {
  if (number) {
    push_number(L, *number);
  } else {
    lua_pushnil(L);
  }
}

void push_score(lua_State* L, const std::optional<double>& score, const ScoreColumns* columns) {
  if (score) {
    push_score_of(L, *score, columns);
  } else {
    lua_pushboolean(L, 0);  // nil would end an array
  }
}

void push_refused(lua_State* L, const std::vector<RefusedItem>& refused) {
  push_array(L, refused, [](lua_State* state, const RefusedItem& item) {
    lua_createtable(state, 0, 2);
    set_number(state, "index", static_cast<double>(item.index));
    set_text(state, "reason", item.refusal.text());
  });
}

void push_change(lua_State* L, const Change& change) {
  lua_createtable(L, 0, 8);
  set_text(L, "player", change.player);
  set_text(L, "board", change.board);
  const ScoreColumns* const columns = change.columns.get();
  if (change.score) set_score(L, "score", *change.score, columns);
  if (change.previous) set_score(L, "previous", *change.previous, columns);
  set_optional_number(L, "rank", change.rank);
  set_optional_number(L, "previous_rank", change.previous_rank);
  set_number(L, "passed", static_cast<double>(change.passed));
  set_time(L, "at", change.at);
}

void push_window_entries(lua_State* L, const std::vector<WindowEntry>& entries,
                         const ScoreColumns* columns) {
  EntryShape shape(EntryField::player, EntryField::score, EntryField::rank);
  for (const WindowEntry& entry : entries) add_fields(shape, entry);
  push_tables(L, entries, shape, [&](const WindowEntry& entry, std::size_t) {
    push_fields(L, shape, entry, columns);
  });
}

void push_watch_event(lua_State* L, const WatchEvent& event) {
  lua_createtable(L, 0, 6);
  set_text(L, "board", event.board);
  set_number(L, "version", static_cast<double>(event.top->version));
  const ScoreColumns* const columns = event.top->columns.get();
  push_window_entries(L, event.top->entries, columns);
  lua_setfield(L, -2, "top");
  push_window_entries(L, event.entered, columns);
  lua_setfield(L, -2, "entered");
  push_window_entries(L, event.left, columns);
  lua_setfield(L, -2, "left");
  push_moved(L, event.moved, columns);
  lua_setfield(L, -2, "moved");
}

}  // namespace laurel
