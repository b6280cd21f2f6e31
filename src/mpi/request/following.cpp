#include "mpi/request/following.h"

namespace heddle::request {

Error follow(Request& request, const heddle_follower& follower) {
  if (!request.persistent() && request.done()) {
    follower.after(follower.state, HEDDLE_WHOLE, HEDDLE_WHOLE);
    follower.end(follower.state);
    return {};
  }
  const object::Ref<Request> other(&request);
  const auto life = request.persistent() ? Request::Life::kPersistent : Request::Life::kOnce;
  return take_place(make<Following>(follower, other, life), other);
}

}  // namespace heddle::request
