// awaited.h — what a strand spins for: a question that costs little, and that it asks again and
// again.
//
// Thread safety: that of the question.

#pragma once

namespace heddle::ult {

class Awaited {
 public:
  // `is_there()` tells; it outlives this object.
  template <class IsThere>
  explicit Awaited(const IsThere& is_there) noexcept
      : question_(&is_there),
        ask_([](const void* question) { return (*static_cast<const IsThere*>(question))(); }) {}

  bool is_there() const noexcept { return ask_(question_); }

 private:
  const void* const question_;
  bool (*const ask_)(const void*);
};

}  // namespace heddle::ult
