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

  if(BUILD_TESTING)
    foreach(test IN LISTS arg_TESTS)
      get_filename_component(test_name ${test} NAME_WE)
      add_executable(${test_name} ${test})
      target_link_libraries(${test_name} PRIVATE heddle::test_options heddle::${name} ${arg_TEST_USES}
                                                 GTest::gmock GTest::gtest_main)
      add_test(NAME ${name}/${test_name} COMMAND ${test_name})
      set_tests_properties(${name}/${test_name} PROPERTIES TIMEOUT 300)
    endforeach()
  endif()
endfunction()
