#include "mpi/partitioned/operation.h"

#include "exec/ult/strand.h"

namespace heddle::partitioned {

Error count_all(const datatype::Datatype& type, Partitions partitions, MPI_Count* count) {
  if (partitions.count < 0) {
    return Error::make(MPI_ERR_ARG, "partitions is %d; it must not be negative", partitions.count);
  }
  MPI_Count bytes = 0;
  if (__builtin_mul_overflow(partitions.elements, MPI_Count{partitions.count}, count) ||
      __builtin_mul_overflow(*count, type.size(), &bytes)) {
    return Error::make(MPI_ERR_COUNT, "%d partitions of %lld elements are more than a buffer holds",
                       partitions.count, static_cast<long long>(partitions.elements));
  }
  return {};
}

Error Operation::refuse_to_end() const {
  return Error::make(
      MPI_ERR_REQUEST,
      "the partitioned request is active; wait for it before it is freed, and do not "
      "cancel it (MPI 5.0 §4.2)");
}

Error Operation::check(int partition) const {
  if (partition >= 0 && partition < partitions_.count) return {};
  return Error::make(MPI_ERR_ARG, "partition %d is not among the request's %d partitions",
                     partition, partitions_.count);
}

namespace {

Error not_partitioned() {
  return Error::make(MPI_ERR_REQUEST, "the request is not one of MPI_Psend_init or MPI_Precv_init");
}

// nullptr with an error if the handle is not such a request.
Operation* operation_of(MPI_Request handle, Error* error) {
  request::Request* const request = request::from_handle(handle);
  if (request == nullptr) {
    *error = request::bad_request(handle);
    return nullptr;
  }
  Operation* const operation = request->partitioned();
  if (operation == nullptr) *error = not_partitioned();
  return operation;
}

}  // namespace

Error ready(MPI_Request handle, int first, int last, request::Blamed* blamed) {
  Error error;
  Operation* const operation = operation_of(handle, &error);
  if (operation == nullptr) return error;
  *blamed = operation->comm();
  return operation->ready(first, last);
}

Error ready_list(MPI_Request handle, int length, const int* partitions, request::Blamed* blamed) {
  for (int i = 0; i < length; ++i) {
    if (Error e = ready(handle, partitions[i], partitions[i], blamed)) return e;
  }
  return {};
}

Error arrived(MPI_Request handle, int partition, int* flag, request::Blamed* blamed) {
  bool there = true;
  if (handle != MPI_REQUEST_NULL) {
    Error error;
    Operation* const operation = operation_of(handle, &error);
    if (operation == nullptr) return error;
    *blamed = operation->comm();
    if (Error e = operation->arrived(partition, &there)) return e;
    if (!there) {  // as a test does, for programs that ask until it is
      ult::relax();
      if (Error e = operation->arrived(partition, &there)) return e;
    }
  }
  *flag = there ? 1 : 0;
  return {};
}

}  // namespace heddle::partitioned
