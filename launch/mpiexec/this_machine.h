// this_machine.h — checks that the hosts that the user names are this machine. Jobs over several machines are
// not possible yet, and a job that silently runs elsewhere than asked would be worse than none.
//
// Thread safety: mpiexec has one thread.

#pragma once

#include <string>

namespace heddle::launch {

// `hosts` is "a,b:4,c"; a number after ':' (slots) is of no interest. Throws Failure.
void check_hosts(const std::string& argument, const std::string& hosts);

// The same for a file with a host a line ("a", "a:4", "a slots=4"; # comments). Throws Failure.
void check_host_file(const std::string& argument, const std::string& path);

}  // namespace heddle::launch
