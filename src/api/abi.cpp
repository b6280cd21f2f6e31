#include "api/abi.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "base/spin_lock.h"
#include "exec/rank/rank.h"

namespace heddle::api {

namespace {

constexpr char kLibraryVersion[] =
    "Heddle " HEDDLE_VERSION ", MPI 5.0 with the standard ABI 1.0; ranks are user-level threads";

constexpr int kLargestLogical = 16;

// One pair of values for each size of LOGICAL: 1, 2, 4, 8 and 16 bytes.
struct Booleans {
  bool set = false;
  char true_value[kLargestLogical];
  char false_value[kLargestLogical];
};

struct Fortran {
  // Lock: guards what a rank has set of Fortran's info and booleans.
  SpinLock lock;
  std::vector<info::Info::KeyValue> info GUARDED_BY(lock);
  bool info_set GUARDED_BY(lock) = false;
  Booleans booleans[kLargestLogical + 1] GUARDED_BY(lock);  // by size
};
const RankLocal<Fortran> fortran_of_rank;

Error check_size(int size) {
  constexpr int kSizes[] = {1, 2, 4, 8, 16};
  if (std::find(std::begin(kSizes), std::end(kSizes), size) != std::end(kSizes)) return {};
  return Error::make(MPI_ERR_ARG, "argument logical_size is %d, but must be 1, 2, 4, 8 or 16",
                     size);
}

}  // namespace

Error get_version(int* version, int* subversion) {
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return {};
}

Error get_library_version(char* version, int* length) {
  static_assert(sizeof kLibraryVersion <= MPI_MAX_LIBRARY_VERSION_STRING);
  std::memcpy(version, kLibraryVersion, sizeof kLibraryVersion);
  *length = static_cast<int>(sizeof kLibraryVersion - 1);
  return {};
}

Error get_abi_version(int* major, int* minor) {
  *major = MPI_ABI_VERSION;
  *minor = MPI_ABI_SUBVERSION;
  return {};
}

Error get_abi_info(info::Info** out) {
  *out = new info::Info({{"mpi_aint_size", std::to_string(sizeof(MPI_Aint))},
                         {"mpi_count_size", std::to_string(sizeof(MPI_Count))},
                         {"mpi_offset_size", std::to_string(sizeof(MPI_Offset))}});
  return {};
}

Error set_fortran_info(const info::Info* info) {
  if (info == nullptr) return Error::make(MPI_ERR_INFO, "argument info is MPI_INFO_NULL");
  Fortran& fortran = fortran_of_rank.get();
  SpinGuard guard(fortran.lock);
  if (fortran.info_set) return Error::make(MPI_ERR_ABI, "the Fortran info is set already");
  fortran.info = info->entries();
  fortran.info_set = true;
  return {};
}

Error get_fortran_info(info::Info** out) {
  Fortran& fortran = fortran_of_rank.get();
  SpinGuard guard(fortran.lock);
  if (fortran.info_set) *out = new info::Info(fortran.info);
  return {};
}

Error set_fortran_booleans(int size, const void* true_value, const void* false_value) {
  if (Error e = check_size(size)) return e;
  Fortran& fortran = fortran_of_rank.get();
  SpinGuard guard(fortran.lock);
  Booleans& booleans = fortran.booleans[size];
  if (booleans.set) {
    return Error::make(MPI_ERR_ABI, "the values of LOGICAL with %d bytes are set already", size);
  }
  std::memcpy(booleans.true_value, true_value, static_cast<std::size_t>(size));
  std::memcpy(booleans.false_value, false_value, static_cast<std::size_t>(size));
  booleans.set = true;
  return {};
}

Error get_fortran_booleans(int size, void* true_value, void* false_value, int* is_set) {
  if (Error e = check_size(size)) return e;
  Fortran& fortran = fortran_of_rank.get();
  SpinGuard guard(fortran.lock);
  const Booleans& booleans = fortran.booleans[size];
  *is_set = booleans.set;
  if (booleans.set) {
    std::memcpy(true_value, booleans.true_value, static_cast<std::size_t>(size));
    std::memcpy(false_value, booleans.false_value, static_cast<std::size_t>(size));
  }
  return {};
}

// The two have the same fields in the same order: MPI_F_SOURCE, MPI_F_TAG, MPI_F_ERROR, the rest.
static_assert(sizeof(MPI_Status) == MPI_F_STATUS_SIZE * sizeof(MPI_Fint));

Error status_to_fortran(const MPI_Status* from, MPI_Fint* to) {
  std::memcpy(to, from, sizeof *from);
  return {};
}

Error copy_status(const MPI_Status* from, MPI_Status* to) {
  if (to == nullptr)
    return Error::make(MPI_ERR_ARG, "the status to be written is MPI_STATUS_IGNORE");
  *to = *from;
  return {};
}

Error status_from_fortran(const MPI_Fint* from, MPI_Status* to) {
  if (to == nullptr)
    return Error::make(MPI_ERR_ARG, "the status to be written is MPI_STATUS_IGNORE");
  std::memcpy(to, from, sizeof *to);
  return {};
}

}  // namespace heddle::api
