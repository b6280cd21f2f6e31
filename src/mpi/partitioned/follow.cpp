#include "mpi/partitioned/operation.h"
#include "mpi/request/following.h"

namespace heddle::partitioned {

namespace {

// The partitions of this operation are copied one by one, when they are handed over and when they
// have arrived.
class FollowingOperation final : public request::FollowingOf<Operation> {
 public:
  using FollowingOf::FollowingOf;

  Error ready(int first, int last) override {
    follower_.before(follower_.state, first, last);
    return other_->partitioned()->ready(first, last);
  }
  Error arrived(int partition, bool* flag) override {
    Error error = other_->partitioned()->arrived(partition, flag);
    if (!error && *flag && active()) follower_.after(follower_.state, partition, partition);
    return error;
  }
};

}  // namespace

Error follow(MPI_Request handle, const heddle_follower& follower) {
  request::Request* const found = request::from_handle(handle);
  if (found == nullptr) return request::bad_request(handle);
  if (found->partitioned() == nullptr) return request::follow(*found, follower);
  const object::Ref<request::Request> other(found);
  return request::take_place(request::make<FollowingOperation>(follower, other, Partitions{}),
                             other);
}

}  // namespace heddle::partitioned
