// datareps.c — data representations of files: C's extra state is a cell with the Fortran procedures, which stays until
// the rank ends.

#include "bindings/fortran/predefined.h"
#include "bindings/fortran/wrappers.h"

typedef void (*Convert)(void* memory, int* type, int* count, void* file, MPI_Offset* position,
                        MPI_Aint* extra, int* ierror);
typedef void (*ConvertMany)(void* memory, int* type, MPI_Count* count, void* file,
                            MPI_Offset* position, MPI_Aint* extra, int* ierror);

typedef struct {
  void *read, *write;  // Convert or ConvertMany
  void (*extent)(int* type, MPI_Aint* extent, MPI_Aint* extra, int* ierror);
  MPI_Aint extra;
} Datarep;

static int convert(void* procedure, void* memory, MPI_Datatype type, int count, void* file,
                   MPI_Offset position, Datarep* own) {
  int handle = F_INT(type), error = MPI_SUCCESS;
  ((Convert)procedure)(memory, &handle, &count, file, &position, &own->extra, &error);
  return error;
}

static int convert_many(void* procedure, void* memory, MPI_Datatype type, MPI_Count count,
                        void* file, MPI_Offset position, Datarep* own) {
  int handle = F_INT(type), error = MPI_SUCCESS;
  ((ConvertMany)procedure)(memory, &handle, &count, file, &position, &own->extra, &error);
  return error;
}

static int read_one(void* memory, MPI_Datatype type, int count, void* file, MPI_Offset position,
                    void* cell) {
  return convert(((Datarep*)cell)->read, memory, type, count, file, position, cell);
}
static int write_one(void* memory, MPI_Datatype type, int count, void* file, MPI_Offset position,
                     void* cell) {
  return convert(((Datarep*)cell)->write, memory, type, count, file, position, cell);
}
static int read_many(void* memory, MPI_Datatype type, MPI_Count count, void* file,
                     MPI_Offset position, void* cell) {
  return convert_many(((Datarep*)cell)->read, memory, type, count, file, position, cell);
}
static int write_many(void* memory, MPI_Datatype type, MPI_Count count, void* file,
                      MPI_Offset position, void* cell) {
  return convert_many(((Datarep*)cell)->write, memory, type, count, file, position, cell);
}

static int extent_of(MPI_Datatype type, MPI_Aint* extent, void* cell) {
  Datarep* const own = cell;
  int handle = F_INT(type), error = MPI_SUCCESS;
  own->extent(&handle, extent, &own->extra, &error);
  return error;
}

// Null for MPI_CONVERSION_FN_NULL and its large twin.
static void* given(void* procedure) {
  const int is_null =
      procedure == (void*)mpi_conversion_fn_null_ || procedure == (void*)mpi_conversion_fn_null_c_;
  return is_null ? NULL : procedure;
}

static Datarep* new_datarep(void* read, void* write, void* extent, MPI_Aint extra) {
  Datarep* const cell = f_room_slow(1, sizeof *cell);
  cell->read = given(read);
  cell->write = given(write);
  cell->extent = extent;
  cell->extra = extra;
  return cell;
}

void F_NAME(register_datarep)(char* datarep, void* read, void* write, void* extent, MPI_Aint* extra,
                              int* ierror, size_t length) {
  Datarep* const cell = new_datarep(read, write, extent, *extra);
  char* const name = f_string(datarep, length);
  const int error = F_CALL(Register_datarep)(name, cell->read ? read_one : NULL,
                                             cell->write ? write_one : NULL, extent_of, cell);
  free(name);
  if (error != MPI_SUCCESS) free(cell);
  f_return(ierror, error);
}

void F_NAME(register_datarep_c)(char* datarep, void* read, void* write, void* extent,
                                MPI_Aint* extra, int* ierror, size_t length) {
  Datarep* const cell = new_datarep(read, write, extent, *extra);
  char* const name = f_string(datarep, length);
  const int error = F_CALL(Register_datarep_c)(name, cell->read ? read_many : NULL,
                                               cell->write ? write_many : NULL, extent_of, cell);
  free(name);
  if (error != MPI_SUCCESS) free(cell);
  f_return(ierror, error);
}

F_F08(register_datarep)
F_F08(register_datarep_c)
