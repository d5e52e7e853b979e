# Proves that the simulation finds faults: it is built again with a source of the library in which
# one line is wrong, and the test passes if some episode reports the expected fault.

# live_mutant(NAME SOURCE "the line" "its replacement" "what the simulation reports")
function(live_mutant name source line instead says)
  set(original ${PROJECT_SOURCE_DIR}/module/live/${source})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${original})
  file(READ ${original} text)
  string(FIND "${text}" "${line}" first)
  string(FIND "${text}" "${line}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "mutant ${name}: ${source} does not have this line, once: ${line}")
  endif()
  string(REPLACE "${line}" "${instead}" text "${text}")
  set(mutant ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name}.cc)
  file(CONFIGURE OUTPUT ${mutant} CONTENT "${text}" @ONLY)

  # The program's own object is linked before that of the library, which defines nothing else.
  set_source_files_properties(${original} TARGET_DIRECTORY laurel_module PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON)
  add_executable(mutant_${name} simulation/mutant_main.cc ${mutant} $<TARGET_OBJECTS:live_simulation>)
  target_include_directories(mutant_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(mutant_${name} PRIVATE laurel_module laurel_options Boost::headers)
  add_test(NAME mutant_${name} COMMAND mutant_${name} ${says})
  set_tests_properties(mutant_${name} PROPERTIES TIMEOUT 600)
endfunction()

# Run only in the build with AddressSanitizer; once is enough.
if(NOT LAUREL_SANITIZE MATCHES "address")
  return()
endif()

live_mutant(delta_from_what_was_sent server/subscription.cc
  "  last_sent_ = now;" "  last_sent_ = now; acknowledged_ = stream_->version();"
  "did not reach the newest state")
live_mutant(acknowledged_the_newest_whatever_it_was server/subscription.cc
  "acknowledged_ = version;" "acknowledged_ = stream_->version();"
  "did not reach the newest state")
live_mutant(older_states_are_taken client/replica.cc
  "state.version <= current_->version" "state.version == current_->version"
  ", after ")
live_mutant(digest_is_not_checked wire/delta.cc
  "digest(window, window.entries.size(), *whole) != state.digest" "false"
  "which it never was")
live_mutant(epoch_is_kept server/publication.cc
  "epoch_ = numbers_.epoch();" "if (epoch_ == 0) epoch_ = numbers_.epoch();"
  "came twice")
