#include "bindings/push_entry.h"

#include <optional>
#include <string_view>

#include "base/time.h"
#include "bindings/lua_args.h"

namespace laurel {

namespace {

void set_number(lua_State* L, const char* field, double value) {
  lua_pushnumber(L, value);
  lua_setfield(L, -2, field);
}

void set_text(lua_State* L, const char* field, std::string_view value) {
  push(L, value);
  lua_setfield(L, -2, field);
}

template <typename List, typename Push>
void push_array(lua_State* L, const List& list, Push push_item) {
  lua_createtable(L, static_cast<int>(list.size()), 0);
  int index = 0;
  for (const auto& item : list) {
    push_item(L, item);
    lua_rawseti(L, -2, ++index);
  }
}

void push_moved(lua_State* L, const Moved& moved) {
  push_window_entry(L, moved.entry);
  set_number(L, "previous", moved.previous);
  set_number(L, "previous_rank", static_cast<double>(moved.previous_rank));
}

}  // namespace

void push_entry(lua_State* L, const Entry& entry) {
  lua_createtable(L, 0, 4);
  set_text(L, "player", entry.player);
  set_number(L, "score", entry.score);
  set_number(L, "rank", static_cast<double>(entry.rank));
  set_number(L, "at", seconds_from_time(entry.at));
  if (entry.data) set_text(L, "data", *entry.data);
  if (entry.overall != 0) set_number(L, "overall", static_cast<double>(entry.overall));
}

void push_numbers(lua_State* L, const std::vector<double>& numbers) {
  push_array(L, numbers, lua_pushnumber);
}

void push_strings(lua_State* L, const std::vector<std::string>& strings) {
  push_array(L, strings, [](lua_State* state, const std::string& text) { push(state, text); });
}

void push_entries(lua_State* L, const Entries& entries) { push_array(L, entries, push_entry); }

void push_change(lua_State* L, const Change& change) {
  lua_createtable(L, 0, 8);
  set_text(L, "player", change.player);
  set_text(L, "board", change.board);
  set_number(L, "score", change.score);
  if (change.previous) set_number(L, "previous", *change.previous);
  set_number(L, "rank", static_cast<double>(change.rank));
  if (change.previous_rank) {
    set_number(L, "previous_rank", static_cast<double>(*change.previous_rank));
  }
  set_number(L, "passed", static_cast<double>(change.passed));
  set_number(L, "at", seconds_from_time(change.at));
}

void push_window_entry(lua_State* L, const WindowEntry& entry) {
  lua_createtable(L, 0, 4);
  set_text(L, "player", entry.player);
  if (entry.name) set_text(L, "name", *entry.name);
  set_number(L, "score", entry.score);
  set_number(L, "rank", static_cast<double>(entry.rank));
  if (entry.at) set_number(L, "at", seconds_from_time(*entry.at));
  if (entry.data) set_text(L, "data", *entry.data);
}

void push_window_entries(lua_State* L, const std::vector<WindowEntry>& entries) {
  push_array(L, entries, push_window_entry);
}

void push_watch_event(lua_State* L, const WatchEvent& event) {
  lua_createtable(L, 0, 6);
  set_text(L, "board", event.board);
  set_number(L, "version", static_cast<double>(event.top->version));
  push_window_entries(L, event.top->entries);
  lua_setfield(L, -2, "top");
  push_window_entries(L, event.entered);
  lua_setfield(L, -2, "entered");
  push_window_entries(L, event.left);
  lua_setfield(L, -2, "left");
  push_array(L, event.moved, push_moved);
  lua_setfield(L, -2, "moved");
}

}  // namespace laurel
