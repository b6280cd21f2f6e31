# Headers of the C++ library and of GoogleTest, compiled once for all files of a build with a sanitizer: a third of
# its compile time. Other builds do without, so a file that forgets an #include fails there.

# heddle_precompiled(<target> MODULE | TEST): the target uses what its kind shares. Both kinds have one set of compile
# options each; a file that differs (-fPIC in a test) would silently read the headers as text.
function(heddle_precompiled target kind)
  if(HEDDLE_SANITIZE)
    target_precompile_headers(${target} REUSE_FROM heddle_precompiled_${kind})
  endif()
endfunction()

function(heddle_add_precompiled)
  set(headers <algorithm> <array> <atomic> <chrono> <functional> <memory> <mutex> <optional> <span> <string>
      <string_view> <thread> <unordered_map> <utility> <vector>)
  file(CONFIGURE OUTPUT precompiled/main.cpp CONTENT "int main() {}\n")
  set(main ${CMAKE_CURRENT_BINARY_DIR}/precompiled/main.cpp)

  add_library(heddle_precompiled_MODULE STATIC ${main})
  target_link_libraries(heddle_precompiled_MODULE PRIVATE heddle::compile_options)
  target_precompile_headers(heddle_precompiled_MODULE PRIVATE ${headers})

  add_executable(heddle_precompiled_TEST ${main})
  target_link_libraries(heddle_precompiled_TEST PRIVATE heddle::test_options GTest::gmock GTest::gtest)
  target_precompile_headers(heddle_precompiled_TEST PRIVATE ${headers} <gmock/gmock.h> <gtest/gtest.h>)
endfunction()

if(HEDDLE_SANITIZE)
  heddle_add_precompiled()
endif()
