# What every target of ours is compiled with. Private to this build: nothing of it is exported.

add_library(laurel_options INTERFACE)
target_compile_features(laurel_options INTERFACE cxx_std_20 c_std_11)
target_compile_options(laurel_options INTERFACE -fno-math-errno)

if(LAUREL_DEVELOPER)
  target_compile_options(laurel_options INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror
    -Wno-missing-field-initializers  # fields have defaults; leaving them out is the idiom
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>  # takes merged files for headers
    $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>
    # A compiler that seldom collects garbage takes a twelfth less time, for 200 MB more.
    $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1000000>)
endif()

# What most files include anyway, read once a target: a third of the time of a developer's build.
# Users' builds go without, so that a file which forgets an include is found there.
# laurel_precompile(TARGET HEADER...): and these of ours, named as in an include.
function(laurel_precompile target)
  if(LAUREL_DEVELOPER)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <functional> <map> <memory> <optional> <span> <string> <string_view>
      <unordered_map> <variant> <vector> <fmt/format.h>)
    list(TRANSFORM ARGN REPLACE "(.+)" "<\\1>")
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# In a developer's build several files are compiled as one, which takes half of the time: headers and
# templates are most of what a compiler does. Users' builds take each file for itself.
function(laurel_merge target)
  if(LAUREL_DEVELOPER)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
  endif()
endfunction()

# laurel_apart(target file ...): but not these, whose private names are a neighbour's too.
function(laurel_apart target)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

if(LAUREL_SANITIZE)
  target_compile_options(laurel_options INTERFACE
    -fsanitize=${LAUREL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    # Checks at every access that take half of the compiler's time: a null pointer crashes anyway.
    -fno-sanitize=null,vptr,alignment
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)  # sees uninitialized optionals in instrumented code
  target_link_options(laurel_options INTERFACE -fsanitize=${LAUREL_SANITIZE})
endif()
