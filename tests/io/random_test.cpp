// Random programs of reads and writes, against a model: the bytes that the file must have, kept by
// each rank and changed by plain loops.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "base/test_seeds.h"
#include "tests/io/file.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;
using Bytes = std::vector<unsigned char>;

// Ascending runs that do not overlap, and the extent of all.
struct RandomType {
  std::vector<int> lengths, offsets;
  int extent = 0, size = 0;

  RandomType(std::mt19937& random, int most_runs, int most_bytes, int apart) {
    const int runs = 1 + static_cast<int>(random() % static_cast<unsigned>(most_runs));
    int at = static_cast<int>(random() % 5);
    for (int i = 0; i < runs; ++i) {
      const int bytes = 1 + static_cast<int>(random() % static_cast<unsigned>(most_bytes));
      lengths.push_back(bytes);
      offsets.push_back(at);
      size += bytes;
      at += bytes + static_cast<int>(random() % static_cast<unsigned>(apart + 1));
    }
    extent = at + static_cast<int>(random() % 9);
  }
  MPI_Datatype make() const {
    MPI_Datatype type, resized;
    MPI_Type_indexed(static_cast<int>(lengths.size()), lengths.data(), offsets.data(), MPI_BYTE,
                     &type);
    MPI_Type_create_resized(type, 0, extent, &resized);
    MPI_Type_free(&type);
    MPI_Type_commit(&resized);
    return resized;
  }
  // Where byte i of the packed form of many elements lies.
  std::size_t place_of(MPI_Offset i) const {
    MPI_Offset at = i / size * extent;
    MPI_Offset rest = i % size;
    for (std::size_t run = 0;; ++run) {
      if (rest < lengths[run]) return static_cast<std::size_t>(at + offsets[run] + rest);
      rest -= lengths[run];
    }
  }
};

// What one rank does in a round; all ranks know it of each other.
struct Part {
  RandomType filetype, memtype;
  MPI_Offset displacement;
  MPI_Offset offset;
  int count;
  unsigned char salt;

  // Its bytes lie behind `base`.
  Part(std::mt19937& random, MPI_Offset base)
      : filetype(random, 6, random() % 3 == 0 ? 3000 : 40, random() % 2 == 0 ? 0 : 50),
        memtype(random, 4, random() % 3 == 0 ? 2000 : 30, random() % 2 == 0 ? 0 : 20),
        displacement(base + static_cast<MPI_Offset>(random() % 100)),
        offset(static_cast<MPI_Offset>(random() % 200)),
        count(static_cast<int>(random() % 40)),
        salt(static_cast<unsigned char>(random())) {}
  MPI_Offset bytes() const { return MPI_Offset{count} * memtype.size; }
  std::size_t place_of(MPI_Offset i) const {
    return static_cast<std::size_t>(displacement) + filetype.place_of(offset + i);
  }
  unsigned char value_of(MPI_Offset i) const {
    return static_cast<unsigned char>(salt + i * 13 + i / 256);
  }
  // All its bytes lie before.
  MPI_Offset end() const {
    return displacement + ((offset + bytes()) / filetype.size + 1) * filetype.extent;
  }
};

// Ranks deal the runs of one type among themselves: their writes interleave.
struct Interleaved {
  int block, size;
  std::size_t place_of(int rank, MPI_Offset i) const {
    return static_cast<std::size_t>(i / block * block * size + MPI_Offset{block} * rank +
                                    i % block);
  }
};

int do_write(MPI_File file, int how, MPI_Offset offset, const void* data, int count,
             MPI_Datatype type, MPI_Status* status) {
  MPI_Request request = MPI_REQUEST_NULL;
  switch (how) {
    case 0:
      return MPI_File_write_at(file, offset, data, count, type, status);
    case 1:
      return MPI_File_write_at_all(file, offset, data, count, type, status);
    case 2:
      EXPECT_EQ(MPI_File_iwrite_at(file, offset, data, count, type, &request), MPI_SUCCESS);
      return MPI_Wait(&request, status);
    case 3:
      EXPECT_EQ(MPI_File_iwrite_at_all(file, offset, data, count, type, &request), MPI_SUCCESS);
      return MPI_Wait(&request, status);
    case 4:
      EXPECT_EQ(MPI_File_write_at_all_begin(file, offset, data, count, type), MPI_SUCCESS);
      return MPI_File_write_at_all_end(file, data, status);
    case 5:
      EXPECT_EQ(MPI_File_seek(file, offset, MPI_SEEK_SET), MPI_SUCCESS);
      return MPI_File_write_all(file, data, count, type, status);
    default:
      EXPECT_EQ(MPI_File_seek(file, offset, MPI_SEEK_SET), MPI_SUCCESS);
      return MPI_File_write(file, data, count, type, status);
  }
}

int do_read(MPI_File file, int how, MPI_Offset offset, void* data, int count, MPI_Datatype type,
            MPI_Status* status) {
  MPI_Request request = MPI_REQUEST_NULL;
  switch (how) {
    case 0:
      return MPI_File_read_at(file, offset, data, count, type, status);
    case 1:
      return MPI_File_read_at_all(file, offset, data, count, type, status);
    case 2:
      EXPECT_EQ(MPI_File_iread_at(file, offset, data, count, type, &request), MPI_SUCCESS);
      return MPI_Wait(&request, status);
    case 3:
      EXPECT_EQ(MPI_File_iread_at_all(file, offset, data, count, type, &request), MPI_SUCCESS);
      return MPI_Wait(&request, status);
    case 4:
      EXPECT_EQ(MPI_File_read_at_all_begin(file, offset, data, count, type), MPI_SUCCESS);
      return MPI_File_read_at_all_end(file, data, status);
    case 5:
      EXPECT_EQ(MPI_File_seek(file, offset, MPI_SEEK_SET), MPI_SUCCESS);
      return MPI_File_read_all(file, data, count, type, status);
    default:
      EXPECT_EQ(MPI_File_seek(file, offset, MPI_SEEK_SET), MPI_SUCCESS);
      return MPI_File_read(file, data, count, type, status);
  }
}

Bytes buffer_of(const Part& part) {
  return Bytes(
      static_cast<std::size_t>(part.memtype.extent) * static_cast<std::size_t>(part.count) + 1,
      0xee);
}

// Hints that send collective accesses of several processes all ways, in rounds of few bytes.
void set_hints(MPI_File file, std::mt19937& random) {
  const auto any_of = [&](std::initializer_list<const char*> values) {
    return values.begin()[random() % values.size()];
  };
  MPI_Info hints;
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "romio_cb_write", any_of({"enable", "enable", "disable", "automatic"}));
  MPI_Info_set(hints, "romio_cb_read", any_of({"enable", "enable", "disable", "automatic"}));
  MPI_Info_set(hints, "cb_buffer_size", any_of({"4096", "30000", "16777216"}));
  MPI_Info_set(hints, "cb_block_size", any_of({"1", "1000", "65536"}));
  MPI_Info_set(hints, "cb_nodes", any_of({"1", "2", "3", "100"}));
  EXPECT_EQ(MPI_File_set_info(file, hints), MPI_SUCCESS);
  MPI_Info_free(&hints);
}

void set_view(MPI_File file, const Part& part) {
  MPI_Datatype filetype = part.filetype.make();
  EXPECT_EQ(MPI_File_set_view(file, part.displacement, MPI_BYTE, filetype, "native", MPI_INFO_NULL),
            MPI_SUCCESS);
  MPI_Type_free(&filetype);
}

void write_part(MPI_File file, int how, const Part& part) {
  Bytes data = buffer_of(part);
  for (MPI_Offset i = 0; i < part.bytes(); ++i) data[part.memtype.place_of(i)] = part.value_of(i);
  MPI_Datatype type = part.memtype.make();
  MPI_Status status;
  EXPECT_EQ(do_write(file, how, part.offset, data.data(), part.count, type, &status), MPI_SUCCESS);
  EXPECT_EQ(count_of(status, MPI_BYTE), part.bytes());
  MPI_Type_free(&type);
}

void read_part(MPI_File file, int how, const Part& part, const Bytes& model) {
  Bytes data = buffer_of(part), expected = data;
  MPI_Offset there = 0;
  for (; there < part.bytes() && part.place_of(there) < model.size(); ++there) {
    expected[part.memtype.place_of(there)] = model[part.place_of(there)];
  }
  MPI_Datatype type = part.memtype.make();
  MPI_Status status;
  EXPECT_EQ(do_read(file, how, part.offset, data.data(), part.count, type, &status), MPI_SUCCESS);
  EXPECT_EQ(count_of(status, MPI_BYTE), there);
  EXPECT_TRUE(data == expected);
  MPI_Type_free(&type);
}

}  // namespace

RANKS_TEST(RandomFiles, AreAsTheModelSays, ranks(1, 2, 5)) {
  std::mt19937 random(static_cast<unsigned>(seed()));
  const TestFile test(rank);
  Bytes model;
  for (int round = 0; round < heddle::TestSeeds::rounds(8); ++round) {
    const int how = static_cast<int>(random() % 7);
    set_hints(test.file, random);
    std::vector<Part> parts;
    // Writes of a round must not touch each other: each rank has a stretch of its own.
    for (int r = 0; r < size; ++r) parts.emplace_back(random, r == 0 ? 0 : parts.back().end());
    const Part& mine = parts[static_cast<std::size_t>(rank)];
    set_view(test.file, mine);
    write_part(test.file, how, mine);
    for (const Part& part : parts) {
      for (MPI_Offset i = 0; i < part.bytes(); ++i) {
        const std::size_t at = part.place_of(i);
        if (model.size() <= at) model.resize(at + 1, 0);
        model[at] = part.value_of(i);
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const Part reads(random, random() % 2 == 0 ? 0 : mine.displacement);
    set_view(test.file, reads);
    read_part(test.file, static_cast<int>(random() % 7), reads, model);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    EXPECT_TRUE(contents(test.name) == model);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

// Runs of all ranks lie between each other; the memory has gaps, too.
RANKS_TEST(RandomFiles, AreInterleaved, ranks(2, 3, 7)) {
  std::mt19937 random(static_cast<unsigned>(seed()));
  for (int round = 0; round < heddle::TestSeeds::rounds(4); ++round) {
    const TestFile test(rank);
    const Interleaved dealt{1 + static_cast<int>(random() % (random() % 2 == 0 ? 300 : 9000)),
                            size};
    const RandomType memtype(random, 4, 500, 30);
    const int count = 1 + static_cast<int>(random() % 200);
    const int how = static_cast<int>(random() % 7);
    set_hints(test.file, random);
    MPI_Datatype block, filetype;
    MPI_Type_contiguous(dealt.block, MPI_BYTE, &block);
    MPI_Type_create_resized(block, 0, MPI_Aint{dealt.block} * size, &filetype);
    MPI_Type_commit(&filetype);
    MPI_Type_free(&block);
    EXPECT_EQ(MPI_File_set_view(test.file, MPI_Offset{dealt.block} * rank, MPI_BYTE, filetype,
                                "native", MPI_INFO_NULL),
              MPI_SUCCESS);
    MPI_Type_free(&filetype);
    const MPI_Offset bytes = MPI_Offset{count} * memtype.size;
    const auto value = [](int r, MPI_Offset i) {
      return static_cast<unsigned char>(r * 31 + i * 3 + i / 100 + 1);
    };
    Bytes data(static_cast<std::size_t>(memtype.extent) * static_cast<std::size_t>(count) + 1);
    for (MPI_Offset i = 0; i < bytes; ++i) data[memtype.place_of(i)] = value(rank, i);
    MPI_Datatype type = memtype.make();
    MPI_Status status;
    EXPECT_EQ(do_write(test.file, how, 0, data.data(), count, type, &status), MPI_SUCCESS);
    EXPECT_EQ(count_of(status, MPI_BYTE), bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    Bytes expected;
    for (int r = 0; r < size; ++r) {
      for (MPI_Offset i = 0; i < bytes; ++i) {
        const std::size_t at = dealt.place_of(r, i);
        if (expected.size() <= at) expected.resize(at + 1, 0);
        expected[at] = value(r, i);
      }
    }
    if (rank == 0) {
      EXPECT_TRUE(contents(test.name) == expected) << "block " << dealt.block << " how " << how;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    Bytes got(data.size());
    EXPECT_EQ(do_read(test.file, how, 0, got.data(), count, type, &status), MPI_SUCCESS);
    for (MPI_Offset i = 0; i < bytes; ++i) {
      if (got[memtype.place_of(i)] != value(rank, i)) {
        ADD_FAILURE() << "byte " << i << " block " << dealt.block << " how " << how;
        break;
      }
    }
    MPI_Type_free(&type);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}
