// stations.h — what stays when a transport ends: ports that part need their watcher, and what else
// their network has for them.
//
//   Station    made by its transport ──► left to Stations with the transport's end
//              ──► ended with them, when its ports have parted
//
// So hosts that are pretended in one process can end one after the other: the first does not wait
// for a farewell of the second. A Station has a `watcher`, which ends before all that ports need.
//
// Thread safety: one thread.

#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "net/transport/ports/losses.h"
#include "net/transport/ports/watcher.h"

namespace heddle::transport {

// The stations of all transports of one factory.
template <class Station>
class Stations {
 public:
  explicit Stations(int hosts) : losses(hosts) {}

  void leave(std::unique_ptr<Station> station) {
    station->watcher.stop_waking();
    left_.push_back(std::move(station));
  }

  Losses losses;

 private:
  std::vector<std::unique_ptr<Station>> left_;  // end first
};

}  // namespace heddle::transport
