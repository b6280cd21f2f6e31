// policy.h — how references to MPI objects are kept: the policies, and which one this host has.
//
//   policy      a pending operation's reference      an object that the program freed ends
//   ----------  -----------------------------------  ------------------------------------------
//   atomic      an atomic count, always              with its last reference
//   predefined  the same, but not where the object   with its last reference
//               is predefined
//   collector   a plain pointer (transient.h)        in a cycle of its rank (collector.h)
//   none        a plain pointer                      never: an upper bound, to measure against
//   asserted    a plain pointer                      with its last other reference; the user
//                                                    asserts that no operation is pending then
//                                                    (freeing.h: debug builds check)
//
// HEDDLE_LIFETIME names the policy (base/settings.h); the default is `collector`. All other
// references (a datatype's to those that it is built on, a communicator's to its groups) count
// under every policy.
//
// Thread safety: constant.

#pragma once

#include "base/settings_table.h"

namespace heddle::lifetime {

using Policy = settings::Lifetime;

extern const Policy policy;

// True if the references of pending operations count. On every message's way, so one test.
inline bool transients_count() noexcept {
  return policy <= Policy::kPredefined;
}

}  // namespace heddle::lifetime
