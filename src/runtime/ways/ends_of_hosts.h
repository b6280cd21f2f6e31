// ends_of_hosts.h — how hosts that share no board learn of each other's ends: by the watch
// (watch/watch.h) and by their launcher.
//
//   what happens                                   what the others do
//   ---------------------------------------------  ------------------------------------------------
//   a host is lost                                 they end: abort_for_others
//   a host ends the job                            the same
//   a rank has ended with 0 and no MPI_Finalize    they note it on their boards: no rank may come to
//   (decision 75)                                  MPI_Finalize any more. A thread looks, with
//                                                  pauses: it ends the job once all ranks have used
//                                                  no processor time for half a minute and one is
//                                                  inside MPI
//
// Where mpiexec is the parent of all hosts it sees them die.
//
// Thread safety: any thread, once the watch is there.

#pragma once

#include <string>

#include "runtime/ways/launcher/launcher.h"
#include "runtime/ways/layout.h"
#include "runtime/ways/watch/watch.h"
#include "runtime/ways/way.h"

namespace heddle::runtime {

// This one has started the process, and stays: from now on it and the watch hear of an abort.
void tell_ends_to(launcher::Launcher& launcher) noexcept;

// False: there need be no watch.
bool are_ends_watched(const Listener* listener) noexcept;
// Makes it; it stays. Its address and its place are the caller's, the rest is set here. Sentences
// name a host by its ranks.
watch::Watch& watch_ends(watch::Options options, const Layout& layout, Listener* listener);

// A rank of this host, one of so many, has ended with status 0 without MPI_Finalize.
void tell_others_of_left(int host, int hosts) noexcept;
// This host ends in order.
void leave_watch() noexcept;

// Another process of the job is lost, or has ended the job with this status. An empty sentence:
// another process has said why. Then the launcher is given time to end this one.
void abort_for_others(int status, const std::string& sentence) noexcept;

}  // namespace heddle::runtime
