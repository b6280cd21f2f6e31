// Collective accesses of several processes whose runs lie between each other (src/mpi/io/exchange.h).
// In one process the same tests judge lists that point into all buffers.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <vector>

#include "tests/io/file.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

// All ranks deal blocks of a file among themselves.
struct Dealt {
  int block, blocks, rank, size;

  int bytes() const { return block * blocks; }
  // Where byte i of this rank lies.
  MPI_Offset place_of(int i) const {
    return MPI_Offset{i / block} * block * size + MPI_Offset{block} * rank + i % block;
  }
  // How many bytes this rank has before an offset of the file.
  int before(MPI_Offset offset) const {
    int count = 0;
    while (count < bytes() && place_of(count) < offset) ++count;
    return count;
  }
  std::vector<unsigned char> data() const {
    std::vector<unsigned char> all;
    for (int i = 0; i < bytes(); ++i) {
      const MPI_Offset at = place_of(i);
      all.push_back(static_cast<unsigned char>(at * 7 + at / 1000 + 1));
    }
    return all;
  }
  void set_view(MPI_File file) const {
    MPI_Datatype one, filetype;
    MPI_Type_contiguous(block, MPI_BYTE, &one);
    MPI_Type_create_resized(one, 0, MPI_Aint{block} * size, &filetype);
    MPI_Type_commit(&filetype);
    EXPECT_EQ(MPI_File_set_view(file, MPI_Offset{block} * rank, MPI_BYTE, filetype, "native",
                                MPI_INFO_NULL),
              MPI_SUCCESS);
    MPI_Type_free(&one);
    MPI_Type_free(&filetype);
  }
};

void set_hint(MPI_File file, const char* key, const char* value) {
  MPI_Info hints;
  MPI_Info_create(&hints);
  MPI_Info_set(hints, key, value);
  EXPECT_EQ(MPI_File_set_info(file, hints), MPI_SUCCESS);
  MPI_Info_free(&hints);
}
void let_exchange(MPI_File file, const char* how) {
  set_hint(file, "romio_cb_write", how);
  set_hint(file, "romio_cb_read", how);
}

// How often this process has called the kernel to read or write; -1: it does not tell.
long calls_of_process() {
  long reads = -1, writes = 0;
  std::FILE* const counts = std::fopen("/proc/self/io", "r");
  if (counts == nullptr) return -1;
  if (std::fscanf(counts, "rchar: %*d wchar: %*d syscr: %ld syscw: %ld", &reads, &writes) != 2) {
    reads = -1;
  }
  std::fclose(counts);
  return reads < 0 ? -1 : reads + writes;
}

long most_of_all(long mine) {
  long most = 0;
  MPI_Allreduce(&mine, &most, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

int class_of(int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  return error_class;
}

}  // namespace

RANKS_TEST(Exchange, MakesFewCallsOfManyShortRuns, ranks(2, 4)) {
  const TestFile test(rank);
  const Dealt mine{64, 4096, rank, size};
  mine.set_view(test.file);
  let_exchange(test.file, "enable");
  const std::vector<unsigned char> data = mine.data();
  std::vector<unsigned char> back(data.size());
  const long before = calls_of_process();
  MPI_Status status;
  EXPECT_EQ(MPI_File_write_at_all(test.file, 0, data.data(), mine.bytes(), MPI_BYTE, &status),
            MPI_SUCCESS);
  EXPECT_EQ(count_of(status, MPI_BYTE), mine.bytes());
  EXPECT_EQ(MPI_File_read_at_all(test.file, 0, back.data(), mine.bytes(), MPI_BYTE, &status),
            MPI_SUCCESS);
  EXPECT_EQ(count_of(status, MPI_BYTE), mine.bytes());
  EXPECT_TRUE(back == data);
  const long calls = most_of_all(calls_of_process() - before);
  if (before >= 0) {
    EXPECT_LT(calls, 1000);
  }
}

// A read ends at the file's end, whichever process reads.
RANKS_TEST(Exchange, ReadsToTheFilesEnd, ranks(2, 5)) {
  const TestFile test(rank);
  const Dealt mine{100, 3000, rank, size};
  mine.set_view(test.file);
  let_exchange(test.file, "enable");
  set_hint(test.file, "cb_buffer_size", "65536");
  const std::vector<unsigned char> data = mine.data();
  EXPECT_EQ(
      MPI_File_write_at_all(test.file, 0, data.data(), mine.bytes(), MPI_BYTE, MPI_STATUS_IGNORE),
      MPI_SUCCESS);
  for (const MPI_Offset end : {MPI_Offset{0}, MPI_Offset{1}, MPI_Offset{123456}}) {
    EXPECT_EQ(MPI_File_set_size(test.file, end), MPI_SUCCESS);
    EXPECT_EQ(MPI_File_set_size(test.file, end), MPI_SUCCESS);
    std::vector<unsigned char> back(data.size(), 0xee), expected = back;
    std::copy_n(data.begin(), mine.before(end), expected.begin());
    MPI_Status status;
    EXPECT_EQ(MPI_File_read_at_all(test.file, 0, back.data(), mine.bytes(), MPI_BYTE, &status),
              MPI_SUCCESS);
    EXPECT_EQ(count_of(status, MPI_BYTE), mine.before(end));
    EXPECT_TRUE(back == expected);
    if (end != 123456) {
      EXPECT_EQ(MPI_File_write_at_all(test.file, 0, data.data(), mine.bytes(), MPI_BYTE,
                                      MPI_STATUS_IGNORE),
                MPI_SUCCESS);
    }
  }
}

// What the kernel does not take counts for no rank.
RANKS_TEST(Exchange, CountsWhatWasWritten, ranks(2, 5)) {
  const TestFile test(rank);
  std::signal(SIGXFSZ, SIG_IGN);
  const Dealt mine{100, 3000, rank, size};
  mine.set_view(test.file);
  let_exchange(test.file, "enable");
  const std::vector<unsigned char> data = mine.data();
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  MPI_Barrier(MPI_COMM_WORLD);
  constexpr rlim_t kMost = 123456;
  const rlimit limit = {kMost, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &limit);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Status status;
  const int code =
      MPI_File_write_at_all(test.file, 0, data.data(), mine.bytes(), MPI_BYTE, &status);
  MPI_Barrier(MPI_COMM_WORLD);
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(class_of(code), MPI_ERR_IO);
  EXPECT_EQ(count_of(status, MPI_BYTE), mine.before(kMost));
  std::vector<unsigned char> back(data.size());
  EXPECT_EQ(MPI_File_read_at_all(test.file, 0, back.data(), mine.bytes(), MPI_BYTE, &status),
            MPI_SUCCESS);
  EXPECT_EQ(count_of(status, MPI_BYTE), mine.before(kMost));
  EXPECT_TRUE(std::equal(data.begin(), data.begin() + mine.before(kMost), back.begin()));
}

RANKS_TEST(Exchange, TellsAllOfAFullDisk, ranks(2, 5)) {
  MPI_File file;
  EXPECT_EQ(MPI_File_open(MPI_COMM_WORLD, "/dev/full", MPI_MODE_WRONLY, MPI_INFO_NULL, &file),
            MPI_SUCCESS);
  const Dealt mine{100, 3000, rank, size};
  mine.set_view(file);
  let_exchange(file, "enable");
  const std::vector<unsigned char> data = mine.data();
  MPI_Status status;
  const int code = MPI_File_write_all(file, data.data(), mine.bytes(), MPI_BYTE, &status);
  EXPECT_EQ(class_of(code), MPI_ERR_NO_SPACE);
  EXPECT_EQ(count_of(status, MPI_BYTE), 0);
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  EXPECT_NE(std::string(text).find("/dev/full"), std::string::npos) << text;
  EXPECT_NE(std::string(text).find("No space left"), std::string::npos) << text;
  EXPECT_EQ(MPI_File_close(&file), MPI_SUCCESS);
}
