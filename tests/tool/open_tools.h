// open_tools.h — the tools interface, open for as long as an OpenTools lives; and what its functions
// say, with less to write.
//
// Thread safety: that of MPI_T.

#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <string>

namespace heddle::testing {

class OpenTools {
 public:
  OpenTools() {
    int provided = 0;
    EXPECT_EQ(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
    EXPECT_EQ(provided, MPI_THREAD_MULTIPLE);
  }
  ~OpenTools() { EXPECT_EQ(MPI_T_finalize(), MPI_SUCCESS); }
  OpenTools(OpenTools&&) = delete;
};

// A handle that nobody was given.
template <class Handle>
Handle garbage(std::uintptr_t bits) {
  return reinterpret_cast<Handle>(bits);
}

// A performance variable in a session of its own.
class Pvar {
 public:
  Pvar(const char* name, int variable_class) {
    int index = -1, count = -1;
    EXPECT_EQ(MPI_T_pvar_get_index(name, variable_class, &index), MPI_SUCCESS) << name;
    EXPECT_EQ(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
    EXPECT_EQ(MPI_T_pvar_handle_alloc(session, index, nullptr, &handle, &count), MPI_SUCCESS);
    EXPECT_EQ(count, 1);
  }
  ~Pvar() { EXPECT_EQ(MPI_T_pvar_session_free(&session), MPI_SUCCESS); }
  Pvar(Pvar&&) = delete;

  unsigned long long read() const {
    unsigned long long value = ~0ull;
    EXPECT_EQ(MPI_T_pvar_read(session, handle, &value), MPI_SUCCESS);
    return value;
  }
  double seconds() const {
    double value = -1;
    EXPECT_EQ(MPI_T_pvar_read(session, handle, &value), MPI_SUCCESS);
    return value;
  }

  MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
  MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
};

}  // namespace heddle::testing
