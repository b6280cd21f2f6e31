#include "mpi/datatype/query.h"

#include <cstring>

#include "mpi/attribute/keyval.h"
#include "mpi/lifetime/freeing.h"

namespace heddle::datatype {

using object::Kind;

namespace {

Error not_a_datatype(MPI_Datatype handle) {
  return Error::make(MPI_ERR_TYPE, "argument datatype is %s",
                     handle == MPI_DATATYPE_NULL ? "MPI_DATATYPE_NULL" : "not a datatype");
}

}  // namespace

Error commit(const MPI_Datatype* handle) {
  const Datatype* type = from_handle(*handle);
  if (type == nullptr) return not_a_datatype(*handle);
  type->commit();
  return {};
}

Error free(MPI_Datatype* handle) {
  const Datatype* type = from_handle(*handle);
  if (type == nullptr) return not_a_datatype(*handle);
  if (type->predefined()) {
    return Error::make(MPI_ERR_TYPE, "argument datatype is %s, which is predefined",
                       describe(*type).c_str());
  }
  if (Error e = lifetime::Freeing::check_unused(*type, MPI_ERR_TYPE, "datatype")) return e;
  // Before the handle is gone, because the delete callbacks get it.
  if (Error e = type->labels().attributes().clear(*type)) return e;
  object::Object* retired =
      object::retire(Kind::kDatatype, reinterpret_cast<object::HandleBits>(*handle));
  if (retired == nullptr) return not_a_datatype(*handle);
  const lifetime::Freeing freeing;
  retired->release();
  *handle = MPI_DATATYPE_NULL;
  return {};
}

Error get_size(const Datatype& type, MPI_Count* size) {
  *size = type.size();
  return {};
}

Error get_extent(const Datatype& type, MPI_Count* lower, MPI_Count* extent) {
  *lower = type.lower_bound();
  *extent = type.extent();
  return {};
}

Error get_true_extent(const Datatype& type, MPI_Count* lower, MPI_Count* extent) {
  *lower = type.true_lower_bound();
  *extent = type.true_extent();
  return {};
}

Error get_name(const Datatype* type, char* name, int* length) {
  const std::string text = type != nullptr ? type->name() : "MPI_DATATYPE_NULL";
  std::memcpy(name, text.c_str(), text.size() + 1);
  *length = static_cast<int>(text.size());
  return {};
}

Error set_name(const Datatype& type, const char* name) {
  type.labels().set_name(std::string(name, strnlen(name, MPI_MAX_OBJECT_NAME - 1)));
  return {};
}

Error get_value_index(const Datatype& value, const Datatype& index, Datatype** pair) {
  struct Known {
    MPI_Datatype value, index, pair;
  };
  const Known kKnown[] = {
      {MPI_FLOAT, MPI_INT, MPI_FLOAT_INT},
      {MPI_DOUBLE, MPI_INT, MPI_DOUBLE_INT},
      {MPI_LONG, MPI_INT, MPI_LONG_INT},
      {MPI_INT, MPI_INT, MPI_2INT},
      {MPI_SHORT, MPI_INT, MPI_SHORT_INT},
      {MPI_LONG_DOUBLE, MPI_INT, MPI_LONG_DOUBLE_INT},
      {MPI_REAL, MPI_REAL, MPI_2REAL},
      {MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_2DOUBLE_PRECISION},
      {MPI_INTEGER, MPI_INTEGER, MPI_2INTEGER},
  };
  *pair = nullptr;
  for (const Known& known : kKnown) {
    if (value.named() == known.value && index.named() == known.index) *pair = &named(known.pair);
  }
  return {};
}

Error match_size(int type_class, int size, Datatype** out) {
  struct Known {
    int type_class, size;
    MPI_Datatype type;
  };
  const Known kKnown[] = {
      {MPI_TYPECLASS_INTEGER, 1, MPI_INTEGER1},   {MPI_TYPECLASS_INTEGER, 2, MPI_INTEGER2},
      {MPI_TYPECLASS_INTEGER, 4, MPI_INTEGER4},   {MPI_TYPECLASS_INTEGER, 8, MPI_INTEGER8},
      {MPI_TYPECLASS_INTEGER, 16, MPI_INTEGER16}, {MPI_TYPECLASS_REAL, 2, MPI_REAL2},
      {MPI_TYPECLASS_REAL, 4, MPI_REAL4},         {MPI_TYPECLASS_REAL, 8, MPI_REAL8},
      {MPI_TYPECLASS_REAL, 16, MPI_REAL16},       {MPI_TYPECLASS_COMPLEX, 4, MPI_COMPLEX4},
      {MPI_TYPECLASS_COMPLEX, 8, MPI_COMPLEX8},   {MPI_TYPECLASS_COMPLEX, 16, MPI_COMPLEX16},
      {MPI_TYPECLASS_COMPLEX, 32, MPI_COMPLEX32},
  };
  bool class_known = false;
  for (const Known& known : kKnown) {
    if (known.type_class != type_class) continue;
    class_known = true;
    if (known.size != size) continue;
    *out = &named(known.type);
    return {};
  }
  if (!class_known) {
    return Error::make(MPI_ERR_ARG, "argument typeclass is %d, not an MPI_TYPECLASS_", type_class);
  }
  return Error::make(MPI_ERR_ARG, "argument size is %d, but no type of the class has that size",
                     size);
}

Error get_address(const void* location, MPI_Aint* address) {
  *address = reinterpret_cast<MPI_Aint>(location);
  return {};
}

// Unsigned, because addresses wrap around where signed numbers must not.
MPI_Aint add_address(MPI_Aint base, MPI_Aint displacement) noexcept {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(base) +
                               static_cast<std::uintptr_t>(displacement));
}

MPI_Aint subtract_address(MPI_Aint a, MPI_Aint b) noexcept {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(a) - static_cast<std::uintptr_t>(b));
}

Error get_attribute(const Datatype& type, int keyval, void* value, int* flag) {
  return type.labels().attributes().get(keyval, type, static_cast<void**>(value), flag);
}

Error put_attribute(const Datatype& type, int keyval, void* value) {
  return type.labels().attributes().put(keyval, value, type);
}

Error delete_attribute(const Datatype& type, int keyval) {
  return type.labels().attributes().erase(keyval, type);
}

}  // namespace heddle::datatype
