// Shared and ordered pointers (MPI 5.0 §14.4.4), atomic mode (§14.6), representations (§14.5).

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/io/file.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

std::vector<int> numbers_in(const std::string& name) {
  const auto bytes = contents(name);
  std::vector<int> numbers(bytes.size() / sizeof(int));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(int));
  return numbers;
}

}  // namespace

// Each record is there once and whole, in any order.
RANKS_TEST(SharedPointer, GivesEachWriteItsPlace, ranks(1, 2, 5, 16)) {
  const TestFile test(rank);
  EXPECT_EQ(MPI_File_set_view(test.file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL),
            MPI_SUCCESS);
  constexpr int kRecords = 20, kLength = 25;
  for (int i = 0; i < kRecords; ++i) {
    const std::vector<int> record(kLength, rank * kRecords + i);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    if (i % 2 == 0) {
      EXPECT_EQ(MPI_File_write_shared(test.file, record.data(), kLength, MPI_INT, &status),
                MPI_SUCCESS);
    } else {
      EXPECT_EQ(MPI_File_iwrite_shared(test.file, record.data(), kLength, MPI_INT, &request),
                MPI_SUCCESS);
      MPI_Wait(&request, &status);
    }
    EXPECT_EQ(count_of(status, MPI_INT), kLength);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    std::vector<int> numbers = numbers_in(test.name), seen;
    ASSERT_EQ(numbers.size(), static_cast<std::size_t>(kRecords * kLength * size));
    for (std::size_t i = 0; i < numbers.size(); i += kLength) {
      for (std::size_t k = 1; k < kLength; ++k) EXPECT_EQ(numbers[i + k], numbers[i]);
      seen.push_back(numbers[i]);
    }
    std::sort(seen.begin(), seen.end());
    for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], static_cast<int>(i));
  }
  MPI_Offset position = -1;
  EXPECT_EQ(MPI_File_get_position_shared(test.file, &position), MPI_SUCCESS);
  EXPECT_EQ(position, kRecords * kLength * size);
  MPI_Barrier(MPI_COMM_WORLD);
  // Reads get all of it once.
  EXPECT_EQ(MPI_File_seek_shared(test.file, 0, MPI_SEEK_SET), MPI_SUCCESS);
  long sum = 0;
  for (int i = 0; i < kRecords; ++i) {
    int record[kLength];
    MPI_Status status;
    EXPECT_EQ(MPI_File_read_shared(test.file, record, kLength, MPI_INT, &status), MPI_SUCCESS);
    EXPECT_EQ(count_of(status, MPI_INT), kLength);
    sum += record[0];
  }
  long all = 0;
  MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  const long n = long{kRecords} * size;
  EXPECT_EQ(all, n * (n - 1) / 2);
}

RANKS_TEST(OrderedPointer, FollowsTheRanks, ranks(1, 2, 5)) {
  for (const bool split : {false, true}) {
    const TestFile test(rank);
    EXPECT_EQ(MPI_File_set_view(test.file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL),
              MPI_SUCCESS);
    // Rank r writes r + 1 numbers in each of three rounds.
    for (int round = 0; round < 3; ++round) {
      const std::vector<int> mine(static_cast<std::size_t>(rank) + 1, 100 * round + rank);
      MPI_Status status;
      if (split) {
        EXPECT_EQ(MPI_File_write_ordered_begin(test.file, mine.data(), rank + 1, MPI_INT),
                  MPI_SUCCESS);
        EXPECT_EQ(MPI_File_write_ordered_end(test.file, mine.data(), &status), MPI_SUCCESS);
      } else {
        EXPECT_EQ(MPI_File_write_ordered(test.file, mine.data(), rank + 1, MPI_INT, &status),
                  MPI_SUCCESS);
      }
      EXPECT_EQ(count_of(status, MPI_INT), rank + 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    std::vector<int> expected;
    for (int round = 0; round < 3; ++round) {
      for (int r = 0; r < size; ++r) {
        expected.insert(expected.end(), static_cast<std::size_t>(r) + 1, 100 * round + r);
      }
    }
    if (rank == 0) {
      EXPECT_EQ(numbers_in(test.name), expected);
    }
    EXPECT_EQ(MPI_File_seek_shared(test.file, 0, MPI_SEEK_SET), MPI_SUCCESS);
    for (int round = 0; round < 3; ++round) {
      std::vector<int> got(static_cast<std::size_t>(rank) + 1, -1);
      if (split) {
        EXPECT_EQ(MPI_File_read_ordered_begin(test.file, got.data(), rank + 1, MPI_INT),
                  MPI_SUCCESS);
        EXPECT_EQ(MPI_File_read_ordered_end(test.file, got.data(), MPI_STATUS_IGNORE), MPI_SUCCESS);
      } else {
        EXPECT_EQ(
            MPI_File_read_ordered(test.file, got.data(), rank + 1, MPI_INT, MPI_STATUS_IGNORE),
            MPI_SUCCESS);
      }
      EXPECT_EQ(got, std::vector<int>(static_cast<std::size_t>(rank) + 1, 100 * round + rank));
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

RANKS_TEST(Sequential, UsesTheSharedPointerAlone, ranks(1, 3)) {
  const TestFile test(rank, MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL | MPI_MODE_CREATE);
  const int number = rank;
  EXPECT_NE(MPI_File_write(test.file, &number, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_NE(MPI_File_write_at(test.file, 0, &number, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(MPI_File_write_ordered(test.file, &number, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(MPI_File_set_view(test.file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native",
                              MPI_INFO_NULL),
            MPI_SUCCESS);
  MPI_Offset displacement = -1;
  MPI_Datatype etype, filetype;
  char datarep[MPI_MAX_DATAREP_STRING];
  MPI_File_get_view(test.file, &displacement, &etype, &filetype, datarep);
  EXPECT_EQ(displacement, 4 * size);
}

RANKS_TEST(Append, BeginsAtTheEnd, ranks(1, 3)) {
  const TestFile first(rank);
  EXPECT_EQ(MPI_File_set_size(first.file, 100), MPI_SUCCESS);
  MPI_File again;
  EXPECT_EQ(MPI_File_open(MPI_COMM_WORLD, first.name.c_str(), MPI_MODE_WRONLY | MPI_MODE_APPEND,
                          MPI_INFO_NULL, &again),
            MPI_SUCCESS);
  MPI_Offset position = -1;
  EXPECT_EQ(MPI_File_get_position(again, &position), MPI_SUCCESS);
  EXPECT_EQ(position, 100);
  EXPECT_EQ(MPI_File_get_position_shared(again, &position), MPI_SUCCESS);
  EXPECT_EQ(position, 100);
  EXPECT_EQ(MPI_File_close(&again), MPI_SUCCESS);
}

// All write the same places, with gaps, at once; a read finds what one of them has written.
RANKS_TEST(Atomic, AccessesAreWhole, ranks(1, 2, 4)) {
  const TestFile test(rank);
  int flag = -1;
  EXPECT_EQ(MPI_File_get_atomicity(test.file, &flag), MPI_SUCCESS);
  EXPECT_EQ(flag, 0);
  EXPECT_EQ(MPI_File_set_atomicity(test.file, 1), MPI_SUCCESS);
  EXPECT_EQ(MPI_File_get_atomicity(test.file, &flag), MPI_SUCCESS);
  EXPECT_EQ(flag, 1);
  constexpr int kBlocks = 200;
  MPI_Datatype gaps;
  MPI_Type_vector(kBlocks, 1, 3, MPI_INT, &gaps);
  MPI_Type_commit(&gaps);
  EXPECT_EQ(MPI_File_set_view(test.file, 0, MPI_INT, gaps, "native", MPI_INFO_NULL), MPI_SUCCESS);
  for (int round = 0; round < 10; ++round) {
    const std::vector<int> mine(kBlocks, rank + 1);
    std::vector<int> got(kBlocks);
    MPI_Request request;
    if (round % 3 == 0) {
      EXPECT_EQ(
          MPI_File_write_at_all(test.file, 0, mine.data(), kBlocks, MPI_INT, MPI_STATUS_IGNORE),
          MPI_SUCCESS);
    } else if (round % 3 == 1) {
      EXPECT_EQ(MPI_File_write_at(test.file, 0, mine.data(), kBlocks, MPI_INT, MPI_STATUS_IGNORE),
                MPI_SUCCESS);
    } else {
      EXPECT_EQ(MPI_File_iwrite_at(test.file, 0, mine.data(), kBlocks, MPI_INT, &request),
                MPI_SUCCESS);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    EXPECT_EQ(MPI_File_read_at(test.file, 0, got.data(), kBlocks, MPI_INT, MPI_STATUS_IGNORE),
              MPI_SUCCESS);
    EXPECT_EQ(got, std::vector<int>(kBlocks, got[0])) << "round " << round;
    EXPECT_TRUE(got[0] >= 1 && got[0] <= size);
  }
  MPI_Type_free(&gaps);
  MPI_Barrier(MPI_COMM_WORLD);
}

RANKS_TEST(External32, IsBigEndian, ranks(1, 2)) {
  const TestFile test(rank);
  EXPECT_EQ(MPI_File_set_view(test.file, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL),
            MPI_SUCCESS);
  const int numbers[] = {0x01020304 + rank, -2};
  MPI_Status status;
  EXPECT_EQ(MPI_File_write_at_all(test.file, 2 * rank, numbers, 2, MPI_INT, &status), MPI_SUCCESS);
  EXPECT_EQ(count_of(status, MPI_INT), 2);
  MPI_Barrier(MPI_COMM_WORLD);
  const auto bytes = contents(test.name);
  const std::size_t at = 8 * static_cast<std::size_t>(rank);
  ASSERT_GE(bytes.size(), at + 8);
  const unsigned char expected[] = {1,   2,   3,   static_cast<unsigned char>(4 + rank),
                                    255, 255, 255, 254};
  EXPECT_TRUE(std::equal(expected, expected + 8, bytes.begin() + static_cast<long>(at)));
  int got[2] = {};
  MPI_Request request;
  EXPECT_EQ(MPI_File_iread_at(test.file, 2 * rank, got, 2, MPI_INT, &request), MPI_SUCCESS);
  MPI_Wait(&request, &status);
  EXPECT_EQ(count_of(status, MPI_INT), 2);
  EXPECT_EQ(got[0], numbers[0]);
  EXPECT_EQ(got[1], numbers[1]);
  MPI_Aint extent = 0;
  EXPECT_EQ(MPI_File_get_type_extent(test.file, MPI_LONG, &extent), MPI_SUCCESS);
  EXPECT_EQ(extent, 4);
  MPI_Barrier(MPI_COMM_WORLD);
}

namespace {

// A representation in which an int has eight bytes, decimal.
int write_decimal(void* memory, MPI_Datatype, int count, void* file, MPI_Offset position,
                  void* extra) {
  ++*static_cast<int*>(extra);
  for (int i = 0; i < count; ++i) {
    char text[9];
    std::snprintf(text, sizeof text, "%8d", static_cast<int*>(memory)[position + i]);
    std::memcpy(static_cast<char*>(file) + 8 * i, text, 8);
  }
  return MPI_SUCCESS;
}
int read_decimal(void* memory, MPI_Datatype, int count, void* file, MPI_Offset position, void*) {
  for (int i = 0; i < count; ++i) {
    const std::string text(static_cast<char*>(file) + 8 * i, 8);
    static_cast<int*>(memory)[position + i] = std::atoi(text.c_str());
  }
  return MPI_SUCCESS;
}
int extent_decimal(MPI_Datatype type, MPI_Aint* extent, void*) {
  if (type != MPI_INT) return MPI_ERR_TYPE;
  *extent = 8;
  return MPI_SUCCESS;
}
int refuse(void*, MPI_Datatype, MPI_Count, void*, MPI_Offset, void*) {
  return MPI_ERR_OTHER;
}

}  // namespace

RANKS_TEST(RegisteredDatarep, ConvertsOnTheWay, ranks(1, 3)) {
  int calls = 0, error_class = 0;
  EXPECT_EQ(MPI_Register_datarep("decimal", read_decimal, write_decimal, extent_decimal, &calls),
            MPI_SUCCESS);
  MPI_Error_class(
      MPI_Register_datarep("decimal", read_decimal, write_decimal, extent_decimal, &calls),
      &error_class);
  EXPECT_EQ(error_class, MPI_ERR_DUP_DATAREP);
  EXPECT_NE(MPI_Register_datarep("native", read_decimal, write_decimal, extent_decimal, &calls),
            MPI_SUCCESS);
  EXPECT_EQ(MPI_Register_datarep_c("refused", refuse, refuse, extent_decimal, nullptr),
            MPI_SUCCESS);
  const TestFile test(rank);
  EXPECT_EQ(MPI_File_set_view(test.file, 0, MPI_INT, MPI_INT, "decimal", MPI_INFO_NULL),
            MPI_SUCCESS);
  const int numbers[3] = {rank, 10 * rank, -rank};
  MPI_Status status;
  EXPECT_EQ(MPI_File_write_at_all(test.file, 3 * rank, numbers, 3, MPI_INT, &status), MPI_SUCCESS);
  EXPECT_EQ(count_of(status, MPI_INT), 3);
  EXPECT_EQ(calls, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  const auto bytes = contents(test.name);
  EXPECT_EQ(bytes.size(), static_cast<std::size_t>(24 * size));
  EXPECT_EQ(std::string(bytes.begin() + 24 * rank, bytes.begin() + 24 * rank + 8),
            "       " + std::to_string(rank));
  int got[3] = {7, 7, 7};
  MPI_Request request;
  EXPECT_EQ(MPI_File_iread_at(test.file, 3 * rank, got, 3, MPI_INT, &request), MPI_SUCCESS);
  EXPECT_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
  EXPECT_EQ(count_of(status, MPI_INT), 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(got[i], numbers[i]);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(MPI_File_set_view(test.file, 0, MPI_INT, MPI_INT, "refused", MPI_INFO_NULL),
            MPI_SUCCESS);
  MPI_Error_class(MPI_File_write_at(test.file, 0, numbers, 3, MPI_INT, &status), &error_class);
  EXPECT_EQ(error_class, MPI_ERR_CONVERSION);
  MPI_Error_class(MPI_File_read_at_all(test.file, 0, got, 3, MPI_INT, &status), &error_class);
  EXPECT_EQ(error_class, MPI_ERR_CONVERSION);
}
