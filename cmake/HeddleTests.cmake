# heddle_ranks_test(<name> FILES ...): a whole-MPI test program on libmpi_abi.so; see
# tests/support/ranks_test.h. Becomes the ctest `mpi/<name>`.
function(heddle_ranks_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FILES")
  add_executable(${name} ${arg_FILES})
  target_link_libraries(${name} PRIVATE heddle_ranks_test_support)
  add_test(NAME mpi/${name} COMMAND ${name})
  # A sanitizer would end the program where malloc should only fail.
  set(quiet allocator_may_return_null=1)
  set_tests_properties(mpi/${name} PROPERTIES TIMEOUT 300 ENVIRONMENT
                       "TSAN_OPTIONS=${quiet};ASAN_OPTIONS=${quiet}")
endfunction()
