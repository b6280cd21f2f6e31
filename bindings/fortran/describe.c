// describe.c — what Fortran tells the library when MPI begins (MPI 5.0 §20.4): the sizes of its default types, the values
// of its logicals, and which types with a size in their name there are. gfortran's and flang's are the same, but flang
// has no REAL(16) on all systems; the library has datatypes for it in any case.

#include <string.h>

#include "bindings/fortran/wrappers.h"

static const char* const kNumbers[][2] = {{"mpi_logical_size", "4"},
                                          {"mpi_integer_size", "4"},
                                          {"mpi_real_size", "4"},
                                          {"mpi_double_precision_size", "8"}};

static const char* const kSupported[] = {
    "logical1", "logical2", "logical4",  "logical8",  "logical16",     "integer1",
    "integer2", "integer4", "integer8",  "integer16", "real4",         "real8",
    "real16",   "complex8", "complex16", "complex32", "double_complex"};
static const char* const kMissing[] = {"real2", "complex4"};

static void set_all(MPI_Info info, const char* const* types, size_t n, const char* value) {
  for (size_t i = 0; i < n; ++i) {
    char key[40] = "mpi_";
    strcat(strcat(key, types[i]), "_supported");
    PMPI_Info_set(info, key, value);
  }
}

// Nothing where a program has set it already.
static void set_booleans(void) {
  for (int size = 1; size <= 16; size *= 2) {
    const char yes[16] = {1}, no[16] = {0};
    char room[2][16];
    int is_set = 0;
    PMPI_Abi_get_fortran_booleans(size, room[0], room[1], &is_set);
    if (!is_set) PMPI_Abi_set_fortran_booleans(size, (void*)yes, (void*)no);
  }
}

void f_describe(void) {
  set_booleans();
  MPI_Info info = MPI_INFO_NULL;
  PMPI_Abi_get_fortran_info(&info);
  if (info == MPI_INFO_NULL) {
    PMPI_Info_create(&info);
    for (size_t i = 0; i < sizeof kNumbers / sizeof *kNumbers; ++i) {
      PMPI_Info_set(info, kNumbers[i][0], kNumbers[i][1]);
    }
    set_all(info, kSupported, sizeof kSupported / sizeof *kSupported, "true");
    set_all(info, kMissing, sizeof kMissing / sizeof *kMissing, "false");
    PMPI_Abi_set_fortran_info(info);
  }
  PMPI_Info_free(&info);
}
