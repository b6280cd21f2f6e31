// datarep.h — how data lie in a file (MPI 5.0 §14.5).
//
//   native, internal   as in memory
//   external32         as datatype/external32.h has it
//   a registered one   as functions of the program say, which convert a buffer as a whole. They run
//                      on strands of the rank alone. Without them data lie as in memory
//
// Thread safety: immutable; registering locks.

#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "base/error.h"
#include "mpi/datatype/buffer.h"
#include "mpi/io/mover.h"

namespace heddle::io {

// The functions of MPI_Register_datarep; of each pair one is given at most.
struct Conversion {
  MPI_Datarep_conversion_function* read = nullptr;
  MPI_Datarep_conversion_function* write = nullptr;
  MPI_Datarep_conversion_function_c* read_large = nullptr;
  MPI_Datarep_conversion_function_c* write_large = nullptr;
  MPI_Datarep_extent_function* extent = nullptr;
  void* extra_state = nullptr;
};

class Datarep {
 public:
  enum class Kind { kNative, kExternal32, kRegistered };

  Datarep(Kind kind, std::string name, const Conversion& conversion = {})
      : kind_(kind), name_(std::move(name)), conversion_(conversion) {}

  const std::string& name() const noexcept { return name_; }
  // Data must be converted on their way.
  bool converts(Direction direction) const noexcept;
  // By functions of the program.
  bool is_registered() const noexcept { return kind_ == Kind::kRegistered; }

  // The bytes of an element in a file, without and with the gap to the next one.
  MPI_Count size_of(const datatype::Datatype& type) const;
  MPI_Count extent_of(const datatype::Datatype& type) const;
  // The etype's size in a file, and how a filetype lies there.
  Error lay_out(const datatype::Datatype& etype, datatype::Datatype& filetype, MPI_Count* unit,
                object::Ref<datatype::Datatype>* layout) const;

  // Whole buffers; `file` has as many bytes as size_of() says. May switch if it is registered.
  Error to_file(datatype::ConstBuffer memory, void* file) const;
  Error from_file(void* file, datatype::Buffer memory) const;

 private:
  const Kind kind_;
  const std::string name_;
  const Conversion conversion_;
};

std::shared_ptr<const Datarep> native_datarep();
Error find_datarep(const char* name, std::shared_ptr<const Datarep>* out);

// MPI_Register_datarep and its large twin.
Error register_datarep(const char* name, MPI_Datarep_conversion_function* read,
                       MPI_Datarep_conversion_function* write, MPI_Datarep_extent_function* extent,
                       void* extra_state);
Error register_datarep(const char* name, MPI_Datarep_conversion_function_c* read,
                       MPI_Datarep_conversion_function_c* write,
                       MPI_Datarep_extent_function* extent, void* extra_state);

}  // namespace heddle::io
