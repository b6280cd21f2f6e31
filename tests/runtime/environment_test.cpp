// What a rank asks of its environment (MPI 5.0 §9).

#include <mpi.h>

#include <cstdint>
#include <cstring>

#include "tests/support/ranks_test.h"

RANKS_TEST(Environment, GivesMemoryThatIsAlignedAndWritable, ranks(1, 4)) {
  for (const MPI_Aint bytes : {MPI_Aint{0}, MPI_Aint{1}, MPI_Aint{4096}, MPI_Aint{1} << 20}) {
    char* memory = nullptr;
    ASSERT_EQ(MPI_Alloc_mem(bytes, MPI_INFO_NULL, &memory), MPI_SUCCESS);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 64, 0U);
    std::memset(memory, rank, static_cast<std::size_t>(bytes));
    EXPECT_EQ(MPI_Free_mem(memory), MPI_SUCCESS);
  }
}

RANKS_TEST(Environment, SaysWhenThereIsNotSoMuchMemory, ranks(1)) {
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  char* memory = nullptr;
  int error_class = MPI_SUCCESS;
  MPI_Error_class(MPI_Alloc_mem(MPI_Aint{1} << 60, MPI_INFO_NULL, &memory), &error_class);
  EXPECT_EQ(error_class, MPI_ERR_NO_MEM);
  EXPECT_EQ(memory, nullptr);
}
