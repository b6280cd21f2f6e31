#include "mpi/rma/transfer.h"

#include <cstring>
#include <type_traits>

#include "mpi/request/finished.h"
#include "mpi/rma/combine.h"
#include "mpi/rma/remote.h"

namespace heddle::rma {

using datatype::Datatype;

namespace {

[[gnu::cold, gnu::noinline]] Error too_long(MPI_Count given, MPI_Count room) {
  return Error::make(MPI_ERR_TRUNCATE,
                     "%lld bytes are to go into a buffer of %lld bytes, by their counts and types",
                     static_cast<long long>(given), static_cast<long long>(room));
}

// Moves all of `from` in this process. Short ones are one store, so that a strand that polls sees
// all of it.
[[gnu::always_inline]] inline Error move(const ConstBuffer& from, const Buffer& to) {
  const MPI_Count bytes = from.bytes();
  if (bytes > to.bytes()) [[unlikely]]
    return too_long(bytes, to.bytes());
  if (from.type->dense() && to.type->dense()) {
    switch (bytes) {
      case 8:
        std::memcpy(to.data, from.data, 8);
        return {};
      case 4:
        std::memcpy(to.data, from.data, 4);
        return {};
      default:
        break;
    }
  }
  datatype::copy(from, to, 0, bytes);
  return {};
}

Buffer at_target(std::byte* address, const Place& place) noexcept {
  return {address, place.count, place.type};
}

// True if this process can touch the member's memory: its own, or what it maps.
bool is_mapped(const Member& member) noexcept {
  return member.here || member.base != nullptr;
}

MPI_Aint offset_at(const Member& member, const std::byte* address) noexcept {
  return static_cast<MPI_Aint>(reinterpret_cast<std::uintptr_t>(address) -
                               reinterpret_cast<std::uintptr_t>(member.base));
}

// Puts from a ConstBuffer, gets into a Buffer.
template <class Origin>
[[gnu::always_inline]] inline Error carry(const Origin& origin, const Place& place, Window& window,
                                          Needs needs) {
  constexpr bool kPuts = std::is_same_v<Origin, ConstBuffer>;
  if (place.rank == MPI_PROC_NULL) [[unlikely]]
    return {};
  std::byte* address = nullptr;
  if (Error e = find(place, window, needs, &address)) return e;
  const Buffer target = at_target(address, place);
  const Member& member = window.member(place.rank);
  if (is_mapped(member)) [[likely]] {
    if constexpr (kPuts) {
      return move(origin, target);
    } else {
      return move(target, origin);
    }
  }
  const MPI_Count bytes = kPuts ? origin.bytes() : target.bytes();
  const MPI_Count room = kPuts ? target.bytes() : origin.bytes();
  if (bytes > room) return too_long(bytes, room);
  const MPI_Aint offset = offset_at(member, address);
  if constexpr (kPuts) {
    return remote::put(origin, place, offset, bytes, window);
  } else {
    return remote::get(origin, place, offset, bytes, window);
  }
}

bool is_op(const op::Op& op, MPI_Op constant) noexcept {
  return &op == op::from_handle(constant);
}

Error mixed_types(const Datatype& type) {
  return Error::make(MPI_ERR_TYPE,
                     "%s has elements of several predefined types, which no operation combines",
                     datatype::describe(type).c_str());
}

[[gnu::cold, gnu::noinline]] Error bad_op(const op::Op& op) {
  if (!op.predefined()) {
    return Error::make(MPI_ERR_OP, "argument op is %s, but only predefined operations are allowed",
                       op.describe().c_str());
  }
  return Error::make(MPI_ERR_OP, "argument op is MPI_NO_OP, which is for calls that fetch");
}

inline Error check_op(const op::Op& op, bool fetches) {
  if (op.predefined() && (fetches || !is_op(op, MPI_NO_OP))) [[likely]]
    return {};
  return bad_op(op);
}

[[gnu::noinline]] Error find_element_slow(const op::Op& op, const Datatype& target,
                                          const Datatype* given, const Datatype** element) {
  *element = element_of(target);
  if (is_op(op, MPI_REPLACE) || is_op(op, MPI_NO_OP)) {
    if (*element == nullptr) *element = &datatype::named(MPI_BYTE);
    return {};
  }
  if (*element == nullptr) return mixed_types(target);
  if (Error e = op.check(**element)) return e;
  const Datatype* const other = given == nullptr ? *element : element_of(*given);
  if (other == nullptr) return mixed_types(*given);
  if (are_alike(**element, *other)) return {};
  return Error::make(MPI_ERR_TYPE, "the origin has elements of %s, and the target of %s",
                     datatype::describe(*other).c_str(), datatype::describe(**element).c_str());
}

// The type of the elements that are combined: those of the target, and of the origin's type `given`
// unless that is null. And the loop for them.
[[gnu::always_inline]] inline Error find_element(const op::Op& op, const Datatype& target,
                                                 const Datatype* given, const Datatype** element,
                                                 op::Kernel* kernel) {
  *element = &target;
  *kernel = op.kernel(target);
  const bool is_named = target.named() != MPI_DATATYPE_NULL;  // packets name it by its constant
  if (*kernel != nullptr && is_named && (given == nullptr || given == &target)) [[likely]]
    return {};
  if (Error e = find_element_slow(op, target, given, element)) return e;
  *kernel = op.kernel(**element);
  return {};
}

Error combine_at(const ConstBuffer& origin, const Buffer& result, const Place& place,
                 const op::Op& op, Window& window, Needs needs) {
  const bool fetches = result.type != nullptr;
  const bool combines = !is_op(op, MPI_NO_OP);
  if (Error e = check_op(op, fetches)) return e;
  if (place.rank == MPI_PROC_NULL) return {};
  std::byte* address = nullptr;
  if (Error e = find(place, window, needs, &address)) return e;
  const Buffer target = at_target(address, place);
  const MPI_Count bytes = combines ? origin.bytes() : target.bytes();
  if (bytes > target.bytes()) return too_long(bytes, target.bytes());
  if (fetches && bytes > result.bytes()) return too_long(bytes, result.bytes());
  if (bytes == 0) return {};
  const ConstBuffer nothing;
  const ConstBuffer& given = combines ? origin : nothing;
  const Datatype* element = nullptr;
  op::Kernel kernel = nullptr;
  if (Error e = find_element(op, *place.type, given.type, &element, &kernel)) return e;
  const Combination what{*element, op, kernel, window.part().stripes()};
  const Member& member = window.member(place.rank);
  if (!is_mapped(member)) [[unlikely]] {
    return remote::combine(given, result, place, offset_at(member, address), bytes, what, window);
  }
  combine(given, result, target, bytes, what);
  return {};
}

Error finished(Error error, request::Request** out) {
  if (!error) *out = &request::finished();
  return error;
}

[[gnu::cold, gnu::noinline]] Error not_named(const Datatype& type) {
  return Error::make(MPI_ERR_TYPE, "argument datatype is %s, but must be a predefined type",
                     datatype::describe(type).c_str());
}

inline Error need_named(const Datatype& type) {
  if (type.representation() != datatype::Representation::kNone || type.named() != MPI_DATATYPE_NULL)
      [[likely]]
    return {};
  return not_named(type);
}

[[gnu::cold, gnu::noinline]] Error no_buffer(const char* name) {
  return Error::make(MPI_ERR_BUFFER, "argument %s is a null pointer, but data is expected there",
                     name);
}

inline Error need_buffer(const char* name, const void* buffer) {
  if (buffer != nullptr) [[likely]]
    return {};
  return no_buffer(name);
}

bool may_be_compared(datatype::Family family) noexcept {
  using datatype::Family;
  switch (family) {
    case Family::kCInteger:
    case Family::kFortranInteger:
    case Family::kLogical:
    case Family::kMultiLanguage:
    case Family::kByte:
    case Family::kCharacter:
      return true;
    default:
      return false;
  }
}

}  // namespace

Error put(const ConstBuffer& origin, const Place& place, Window& window) {
  return carry(origin, place, window, Needs::kAnyEpoch);
}

Error get(const Buffer& origin, const Place& place, Window& window) {
  return carry(origin, place, window, Needs::kAnyEpoch);
}

Error accumulate(const ConstBuffer& origin, const Place& place, const op::Op& op, Window& window) {
  return combine_at(origin, {}, place, op, window, Needs::kAnyEpoch);
}

Error get_accumulate(const ConstBuffer& origin, const Buffer& result, const Place& place,
                     const op::Op& op, Window& window) {
  return combine_at(origin, result, place, op, window, Needs::kAnyEpoch);
}

Error fetch_and_op(const void* origin, void* result, const Place& place, const op::Op& op,
                   Window& window) {
  const bool combines = !is_op(op, MPI_NO_OP);
  const Datatype* element = nullptr;
  op::Kernel kernel = nullptr;
  if (Error e = check_op(op, true)) return e;
  if (Error e = need_named(*place.type)) return e;
  if (Error e = find_element(op, *place.type, nullptr, &element, &kernel)) return e;
  if (place.rank == MPI_PROC_NULL) return {};
  if (Error e = need_buffer("result_addr", result)) return e;
  if (combines) {
    if (Error e = need_buffer("origin_addr", origin)) return e;
  }
  std::byte* address = nullptr;
  if (Error e = find(place, window, Needs::kAnyEpoch, &address)) return e;
  const Combination what{*element, op, kernel, window.part().stripes()};
  const Member& member = window.member(place.rank);
  if (!is_mapped(member)) [[unlikely]] {
    const ConstBuffer given = combines ? ConstBuffer{origin, 1, place.type} : ConstBuffer{};
    return remote::combine(given, {result, 1, place.type}, place, offset_at(member, address),
                           place.type->size(), what, window);
  }
  combine_one(combines ? origin : nullptr, result, address, what);
  return {};
}

Error compare_and_swap(const void* origin, const void* compare, void* result, const Place& place,
                       Window& window) {
  if (!may_be_compared(place.type->family())) {
    return Error::make(MPI_ERR_TYPE,
                       "argument datatype is %s, but must be a predefined integer, logical, "
                       "multi-language or byte type",
                       datatype::describe(*place.type).c_str());
  }
  if (place.rank == MPI_PROC_NULL) return {};
  if (Error e = need_buffer("origin_addr", origin)) return e;
  if (Error e = need_buffer("compare_addr", compare)) return e;
  if (Error e = need_buffer("result_addr", result)) return e;
  std::byte* address = nullptr;
  if (Error e = find(place, window, Needs::kAnyEpoch, &address)) return e;
  const Member& member = window.member(place.rank);
  if (!is_mapped(member)) [[unlikely]] {
    return remote::swap_if_equal(origin, compare, result, place, offset_at(member, address),
                                 window);
  }
  swap_if_equal(origin, compare, result, address, static_cast<std::size_t>(place.type->size()),
                window.part().stripes());
  return {};
}

Error rput(const ConstBuffer& origin, const Place& place, Window& window, request::Request** out) {
  return finished(carry(origin, place, window, Needs::kLocks), out);
}

Error rget(const Buffer& origin, const Place& place, Window& window, request::Request** out) {
  return finished(carry(origin, place, window, Needs::kLocks), out);
}

Error raccumulate(const ConstBuffer& origin, const Place& place, const op::Op& op, Window& window,
                  request::Request** out) {
  return finished(combine_at(origin, {}, place, op, window, Needs::kLocks), out);
}

Error rget_accumulate(const ConstBuffer& origin, const Buffer& result, const Place& place,
                      const op::Op& op, Window& window, request::Request** out) {
  return finished(combine_at(origin, result, place, op, window, Needs::kLocks), out);
}

}  // namespace heddle::rma
