#include "bindings/push_entry.h"

#include <optional>
#include <string_view>

#include "bindings/lua_fields.h"

namespace laurel {

namespace {

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
  set_time(L, "at", entry.at);
  if (entry.data) set_text(L, "data", *entry.data);
  if (entry.overall != 0) set_number(L, "overall", static_cast<double>(entry.overall));
}

void push_numbers(lua_State* L, const std::vector<double>& numbers) {
  push_array(L, numbers, lua_pushnumber);
}

void push_optional(lua_State* L, std::optional<double> number) {
  if (number) {
    lua_pushnumber(L, *number);
  } else {
    lua_pushnil(L);
  }
}

void push_scores(lua_State* L, const std::vector<std::optional<double>>& scores) {
  push_array(L, scores, [](lua_State* state, const std::optional<double>& score) {
    if (score) {
      lua_pushnumber(state, *score);
    } else {
      lua_pushboolean(state, 0);  // a hole would end the array
    }
  });
}

void push_strings(lua_State* L, const std::vector<std::string>& strings) {
  push_array(L, strings, [](lua_State* state, const std::string& text) { push(state, text); });
}

void push_entries(lua_State* L, const Entries& entries) { push_array(L, entries, push_entry); }

void push_change(lua_State* L, const Change& change) {
  lua_createtable(L, 0, 8);
  set_text(L, "player", change.player);
  set_text(L, "board", change.board);
  set_optional_number(L, "score", change.score);
  set_optional_number(L, "previous", change.previous);
  set_optional_number(L, "rank", change.rank);
  set_optional_number(L, "previous_rank", change.previous_rank);
  set_number(L, "passed", static_cast<double>(change.passed));
  set_time(L, "at", change.at);
}

void push_window_entry(lua_State* L, const WindowEntry& entry) {
  lua_createtable(L, 0, 4);
  set_text(L, "player", entry.player);
  if (entry.name) set_text(L, "name", *entry.name);
  set_number(L, "score", entry.score);
  set_number(L, "rank", static_cast<double>(entry.rank));
  set_optional_time(L, "at", entry.at);
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
