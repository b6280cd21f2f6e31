#include "net/world/shared_part.h"

#include "base/standing.h"

namespace heddle::world {

void SharedPart::leave() noexcept {
  parts_->leave(*this);
}

SharedPart& SharedParts::join(ContextId context, Make make, const void* argument) {
  const Within<Standing::kSection> section;
  const std::lock_guard<std::mutex> guard(mutex_);
  std::unique_ptr<SharedPart>& part = parts_[context];
  if (part == nullptr) {
    part = make(argument);
    part->parts_ = this;
    part->context_ = context;
  }
  return *part;
}

SharedPart* SharedParts::hold(ContextId context) noexcept {
  const Within<Standing::kSection> section;
  const std::lock_guard<std::mutex> guard(mutex_);
  const auto found = parts_.find(context);
  if (found == parts_.end()) return nullptr;
  ++found->second->members_;
  return found->second.get();
}

void SharedParts::leave(SharedPart& part) noexcept {
  std::unique_ptr<SharedPart> last;  // deleted without the mutex
  const Within<Standing::kSection> section;
  const std::lock_guard<std::mutex> guard(mutex_);
  if (--part.members_ > 0) return;
  const auto place = parts_.find(part.context_);
  last = std::move(place->second);
  parts_.erase(place);
}

}  // namespace heddle::world
