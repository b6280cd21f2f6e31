// Errors of the kernel in the middle of accesses (MPI 5.0 §14.7).

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <vector>

#include "tests/io/file.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

int class_of(int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  return error_class;
}

// A device that is always full, as a file of all ranks.
MPI_File open_full() {
  MPI_File file = MPI_FILE_NULL;
  EXPECT_EQ(MPI_File_open(MPI_COMM_WORLD, "/dev/full", MPI_MODE_WRONLY, MPI_INFO_NULL, &file),
            MPI_SUCCESS);
  return file;
}

}  // namespace

RANKS_TEST(FullDisk, IsToldByEachKindOfWrite, ranks(1, 3)) {
  MPI_File file = open_full();
  const std::vector<char> data(200000, 'x');
  MPI_Status status;
  EXPECT_EQ(class_of(MPI_File_write_at(file, 0, data.data(), 1000, MPI_BYTE, &status)),
            MPI_ERR_NO_SPACE);
  EXPECT_EQ(count_of(status, MPI_BYTE), 0);
  EXPECT_EQ(class_of(MPI_File_write_all(file, data.data(), 1000, MPI_BYTE, &status)),
            MPI_ERR_NO_SPACE);
  MPI_Request request;
  EXPECT_EQ(MPI_File_iwrite(file, data.data(), 200000, MPI_BYTE, &request), MPI_SUCCESS);
  EXPECT_EQ(class_of(MPI_Wait(&request, &status)), MPI_ERR_NO_SPACE);
  EXPECT_EQ(request, MPI_REQUEST_NULL);
  EXPECT_EQ(MPI_File_iwrite_all(file, data.data(), 200000, MPI_BYTE, &request), MPI_SUCCESS);
  EXPECT_EQ(class_of(MPI_Wait(&request, &status)), MPI_ERR_NO_SPACE);
  EXPECT_EQ(MPI_File_write_all_begin(file, data.data(), 10, MPI_BYTE), MPI_SUCCESS);
  const int code = MPI_File_write_all_end(file, data.data(), &status);
  EXPECT_EQ(class_of(code), MPI_ERR_NO_SPACE);
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  EXPECT_NE(std::string(text).find("/dev/full"), std::string::npos) << text;
  EXPECT_NE(std::string(text).find("No space left"), std::string::npos) << text;
  EXPECT_EQ(class_of(MPI_File_write_shared(file, data.data(), 10, MPI_BYTE, &status)),
            MPI_ERR_NO_SPACE);
  EXPECT_EQ(class_of(MPI_File_write_ordered(file, data.data(), 10, MPI_BYTE, &status)),
            MPI_ERR_NO_SPACE);
  EXPECT_EQ(MPI_File_close(&file), MPI_SUCCESS);
}

// One rank writes, the others have nothing: all hear of it.
RANKS_TEST(FullDisk, IsToldToRanksThatWriteNothing, ranks(2, 5)) {
  MPI_File file = open_full();
  const char data[100] = "";
  EXPECT_EQ(class_of(MPI_File_write_at_all(file, 0, data, rank == 1 ? 100 : 0, MPI_BYTE,
                                           MPI_STATUS_IGNORE)),
            MPI_ERR_NO_SPACE);
  EXPECT_EQ(MPI_File_close(&file), MPI_SUCCESS);
}

// A rank whose own call is wrong keeps no other waiting.
RANKS_TEST(WrongCall, OfOneRankIsToldAtAll, ranks(2, 5)) {
  const TestFile test(rank);
  EXPECT_EQ(MPI_File_set_view(test.file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL),
            MPI_SUCCESS);
  const int numbers[4] = {1, 2, 3, 4};
  const MPI_Offset offset = rank == 1 ? -1 : 4 * rank;
  EXPECT_EQ(
      class_of(MPI_File_write_at_all(test.file, offset, numbers, 4, MPI_INT, MPI_STATUS_IGNORE)),
      MPI_ERR_ARG);
  EXPECT_EQ(class_of(MPI_File_write_ordered(test.file, numbers, rank == 1 ? 3 : 4,
                                            rank == 1 ? MPI_BYTE : MPI_INT, MPI_STATUS_IGNORE)),
            MPI_ERR_ARG);
  MPI_Request request;
  EXPECT_EQ(MPI_File_iwrite_at_all(test.file, offset, numbers, 4, MPI_INT, &request), MPI_SUCCESS);
  EXPECT_EQ(class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)), MPI_ERR_ARG);
}

// Nothing is moved: a reader's bytes would come from nowhere, and a writer's buffer be overwritten.
RANKS_TEST(WrongCall, OfReadersAmongWritersIsToldAtAll, ranks(2, 5)) {
  const TestFile test(rank);
  const std::vector<unsigned char> before(static_cast<std::size_t>(100 * size), 'b');
  EXPECT_EQ(MPI_File_write_all(test.file, before.data(), rank == 0 ? 100 * size : 0, MPI_BYTE,
                               MPI_STATUS_IGNORE),
            MPI_SUCCESS);
  const auto check = [&](int code, const MPI_Status& status, const std::vector<char>& bytes) {
    EXPECT_EQ(class_of(code), MPI_ERR_NOT_SAME);
    EXPECT_EQ(count_of(status, MPI_BYTE), 0);
    EXPECT_EQ(bytes, std::vector<char>(100, 'x'));
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    EXPECT_NE(std::string(text).find(test.name), std::string::npos) << text;
  };
  for (const int reader : {0, size - 1}) {
    const MPI_Offset offset = 100 * rank;
    std::vector<char> bytes(100, 'x');
    MPI_Status status;
    const int code =
        rank == reader
            ? MPI_File_read_at_all(test.file, offset, bytes.data(), 100, MPI_BYTE, &status)
            : MPI_File_write_at_all(test.file, offset, bytes.data(), 100, MPI_BYTE, &status);
    check(code, status, bytes);
    MPI_Request request;
    EXPECT_EQ(
        rank == reader
            ? MPI_File_iread_at_all(test.file, offset, bytes.data(), 100, MPI_BYTE, &request)
            : MPI_File_iwrite_at_all(test.file, offset, bytes.data(), 100, MPI_BYTE, &request),
        MPI_SUCCESS);
    check(MPI_Wait(&request, &status), status, bytes);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(contents(test.name), before);
  MPI_Barrier(MPI_COMM_WORLD);
}

RANKS_TEST(Modes, AreKept, ranks(1, 2)) {
  const TestFile test(rank);
  const auto open = [&](int mode) {
    MPI_File file = MPI_FILE_NULL;
    EXPECT_EQ(MPI_File_open(MPI_COMM_WORLD, test.name.c_str(), mode, MPI_INFO_NULL, &file),
              MPI_SUCCESS);
    return file;
  };
  char byte = 0;
  MPI_File only_read = open(MPI_MODE_RDONLY), only_written = open(MPI_MODE_WRONLY);
  EXPECT_EQ(class_of(MPI_File_write(only_read, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE)),
            MPI_ERR_READ_ONLY);
  EXPECT_EQ(class_of(MPI_File_write_all(only_read, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE)),
            MPI_ERR_READ_ONLY);
  EXPECT_EQ(class_of(MPI_File_set_size(only_read, 5)), MPI_ERR_READ_ONLY);
  EXPECT_EQ(class_of(MPI_File_read(only_written, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE)),
            MPI_ERR_ACCESS);
  EXPECT_EQ(MPI_File_close(&only_read), MPI_SUCCESS);
  EXPECT_EQ(MPI_File_close(&only_written), MPI_SUCCESS);
}

RANKS_TEST(SplitCollective, IsOneAtATime, ranks(1, 2)) {
  const TestFile test(rank);
  char bytes[8] = "";
  EXPECT_NE(MPI_File_write_all_end(test.file, bytes, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(MPI_File_write_all_begin(test.file, bytes, 8, MPI_BYTE), MPI_SUCCESS);
  EXPECT_NE(MPI_File_write_at_all_begin(test.file, 0, bytes, 8, MPI_BYTE), MPI_SUCCESS);
  EXPECT_NE(MPI_File_read_all_end(test.file, bytes, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(MPI_File_write_all_end(test.file, bytes, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

namespace {

// Each process gets the limit; it goes with the object.
class Limit {
 public:
  Limit(__rlimit_resource what, rlim_t bound) : what_(what) {
    getrlimit(what_, &before_);
    const rlimit now = {bound, before_.rlim_max};
    setrlimit(what_, &now);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~Limit() {
    MPI_Barrier(MPI_COMM_WORLD);
    setrlimit(what_, &before_);
  }
  Limit(Limit&&) = delete;

 private:
  const __rlimit_resource what_;
  rlimit before_;
};

}  // namespace

RANKS_TEST(FileLimit, LetsAStatusTellWhatWasWritten, ranks(1)) {
  const TestFile test(rank);
  std::signal(SIGXFSZ, SIG_IGN);
  const Limit limit(RLIMIT_FSIZE, 300000);
  const std::vector<char> data(200000, 'x');
  MPI_Status status;
  EXPECT_EQ(MPI_File_write_at_all(test.file, 0, data.data(), 200000, MPI_BYTE, &status),
            MPI_SUCCESS);
  const int code = MPI_File_write_at(test.file, 200000, data.data(), 200000, MPI_BYTE, &status);
  EXPECT_EQ(class_of(code), MPI_ERR_IO);
  EXPECT_EQ(count_of(status, MPI_BYTE), 100000);
  MPI_Request request;
  EXPECT_EQ(MPI_File_iwrite_at(test.file, 200000, data.data(), 200000, MPI_BYTE, &request),
            MPI_SUCCESS);
  EXPECT_EQ(class_of(MPI_Wait(&request, &status)), MPI_ERR_IO);
  EXPECT_EQ(count_of(status, MPI_BYTE), 100000);
}

RANKS_TEST(FileLimit, OfDescriptorsIsAnErrorOfOpen, ranks(1)) {
  const std::string name = fresh_name(rank);
  const int next = dup(0);
  close(next);
  const Limit limit(RLIMIT_NOFILE, static_cast<rlim_t>(next));
  MPI_File file = MPI_FILE_NULL;
  const int code = MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_RDWR | MPI_MODE_CREATE,
                                 MPI_INFO_NULL, &file);
  EXPECT_EQ(class_of(code), MPI_ERR_IO);
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  EXPECT_NE(std::string(text).find("Too many open files"), std::string::npos) << text;
}

namespace {
long open_descriptors() {
  long count = 0;
  for (int descriptor = 0; descriptor < 1000; ++descriptor)
    count += fcntl(descriptor, F_GETFD) != -1;
  return count;
}
}  // namespace

// Only the last rank's process has none left: nothing stays open in the others.
RANKS_TEST(FileLimit, OfOneProcessIsToldAtAll, ranks(2, 5)) {
  const std::string name = fresh_name(rank);
  const long before = open_descriptors();
  rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == size - 1) {
    const int next = dup(0);
    close(next);
    const rlimit now = {static_cast<rlim_t>(next), limit.rlim_max};
    setrlimit(RLIMIT_NOFILE, &now);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File file = MPI_FILE_NULL;
  const int code = MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_RDWR | MPI_MODE_CREATE,
                                 MPI_INFO_NULL, &file);
  EXPECT_EQ(class_of(code), MPI_ERR_IO);
  EXPECT_EQ(file, MPI_FILE_NULL);
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  EXPECT_NE(std::string(text).find("Too many open files"), std::string::npos) << text;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == size - 1) setrlimit(RLIMIT_NOFILE, &limit);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(open_descriptors(), before);
  MPI_Barrier(MPI_COMM_WORLD);
  unlink(name.c_str());
}
