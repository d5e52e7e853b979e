// methods.h - the functions and methods that each wrap_*.cc defines, by name.
#pragma once

#include <span>

#include <lua.hpp>

#include "bindings/lua/userdata.h"

namespace laurel {

// module.cc, wrap_open.cc, wrap_client.cc: functions of the module's table
int wrap_open(lua_State* L);
int wrap_connect(lua_State* L);

// Methods of boards
Methods boards_methods();       // wrap_registry.cc
Methods boards_play_methods();  // wrap_registry_players.cc
Methods players_methods();      // wrap_players.cc
Methods season_end_methods();   // wrap_season_ends.cc
Methods transfer_methods();     // wrap_transfer.cc
Methods serve_methods();        // wrap_live.cc
Methods boards_metamethods();

// A method of boards: for local ones and, under the same name, for remote ones.
struct BoardMethod {
  const char* name;
  lua_CFunction local;
  lua_CFunction remote;
};
using BoardMethods = std::span<const BoardMethod>;
BoardMethods board_methods();           // wrap_board.cc
BoardMethods board_write_methods();     // wrap_board_write.cc
BoardMethods board_read_methods();      // wrap_board_read.cc
BoardMethods board_list_methods();      // wrap_board_list.cc
BoardMethods board_each_methods();      // wrap_board_each.cc
BoardMethods board_season_methods();    // wrap_board_seasons.cc
BoardMethods board_attempt_methods();   // wrap_board_attempts.cc
BoardMethods board_history_methods();   // wrap_board_history.cc
BoardMethods board_mark_methods();      // wrap_board_marks.cc
BoardMethods board_segment_methods();   // wrap_board_segments.cc
BoardMethods board_rehearse_methods();  // wrap_board_rehearse.cc
BoardMethods watch_methods();           // wrap_watch.cc
BoardMethods board_metamethods();

// Methods of a live handle, and of a client
Methods live_methods();
Methods live_metamethods();
Methods client_methods();
Methods client_metamethods();

}  // namespace laurel
