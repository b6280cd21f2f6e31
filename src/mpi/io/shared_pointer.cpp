#include "mpi/io/shared_pointer.h"

#include "mpi/op/op.h"
#include "mpi/rma/make.h"
#include "mpi/rma/sync.h"
#include "mpi/rma/transfer.h"

namespace heddle::io {

namespace {

rma::Place word() noexcept {
  return {.rank = 0, .displacement = 0, .count = 1, .type = &datatype::named(MPI_INT64_T)};
}

}  // namespace

Error SharedPointer::open(comm::Comm& comm) {
  if (part_.all_are_here()) return {};
  void* base = nullptr;
  rma::Window* made = nullptr;
  const MPI_Aint bytes = comm.rank() == 0 ? sizeof(MPI_Offset) : 0;
  if (Error e = rma::allocate(bytes, 1, nullptr, comm, &base, &made)) return e;
  window_ = object::Ref<rma::Window>::adopt(made);
  if (comm.rank() == 0) *static_cast<MPI_Offset*>(base) = 0;
  return rma::lock_all(MPI_MODE_NOCHECK, *window_);
}

SharedPointer::~SharedPointer() {
  if (window_) rma::unlock_all(*window_).ignore();
}

Error SharedPointer::take(MPI_Offset etypes, MPI_Offset* before) {
  if (!window_) {
    // relaxed: the accesses to the file are ordered by nothing but their places in it.
    *before = part_.shared_pointer().fetch_add(etypes, std::memory_order_relaxed);
    return {};
  }
  return rma::fetch_and_op(&etypes, before, word(), *op::from_handle(MPI_SUM), *window_);
}

Error SharedPointer::set(MPI_Offset value) {
  if (!window_) {
    part_.shared_pointer().store(value, std::memory_order_relaxed);
    return {};
  }
  MPI_Offset before = 0;
  return rma::fetch_and_op(&value, &before, word(), *op::from_handle(MPI_REPLACE), *window_);
}

}  // namespace heddle::io
