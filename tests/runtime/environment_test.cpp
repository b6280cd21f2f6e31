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

namespace {

// The address that MPI_Alloc_mem gives for this hint.
std::uintptr_t address_with(const char* alignment) {
  MPI_Info hints = MPI_INFO_NULL;
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "mpi_minimum_memory_alignment", alignment);
  char* memory = nullptr;
  EXPECT_EQ(MPI_Alloc_mem(100, hints, &memory), MPI_SUCCESS) << alignment;
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  EXPECT_EQ(MPI_Free_mem(memory), MPI_SUCCESS);
  MPI_Info_free(&hints);
  return address;
}

}  // namespace

RANKS_TEST(Environment, AlignsMemoryAsTheProgramAsks, ranks(1, 2)) {
  EXPECT_EQ(address_with("4096") % 4096, 0U);
  EXPECT_EQ(address_with("4194304") % 4194304, 0U);
  for (const char* ignored :
       {"8", "0", "-64", "100", "4096 ", "", "a lot", "123456789123456789123456789"}) {
    EXPECT_EQ(address_with(ignored) % 64, 0U) << ignored;
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

RANKS_TEST(Environment, LeavesProfilingToProfilers, ranks(1)) {
  EXPECT_EQ(MPI_Pcontrol(1), MPI_SUCCESS);
  EXPECT_EQ(MPI_Pcontrol(-7, "anything", 3.5), MPI_SUCCESS);
}
