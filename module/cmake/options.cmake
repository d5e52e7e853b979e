# What every target of ours is compiled with. Private to this build: nothing of it is exported.

add_library(laurel_options INTERFACE)
target_compile_features(laurel_options INTERFACE cxx_std_20 c_std_11)
target_compile_options(laurel_options INTERFACE -fno-math-errno)

if(LAUREL_DEVELOPER)
  target_compile_options(laurel_options INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
    -Wno-missing-field-initializers  # fields have defaults; leaving them out is the idiom
    $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>)
endif()
if(LAUREL_WERROR)
  target_compile_options(laurel_options INTERFACE -Werror)
endif()
# GCC takes the files of a unit for headers. And it takes a twelfth less time, for 200 MB more, if it
# seldom collects its garbage.
target_compile_options(laurel_options INTERFACE
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage --param=ggc-min-heapsize=1000000>)

if(LAUREL_SANITIZE)
  target_compile_options(laurel_options INTERFACE
    -fsanitize=${LAUREL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    # Checks at every access that take half of the compiler's time: a null pointer crashes anyway.
    -fno-sanitize=null,vptr,alignment
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)  # sees uninitialized optionals in instrumented code
  target_link_options(laurel_options INTERFACE -fsanitize=${LAUREL_SANITIZE})
endif()

# laurel_unit(LIBRARY NAME LEVEL): sources of a library that are compiled as one, as the target
# unit_NAME. A source of 40 lines reads 100,000 lines of headers first, so most of the time of a build
# would be theirs. The names in anonymous namespaces of one unit differ. All of it ends in laurel.so:
# symbols are hidden, and the code may lie anywhere. The level, such as -O2, is that of a release
# build; -Og is that of a build with sanitizers, too, which takes half as long for it.
function(laurel_unit library name level)
  add_library(unit_${name} OBJECT)
  set_target_properties(unit_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    UNITY_BUILD ${LAUREL_UNITY} UNITY_BUILD_BATCH_SIZE 0)
  set(levelled $<CONFIG:Release>)
  if(LAUREL_SANITIZE AND level STREQUAL "-Og")
    set(levelled 1)
  endif()
  target_compile_options(unit_${name} PRIVATE $<${levelled}:${level}>
    # A unit may grow by inlining as its files would alone.
    $<$<AND:$<STREQUAL:${level},-O3>,$<CXX_COMPILER_ID:GNU>>:--param=inline-unit-growth=300>)
  target_link_libraries(unit_${name} PRIVATE laurel_options laurel_headers)
  target_sources(${library} PRIVATE $<TARGET_OBJECTS:unit_${name}>)
endfunction()

# A compiler cache is used if there is one.
find_program(CCACHE ccache)
mark_as_advanced(CCACHE)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()
