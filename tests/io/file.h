// file.h — a file for a test: a name of its own in the temporary directory, and what is in it, read
// by plain calls.

#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace heddle::testing {

// The same name at all ranks.
inline std::string fresh_name(int rank) {
  char name[200] = "";
  if (rank == 0) {
    const char* const directory = std::getenv("TMPDIR");
    std::snprintf(name, sizeof name, "%s/heddle_io_XXXXXX", directory ? directory : "/tmp");
    const int descriptor = mkstemp(name);
    EXPECT_GE(descriptor, 0);
    close(descriptor);
    unlink(name);
  }
  MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  return name;
}

inline std::vector<unsigned char> contents(const std::string& name) {
  std::vector<unsigned char> all;
  const int descriptor = open(name.c_str(), O_RDONLY);
  if (descriptor < 0) return all;
  unsigned char part[4096];
  for (ssize_t got; (got = read(descriptor, part, sizeof part)) > 0;) {
    all.insert(all.end(), part, part + got);
  }
  close(descriptor);
  return all;
}

// An open file, which is deleted with the object.
class TestFile {
 public:
  explicit TestFile(int rank, int mode = MPI_MODE_RDWR | MPI_MODE_CREATE) : name(fresh_name(rank)) {
    EXPECT_EQ(MPI_File_open(MPI_COMM_WORLD, name.c_str(), mode | MPI_MODE_DELETE_ON_CLOSE,
                            MPI_INFO_NULL, &file),
              MPI_SUCCESS);
  }
  ~TestFile() { EXPECT_EQ(MPI_File_close(&file), MPI_SUCCESS); }
  TestFile(TestFile&&) = delete;

  const std::string name;
  MPI_File file = MPI_FILE_NULL;
};

inline int count_of(const MPI_Status& status, MPI_Datatype type) {
  int count = -1;
  MPI_Get_count(&status, type, &count);
  return count;
}

}  // namespace heddle::testing
