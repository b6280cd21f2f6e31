# heddle_module(<name> [TEST_ONLY] FILES ... USES ... LIBS ... TESTS ... TEST_USES ...)
#
# One folder = one module = one CMake target. USES is the folder's line in the layer diagram of
# ARCHITECTURE.md; tools/check_layers.py fails the tests if an #include disagrees. LIBS are
# libraries from outside. TEST_USES is for the tests only, and a TEST_ONLY module as well: the library
# does not contain it. A test x_test.cpp becomes the ctest `<name>/x_test`.
function(heddle_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TEST_ONLY" "" "FILES;USES;LIBS;TESTS;TEST_USES")
  set(sources ${arg_FILES})
  list(FILTER sources INCLUDE REGEX "\\.(cpp|c|S)$")
  list(TRANSFORM arg_USES PREPEND heddle::)
  list(TRANSFORM arg_TEST_USES PREPEND heddle::)

  if(sources)
    add_library(heddle_${name} STATIC ${arg_FILES})
    set(visibility PUBLIC)
    target_link_libraries(heddle_${name} PRIVATE heddle::compile_options)
    set_target_properties(heddle_${name} PROPERTIES UNITY_BUILD ${HEDDLE_FOLDERS_AS_ONE} UNITY_BUILD_BATCH_SIZE 16)
  else()
    add_library(heddle_${name} INTERFACE)
    set(visibility INTERFACE)
  endif()
  add_library(heddle::${name} ALIAS heddle_${name})
  if(NOT arg_TEST_ONLY)
    set_property(GLOBAL APPEND PROPERTY HEDDLE_MODULES heddle_${name})
  endif()
  set_property(GLOBAL APPEND PROPERTY HEDDLE_LIBS ${arg_LIBS})
  target_include_directories(heddle_${name} ${visibility} ${PROJECT_SOURCE_DIR}/src
                                            ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(heddle_${name} ${visibility} ${arg_USES} ${arg_LIBS})
  if(name MATCHES "exports$" OR "heddle::exports" IN_LIST arg_USES)
    heddle_use_written(heddle_${name})
  endif()

  if(BUILD_TESTING)
    foreach(test IN LISTS arg_TESTS)
      get_filename_component(test_name ${test} NAME_WE)
      add_executable(${test_name} ${test})
      target_link_libraries(${test_name} PRIVATE heddle::test_options heddle::${name} ${arg_TEST_USES}
                                                 GTest::gmock GTest::gtest_main)
      heddle_precompiled(${test_name})
      add_test(NAME ${name}/${test_name} COMMAND ${test_name})
      set_tests_properties(${name}/${test_name} PROPERTIES TIMEOUT 300)
    endforeach()
  endif()
endfunction()

# Functions of libc that are written from spec/libc.calls (src/exec/process/CMakeLists.txt).
function(heddle_use_written target)
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/generated/libc)
  add_dependencies(${target} heddle_libc_written)
endfunction()

# heddle_rank_half(<name> FILES ... UNWINDS ... USES ...)
#
# A folder of files of libheddle_libc.so, which src/exec/process/CMakeLists.txt makes of all of them. USES names the halves, and the
# modules with hooks, whose headers it includes; nothing is linked by it. A thread that is cancelled where it sleeps or
# waits is unwound through the files of UNWINDS.
#
# The library links to libc alone, so it is C++ without the C++ library. A sanitizer would put its own interceptors
# behind ours, so it is built without.
function(heddle_rank_half name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FILES;UNWINDS;USES")
  add_library(heddle_${name} OBJECT ${arg_FILES})
  target_include_directories(heddle_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  heddle_use_written(heddle_${name})
  target_link_libraries(heddle_${name} PRIVATE heddle_warnings)
  target_compile_options(heddle_${name} PRIVATE -O2 -fno-sanitize=all -fno-builtin -fno-exceptions
    -fno-rtti -fno-threadsafe-statics -fno-asynchronous-unwind-tables -U_FORTIFY_SOURCE)
  set_target_properties(heddle_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON INTERPROCEDURAL_OPTIMIZATION OFF)
  set_source_files_properties(${arg_UNWINDS} PROPERTIES COMPILE_OPTIONS -fasynchronous-unwind-tables)
  set_property(GLOBAL APPEND PROPERTY HEDDLE_RANK_HALVES heddle_${name})
endfunction()
