# GoogleTest's headers, compiled once for all tests: half of a test's compile time.

# heddle_precompiled(<target>): a test that reads them so. All tests have one set of compile options: one that differs
# would silently read the headers as text.
function(heddle_precompiled target)
  target_precompile_headers(${target} REUSE_FROM heddle_precompiled_headers)
endfunction()

if(BUILD_TESTING)
  file(CONFIGURE OUTPUT precompiled/main.cpp CONTENT "int main() {}\n")
  add_executable(heddle_precompiled_headers ${CMAKE_CURRENT_BINARY_DIR}/precompiled/main.cpp)
  target_link_libraries(heddle_precompiled_headers PRIVATE heddle::test_options GTest::gmock GTest::gtest)
  target_precompile_headers(heddle_precompiled_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
endif()
