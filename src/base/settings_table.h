// settings_table.h — every setting there is, and an enum for the values of those with choices.
//
// Written by bindings/settings.py from spec/settings.json; do not edit.

#pragma once

#include <array>
#include <cstdint>

#include "base/setting.h"

namespace heddle::settings {

enum class Id : std::uint8_t {
  kEagerLimit,
  kInitialErrhandler,
  kLifetime,
  kLongestSilence,
  kMalloc,
  kNetwork,
  kPosixThreads,
  kStats,
  kTimeSlice,
  kTrace,
  kCc,
  kCxx,
};

enum class InitialErrhandler : std::uint8_t {
  kMpiErrorsAreFatal,
  kMpiErrorsAbort,
  kMpiErrorsReturn,
};
enum class Lifetime : std::uint8_t { kAtomic, kPredefined, kCollector, kNone };
enum class Malloc : std::uint8_t { kGlibc, kMimalloc };
enum class Network : std::uint8_t { kBetweenNodes, kEverywhere };
enum class PosixThreads : std::uint8_t { kUlt, kKernel };
enum class Stats : std::uint8_t { kNo, kYes };

// Indexed by Id.
inline constexpr std::array<Setting, 12> kTable = {{
    {"HEDDLE_EAGER_LIMIT",
     "",
     "messages",
     "A standard send of more bytes waits for its receiver; one of at most so many is "
     "copied and returns at once.",
     Type::kSize,
     Audience::kTuner,
     true,
     "4096",
     "bytes",
     0,
     INT64_MAX,
     {}},
    {"HEDDLE_INITIAL_ERRHANDLER",
     "-initial-errhandler",
     "errors",
     "The error handler before MPI_Init, after MPI_Finalize, and at first of MPI_COMM_WORLD "
     "and MPI_COMM_SELF.",
     Type::kChoice,
     Audience::kUser,
     true,
     "mpi_errors_are_fatal",
     "",
     0,
     0,
     {"mpi_errors_are_fatal", "mpi_errors_abort", "mpi_errors_return"}},
    {"HEDDLE_LIFETIME",
     "",
     "objects",
     "How it is known when a freed communicator, datatype or operation is no longer used "
     "(src/mpi/lifetime/policy.h); none, which frees nothing, is for measurements.",
     Type::kChoice,
     Audience::kDeveloper,
     true,
     "collector",
     "",
     0,
     0,
     {"atomic", "predefined", "collector", "none"}},
    {"HEDDLE_LONGEST_SILENCE",
     "",
     "errors",
     "A host of a job that another launcher has started is lost when its machine has not "
     "answered for so long.",
     Type::kSize,
     Audience::kUser,
     true,
     "10",
     "seconds",
     1,
     86400,
     {}},
    {"HEDDLE_MALLOC",
     "--malloc",
     "memory",
     "Which allocator ranks have, unless a program brings one: glibc's, one for all, or "
     "mimalloc (libmimalloc.so.2) with a heap for each rank.",
     Type::kChoice,
     Audience::kTuner,
     true,
     "glibc",
     "",
     0,
     0,
     {"glibc", "mimalloc"}},
    {"HEDDLE_NETWORK",
     "",
     "messages",
     "Which processes of a job talk by the network (libfabric): those on different nodes, "
     "or all, to test or measure it on one node. libfabric's FI_PROVIDER and FI_TCP_IFACE "
     "say which network.",
     Type::kChoice,
     Audience::kTuner,
     true,
     "between_nodes",
     "",
     0,
     0,
     {"between_nodes", "everywhere"}},
    {"HEDDLE_POSIX_THREADS",
     "--posix-threads",
     "threads",
     "What pthread_create makes in a rank: user-level threads on the workers, or kernel "
     "threads beside them.",
     Type::kChoice,
     Audience::kUser,
     true,
     "ult",
     "",
     0,
     0,
     {"ult", "kernel"}},
    {"HEDDLE_STATS",
     "--stats",
     "observation",
     "Whether a job prints at its end what its workers and ranks did: time busy and idle, "
     "time in MPI, waits, messages.",
     Type::kChoice,
     Audience::kUser,
     true,
     "no",
     "",
     0,
     0,
     {"no", "yes"}},
    {"HEDDLE_TIME_SLICE",
     "",
     "threads",
     "A rank or thread that computes for longer without waiting lets others of its worker "
     "run, once or twice in so much processor time, and one that stands in a system call "
     "for two to three times as long gives its worker away; 0: never.",
     Type::kSize,
     Audience::kUser,
     true,
     "10000",
     "microseconds",
     0,
     10000000,
     {}},
    {"HEDDLE_TRACE",
     "--trace",
     "observation",
     "The file into which a job writes at its end what happened when, as JSON for Perfetto "
     "and Chrome; empty: none.",
     Type::kFile,
     Audience::kUser,
     true,
     "",
     "",
     0,
     0,
     {}},
    {"HEDDLE_CC",
     "",
     "building",
     "The C compiler that mpicc calls, unless -cc= names one.",
     Type::kCommand,
     Audience::kUser,
     false,
     "",
     "",
     0,
     0,
     {}},
    {"HEDDLE_CXX",
     "",
     "building",
     "The C++ compiler that mpicxx calls, unless -cxx= names one.",
     Type::kCommand,
     Audience::kUser,
     false,
     "",
     "",
     0,
     0,
     {}},
}};

}  // namespace heddle::settings
