# What `cmake --install BUILD [--prefix P]` installs below the prefix, in the directories that Lua (5.1:
# LuaJIT too) and pkg-config search:
#
#   lib/lua/5.1/laurel.so               or LAUREL_MODULE_DIR; for each of LAUREL_MORE_LUAS in its own, too
#   lib/pkgconfig/laurel.pc             pkg-config --variable=module laurel
#   lib/cmake/laurel                    find_package(laurel CONFIG)
#   include/laurel/*.h
#   share/lua/5.1/laurel/*.lua          or LAUREL_LUA_DIR: require "laurel.overlay"
#   share/laurel                        annotations for editors, rules to copy
#   bin/laurel                          the command, share/man/man1/laurel.1 and its completions
#   bin/laurel-web                      the gateway, likewise, and lib/systemd/system/laurel-web.service
#   share/doc/laurel/copyright          the licences, also of the code that is compiled in
#
# Debian's packages are made of these: see module/debian. LuaRocks takes the module and the Lua files alone
# (LAUREL_MODULE_ONLY), in directories of its own: see scripts/*.rockspec.

include(CMakePackageConfigHelpers)
set(LAUREL_MODULE_DIR "" CACHE STRING "Where laurel.so is installed, if not in LIBDIR/lua/VERSION")
set(LAUREL_LUA_DIR "" CACHE STRING "Where the folder laurel of Lua files is installed, if not in DATADIR/lua/VERSION")
if(LAUREL_MORE_LUAS AND (LAUREL_MODULE_DIR OR LAUREL_LUA_DIR))
  message(FATAL_ERROR "LAUREL_MODULE_DIR and LAUREL_LUA_DIR are for one Lua: LAUREL_MORE_LUAS must be empty.")
endif()
set(rules_directory ${CMAKE_INSTALL_DATADIR}/laurel/rules)

# laurel_install_module(TARGET VERSION): the module for a Lua, and the Lua files.
function(laurel_install_module target version)
  set(module_directory ${CMAKE_INSTALL_LIBDIR}/lua/${version})
  set(lua_directory ${CMAKE_INSTALL_DATADIR}/lua/${version})
  if(LAUREL_MODULE_DIR)
    set(module_directory ${LAUREL_MODULE_DIR})
  endif()
  if(LAUREL_LUA_DIR)
    set(lua_directory ${LAUREL_LUA_DIR})
  endif()
  # The permissions of Debian's libraries, which are not executable.
  install(TARGETS ${target} LIBRARY DESTINATION ${module_directory}
    PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  install(DIRECTORY scripts/laurel DESTINATION ${lua_directory} FILES_MATCHING PATTERN "*.lua")
  set(module_directory ${module_directory} PARENT_SCOPE)
  set(lua_directory ${lua_directory} PARENT_SCOPE)
endfunction()

foreach(version ${LAUREL_MORE_LUAS})
  laurel_install_module(laurel_lua${version} ${version})
endforeach()
laurel_install_module(laurel ${LAUREL_LUA_VERSION})
install(FILES scripts/laurel.d.lua DESTINATION ${CMAKE_INSTALL_DATADIR}/laurel)
install(DIRECTORY scripts/rules DESTINATION ${CMAKE_INSTALL_DATADIR}/laurel
  OPTIONAL FILES_MATCHING PATTERN "*.lua")
install(FILES module/cmake/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(LAUREL_MODULE_ONLY)
  return()
endif()

# For hosts in C and C++. Both files of packages are relative to where they are.
set(loader ${CMAKE_DL_LIBS})
list(TRANSFORM loader PREPEND -l)
file(RELATIVE_PATH to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" to_prefix ${to_prefix})
configure_file(module/cmake/laurel.pc.in ${PROJECT_BINARY_DIR}/laurel.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/laurel.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
set(package ${PROJECT_BINARY_DIR}/cmake)
configure_package_config_file(module/cmake/laurel-config.cmake.in ${package}/laurel-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/laurel
  PATH_VARS module_directory lua_directory rules_directory CMAKE_INSTALL_INCLUDEDIR)
# While the major version is 0, a minor version may be incompatible.
write_basic_package_version_file(${package}/laurel-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${package}/laurel-config.cmake ${package}/laurel-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/laurel)
install(FILES module/include/laurel/laurel.h module/include/laurel/columns.h
  module/include/laurel/live.h module/include/laurel/marks.h module/include/laurel/metrics.h
  module/include/laurel/players.h module/include/laurel/reads.h module/include/laurel/remote.h
  module/include/laurel/results.h
  module/include/laurel/seasons.h module/include/laurel/segments.h
  module/include/laurel/watch.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/laurel)

# laurel_install_program(TARGET FOLDER NAME): a program of module/FOLDER, with its man page and its
# completions for bash.
function(laurel_install_program target folder name)
  install(TARGETS ${target} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES module/${folder}/${name}.bash RENAME ${name}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES module/${folder}/${name}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endfunction()

# The programs, if they are built.
if(TARGET laurel_tool)
  laurel_install_program(laurel_tool tool laurel)
endif()
if(TARGET laurel_web)
  laurel_install_program(laurel_web web laurel-web)
  # systemd looks there below /usr and /usr/local, whatever the architecture.
  install(FILES module/web/laurel-web.service DESTINATION lib/systemd/system)
endif()
