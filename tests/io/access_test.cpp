// What reads and writes move: against the bytes of the file, read and written by plain calls.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/io/file.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;
using Bytes = std::vector<unsigned char>;

// A view that shows rank `rank` of `size` its part of a file of blocks dealt out in turn, and where
// its byte i lies.
struct Dealt {
  MPI_Offset displacement;
  int block;
  int rank, size;

  MPI_Datatype make() const {
    MPI_Datatype type, resized;
    MPI_Type_contiguous(block, MPI_BYTE, &type);
    MPI_Type_create_resized(type, 0, MPI_Aint{block} * size, &resized);
    MPI_Type_free(&type);
    MPI_Type_commit(&resized);
    return resized;
  }
  std::size_t place_of(MPI_Offset i) const {
    return static_cast<std::size_t>(displacement + MPI_Offset{block} * rank +
                                    i / block * block * size + i % block);
  }
};

unsigned char value_of(int rank, MPI_Offset i) {
  return static_cast<unsigned char>(rank * 37 + i * 7 + i / 251 + 1);
}

Bytes values(int rank, MPI_Offset from, int count) {
  Bytes all(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) all[static_cast<std::size_t>(i)] = value_of(rank, from + i);
  return all;
}

// What the file must be when each rank has written bytes [0, count) of its view.
Bytes dealt_file(MPI_Offset displacement, int block, int size, int count) {
  std::size_t end = 0;
  for (int r = 0; r < size && count > 0; ++r) {
    end = std::max(end, Dealt{displacement, block, r, size}.place_of(count - 1) + 1);
  }
  Bytes all(end, 0);
  for (int r = 0; r < size; ++r) {
    for (int i = 0; i < count; ++i) {
      all[Dealt{displacement, block, r, size}.place_of(i)] = value_of(r, i);
    }
  }
  return all;
}

void set_dealt_view(MPI_File file, const Dealt& view) {
  MPI_Datatype type = view.make();
  EXPECT_EQ(MPI_File_set_view(file, view.displacement + MPI_Offset{view.block} * view.rank,
                              MPI_BYTE, type, "native", MPI_INFO_NULL),
            MPI_SUCCESS);
  MPI_Type_free(&type);
}

constexpr int kBlocks[] = {1, 7, 100, 128, 4096, 70000};

}  // namespace

RANKS_TEST(Access, WritesAndReadsAtOffsets, ranks(1, 2, 5)) {
  const TestFile test(rank);
  const Bytes own = values(rank, 0, 1000);
  MPI_Status status;
  EXPECT_EQ(MPI_File_write_at(test.file, 1000 * rank, own.data(), 1000, MPI_BYTE, &status),
            MPI_SUCCESS);
  EXPECT_EQ(count_of(status, MPI_BYTE), 1000);
  MPI_Barrier(MPI_COMM_WORLD);
  const int right = (rank + 1) % size;
  Bytes got(1000);
  EXPECT_EQ(MPI_File_read_at(test.file, 1000 * right, got.data(), 1000, MPI_BYTE, &status),
            MPI_SUCCESS);
  EXPECT_EQ(got, values(right, 0, 1000));
  // At the file's end a status tells what was there.
  EXPECT_EQ(MPI_File_read_at(test.file, 1000 * size - 10, got.data(), 1000, MPI_BYTE, &status),
            MPI_SUCCESS);
  EXPECT_EQ(count_of(status, MPI_BYTE), 10);
  EXPECT_EQ(MPI_File_read_at(test.file, 1000 * size + 10, got.data(), 1000, MPI_BYTE, &status),
            MPI_SUCCESS);
  EXPECT_EQ(count_of(status, MPI_BYTE), 0);
  MPI_Barrier(MPI_COMM_WORLD);
}

RANKS_TEST(Access, MovesTheIndividualPointer, ranks(1, 3)) {
  const TestFile test(rank);
  EXPECT_EQ(MPI_File_set_view(test.file, 400 * rank, MPI_INT, MPI_INT, "native", MPI_INFO_NULL),
            MPI_SUCCESS);
  for (int i = 0; i < 100; i += 10) {
    int numbers[10];
    for (int k = 0; k < 10; ++k) numbers[k] = 1000 * rank + i + k;
    EXPECT_EQ(MPI_File_write(test.file, numbers, 10, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
  }
  EXPECT_EQ(MPI_File_seek(test.file, 20, MPI_SEEK_SET), MPI_SUCCESS);
  int number = 0;
  EXPECT_EQ(MPI_File_read(test.file, &number, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(number, 1000 * rank + 20);
  EXPECT_EQ(MPI_File_read(test.file, &number, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(number, 1000 * rank + 21);
  MPI_Barrier(MPI_COMM_WORLD);
}

// All kinds of calls leave the same file.
namespace {
enum class How { kAlone, kCollective, kStarted, kStartedCollective, kSplit };
constexpr How kAllHows[] = {How::kAlone, How::kCollective, How::kStarted, How::kStartedCollective,
                            How::kSplit};

int write_part(MPI_File file, How how, const unsigned char* data, int count, MPI_Status* status) {
  MPI_Request request = MPI_REQUEST_NULL;
  switch (how) {
    case How::kAlone:
      return MPI_File_write(file, data, count, MPI_BYTE, status);
    case How::kCollective:
      return MPI_File_write_all(file, data, count, MPI_BYTE, status);
    case How::kStarted:
      EXPECT_EQ(MPI_File_iwrite(file, data, count, MPI_BYTE, &request), MPI_SUCCESS);
      return MPI_Wait(&request, status);
    case How::kStartedCollective:
      EXPECT_EQ(MPI_File_iwrite_all(file, data, count, MPI_BYTE, &request), MPI_SUCCESS);
      return MPI_Wait(&request, status);
    case How::kSplit:
      EXPECT_EQ(MPI_File_write_all_begin(file, data, count, MPI_BYTE), MPI_SUCCESS);
      return MPI_File_write_all_end(file, data, status);
  }
  return MPI_ERR_OTHER;
}

int read_part(MPI_File file, How how, unsigned char* data, int count, MPI_Status* status) {
  MPI_Request request = MPI_REQUEST_NULL;
  switch (how) {
    case How::kAlone:
      return MPI_File_read(file, data, count, MPI_BYTE, status);
    case How::kCollective:
      return MPI_File_read_all(file, data, count, MPI_BYTE, status);
    case How::kStarted:
      EXPECT_EQ(MPI_File_iread(file, data, count, MPI_BYTE, &request), MPI_SUCCESS);
      return MPI_Wait(&request, status);
    case How::kStartedCollective:
      EXPECT_EQ(MPI_File_iread_all(file, data, count, MPI_BYTE, &request), MPI_SUCCESS);
      return MPI_Wait(&request, status);
    case How::kSplit:
      EXPECT_EQ(MPI_File_read_all_begin(file, data, count, MPI_BYTE), MPI_SUCCESS);
      return MPI_File_read_all_end(file, data, status);
  }
  return MPI_ERR_OTHER;
}

void deal(int rank, int size, How how, int block, int count) {
  const TestFile test(rank);
  const Dealt view{5, block, rank, size};
  set_dealt_view(test.file, view);
  const Bytes own = values(rank, 0, count);
  const int half = count / 2;
  MPI_Status status;
  EXPECT_EQ(write_part(test.file, how, own.data(), half, &status), MPI_SUCCESS);
  EXPECT_EQ(count_of(status, MPI_BYTE), half);
  EXPECT_EQ(write_part(test.file, how, own.data() + half, count - half, &status), MPI_SUCCESS);
  EXPECT_EQ(count_of(status, MPI_BYTE), count - half);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    EXPECT_TRUE(contents(test.name) == dealt_file(5, block, size, count)) << block << " " << count;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(MPI_File_seek(test.file, 0, MPI_SEEK_SET), MPI_SUCCESS);
  Bytes got(static_cast<std::size_t>(count) + 1);
  EXPECT_EQ(read_part(test.file, how, got.data(), count, &status), MPI_SUCCESS);
  EXPECT_EQ(count_of(status, MPI_BYTE), count);
  got.pop_back();
  EXPECT_TRUE(got == own) << block << " " << count;
  EXPECT_EQ(read_part(test.file, how, got.data(), 3, &status), MPI_SUCCESS);
  EXPECT_LE(count_of(status, MPI_BYTE), 3);
  MPI_Barrier(MPI_COMM_WORLD);
}
}  // namespace

RANKS_TEST(Access, DealsBlocksInAllKindsOfCalls, ranks(1, 2, 7, 16)) {
  for (const How how : kAllHows) {
    for (const int block : kBlocks) {
      // Between hosts each run is a call of its own.
      deal(rank, size, how, block, block < 100 ? 700 : block < 1000 ? 20000 : 300000);
    }
  }
}
