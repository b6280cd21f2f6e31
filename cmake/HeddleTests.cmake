# A sanitizer would end the program where malloc should only fail.
set(heddle_asan_options ASAN_OPTIONS=allocator_may_return_null=1)
# For a buffer of 64 KiB that is freed ThreadSanitizer would map new pages, which takes longer than to clear them.
set(heddle_tsan_options TSAN_OPTIONS=allocator_may_return_null=1:clear_shadow_mmap_threshold=4194304)

# heddle_ranks_test(<name> FILES ...): a whole-MPI test program on libmpi_abi.so; see
# tests/support/ranks_test.h. Becomes the ctest `mpi/<name>`.
function(heddle_ranks_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FILES")
  add_executable(${name} ${arg_FILES})
  target_link_libraries(${name} PRIVATE heddle_ranks_test_support)
  heddle_precompiled(${name})
  add_test(NAME mpi/${name} COMMAND ${name})
  set_tests_properties(mpi/${name} PROPERTIES TIMEOUT 300 ENVIRONMENT
                       "${heddle_tsan_options};${heddle_asan_options}")
endfunction()

# heddle_test_variant(<ctest> <variant> [LEAKS] [ARGUMENTS ...] [CONFIGURATIONS ...] ENVIRONMENT ...): the program of a
# ctest once more, as `<ctest>/<variant>`. LEAKS: it does not free all, and need not.
function(heddle_test_variant test variant)
  cmake_parse_arguments(PARSE_ARGV 2 arg "LEAKS" "" "ARGUMENTS;ENVIRONMENT;CONFIGURATIONS")
  get_filename_component(program ${test} NAME)
  if(arg_CONFIGURATIONS)
    list(PREPEND arg_CONFIGURATIONS CONFIGURATIONS)
  endif()
  add_test(NAME ${test}/${variant} COMMAND ${program} ${arg_ARGUMENTS} ${arg_CONFIGURATIONS})
  set(asan ${heddle_asan_options})
  if(arg_LEAKS)
    string(APPEND asan :detect_leaks=0)
  endif()
  set_tests_properties(${test}/${variant} PROPERTIES TIMEOUT 300 ENVIRONMENT
                       "${arg_ENVIRONMENT};${heddle_tsan_options};${asan}")
endfunction()

# heddle_lifetime_variants(<ctest> [<argument>...]): under the policies for the lifetime of objects that
# are not the default (src/mpi/lifetime/policy.h).
function(heddle_lifetime_variants test)
  heddle_test_variant(${test} predefined ARGUMENTS ${ARGN} ENVIRONMENT HEDDLE_LIFETIME=predefined)
  if(HEDDLE_SANITIZE STREQUAL "thread")
    return()  # predefined counts as atomic does, and none ends nothing
  endif()
  heddle_test_variant(${test} atomic ARGUMENTS ${ARGN} ENVIRONMENT HEDDLE_LIFETIME=atomic)
  heddle_test_variant(${test} none LEAKS ARGUMENTS ${ARGN} ENVIRONMENT HEDDLE_LIFETIME=none)
endfunction()

# heddle_hosts_variant(<ctest> <hosts> <layout> [FAULTS <seed>] [HOSTS_A_NODE <n>] [FABRICS <n>] [SHM | LIBFABRIC | TCP]
# [ARGUMENTS ...]): with ranks on pretended hosts, laid out as tests/support/pretended_hosts.h says. Packets
# between hosts travel without faults unless there is a seed. SHM: those of a node by shared memory, and
# all are on one node unless HOSTS_A_NODE is given. LIBFABRIC, TCP: all by that over loopback. Becomes
# `<ctest>/hosts_<hosts>_<layout>[_faults_<seed>][_shm | _libfabric | _tcp]`. With a sanitizer only those with faults, SHM,
# LIBFABRIC or TCP exist: the others take the same ways.
function(heddle_hosts_variant test hosts layout)
  cmake_parse_arguments(PARSE_ARGV 3 arg "SHM;LIBFABRIC;TCP" "FAULTS;HOSTS_A_NODE;FABRICS" "ARGUMENTS")
  if(HEDDLE_SANITIZE AND NOT arg_FAULTS AND NOT arg_SHM AND NOT arg_LIBFABRIC AND NOT arg_TCP)
    return()
  endif()
  set(variant hosts_${hosts}_${layout})
  set(environment HEDDLE_TEST_HOSTS=${hosts} HEDDLE_TEST_LAYOUT=${layout})
  if(arg_FAULTS)
    string(APPEND variant _faults_${arg_FAULTS})
    list(APPEND environment HEDDLE_TEST_FAULTS=${arg_FAULTS})
  endif()
  if(arg_SHM)
    string(APPEND variant _shm)
    list(APPEND environment HEDDLE_TEST_TRANSPORT=shm)
  endif()
  if(arg_LIBFABRIC)
    string(APPEND variant _libfabric)
    list(APPEND environment HEDDLE_TEST_TRANSPORT=libfabric)
  endif()
  if(arg_TCP)
    string(APPEND variant _tcp)
    list(APPEND environment HEDDLE_TEST_TRANSPORT=tcp)
  endif()
  if(arg_HOSTS_A_NODE)
    list(APPEND environment HEDDLE_TEST_HOSTS_A_NODE=${arg_HOSTS_A_NODE})
  endif()
  if(arg_FABRICS)
    list(APPEND environment HEDDLE_TEST_FABRICS=${arg_FABRICS})
  endif()
  heddle_test_variant(${test} ${variant} ARGUMENTS ${arg_ARGUMENTS} ENVIRONMENT ${environment})
endfunction()

# heddle_in_processes([ONLY_MODES] <ctest> ...): with each rank a process (`<ctest>/processes`), and with two processes that
# share out the ranks (`<ctest>/mixed`); see tests/support/started_processes.h. ONLY_MODES: only in `./dev test --modes`, which
# runs all of these. They have the label modes.
function(heddle_in_processes)
  cmake_parse_arguments(PARSE_ARGV 0 arg "ONLY_MODES" "" "")
  if(HEDDLE_SANITIZE)
    return()
  endif()
  set(only "")
  if(arg_ONLY_MODES)
    set(only modes)
  endif()
  foreach(test IN LISTS arg_UNPARSED_ARGUMENTS)
    heddle_test_variant(${test} processes CONFIGURATIONS ${only} ENVIRONMENT HEDDLE_TEST_PROCESSES=each)
    heddle_test_variant(${test} mixed CONFIGURATIONS ${only} ENVIRONMENT HEDDLE_TEST_PROCESSES=2)
    foreach(variant ${test}/processes ${test}/mixed)
      set_tests_properties(${variant} PROPERTIES LABELS modes)
    endforeach()
  endforeach()
endfunction()

# heddle_launch_tests(<ctest> ...): they run programs of mpicc, or start ranks in other ways than a
# RANKS_TEST does. The programs are not instrumented, so a sanitizer's library, which must be the first
# in a process, has to be put there (HEDDLE_TEST_PRELOAD, for those that no mpiexec starts); and they leave
# to the end of a process what a sanitizer would call a leak.
function(heddle_launch_tests)
  set_tests_properties(${ARGN} PROPERTIES LABELS launch)
  if(HEDDLE_SANITIZE MATCHES "^(address|thread)$")
    string(SUBSTRING ${HEDDLE_SANITIZE} 0 1 letter)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=lib${letter}san.so
                    OUTPUT_VARIABLE runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
    set_tests_properties(${ARGN} PROPERTIES ENVIRONMENT
                         "HEDDLE_TEST_PRELOAD=${runtime};ASAN_OPTIONS=detect_leaks=0")
  endif()
endfunction()
