#include "mpi/rma/combine.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "mpi/rma/element_runs.h"

namespace heddle::rma {

using datatype::Address;
using datatype::Buffer;
using datatype::ConstBuffer;
using datatype::Datatype;

Stripe stripes_of_process[kStripes];

namespace {

// Adjacent elements at both sides of the target's, which lie `extent` bytes apart.
struct Elements {
  const std::byte* origin;  // null: nothing is combined
  std::byte* result;        // null: nothing is fetched

  void advance(MPI_Count bytes) noexcept {
    if (origin != nullptr) origin += bytes;
    if (result != nullptr) result += bytes;
  }
};

void copy_adjacent(const std::byte* from, std::byte* to, MPI_Count count,
                   const Datatype& element) noexcept {
  const MPI_Count bytes = count * element.size();
  if (element.dense()) [[likely]] {
    datatype::copy_run(reinterpret_cast<char*>(to), reinterpret_cast<const char*>(from), bytes);
  } else {
    datatype::copy({from, count, &element}, {to, count, &element}, 0, bytes);
  }
}

// Under the stripe.
[[gnu::always_inline]] inline void combine_locked(const Elements& at, std::byte* target,
                                                  MPI_Count count,
                                                  const Combination& what) noexcept {
  if (at.result != nullptr) copy_adjacent(target, at.result, count, what.element);
  if (at.origin == nullptr) return;
  if (what.kernel != nullptr) [[likely]] {
    what.kernel(at.origin, target, static_cast<std::size_t>(count));
  } else {
    copy_adjacent(at.origin, target, count, what.element);
  }
}

// `count` adjacent elements, a page at a time.
void combine_run(Elements& at, std::byte* target, MPI_Count count,
                 const Combination& what) noexcept {
  const auto extent = static_cast<std::uint32_t>(what.element.extent());
  while (count > 0) {
    const std::uint32_t in_page = reinterpret_cast<Address>(target) % kStripePage;
    const std::uint32_t room = (kStripePage - in_page + extent - 1) / extent;
    const MPI_Count part = std::min<MPI_Count>(count, room);
    {
      const SpinGuard guard(what.stripes.of(target).lock);
      combine_locked(at, target, part, what);
    }
    at.advance(part * extent);
    target += part * extent;
    count -= part;
  }
}

bool is_adjacent(const ConstBuffer& buffer, const Datatype& element) noexcept {
  return buffer.type == &element || (buffer.type->dense() && element.dense());
}

bool is_adjacent_or_none(const ConstBuffer& buffer, const Datatype& element) noexcept {
  return buffer.type == nullptr || is_adjacent(buffer, element);
}

// Adjacent elements with the data of a buffer: the buffer itself where it is that already.
class Adjacent {
 public:
  Adjacent(ConstBuffer buffer, MPI_Count bytes, const Datatype& element)
      : buffer_(buffer), bytes_(bytes), element_(element), elements_(bytes / element.size()) {
    if (is_adjacent_or_none(buffer, element)) return;
    copy_.reset(new std::byte[static_cast<std::size_t>(elements_ * element.extent())]);
  }

  std::byte* data() const noexcept {
    if (copy_ != nullptr) return copy_.get();
    return static_cast<std::byte*>(const_cast<void*>(buffer_.data));
  }
  void read() noexcept {
    if (copy_ != nullptr) {
      datatype::copy(buffer_, {copy_.get(), elements_, &element_}, 0, bytes_);
    }
  }
  void write_back() noexcept {
    if (copy_ == nullptr) return;
    const Buffer to{const_cast<void*>(buffer_.data), buffer_.count, buffer_.type};
    datatype::copy({copy_.get(), elements_, &element_}, to, 0, bytes_);
  }

 private:
  const ConstBuffer buffer_;
  const MPI_Count bytes_;
  const Datatype& element_;
  const MPI_Count elements_;
  std::unique_ptr<std::byte[]> copy_;
};

[[gnu::noinline]] void combine_scattered(const ConstBuffer& origin, const Buffer& result,
                                         const Buffer& target, MPI_Count bytes,
                                         const Combination& what) {
  Adjacent from(origin, bytes, what.element), fetched(result, bytes, what.element);
  from.read();
  Elements at{from.data(), fetched.data()};
  if (is_adjacent(target, what.element)) {
    combine_run(at, static_cast<std::byte*>(target.data), bytes / what.element.size(), what);
  } else {
    ElementRuns runs(what.element, [&at, &what](Address address, MPI_Count length) {
      combine_run(at, reinterpret_cast<std::byte*>(address), length / what.element.size(), what);
    });
    datatype::walk_buffer(target.data, *target.type, 0, bytes, runs);
  }
  fetched.write_back();
}

}  // namespace

bool are_alike(const Datatype& first, const Datatype& second) noexcept {
  return &first == &second || (first.representation() == second.representation() &&
                               first.representation() != datatype::Representation::kNone);
}

const Datatype* element_of(const Datatype& type) {
  if (type.named() != MPI_DATATYPE_NULL) return &type;
  const Datatype* common = nullptr;
  for (const datatype::Part& part : type.parts()) {
    if (part.repeat == 0) continue;
    const Datatype* const element = element_of(*part.type);
    if (element == nullptr) return nullptr;
    const bool fits = common == nullptr || are_alike(*common, *element);
    if (!fits) return nullptr;
    common = element;
  }
  return common;
}

void combine(const ConstBuffer& origin, const Buffer& result, const Buffer& target, MPI_Count bytes,
             const Combination& what) {
  const bool are_adjacent = is_adjacent_or_none(origin, what.element) &&
                            is_adjacent_or_none(result, what.element) &&
                            is_adjacent(target, what.element);
  if (!are_adjacent) [[unlikely]]
    return combine_scattered(origin, result, target, bytes, what);
  Elements at{static_cast<const std::byte*>(origin.data), static_cast<std::byte*>(result.data)};
  combine_run(at, static_cast<std::byte*>(target.data), bytes / what.element.size(), what);
}

void combine_packed(const std::byte* origin, std::byte* result, std::byte* target, MPI_Count count,
                    const Combination& what) {
  const Datatype& element = what.element;
  const MPI_Count bytes = count * element.size();
  ConstBuffer from;
  Buffer fetched;
  if (origin != nullptr) from = datatype::bytes_at(origin, bytes);
  if (result != nullptr) fetched = datatype::bytes_at(result, bytes);
  combine(from, fetched, {target, count, &element}, bytes, what);
}

void combine_one(const void* origin, void* result, void* target, const Combination& what) noexcept {
  const SpinGuard guard(what.stripes.of(target).lock);
  combine_locked({static_cast<const std::byte*>(origin), static_cast<std::byte*>(result)},
                 static_cast<std::byte*>(target), 1, what);
}

void swap_if_equal(const void* origin, const void* compare, void* result, void* target,
                   std::size_t bytes, Stripes stripes) noexcept {
  const SpinGuard guard(stripes.of(target).lock);
  std::memcpy(result, target, bytes);
  if (std::memcmp(target, compare, bytes) == 0) std::memcpy(target, origin, bytes);
}

}  // namespace heddle::rma
