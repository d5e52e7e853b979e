# The installation and the Debian package.
#
#   cmake --install BUILD [--prefix P]    below the prefix, in the directories that Lua (5.1: LuaJIT
#                                         too) and pkg-config search:
#     lib/lua/5.1/laurel.so               with the prefix /usr in the architecture's lib directory
#     lib/pkgconfig/laurel.pc             in the same lib; pkg-config --variable=module laurel
#     lib/cmake/laurel                    in the same lib; find_package(laurel CONFIG)
#     include/laurel/*.h
#     share/lua/5.1/laurel/*.lua          require "laurel.overlay"
#     share/laurel                        annotations for editors, rules to copy
#     bin/laurel                          the command, share/man/man1/laurel.1 and its completions
#     bin/laurel-web                      the gateway, likewise, and lib/systemd/system/laurel-web.service
#     share/doc/laurel/copyright          the licences, also of the code that is compiled in
#
#   cd BUILD && cpack -G DEB              the same below /usr, for any prefix of the build
#
# A package uses Debian's directories, not those of the build. So the files in lib have two install
# rules: one for installing, and one for the component `debian`.

include(CMakePackageConfigHelpers)
set(lua_directory ${CMAKE_INSTALL_DATADIR}/lua/${LAUREL_LUA_VERSION})
set(rules_directory ${CMAKE_INSTALL_DATADIR}/laurel/rules)

# laurel_install_module(LIB PREFIX [OPTION...]): installs the module, laurel.pc and the CMake package
# into LIB below PREFIX.
function(laurel_install_module lib prefix)
  set(module_directory ${lib}/lua/${LAUREL_LUA_VERSION})
  set(loader ${CMAKE_DL_LIBS})
  list(TRANSFORM loader PREPEND -l)
  file(RELATIVE_PATH to_prefix /${lib}/pkgconfig /)
  string(REGEX REPLACE "/$" "" to_prefix ${to_prefix})
  set(pc ${PROJECT_BINARY_DIR}/pkgconfig/${lib}/laurel.pc)
  configure_file(${PROJECT_SOURCE_DIR}/module/cmake/laurel.pc.in ${pc} @ONLY)
  # The permissions of Debian's libraries, which are not executable.
  install(TARGETS laurel LIBRARY DESTINATION ${module_directory}
    PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ ${ARGN})
  install(FILES ${pc} DESTINATION ${lib}/pkgconfig ${ARGN})

  set(package ${PROJECT_BINARY_DIR}/cmake/${lib})
  configure_package_config_file(module/cmake/laurel-config.cmake.in ${package}/laurel-config.cmake
    INSTALL_DESTINATION ${lib}/cmake/laurel INSTALL_PREFIX ${prefix}
    PATH_VARS module_directory lua_directory rules_directory CMAKE_INSTALL_INCLUDEDIR)
  # While the major version is 0, a minor version may be incompatible.
  write_basic_package_version_file(${package}/laurel-config-version.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${package}/laurel-config.cmake ${package}/laurel-config-version.cmake
    DESTINATION ${lib}/cmake/laurel ${ARGN})
endfunction()

laurel_install_module(${CMAKE_INSTALL_LIBDIR} ${CMAKE_INSTALL_PREFIX} COMPONENT library)
if(CMAKE_LIBRARY_ARCHITECTURE) # set by Debian's compilers
  laurel_install_module(lib/${CMAKE_LIBRARY_ARCHITECTURE} /usr COMPONENT debian EXCLUDE_FROM_ALL)
endif()

install(FILES module/include/laurel/laurel.h module/include/laurel/columns.h
  module/include/laurel/live.h module/include/laurel/marks.h module/include/laurel/metrics.h
  module/include/laurel/players.h module/include/laurel/reads.h module/include/laurel/remote.h
  module/include/laurel/results.h
  module/include/laurel/seasons.h module/include/laurel/segments.h
  module/include/laurel/watch.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/laurel COMPONENT shared)
install(FILES scripts/laurel.d.lua DESTINATION ${CMAKE_INSTALL_DATADIR}/laurel COMPONENT shared)
install(DIRECTORY scripts/laurel DESTINATION ${lua_directory} COMPONENT shared
  FILES_MATCHING PATTERN "*.lua")
install(DIRECTORY scripts/rules DESTINATION ${CMAKE_INSTALL_DATADIR}/laurel COMPONENT shared
  OPTIONAL FILES_MATCHING PATTERN "*.lua")
install(FILES module/cmake/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT shared)

# laurel_install_program(TARGET FOLDER NAME): a program of module/FOLDER, with its man page and its
# completions for bash.
find_program(GZIP gzip)
function(laurel_install_program target folder name)
  set(page module/${folder}/${name}.1)
  install(TARGETS ${target} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT shared)
  install(FILES module/${folder}/${name}.bash RENAME ${name}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT shared)
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT library)
  if(GZIP)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page})
    file(COPY ${page} DESTINATION ${PROJECT_BINARY_DIR}/debian)
    execute_process(COMMAND ${GZIP} -9nkf ${name}.1 WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/debian
      COMMAND_ERROR_IS_FATAL ANY)
    install(FILES ${PROJECT_BINARY_DIR}/debian/${name}.1.gz
      DESTINATION share/man/man1 COMPONENT debian EXCLUDE_FROM_ALL)
  endif()
endfunction()

# The programs, if they are built.
if(TARGET laurel_tool)
  laurel_install_program(laurel_tool tool laurel)
endif()
if(TARGET laurel_web)
  laurel_install_program(laurel_web web laurel-web)
  # systemd looks there below /usr and /usr/local, whatever the architecture.
  install(FILES module/web/laurel-web.service DESTINATION lib/systemd/system COMPONENT shared)
endif()

# --- the Debian package

set(CPACK_PACKAGE_NAME laurel)
set(CPACK_PACKAGE_CONTACT "laurel developers <laurel@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "leaderboards inside the game server, scripted in Lua")
set(CPACK_PACKAGE_DESCRIPTION
"A library that a game server loads to keep leaderboards: as a module of
LuaJIT or Lua 5.1, or through an interface in C. Ranks take less than a
microsecond, boards may be kept on the disk, rules reload while the server
runs, and overlays see the top change over ENet.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL shared debian)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS tzdata)  # read when a board names a zone
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "luajit | libluajit-5.1-2")

# The changelog in Debian's format, with one entry for the version that is built.
find_program(AWK awk)
if(GZIP AND AWK)
  set(wrap ${PROJECT_SOURCE_DIR}/module/cmake/wrap-changelog.awk)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS module/CHANGELOG.md ${wrap})
  file(READ module/CHANGELOG.md changes)
  string(REGEX REPLACE "^.*\n## \\[(Unreleased|${PROJECT_VERSION})\\][^\n]*\n" "" changes "${changes}")
  string(REGEX REPLACE "\n## .*$" "\n" changes "${changes}")
  string(REGEX REPLACE "\n### ([^\n]*)" "" changes "${changes}")
  string(REGEX REPLACE "\n  ([^ ])" "\n    \\1" changes "${changes}")
  string(REGEX REPLACE "\n- " "\n  * " changes "${changes}")
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # SOURCE_DATE_EPOCH if that is set
  file(WRITE ${PROJECT_BINARY_DIR}/debian/unwrapped
    "laurel (${PROJECT_VERSION}) unstable; urgency=medium\n${changes}\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  execute_process(COMMAND ${AWK} -f ${wrap} unwrapped OUTPUT_FILE changelog
    COMMAND_ERROR_IS_FATAL ANY WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/debian)
  execute_process(COMMAND ${GZIP} -9nkf changelog WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/debian
    COMMAND_ERROR_IS_FATAL ANY)
  install(FILES ${PROJECT_BINARY_DIR}/debian/changelog.gz
    DESTINATION share/doc/laurel COMPONENT debian EXCLUDE_FROM_ALL)
endif()

include(CPack)
