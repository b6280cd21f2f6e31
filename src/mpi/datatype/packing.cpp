#include "mpi/datatype/packing.h"

#include <cstring>

#include "mpi/datatype/external32.h"

namespace heddle::datatype {

namespace {

// `bytes` bytes at `position` lie within the program's `room` bytes.
Error check_room(const char* name, MPI_Count room, MPI_Count position, MPI_Count bytes) {
  if (position < 0) {
    return Error::make(MPI_ERR_ARG, "argument position is %lld, which is negative",
                       static_cast<long long>(position));
  }
  if (position <= room && bytes <= room - position) return {};
  return Error::make(MPI_ERR_ARG, "argument %s is %lld, but position %lld and %lld bytes need more",
                     name, static_cast<long long>(room), static_cast<long long>(position),
                     static_cast<long long>(bytes));
}

Error packed_size(MPI_Count count, const Datatype& type, MPI_Count* bytes) {
  if (!__builtin_mul_overflow(count, type.size(), bytes)) return {};
  return Error::make(MPI_ERR_COUNT, "%lld elements of %s are more bytes than MPI_Count can tell",
                     static_cast<long long>(count), describe(type).c_str());
}

}  // namespace

Error pack_at(ConstBuffer from, void* out, MPI_Count room, MPI_Count* position) {
  MPI_Count bytes = 0;
  if (Error e = packed_size(from.count, *from.type, &bytes)) return e;
  if (Error e = check_room("outsize", room, *position, bytes)) return e;
  pack(from, 0, static_cast<char*>(out) + *position, bytes);
  *position += bytes;
  return {};
}

Error unpack_at(const void* in, MPI_Count bytes, MPI_Count* position, Buffer to) {
  MPI_Count needed = 0;
  if (Error e = packed_size(to.count, *to.type, &needed)) return e;
  if (Error e = check_room("insize", bytes, *position, needed)) return e;
  unpack(to, 0, static_cast<const char*>(in) + *position, needed);
  *position += needed;
  return {};
}

Error pack_size(MPI_Count count, const Datatype& type, MPI_Count* size) {
  return packed_size(count, type, size);
}

Error pack_external_at(const char* form, ConstBuffer from, void* out, MPI_Count room,
                       MPI_Count* position) {
  MPI_Count bytes = 0;
  if (Error e = pack_external_size(form, from.count, *from.type, &bytes)) return e;
  if (Error e = check_room("outsize", room, *position, bytes)) return e;
  if (Error e = encode_external32(from, static_cast<char*>(out) + *position)) return e;
  *position += bytes;
  return {};
}

Error unpack_external_at(const char* form, const void* in, MPI_Count bytes, MPI_Count* position,
                         Buffer to) {
  MPI_Count needed = 0;
  if (Error e = pack_external_size(form, to.count, *to.type, &needed)) return e;
  if (Error e = check_room("insize", bytes, *position, needed)) return e;
  decode_external32(static_cast<const char*>(in) + *position, to);
  *position += needed;
  return {};
}

Error pack_external_size(const char* form, MPI_Count count, const Datatype& type, MPI_Count* size) {
  if (std::strcmp(form, "external32") != 0) {
    return Error::make(MPI_ERR_ARG, "argument datarep is \"%s\", but must be \"external32\"", form);
  }
  if (Error e = packed_size(count, type, size)) return e;
  *size = count * external32_size(type);  // not more
  return {};
}

}  // namespace heddle::datatype
