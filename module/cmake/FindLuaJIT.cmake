# Finds LuaJIT and defines two targets:
#   LuaJIT::Headers  to compile with. laurel.so needs only this, since its host provides Lua.
#   LuaJIT::LuaJIT   to link with, for programs that are hosts themselves (tests, examples).

find_package(PkgConfig QUIET)
pkg_check_modules(PC_LUAJIT QUIET luajit)

find_path(LuaJIT_INCLUDE_DIR luajit.h HINTS ${PC_LUAJIT_INCLUDE_DIRS} PATH_SUFFIXES luajit-2.1)
find_library(LuaJIT_LIBRARY NAMES luajit-5.1 HINTS ${PC_LUAJIT_LIBRARY_DIRS})

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LuaJIT
  REQUIRED_VARS LuaJIT_INCLUDE_DIR VERSION_VAR PC_LUAJIT_VERSION)

if(LuaJIT_FOUND AND NOT TARGET LuaJIT::Headers)
  add_library(LuaJIT::Headers INTERFACE IMPORTED)
  target_include_directories(LuaJIT::Headers INTERFACE ${LuaJIT_INCLUDE_DIR})
  if(LuaJIT_LIBRARY)
    add_library(LuaJIT::LuaJIT INTERFACE IMPORTED)
    target_link_libraries(LuaJIT::LuaJIT INTERFACE LuaJIT::Headers ${LuaJIT_LIBRARY})
  endif()
endif()
mark_as_advanced(LuaJIT_INCLUDE_DIR LuaJIT_LIBRARY)
