// What Fortran's wrappers call besides the functions of the standard (heddle/fortran.h).

#include "heddle/fortran.h"

#include <cstdint>

#include "mpi/attribute/attributes.h"
#include "mpi/comm/comm.h"
#include "mpi/datatype/datatype.h"
#include "mpi/datatype/labels.h"
#include "mpi/object/handle_table.h"
#include "mpi/partitioned/partitioned.h"
#include "mpi/rma/window.h"

namespace {

using namespace heddle;

// The attributes of a communicator, datatype or window; null where the handle is none.
attribute::Attributes* attributes_of(heddle_owner kind, void* handle) {
  if (kind == HEDDLE_COMM) {
    comm::Comm* const comm = comm::from_handle(static_cast<MPI_Comm>(handle));
    return comm != nullptr ? &comm->attributes() : nullptr;
  }
  if (kind == HEDDLE_WIN) {
    rma::Window* const window = rma::from_handle(static_cast<MPI_Win>(handle));
    return window != nullptr ? &window->attributes() : nullptr;
  }
  datatype::Datatype* const type = datatype::from_handle(static_cast<MPI_Datatype>(handle));
  return type != nullptr ? &type->labels().attributes() : nullptr;
}

}  // namespace

void* heddle_handle(int value) {
  const object::HandleBits handle = object::from_int(value);
  return reinterpret_cast<void*>(handle != 0 ? handle : static_cast<std::uint32_t>(value));
}

int heddle_follow(MPI_Request request, const heddle_follower* follower) {
  const Error error = partitioned::follow(request, *follower);
  return error ? error.error_class() : MPI_SUCCESS;
}

void* heddle_new_cell(size_t bytes) {
  return attribute::new_cell(bytes);
}

void heddle_free_cell(void* cell) {
  attribute::free_cell(cell);
}

void heddle_fortran_keyval(int keyval) {
  attribute::become_fortrans(keyval);
}

void heddle_fortran_attribute(heddle_owner kind, void* handle, int keyval, void* cell) {
  attribute::Attributes* const attributes = attributes_of(kind, handle);
  if (attributes != nullptr && attributes->become_integer(keyval, cell)) return;
  attribute::free_cell(cell);  // a tool has set something else
}

int heddle_is_fortrans(heddle_owner kind, void* handle, int keyval) {
  attribute::Attributes* const attributes = attributes_of(kind, handle);
  return attributes != nullptr && attributes->is_integer(keyval);
}
