#include "mpi/object/count_array.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstddef>

namespace heddle::object {
namespace {

// MPI_Type_create_indexed_c may have that many blocks. Of the pages only two are ever touched.
TEST(CountArray, HasMoreEntriesThanAnIntCounts) {
  constexpr MPI_Count kLast = MPI_Count{1} << 31;
  constexpr std::size_t kBytes = (kLast + 1) * sizeof(MPI_Count);
  void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) GTEST_SKIP() << "no room for 16 GiB of addresses";
  auto* entries = static_cast<MPI_Count*>(memory);
  entries[0] = 1;
  entries[kLast] = 2;
  const CountArray array(static_cast<const MPI_Count*>(entries));
  EXPECT_EQ(array[0], 1);
  EXPECT_EQ(array[kLast], 2);
  munmap(memory, kBytes);
}

}  // namespace
}  // namespace heddle::object
