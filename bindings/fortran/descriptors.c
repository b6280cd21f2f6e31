// descriptors.c — procedures that look at a variable, and not at its value.

#include "bindings/fortran/wrappers.h"

// The first two members of each compiler's CFI_cdesc_t (Fortran 2018, 18.5.3): that interface is a BIND(C) one.
typedef struct {
  void* base_addr;
  size_t elem_len;
} CDescriptor;

void F_NAME(sizeof_any)(CDescriptor* x, int* size, int* ierror) {
  *size = (int)x->elem_len;
  f_return(ierror, MPI_SUCCESS);
}

// INTEGER(8) and TYPE(MPI_Status) are C's status, both.
void F_NAME(status_f2f08)(const MPI_Status* from, MPI_Status* to, int* ierror) {
  *to = *from;
  f_return(ierror, MPI_SUCCESS);
}

void F_NAME(status_f082f)(const MPI_Status* from, MPI_Status* to, int* ierror) {
  *to = *from;
  f_return(ierror, MPI_SUCCESS);
}

// The call is what counts: the compiler must suppose that it changes the buffer.
void F_NAME(f_sync_reg)(void* buffer) {
  (void)buffer;
}

// The same address of a descriptor.
void F_NAME(f_sync_reg_f08ts)(void* descriptor) {
  (void)descriptor;
}

F_F08(status_f2f08)
F_F08(status_f082f)
