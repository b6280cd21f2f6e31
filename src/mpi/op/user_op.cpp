#include "mpi/op/user_op.h"

#include <algorithm>
#include <climits>
#include <cstdio>

#include "mpi/lifetime/freeing.h"
#include "mpi/lifetime/in_call.h"
#include "mpi/lifetime/making.h"
#include "mpi/object/lent_handle.h"

namespace heddle::op {

namespace {

using datatype::Datatype;

// The handle of the datatype, whose address a user's function gets.
class TypeHandle {
 public:
  explicit TypeHandle(const Datatype& type) noexcept
      : handle_(type), value_(reinterpret_cast<MPI_Datatype>(handle_.bits())) {}

  MPI_Datatype* address() noexcept { return &value_; }

 private:
  const object::LentHandle handle_;
  MPI_Datatype value_;
};

class UserOp : public Op {
 public:
  explicit UserOp(bool commutative) noexcept : Op(commutative, Lifetime::kManaged) {}

  Error check(const Datatype&) const override { return {}; }

  std::string describe() const override {
    char text[40];
    std::snprintf(text, sizeof text, "the operation 0x%zx", handle());
    return text;
  }
};

class SmallUserOp final : public UserOp {
 public:
  SmallUserOp(MPI_User_function* function, bool commutative) noexcept
      : UserOp(commutative), function_(function) {}

  // A count beyond int is divided over several calls.
  void apply(const void* in, void* inout, MPI_Count count, const Datatype& type) const override {
    TypeHandle handle(type);
    auto* a = const_cast<char*>(static_cast<const char*>(in));
    auto* b = static_cast<char*>(inout);
    while (count > 0) {
      int part = static_cast<int>(std::min<MPI_Count>(count, INT_MAX));
      const MPI_Count bytes = part * type.extent();
      count -= part;
      function_(a, b, &part, handle.address());
      a += bytes;
      b += bytes;
    }
  }

 private:
  MPI_User_function* const function_;
};

class LargeUserOp final : public UserOp {
 public:
  LargeUserOp(MPI_User_function_c* function, bool commutative) noexcept
      : UserOp(commutative), function_(function) {}

  void apply(const void* in, void* inout, MPI_Count count, const Datatype& type) const override {
    if (count == 0) return;
    TypeHandle handle(type);
    function_(const_cast<void*>(in), inout, &count, handle.address());
  }

 private:
  MPI_User_function_c* const function_;
};

}  // namespace

Error create(MPI_User_function* function, int commute, Op** out) {
  const lifetime::Making making;
  *out = new SmallUserOp(function, commute != 0);
  return {};
}

Error create(MPI_User_function_c* function, int commute, Op** out) {
  const lifetime::Making making;
  *out = new LargeUserOp(function, commute != 0);
  return {};
}

Error free(MPI_Op* handle) {
  const Op* op = from_handle(*handle);
  if (op == nullptr) {
    return Error::make(MPI_ERR_OP, "argument op is %s",
                       *handle == MPI_OP_NULL ? "MPI_OP_NULL" : "not an operation");
  }
  if (op->predefined()) {
    return Error::make(MPI_ERR_OP, "argument op is %s, which is predefined",
                       op->describe().c_str());
  }
  if (Error e = lifetime::Freeing::check_unused(*op, MPI_ERR_OP, "op")) return e;
  const auto bits = reinterpret_cast<object::HandleBits>(*handle);
  object::Object* retired = object::retire(object::Kind::kOp, bits);
  if (retired == nullptr) return Error::make(MPI_ERR_OP, "argument op is not an operation");
  const lifetime::Freeing freeing;
  retired->release();
  *handle = MPI_OP_NULL;
  return {};
}

Error is_commutative(const Op* op, int* commute) {
  *commute = op->commutative() ? 1 : 0;
  return {};
}

Error reduce_local(const void* in, void* inout, MPI_Count count, const Datatype* type,
                   const Op* op) {
  const lifetime::InCall in_call(op, type);  // the user's function may take its time
  if (count != 0) op->apply(in, inout, count, *type);
  return {};
}

}  // namespace heddle::op
