// The part of attributes.f90 in C.
#include <mpi.h>
#include <stddef.h>

static int own = 4711;  // what C sets is its address
static MPI_Aint copied = 99;
static int deletes = 0;

// 0: a communicator, 1: a datatype.
static int set(int kind, int handle, int keyval, void* value) {
  return kind == 0 ? MPI_Comm_set_attr(MPI_Comm_fromint(handle), keyval, value)
                   : MPI_Type_set_attr(MPI_Type_fromint(handle), keyval, value);
}
static void* get(int kind, int handle, int keyval) {
  void* value = NULL;
  int flag = 0;
  if (kind == 0) {
    MPI_Comm_get_attr(MPI_Comm_fromint(handle), keyval, &value, &flag);
  } else {
    MPI_Type_get_attr(MPI_Type_fromint(handle), keyval, &value, &flag);
  }
  return flag ? value : NULL;
}

void c_set_(int* kind, int* handle, int* keyval) {
  set(*kind, *handle, *keyval, &own);
}
// Whether C finds a pointer to this INTEGER; to this integer of an address's size; what C has set.
void c_finds_integer_(int* kind, int* handle, int* keyval, int* value, int* found) {
  const int* const at = get(*kind, *handle, *keyval);
  *found = at != NULL && *at == *value;
}
void c_finds_address_(int* kind, int* handle, int* keyval, MPI_Aint* value, int* found) {
  const MPI_Aint* const at = get(*kind, *handle, *keyval);
  *found = at != NULL && *at == *value;
}
void c_finds_own_(int* kind, int* handle, int* keyval, int* found) {
  *found = get(*kind, *handle, *keyval) == &own;
}
void c_address_(MPI_Aint* address) {
  *address = (MPI_Aint)&own;
}
void c_copied_address_(MPI_Aint* address) {
  *address = (MPI_Aint)&copied;
}

// Wants to see what Fortran has set, the extra state.
static int copy(MPI_Comm comm, int keyval, void* extra, void* in, void* out, int* flag) {
  *flag = *(MPI_Aint*)in == *(MPI_Aint*)extra;
  *(void**)out = &copied;
  return MPI_SUCCESS;
}
static int erase(MPI_Comm comm, int keyval, void* value, void* extra) {
  deletes += value == &copied || *(MPI_Aint*)value == *(MPI_Aint*)extra;
  return MPI_SUCCESS;
}
void c_create_keyval_(int* keyval, MPI_Aint* extra) {
  MPI_Comm_create_keyval(copy, erase, keyval, extra);
}
void c_deletes_(int* count) {
  *count = deletes;
}
