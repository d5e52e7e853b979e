# The compile options of all targets of this project. They are private to this build, not exported.

add_library(laurel_options INTERFACE)
target_compile_features(laurel_options INTERFACE cxx_std_20 c_std_11)
target_compile_options(laurel_options INTERFACE -fno-math-errno)

if(LAUREL_DEVELOPER)
  target_compile_options(laurel_options INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
    -Wno-missing-field-initializers  # fields have defaults and are often omitted
    $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>)
endif()
if(LAUREL_WERROR)
  target_compile_options(laurel_options INTERFACE -Werror)
endif()
# GCC treats the files of a unity build as headers, hence -Wno-subobject-linkage. With rare garbage
# collections it takes a twelfth less time and 200 MB more memory.
target_compile_options(laurel_options INTERFACE
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage --param=ggc-min-heapsize=1000000>)

# There are 60 test programs, with sanitizers of 100 MB. lld links each in half a second, GNU ld in one and a half.
find_program(LLD ld.lld)
mark_as_advanced(LLD)
function(laurel_link_quickly target scope)
  if(LLD)
    target_link_options(${target} ${scope} -fuse-ld=lld)
  endif()
endfunction()

if(LAUREL_SANITIZE)
  target_compile_options(laurel_options INTERFACE
    -fsanitize=${LAUREL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    # These checks at every access take half of the compile time. A null pointer crashes anyway.
    -fno-sanitize=null,vptr,alignment
    # Clang 14 cannot assemble this check: "Cannot represent a difference across sections".
    $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=function>
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)  # false positives in instrumented code
  target_link_options(laurel_options INTERFACE -fsanitize=${LAUREL_SANITIZE})
  laurel_link_quickly(laurel_options INTERFACE)
endif()

# laurel_unit(LIBRARY NAME LEVEL [INLINED]): the target unit_NAME, whose sources are compiled as one file. A
# source of 40 lines includes 100,000 lines of headers, which would take most of the build time. Names
# in anonymous namespaces must differ within a unit. The objects become part of laurel.so, so symbols
# are hidden and the code is position-independent. LEVEL, such as -O2, applies to release builds. Builds
# with sanitizers compile a unit with -Og, in two thirds of the time of their -O1, unless its level is -O3: random
# histories spend their time there. INLINED adds to -O1 what -O2 inlines: short calls then cost what they do at
# -O2, for two thirds of its time.
function(laurel_unit library name level)
  add_library(unit_${name} OBJECT)
  set_target_properties(unit_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    UNITY_BUILD ${LAUREL_UNITY} UNITY_BUILD_BATCH_SIZE 0)
  cmake_parse_arguments(UNIT INLINED "" "" ${ARGN})
  set(inlining -finline-functions -finline-small-functions -fpartial-inlining)
  target_compile_options(unit_${name} PRIVATE $<$<CONFIG:Release>:${level}>
    "$<$<AND:$<CONFIG:Release>,$<BOOL:${UNIT_INLINED}>,$<CXX_COMPILER_ID:GNU>>:${inlining}>"
    # Allow as much inlining as in separate files.
    $<$<AND:$<STREQUAL:${level},-O3>,$<CXX_COMPILER_ID:GNU>>:--param=inline-unit-growth=300>)
  if(LAUREL_SANITIZE AND NOT level STREQUAL "-O3")
    target_compile_options(unit_${name} PRIVATE -Og)
  endif()
  target_link_libraries(unit_${name} PRIVATE laurel_options laurel_headers)
  target_sources(${library} PRIVATE $<TARGET_OBJECTS:unit_${name}>)
endfunction()

# Use ccache if it is installed.
find_program(CCACHE ccache)
mark_as_advanced(CCACHE)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()
