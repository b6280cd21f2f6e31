// datarep.h — how data lie in a file: "native", "internal", "external32" (MPI 5.0 §14.5).
//
//   native, internal   as in memory
//   external32         as external32.h has it
//
// Thread safety: immutable.

#pragma once

#include <memory>
#include <string>

#include "base/error.h"
#include "mpi/datatype/datatype.h"

namespace heddle::io {

class Datarep {
 public:
  enum class Kind { kNative, kExternal32 };

  Datarep(Kind kind, std::string name) : kind_(kind), name_(std::move(name)) {}

  const std::string& name() const noexcept { return name_; }
  // Data must be converted on their way.
  bool converts() const noexcept { return kind_ != Kind::kNative; }

  // The bytes of an element in a file, and of the gap to the next one.
  MPI_Count size_of(const datatype::Datatype& type) const;
  MPI_Count extent_of(const datatype::Datatype& type) const;
  // The etype's size in a file, and how a filetype lies there.
  Error lay_out(const datatype::Datatype& etype, datatype::Datatype& filetype, MPI_Count* unit,
                object::Ref<datatype::Datatype>* layout) const;

 private:
  const Kind kind_;
  const std::string name_;
};

std::shared_ptr<const Datarep> native_datarep();
Error find_datarep(const char* name, std::shared_ptr<const Datarep>* out);

}  // namespace heddle::io
