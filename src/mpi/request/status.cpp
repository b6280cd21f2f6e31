#include "mpi/request/status.h"

#include <cstring>

#include "mpi/datatype/elements.h"

namespace heddle::request {

namespace {
constexpr int kCancelledWord = 2;
}  // namespace

void write_status(MPI_Status* status, const Outcome& outcome) noexcept {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = outcome.source;
  status->MPI_TAG = outcome.tag;
  std::memset(status->MPI_internal, 0, sizeof status->MPI_internal);
  std::memcpy(status->MPI_internal, &outcome.bytes, sizeof outcome.bytes);
  status->MPI_internal[kCancelledWord] = outcome.cancelled;
}

MPI_Count bytes_of(const MPI_Status& status) noexcept {
  MPI_Count bytes;
  std::memcpy(&bytes, status.MPI_internal, sizeof bytes);
  return bytes;
}

Error get_count(const MPI_Status* status, const datatype::Datatype& type, MPI_Count* count) {
  *count = datatype::whole_elements(bytes_of(*status), type);
  return {};
}

Error get_elements(const MPI_Status* status, const datatype::Datatype& type, MPI_Count* count) {
  *count = datatype::basic_elements(bytes_of(*status), type);
  return {};
}

Error set_elements(MPI_Status* status, const datatype::Datatype& type, MPI_Count count) {
  const MPI_Count bytes = datatype::bytes_of_elements(count, type);
  std::memcpy(status->MPI_internal, &bytes, sizeof bytes);
  return {};
}

Error test_cancelled(const MPI_Status* status, int* flag) {
  *flag = status->MPI_internal[kCancelledWord] != 0;
  return {};
}

Error set_cancelled(MPI_Status* status, int flag) {
  status->MPI_internal[kCancelledWord] = flag != 0;
  return {};
}

Error get_field(int field, int* value) {
  *value = field;
  return {};
}

Error set_field(int* field, int value) {
  *field = value;
  return {};
}

}  // namespace heddle::request
