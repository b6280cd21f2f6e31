// Several hundred wrong calls, made from the API table: each fails with the class that the standard
// names, through one error handler, and harms nothing.

#include "tests/abi/wrong_calls.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "tests/support/ranks_test.h"

namespace heddle::testing {

namespace {

// How often the calling rank's error handler ran, and for what.
thread_local int handled = 0;
thread_local int handled_code = MPI_SUCCESS;

void count_error(MPI_Comm*, int* code, ...) {
  ++handled;
  handled_code = *code;
}

void count_error_of_session(MPI_Session*, int* code, ...) {
  ++handled;
  handled_code = *code;
}

void count_error_of_window(MPI_Win*, int* code, ...) {
  ++handled;
  handled_code = *code;
}

void count_error_of_file(MPI_File*, int* code, ...) {
  ++handled;
  handled_code = *code;
}

// In a directory that is always there, and gone with the test.
void open_file(const char* what, MPI_File* file) {
  const std::string name =
      ::testing::TempDir() + "heddle_wrong_calls_" + what + "_" + std::to_string(getpid());
  MPI_File_open(MPI_COMM_SELF, name.c_str(),
                MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, file);
}

int copy_nothing(MPI_Comm, int, void*, void*, void*, int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}

void add_nothing(void*, void*, int*, MPI_Datatype*) {}

// Handles that were good once.
void make_freed(Fixtures::Handles& freed) {
  MPI_Comm_dup(MPI_COMM_SELF, &freed.comm);
  MPI_Type_contiguous(2, MPI_INT, &freed.type);
  MPI_Op_create(add_nothing, 1, &freed.op);
  MPI_Comm_group(MPI_COMM_WORLD, &freed.group);
  MPI_Info_create(&freed.info);
  MPI_Irecv(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &freed.request);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &freed.session);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_SELF, &freed.win);
  open_file("freed", &freed.file);

  Fixtures::Handles copy = freed;
  MPI_Comm_free(&copy.comm);
  MPI_Type_free(&copy.type);
  MPI_Op_free(&copy.op);
  MPI_Group_free(&copy.group);
  MPI_Info_free(&copy.info);
  MPI_Wait(&copy.request, MPI_STATUS_IGNORE);
  MPI_Session_finalize(&copy.session);
  MPI_Win_free(&copy.win);
  MPI_File_close(&copy.file);
}

}  // namespace

Fixtures::Fixtures(MPI_Comm foreign_handle) : foreign(foreign_handle) {
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  make_freed(freed);
  MPI_Type_contiguous(3, MPI_INT, &live.uncommitted);
  MPI_Comm_group(MPI_COMM_WORLD, &live.group);
  MPI_Info_create(&live.info);
  MPI_Comm_create_keyval(copy_nothing, MPI_COMM_NULL_DELETE_FN, &live.keyval, nullptr);
  std::fill_n(arrays.i_ones, kRoom, 1);
  std::fill_n(arrays.count_ones, kRoom, 1);
  std::fill_n(arrays.aint_ones, kRoom, 1);
  std::fill_n(arrays.types, kRoom, MPI_INT);
  std::fill_n(arrays.requests, kRoom, MPI_REQUEST_NULL);

  MPI_Session_create_errhandler(count_error_of_session, &of_session);
  MPI_Session_init(MPI_INFO_NULL, of_session, &live.session);
  MPI_Win_create_errhandler(count_error_of_window, &of_window);
  MPI_Win_create(in_buffer, sizeof in_buffer, 1, MPI_INFO_NULL, MPI_COMM_SELF, &live.win);
  MPI_Win_set_errhandler(live.win, of_window);
  MPI_File_create_errhandler(count_error_of_file, &of_file);
  MPI_File_set_errhandler(MPI_FILE_NULL, of_file);
  open_file("live", &live.file);
  MPI_Comm_create_errhandler(count_error, &live.errhandler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, live.errhandler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, live.errhandler);
  MPI_Cart_create(MPI_COMM_SELF, 1, arrays.i_ones, arrays.i_ones, 0, &grid);
}

Fixtures::~Fixtures() {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&live.errhandler);
  MPI_Errhandler_free(&of_session);
  MPI_Session_finalize(&live.session);
  MPI_Errhandler_free(&of_window);
  MPI_Win_free(&live.win);
  MPI_Errhandler_free(&of_file);
  MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
  MPI_File_close(&live.file);
  MPI_Comm_free(&grid);
  MPI_Comm_free_keyval(&live.keyval);
  MPI_Info_free(&live.info);
  MPI_Group_free(&live.group);
  MPI_Type_free(&live.uncommitted);
}

void Fixtures::expect(const char* what, int error_class, int code) {
  ++count_;
  char expected[MPI_MAX_ERROR_STRING] = "", got[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(error_class, expected, &length);
  if (code != MPI_SUCCESS) MPI_Error_string(code, got, &length);
  EXPECT_EQ(code, error_class) << what << "\n  expected " << expected << "\n  got " << got;
  EXPECT_EQ(handled, 1) << what << ": that often an error handler ran";
  EXPECT_EQ(handled_code, code) << what;
  handled = 0;
  handled_code = MPI_SUCCESS;
}

}  // namespace heddle::testing

using heddle::testing::Fixtures;

RANKS_TEST(WrongCalls, FailWithTheStandardsClassThroughOneErrorHandler, ranks(1, 3)) {
  // The next rank's duplicate of MPI_COMM_SELF.
  MPI_Comm mine = MPI_COMM_NULL, foreign = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &mine);
  MPI_Sendrecv(&mine, sizeof mine, MPI_BYTE, (rank + 1) % size, 0, &foreign, sizeof foreign,
               MPI_BYTE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0) {
    if (size == 1) foreign = Fixtures::garbage<MPI_Comm>();
    const auto fixtures = std::make_unique<Fixtures>(foreign);
    make_wrong_calls(*fixtures);
    EXPECT_GT(fixtures->count(), 500);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_free(&mine);
}

RANKS_TEST(WrongCalls, SayWhichRankWhichCallWhichArgumentAndWhichValue, ranks(2)) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int value = 0;
  const int code = MPI_Send(&value, 1, MPI_INT, 12, 0, MPI_COMM_WORLD);
  EXPECT_EQ(code, MPI_ERR_RANK);
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  EXPECT_EQ(static_cast<int>(std::strlen(text)), length);
  for (const char* part : {"MPI_ERR_RANK", "MPI_Send", "dest is 12", "ranks 0 to 1"}) {
    EXPECT_NE(std::strstr(text, part), nullptr) << part << " is missing in: " << text;
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}
