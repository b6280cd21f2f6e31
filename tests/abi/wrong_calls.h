// wrong_calls.h — what the generated wrong calls find: right arguments of every kind, freed,
// foreign and garbage handles, and the check that each call fails as the standard says.

#pragma once

#include <mpi.h>

#include <cstdint>

namespace heddle::testing {

class Fixtures {
 public:
  explicit Fixtures(MPI_Comm foreign_handle);
  ~Fixtures();
  Fixtures(Fixtures&&) = delete;

  // Requires that the call returned `error_class`, ran one error handler, and that the class has a
  // text.
  void expect(const char* what, int error_class, int code);

  int count() const { return count_; }

  template <class Handle>
  static Handle garbage(std::uintptr_t bits = 0x7fff'1234'dead'beef) {
    return reinterpret_cast<Handle>(bits);
  }
  template <class Handle, class Other>
  static Handle other_kind(Other handle) {
    return reinterpret_cast<Handle>(handle);
  }
  // A place for an argument that goes in and out.
  template <class T>
  T* hold(T value) {
    *reinterpret_cast<T*>(held_) = value;
    return reinterpret_cast<T*>(held_);
  }

  struct Handles {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Datatype uncommitted = MPI_DATATYPE_NULL;
    MPI_Op op = MPI_OP_NULL;
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Info info = MPI_INFO_NULL;
    MPI_Errhandler errhandler = MPI_ERRHANDLER_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Session session = MPI_SESSION_NULL;
    MPI_Win win = MPI_WIN_NULL;
    MPI_File file = MPI_FILE_NULL;
    int keyval = MPI_KEYVAL_INVALID;
    MPI_F08_status f08_status = {};
    int i = 0;
    MPI_Count count = 0;
    MPI_Aint aint = 0;
    void* pointer = nullptr;
  };
  Handles live, freed, out;
  MPI_Comm foreign;               // of another rank, or garbage in a job of one rank
  MPI_Comm grid = MPI_COMM_NULL;  // of this rank alone, with one periodic dimension
  int size = 0;                   // of MPI_COMM_WORLD
  // Error handlers that count: live.errhandler, of communicators, and these, of sessions, windows and files.
  MPI_Errhandler of_session = MPI_ERRHANDLER_NULL, of_window = MPI_ERRHANDLER_NULL,
                 of_file = MPI_ERRHANDLER_NULL;

  static constexpr int kRoom = 64;
  struct Arrays {
    int i_ones[kRoom], i_zeros[kRoom] = {};
    MPI_Count count_ones[kRoom], count_zeros[kRoom] = {};
    MPI_Aint aint_ones[kRoom], aint_zeros[kRoom] = {};
    MPI_Datatype types[kRoom];
    MPI_Request requests[kRoom];
    MPI_Status statuses[kRoom];
    int ranges[1][3] = {{0, 0, 1}};
  } arrays;
  MPI_Status status = {};
  alignas(16) char in_buffer[512] = {}, out_buffer[512] = {};
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};

 private:
  alignas(16) char held_[16] = {};
  int count_ = 0;
};

// Generated. Calls f.expect for every wrong call.
void make_wrong_calls(Fixtures& f);

}  // namespace heddle::testing
