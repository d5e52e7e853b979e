// methods.h - the functions and methods that each wrap_*.cc defines, by name.
#pragma once

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
Methods transfer_methods();     // wrap_transfer.cc
Methods serve_methods();        // wrap_live.cc
Methods boards_metamethods();

// Methods of a board
Methods board_methods();            // wrap_board.cc
Methods board_write_methods();      // wrap_board_write.cc
Methods board_admission_methods();  // wrap_board_admission.cc
Methods board_read_methods();       // wrap_board_read.cc
Methods board_list_methods();       // wrap_board_list.cc
Methods board_season_methods();     // wrap_board_seasons.cc
Methods board_engine_methods();     // wrap_board_engine.cc
Methods watch_methods();            // wrap_watch.cc
Methods board_metamethods();
// These methods work on the board at index 1. A remote copy of a past season calls them for its
// source board.
int board_seasons(lua_State* L);
int board_archived(lua_State* L);
int board_banned(lua_State* L);

// Methods of a remote board, which has all methods of a local board
Methods remote_board_methods();  // wrap_remote_board.cc
Methods remote_read_methods();   // wrap_remote_read.cc
Methods remote_write_methods();  // wrap_remote_write.cc
Methods remote_watch_methods();  // wrap_watch.cc
Methods remote_board_metamethods();

// Methods of a live handle, and of a client
Methods live_methods();
Methods live_metamethods();
Methods client_methods();
Methods client_metamethods();

}  // namespace laurel
