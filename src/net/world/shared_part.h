// shared_part.h — what the members of a communicator that live in this host have in common.
//
// Each rank has a Comm of its own; the members find their common part by the communicator's context
// id, which no other communicator has had. The layers above derive from SharedPart.
//
//   the first member that joins  makes it
//   every other member           gets the same
//   the last that leaves         deletes it; parts that are left when the job ends are deleted with
//                                the host
//
// Thread safety: join and leave from any strand, each once a member. They take a mutex for the time
// of a look-up, or of making the part.

#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

#include "base/standing.h"
#include "net/world/names.h"

namespace heddle::world {

class SharedParts;

class SharedPart {
 public:
  virtual ~SharedPart() = default;
  SharedPart(SharedPart&&) = delete;

  // The part may be gone when this returns.
  void leave() noexcept;

 protected:
  // `members` is how many will join and leave.
  explicit SharedPart(int members) noexcept : members_(members) {}

 private:
  friend class SharedParts;

  SharedParts* parts_ = nullptr;  // constant once made
  ContextId context_ = 0;         // constant once made
  int members_;                   // that have not left, and holds; guarded by the table's mutex
};

// The shared parts of one host.
class SharedParts {
 public:
  using Make = std::unique_ptr<SharedPart> (*)(const void* argument);

  // The part of `context`; make(argument) makes it if no member has.
  SharedPart& join(ContextId context, Make make, const void* argument);

  // The part of `context`, which stays until leave() is called once more; nullptr if there is none.
  // For any thread, also in a poll.
  SharedPart* hold(ContextId context) noexcept;

  // Calls use(part) if there is a part of `context`, which stays meanwhile. For any thread, also in
  // a poll.
  template <class Use>
  void look_at(ContextId context, Use&& use) noexcept {
    const Within<Standing::kSection> section;
    const std::lock_guard<std::mutex> guard(mutex_);
    const auto found = parts_.find(context);
    if (found != parts_.end()) use(*found->second);
  }

 private:
  friend class SharedPart;

  void leave(SharedPart& part) noexcept;

  // Lock: guards the rest: a host's table of shared parts; held across making a part; taken in a
  // communicator's first collective and at its end, and after a channel's lock.
  std::mutex mutex_;
  std::unordered_map<ContextId, std::unique_ptr<SharedPart>> parts_;
};

}  // namespace heddle::world
