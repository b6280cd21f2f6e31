// attributes.c — attributes are values in Fortran, also the predefined ones, which C gives as pointers.
//
// A value that Fortran has set is what C gets as its pointer, and the other way round. The rules of MPI 5.0 §19.3.7
// between both languages are to come: the library does not keep which language has set a value.

#include "bindings/fortran/wrappers.h"

static MPI_Aint value_of(int keyval, void* attribute) {
  const int predefined = keyval >= MPI_TAG_UB && keyval < MPI_WIN_BASE;
  return predefined ? *(int*)attribute : (MPI_Aint)attribute;
}

void F_NAME(comm_set_attr)(int* comm, int* keyval, MPI_Aint* value, int* ierror) {
  f_return(ierror, F_CALL(Comm_set_attr)(MPI_Comm_fromint(*comm), *keyval, (void*)*value));
}

void F_NAME(comm_get_attr)(int* comm, int* keyval, MPI_Aint* value, int* flag, int* ierror) {
  void* attribute = NULL;
  const int error = F_CALL(Comm_get_attr)(MPI_Comm_fromint(*comm), *keyval, &attribute, flag);
  if (error == MPI_SUCCESS && *flag) *value = value_of(*keyval, attribute);
  f_return(ierror, error);
}

void F_NAME(type_set_attr)(int* type, int* keyval, MPI_Aint* value, int* ierror) {
  f_return(ierror, F_CALL(Type_set_attr)(MPI_Type_fromint(*type), *keyval, (void*)*value));
}

void F_NAME(type_get_attr)(int* type, int* keyval, MPI_Aint* value, int* flag, int* ierror) {
  void* attribute = NULL;
  const int error = F_CALL(Type_get_attr)(MPI_Type_fromint(*type), *keyval, &attribute, flag);
  if (error == MPI_SUCCESS && *flag) *value = (MPI_Aint)attribute;
  f_return(ierror, error);
}

void F_NAME(attr_put)(int* comm, int* keyval, int* value, int* ierror) {
  f_return(ierror,
           F_CALL(Comm_set_attr)(MPI_Comm_fromint(*comm), *keyval, (void*)(MPI_Aint)*value));
}

void F_NAME(attr_get)(int* comm, int* keyval, int* value, int* flag, int* ierror) {
  void* attribute = NULL;
  const int error = F_CALL(Comm_get_attr)(MPI_Comm_fromint(*comm), *keyval, &attribute, flag);
  if (error == MPI_SUCCESS && *flag) *value = (int)value_of(*keyval, attribute);
  f_return(ierror, error);
}

F_F08(comm_set_attr)
F_F08(comm_get_attr)
F_F08(type_set_attr)
F_F08(type_get_attr)
