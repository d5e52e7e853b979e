# The Luas that laurel.so can be built for. Their symbols differ, so that each has a module of its own.
#
#   LAUREL_LUA              luajit, the default, whose module runs on Lua 5.1, too; or 5.1, 5.2, 5.3, 5.4
#   LAUREL_LUA_INCLUDE_DIR  a folder with Lua's headers, which say which of them it is, in place of LAUREL_LUA
#   LAUREL_MORE_LUAS        beside luajit: other Luas whose modules are built and installed as well
#
# Defines two targets:
#   Lua::Headers  to compile with. laurel.so needs only this, since its host provides Lua.
#   Lua::Library  to link with, for programs that are hosts themselves (tests, the command).

set(LAUREL_LUA luajit CACHE STRING "The Lua of the host: luajit (also for 5.1), 5.1, 5.2, 5.3 or 5.4")
set(LAUREL_LUA_INCLUDE_DIR "" CACHE PATH "The folder of the headers of the host's Lua, which say its version")
set(LAUREL_MORE_LUAS "" CACHE STRING "Luas whose modules are built as well, such as 5.2;5.3;5.4")
set(lua_versions 5.1 5.2 5.3 5.4)
if(LAUREL_LUA_INCLUDE_DIR)
  file(STRINGS ${LAUREL_LUA_INCLUDE_DIR}/lua.h number REGEX "define[ \t]+LUA_VERSION_NUM[ \t]+50[1-4]")
  string(REGEX REPLACE ".*50([1-4]).*" "5.\\1" LAUREL_LUA "${number}")
  if(EXISTS ${LAUREL_LUA_INCLUDE_DIR}/luajit.h)
    set(LAUREL_LUA luajit)
    set(LuaJIT_INCLUDE_DIR ${LAUREL_LUA_INCLUDE_DIR} CACHE PATH "" FORCE)
  else()
    set(LUA${LAUREL_LUA}_INCLUDE_DIR ${LAUREL_LUA_INCLUDE_DIR} CACHE PATH "" FORCE)
  endif()
endif()
set_property(CACHE LAUREL_LUA PROPERTY STRINGS luajit ${lua_versions})
if(NOT LAUREL_LUA IN_LIST lua_versions AND NOT LAUREL_LUA STREQUAL luajit)
  message(FATAL_ERROR "LAUREL_LUA is ${LAUREL_LUA}; it takes luajit, 5.1, 5.2, 5.3 or 5.4")
endif()

# laurel_find_lua(5.4): looks for LUA5.4_INCLUDE_DIR, LUA5.4_SHARED and LUA5.4_STATIC, which may be given,
# and defines Lua5.4::Headers and Lua5.4::Library if they are found.
function(laurel_find_lua version)
  string(REPLACE "." "" digits ${version})
  string(REGEX REPLACE "^5\\." "50" number ${version})
  find_path(LUA${version}_INCLUDE_DIR lua.h NO_CMAKE_PATH
    PATH_SUFFIXES lua${version} lua-${version} lua${digits})
  find_library(LUA${version}_SHARED NAMES liblua${version}.so liblua-${version}.so liblua${digits}.so)
  find_library(LUA${version}_STATIC NAMES liblua${version}.a liblua-${version}.a liblua${digits}.a)
  mark_as_advanced(LUA${version}_INCLUDE_DIR LUA${version}_SHARED LUA${version}_STATIC)
  if(NOT LUA${version}_INCLUDE_DIR OR TARGET Lua${version}::Headers)
    return()
  endif()
  # Headers without a folder of their own may be those of another version.
  file(STRINGS ${LUA${version}_INCLUDE_DIR}/lua.h defined REGEX "define[ \t]+LUA_VERSION_NUM[ \t]+${number}")
  if(NOT defined)
    return()
  endif()
  add_library(Lua${version}::Headers INTERFACE IMPORTED GLOBAL)
  target_include_directories(Lua${version}::Headers INTERFACE ${LUA${version}_INCLUDE_DIR})
  if(LUA${version}_SHARED OR LUA${version}_STATIC)
    add_library(Lua${version}::Library INTERFACE IMPORTED GLOBAL)
    if(LUA${version}_SHARED)
      target_link_libraries(Lua${version}::Library INTERFACE ${LUA${version}_SHARED})
    else()
      target_link_libraries(Lua${version}::Library INTERFACE ${LUA${version}_STATIC} m ${CMAKE_DL_LIBS})
    endif()
    target_link_libraries(Lua${version}::Library INTERFACE Lua${version}::Headers)
  endif()
endfunction()

if(LAUREL_LUA STREQUAL luajit)
  find_package(LuaJIT REQUIRED)
  set(lua_headers LuaJIT::Headers)
  set(lua_library LuaJIT::LuaJIT)
  set(LAUREL_LUA_VERSION 5.1) # whose folders LuaJIT searches
  find_library(LUAJIT_ARCHIVE libluajit-5.1.a)
  mark_as_advanced(LUAJIT_ARCHIVE)
  set(LAUREL_LUA_ARCHIVE ${LUAJIT_ARCHIVE})
else()
  laurel_find_lua(${LAUREL_LUA})
  set(lua_headers Lua${LAUREL_LUA}::Headers)
  set(lua_library Lua${LAUREL_LUA}::Library)
  set(LAUREL_LUA_VERSION ${LAUREL_LUA})
  set(LAUREL_LUA_ARCHIVE ${LUA${LAUREL_LUA}_STATIC})
  if(NOT TARGET ${lua_headers})
    message(FATAL_ERROR "The headers of Lua ${LAUREL_LUA} are missing (Debian: liblua${LAUREL_LUA}-dev). "
      "LUA${LAUREL_LUA}_INCLUDE_DIR says where they are.")
  endif()
endif()
add_library(Lua::Headers ALIAS ${lua_headers})
if(TARGET ${lua_library})
  add_library(Lua::Library ALIAS ${lua_library})
endif()

# The Luas that have modules as well, in the folders lua5.2, ... A developer's build knows all that are
# installed, and builds those that are not in LAUREL_MORE_LUAS when a test of --all asks for them.
set(LAUREL_OTHER_LUAS ${LAUREL_MORE_LUAS})
foreach(version ${LAUREL_MORE_LUAS})
  laurel_find_lua(${version})
  if(NOT LAUREL_LUA STREQUAL luajit OR NOT version MATCHES "^5\\.[234]$" OR NOT TARGET Lua${version}::Headers)
    message(FATAL_ERROR "LAUREL_MORE_LUAS has ${version}. It takes 5.2, 5.3 and 5.4, whose headers are needed "
      "(Debian: liblua${version}-dev), beside LAUREL_LUA=luajit.")
  endif()
endforeach()
if(LAUREL_DEVELOPER AND NOT LAUREL_SANITIZE AND LAUREL_LUA STREQUAL luajit)
  foreach(version 5.2 5.3 5.4)
    laurel_find_lua(${version})
    if(TARGET Lua${version}::Headers)
      list(APPEND LAUREL_OTHER_LUAS ${version})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES LAUREL_OTHER_LUAS)
endif()
