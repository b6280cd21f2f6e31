// station.h — what the channels of one host have in common on the fabric, and what stays when its transport ends: ports that
// part need their provider and their watcher.
//
//   Station    made by its transport ──► left to Stations with the transport's end ──► ended with them, when its ports have parted
//
// So hosts that are pretended in one process can end one after the other: the first does not wait for a farewell of the second.
//
// Thread safety: one thread.

#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "net/transport/fabric/losses.h"
#include "net/transport/fabric/provider.h"
#include "net/transport/fabric/watcher.h"

namespace heddle::transport {

struct Station {
  explicit Station(int longest_parting_ms) noexcept : watcher(longest_parting_ms) {}

  Provider provider;
  Watcher watcher;  // ends first: it has ports
};

// Of all transports of one factory.
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
