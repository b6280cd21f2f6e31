# Libraries from outside (Debian packages; `./dev` installs them), and why each.

# Workers are kernel threads, and kernel threads of programs call MPI.
find_package(Threads REQUIRED)

# Which cores there are, how they lie to each other, which of them cgroup and affinity mask allow, and
# how to bind a worker to one (src/base/platform/topology.cpp).
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)

# Hosts on several nodes talk through libfabric (src/net/transport/fabric). Only its headers are needed here: the library is
# loaded when a job first needs a network.
pkg_check_modules(LIBFABRIC REQUIRED libfabric>=1.17)

# Processes that prterun or srun has started find each other through PMIx (src/runtime/ways/launcher/pmix.h). Only the headers are needed
# here, too: the library is loaded where such a launcher has started the process.
pkg_check_modules(PMIX REQUIRED pmix>=4.2)

# gfortran is looked for in bindings/fortran: without it there is no mpifort, and all else is the same.

# Of elfutils' libdw only the header is needed here: the library is loaded when a rank crashes, for the
# names in the report (docs/decisions/0023).

# The C++ tests are GoogleTest's. Others call clang-format, spin (models/), make (the programs of
# bench/threads, and projects of users that find us) and pip (another MPI's header, tests/abi/oracle_test.py).
if(BUILD_TESTING)
  find_package(GTest REQUIRED)
endif()

# The benchmarks of bench/ are Google Benchmark's.
if(HEDDLE_BENCH)
  find_package(benchmark REQUIRED)
endif()
