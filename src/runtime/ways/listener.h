// listener.h — hears what other hosts say by the watch that is no end (watch/words.h).
//
// Thread safety: heard() is called by the watch's thread, maybe before the job runs.

#pragma once

#include <string_view>

#include "runtime/ways/watch/watch.h"

namespace heddle::runtime {

class Listener {
 public:
  // Called once, before any word is heard: by this watch the listener may answer.
  virtual void speak_by(watch::Watch& watch) noexcept = 0;
  virtual void heard(const watch::Word& word, std::string_view text) = 0;

 protected:
  ~Listener() = default;
};

}  // namespace heddle::runtime
