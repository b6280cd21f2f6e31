# Compile options of the library (heddle::compile_options) and of its tests (heddle::test_options).
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

option(HEDDLE_BENCH "Build the benchmarks (needs Google Benchmark)" OFF)
option(HEDDLE_WARNINGS_ARE_ERRORS "A warning fails the build, at link time too" OFF)
# A name of one file alone has to be the only one in its folder then. Not for daily work, where an edit should compile
# one file, and a missing #include should be found.
option(HEDDLE_FOLDERS_AS_ONE "Compile the files of a folder together, which takes less time" OFF)
set(HEDDLE_SANITIZE "" CACHE STRING "Sanitizer: address (with undefined), thread or empty")

find_program(HEDDLE_CCACHE ccache)
if(HEDDLE_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${HEDDLE_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${HEDDLE_CCACHE})
endif()

# Lines and names are enough for a report; -g takes a quarter of the compile time more.
if(HEDDLE_SANITIZE OR (HEDDLE_FOLDERS_AS_ONE AND CMAKE_BUILD_TYPE STREQUAL "Debug"))
  add_compile_options(-g1)
endif()

if(HEDDLE_SANITIZE)
  add_compile_options(-fsanitize=${HEDDLE_SANITIZE} -fno-omit-frame-pointer -O1)
  if(HEDDLE_SANITIZE STREQUAL "address")
    # UndefinedBehaviorSanitizer in the same build: one build and one run of the tests less.
    add_compile_options(-fsanitize=undefined -fno-sanitize=vptr -fno-sanitize-recover=all)
    add_link_options(-fsanitize=undefined)
  elseif(HEDDLE_SANITIZE STREQUAL "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan)  # it warns that the sanitizer knows nothing of fences, wherever there is one
  endif()
  add_link_options(-fsanitize=${HEDDLE_SANITIZE})
elseif(CMAKE_BUILD_TYPE STREQUAL "Debug")
  add_compile_options(-Og)
endif()

# gcc's link-time optimization on all cores.
if(CMAKE_INTERPROCEDURAL_OPTIMIZATION AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_link_options(-flto=auto)
endif()

# Not by default: another version of the compiler has other warnings. CI sets it (.ci/run).
if(HEDDLE_WARNINGS_ARE_ERRORS)
  add_compile_options(-Werror)
  add_link_options(-Werror -Wl,--fatal-warnings)  # link-time optimization warns, too
endif()

# Without -z now a lazy binding could run the dynamic linker on a user-level thread's small stack.
add_link_options(-Wl,-z,now)

add_library(heddle_warnings INTERFACE)
target_compile_options(heddle_warnings INTERFACE -Wall -Wextra -Wno-missing-field-initializers)
if(HEDDLE_FOLDERS_AS_ONE)  # a local name of one file may be a global one of another, and the file is no header
  target_compile_options(heddle_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
else()
  target_compile_options(heddle_warnings INTERFACE -Wshadow)
endif()

add_library(heddle_compile_options INTERFACE)
add_library(heddle::compile_options ALIAS heddle_compile_options)
target_link_libraries(heddle_compile_options INTERFACE heddle_warnings)
# initial-exec: libmpi_abi.so is always loaded at start-up, so thread_local costs one instruction.
target_compile_options(
  heddle_compile_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti>
                                   -ftls-model=initial-exec)

# gcc copies a struct of two words on the stack with one load of 16 bytes. Where both have just been
# stored, as in each call that passes a buffer, the load waits until they have left the store queue: a
# tenth of the time of a small message (docs/bench-notes/trials.md).
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-mtune-ctrl=^sse_unaligned_load_optimal HEDDLE_CAN_COPY_BY_WORDS)
if(HEDDLE_CAN_COPY_BY_WORDS)
  target_compile_options(heddle_compile_options
                         INTERFACE -mtune-ctrl=^sse_unaligned_load_optimal)
endif()

add_library(heddle_test_options INTERFACE)
add_library(heddle::test_options ALIAS heddle_test_options)
target_link_libraries(heddle_test_options INTERFACE heddle_warnings)
if(HEDDLE_SANITIZE STREQUAL "address")
  # The library is judged, not its tests: half their compile time. ThreadSanitizer gains nothing by it.
  target_compile_options(heddle_test_options INTERFACE -O0 -fno-sanitize=undefined)
endif()
