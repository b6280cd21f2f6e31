#include "mpi/io/datarep.h"

#include <climits>
#include <cstring>
#include <map>
#include <utility>

#include "base/spin_lock.h"
#include "exec/rank/rank.h"
#include "mpi/datatype/external32.h"

namespace heddle::io {

using datatype::Datatype;
using object::Ref;

namespace {

// What the program has registered; it stays until the rank ends.
struct Registered {
  // Lock: guards a rank's table of data representations that its program has registered.
  SpinLock lock;
  std::map<std::string, std::shared_ptr<const Datarep>> by_name GUARDED_BY(lock);
};
const RankLocal<Registered> registered_of_rank;

MPI_Datatype handle_of(const Datatype& type) noexcept {
  return reinterpret_cast<MPI_Datatype>(type.handle());
}

Error failed_conversion(const std::string& name, int code) {
  return Error::make(MPI_ERR_CONVERSION,
                     "a conversion function of the data representation \"%s\" returned %d",
                     name.c_str(), code);
}

}  // namespace

bool Datarep::converts(Direction direction) const noexcept {
  switch (kind_) {
    case Kind::kNative:
      return false;
    case Kind::kExternal32:
      return true;
    case Kind::kRegistered:
      return direction == Direction::kRead
                 ? conversion_.read != nullptr || conversion_.read_large != nullptr
                 : conversion_.write != nullptr || conversion_.write_large != nullptr;
  }
  return false;
}

MPI_Count Datarep::size_of(const Datatype& type) const {
  if (kind_ == Kind::kNative) return type.size();
  if (kind_ == Kind::kExternal32) return datatype::external32_size(type);
  if (type.predefined()) {
    MPI_Aint extent = type.size();
    if (conversion_.extent(handle_of(type), &extent, conversion_.extra_state) != MPI_SUCCESS) {
      extent = type.size();
    }
    return extent;
  }
  MPI_Count size = 0;
  for (const datatype::Part& part : type.parts()) size += part.repeat * size_of(*part.type);
  return size;
}

MPI_Count Datarep::extent_of(const Datatype& type) const {
  return type.dense() ? size_of(type) : type.extent();
}

Error Datarep::lay_out(const Datatype& etype, Datatype& filetype, MPI_Count* unit,
                       Ref<Datatype>* layout) const {
  *unit = size_of(etype);
  *layout = Ref<Datatype>(&filetype);
  if (size_of(filetype) == filetype.size()) return {};
  // As many bytes without gaps.
  if (filetype.dense()) {
    *layout = Ref<Datatype>(&datatype::named(MPI_BYTE));
    return {};
  }
  return Error::make(
      MPI_ERR_UNSUPPORTED_DATAREP,
      "argument filetype has gaps, and elements that have another size in %s than in "
      "memory; such a view is not supported",
      name_.c_str());
}

Error Datarep::to_file(datatype::ConstBuffer memory, void* file) const {
  if (kind_ == Kind::kExternal32) return datatype::encode_external32(memory, file);
  void* const data = const_cast<void*>(memory.data);
  const MPI_Datatype type = handle_of(*memory.type);
  const int code =
      conversion_.write_large != nullptr
          ? conversion_.write_large(data, type, memory.count, file, 0, conversion_.extra_state)
          : conversion_.write(data, type, static_cast<int>(memory.count), file, 0,
                              conversion_.extra_state);
  return code == MPI_SUCCESS ? Error() : failed_conversion(name_, code);
}

Error Datarep::from_file(void* file, datatype::Buffer memory) const {
  if (kind_ == Kind::kExternal32) {
    datatype::decode_external32(file, memory);
    return {};
  }
  const MPI_Datatype type = handle_of(*memory.type);
  const int code = conversion_.read_large != nullptr
                       ? conversion_.read_large(memory.data, type, memory.count, file, 0,
                                                conversion_.extra_state)
                       : conversion_.read(memory.data, type, static_cast<int>(memory.count), file,
                                          0, conversion_.extra_state);
  return code == MPI_SUCCESS ? Error() : failed_conversion(name_, code);
}

std::shared_ptr<const Datarep> native_datarep() {
  static const auto& native = *new std::shared_ptr<const Datarep>(
      std::make_shared<Datarep>(Datarep::Kind::kNative, "native"));
  return native;
}

Error find_datarep(const char* name, std::shared_ptr<const Datarep>* out) {
  if (std::strcmp(name, "native") == 0) {
    *out = native_datarep();
    return {};
  }
  if (std::strcmp(name, "internal") == 0) {
    *out = std::make_shared<Datarep>(Datarep::Kind::kNative, "internal");
    return {};
  }
  if (std::strcmp(name, "external32") == 0) {
    *out = std::make_shared<Datarep>(Datarep::Kind::kExternal32, "external32");
    return {};
  }
  Registered& own = registered_of_rank.get();
  const SpinGuard guard(own.lock);
  const auto found = own.by_name.find(name);
  if (found != own.by_name.end()) {
    *out = found->second;
    return {};
  }
  return Error::make(MPI_ERR_UNSUPPORTED_DATAREP,
                     "argument datarep is \"%.*s\", but it may be native, internal, external32 or "
                     "what MPI_Register_datarep has been called for",
                     MPI_MAX_DATAREP_STRING, name);
}

namespace {

Error add(const char* name, const Conversion& conversion) {
  if (std::strlen(name) >= MPI_MAX_DATAREP_STRING) {
    return Error::make(MPI_ERR_ARG,
                       "argument datarep has more than the %d characters that it may "
                       "have",
                       MPI_MAX_DATAREP_STRING - 1);
  }
  std::shared_ptr<const Datarep> present;
  Error missing = find_datarep(name, &present);
  const bool is_new = bool(missing);
  missing.ignore();
  if (!is_new) {
    return Error::make(MPI_ERR_DUP_DATAREP, "there is a data representation \"%s\" already", name);
  }
  auto made = std::make_shared<const Datarep>(Datarep::Kind::kRegistered, name, conversion);
  Registered& own = registered_of_rank.get();
  const SpinGuard guard(own.lock);
  own.by_name.emplace(name, std::move(made));
  return {};
}

}  // namespace

Error register_datarep(const char* name, MPI_Datarep_conversion_function* read,
                       MPI_Datarep_conversion_function* write, MPI_Datarep_extent_function* extent,
                       void* extra_state) {
  return add(name, {.read = read, .write = write, .extent = extent, .extra_state = extra_state});
}

Error register_datarep(const char* name, MPI_Datarep_conversion_function_c* read,
                       MPI_Datarep_conversion_function_c* write,
                       MPI_Datarep_extent_function* extent, void* extra_state) {
  return add(
      name,
      {.read_large = read, .write_large = write, .extent = extent, .extra_state = extra_state});
}

}  // namespace heddle::io
