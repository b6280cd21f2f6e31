#include "mpi/p2p/remote/credit.h"

namespace heddle::p2p {

CreditReturns::CreditReturns(int hosts, const std::vector<bool>& is_here) {
  for (const bool here : is_here) index_of_.push_back(here ? ranks_here_++ : -1);
  const auto batches = static_cast<std::size_t>(hosts) * static_cast<std::size_t>(ranks_here_);
  batches_.reset(new std::atomic<std::int64_t>[batches]());
}

}  // namespace heddle::p2p
