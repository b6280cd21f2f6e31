#include "mpi/io/datarep.h"

#include <cstring>
#include <utility>

#include "mpi/datatype/external32.h"

namespace heddle::io {

using datatype::Datatype;
using object::Ref;

MPI_Count Datarep::size_of(const Datatype& type) const {
  return converts() ? datatype::external32_size(type) : type.size();
}

MPI_Count Datarep::extent_of(const Datatype& type) const {
  return type.dense() ? size_of(type) : type.extent();
}

Error Datarep::lay_out(const Datatype& etype, Datatype& filetype, MPI_Count* unit,
                       Ref<Datatype>* layout) const {
  *unit = size_of(etype);
  *layout = Ref<Datatype>(&filetype);
  const MPI_Count size = size_of(filetype);
  if (size == filetype.size()) return {};
  // As many bytes without gaps.
  if (filetype.dense()) {
    *layout = Ref<Datatype>(&datatype::named(MPI_BYTE));
    return {};
  }
  return Error::make(MPI_ERR_UNSUPPORTED_DATAREP,
                     "argument filetype has gaps and elements that are shorter in %s than in "
                     "memory; such a view is not supported",
                     name_.c_str());
}

std::shared_ptr<const Datarep> native_datarep() {
  static const auto& native = *new std::shared_ptr<const Datarep>(
      std::make_shared<Datarep>(Datarep::Kind::kNative, "native"));
  return native;
}

Error find_datarep(const char* name, std::shared_ptr<const Datarep>* out) {
  if (std::strcmp(name, "native") == 0) {
    *out = native_datarep();
  } else if (std::strcmp(name, "internal") == 0) {
    *out = std::make_shared<Datarep>(Datarep::Kind::kNative, "internal");
  } else if (std::strcmp(name, "external32") == 0) {
    *out = std::make_shared<Datarep>(Datarep::Kind::kExternal32, "external32");
  } else {
    return Error::make(MPI_ERR_UNSUPPORTED_DATAREP,
                       "argument datarep is \"%.*s\", but native, internal and external32 are the "
                       "representations that there are",
                       MPI_MAX_DATAREP_STRING, name);
  }
  return {};
}

}  // namespace heddle::io
