// What MPI this is, and handles as integers (MPI 5.0 §9.1, §19.3, §20).

#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>
#include <string>

#include "heddle/mpix.h"
#include "tests/support/ranks_test.h"

namespace {

std::string value_of(MPI_Info info, const char* key) {
  char value[MPI_MAX_INFO_VAL] = "";
  int length = sizeof value, there = 0;
  MPI_Info_get_string(info, key, &length, value, &there);
  return there ? value : "(not there)";
}

void expect_versions(void*) {
  int major = -1, minor = -1, length = -1;
  EXPECT_EQ(MPI_Get_version(&major, &minor), MPI_SUCCESS);
  EXPECT_EQ(major, 5);
  EXPECT_EQ(minor, 0);
  EXPECT_EQ(MPI_Abi_get_version(&major, &minor), MPI_SUCCESS);
  EXPECT_EQ(major, 1);
  EXPECT_EQ(minor, 0);
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  EXPECT_EQ(MPI_Get_library_version(text, &length), MPI_SUCCESS);
  EXPECT_EQ(std::strlen(text), static_cast<std::size_t>(length));
  EXPECT_EQ(std::string(text).substr(0, 7), "Heddle ");
}

}  // namespace

TEST(AbiVersions, AreToldOutsideOfInitAndFinalize) {
  expect_versions(nullptr);
  ASSERT_EQ(MPIX_Run(2, expect_versions, nullptr, nullptr), MPI_SUCCESS);
}

RANKS_TEST(Abi, TellsTheSizesOfItsTypes, ranks(1, 2)) {
  MPI_Info info = MPI_INFO_NULL;
  ASSERT_EQ(MPI_Abi_get_info(&info), MPI_SUCCESS);
  EXPECT_EQ(value_of(info, "mpi_aint_size"), "8");
  EXPECT_EQ(value_of(info, "mpi_count_size"), "8");
  EXPECT_EQ(value_of(info, "mpi_offset_size"), "8");
  MPI_Info_free(&info);
}

RANKS_TEST(Abi, TakesFortransFactsOnce, ranks(1, 3)) {
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Info info = nullptr;
  ASSERT_EQ(MPI_Abi_get_fortran_info(&info), MPI_SUCCESS);
  EXPECT_EQ(info, MPI_INFO_NULL) << "nothing is known before somebody tells";

  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_integer_size", std::to_string(rank).c_str());
  EXPECT_EQ(MPI_Abi_set_fortran_info(info), MPI_SUCCESS);
  EXPECT_EQ(MPI_Abi_set_fortran_info(info), MPI_ERR_ABI);
  MPI_Info_free(&info);
  ASSERT_EQ(MPI_Abi_get_fortran_info(&info), MPI_SUCCESS);
  EXPECT_EQ(value_of(info, "mpi_integer_size"), std::to_string(rank)) << "each rank has its own";
  MPI_Info_free(&info);

  int is_set = -1, yes = 1, no = 2;
  EXPECT_EQ(MPI_Abi_get_fortran_booleans(4, &yes, &no, &is_set), MPI_SUCCESS);
  EXPECT_EQ(is_set, 0);
  int fortran_true = -1, fortran_false = 0;
  EXPECT_EQ(MPI_Abi_set_fortran_booleans(4, &fortran_true, &fortran_false), MPI_SUCCESS);
  EXPECT_EQ(MPI_Abi_get_fortran_booleans(4, &yes, &no, &is_set), MPI_SUCCESS);
  EXPECT_EQ(is_set, 1);
  EXPECT_EQ(yes, -1);
  EXPECT_EQ(no, 0);
  EXPECT_EQ(MPI_Abi_set_fortran_booleans(3, &fortran_true, &fortran_false), MPI_ERR_ARG);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

RANKS_TEST(Handles, ThatAreConstantsAreTheirOwnNumbers, ranks(1)) {
  EXPECT_EQ(MPI_Comm_toint(MPI_COMM_WORLD), 0x101);
  EXPECT_EQ(MPI_Comm_c2f(MPI_COMM_NULL), 0x100);
  EXPECT_EQ(MPI_Type_toint(MPI_INT), 0x209);
  EXPECT_EQ(MPI_Type_fromint(0x209), MPI_INT);
  EXPECT_EQ(MPI_Op_f2c(0x21), MPI_SUM);
  EXPECT_EQ(MPI_Group_fromint(0x109), MPI_GROUP_EMPTY);
  EXPECT_EQ(MPI_Errhandler_f2c(0x143), MPI_ERRORS_RETURN);
  EXPECT_EQ(MPI_Comm_fromint(0x7ff), MPI_COMM_NULL) << "no handle has this number";
  EXPECT_EQ(MPI_Request_fromint(-1), MPI_REQUEST_NULL);
}

RANKS_TEST(Handles, ComeBackFromTheirNumbers, ranks(1, 4)) {
  std::set<int> numbers;
  MPI_Comm comms[20];
  for (MPI_Comm& comm : comms) {
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    const int number = MPI_Comm_toint(comm);
    EXPECT_TRUE(numbers.insert(number).second) << "two communicators with one number";
    EXPECT_EQ(MPI_Comm_fromint(number), comm);
    EXPECT_EQ(MPI_Comm_f2c(MPI_Comm_c2f(comm)), comm);
    EXPECT_EQ(PMPI_Comm_f2c(PMPI_Comm_c2f(comm)), comm);
  }
  const int last = MPI_Comm_toint(comms[19]);
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  EXPECT_EQ(MPI_Comm_fromint(last), MPI_COMM_NULL) << "a freed one";

  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &type);
  EXPECT_EQ(MPI_Type_f2c(MPI_Type_c2f(type)), type);
  MPI_Type_free(&type);
}

RANKS_TEST(Status, GoesToFortranAndBackWhole, ranks(1)) {
  MPI_Status status = {}, back = {};
  status.MPI_SOURCE = 3;
  status.MPI_TAG = 4;
  status.MPI_ERROR = 5;
  MPI_Status_set_elements(&status, MPI_INT, 6);
  MPI_Fint fortran[MPI_F_STATUS_SIZE] = {};
  EXPECT_EQ(MPI_Status_c2f(&status, fortran), MPI_SUCCESS);
  EXPECT_EQ(fortran[MPI_F_SOURCE], 3);
  EXPECT_EQ(fortran[MPI_F_TAG], 4);
  EXPECT_EQ(fortran[MPI_F_ERROR], 5);
  EXPECT_EQ(MPI_Status_f2c(fortran, &back), MPI_SUCCESS);
  int count = -1;
  MPI_Get_count(&back, MPI_INT, &count);
  EXPECT_EQ(count, 6);
  MPI_F08_status typed = {}, again = {};
  EXPECT_EQ(MPI_Status_c2f08(&status, &typed), MPI_SUCCESS);
  EXPECT_EQ(typed.MPI_TAG, 4);
  std::fill(std::begin(fortran), std::end(fortran), 0);
  EXPECT_EQ(MPI_Status_f082f(&typed, fortran), MPI_SUCCESS);
  EXPECT_EQ(fortran[MPI_F_ERROR], 5);
  EXPECT_EQ(MPI_Status_f2f08(fortran, &again), MPI_SUCCESS);
  back = {};
  EXPECT_EQ(MPI_Status_f082c(&again, &back), MPI_SUCCESS);
  EXPECT_EQ(std::memcmp(&status, &back, sizeof status), 0);
}
