#include "launch/mpiexec/machines.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "launch/mpiexec/failure.h"

namespace heddle::launch {

namespace {

bool is_this_machine(const std::string& host) {
  if (host == "localhost" || host == "127.0.0.1" || host == "::1") return true;
  char own[256] = "";
  gethostname(own, sizeof own - 1);
  const std::string name = own;
  return host == name || host == name.substr(0, name.find('.')) ||
         host.substr(0, host.find('.')) == name;
}

void add_host(const std::string& argument, std::string host, Words& machines) {
  const std::size_t colon = host.rfind(':');
  if (colon != std::string::npos && host.find(':') == colon) host.resize(colon);
  if (host.empty()) fail_usage("argument " + argument + " names a machine without a name");
  if (std::find(machines.begin(), machines.end(), host) == machines.end()) {
    machines.push_back(host);
  }
}

}  // namespace

void add_hosts(const std::string& argument, const std::string& hosts, Words& machines) {
  std::istringstream list(hosts);
  for (std::string host; std::getline(list, host, ',');) add_host(argument, host, machines);
}

void add_host_file(const std::string& argument, const std::string& path, Words& machines) {
  std::ifstream file(path);
  if (!file) fail_usage("argument " + argument + ": cannot read '" + path + "'");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string host;
    if (words >> host) add_host(argument, host, machines);
  }
}

bool is_for_this_machine(const CommandLine& line) {
  return line.launcher.empty() &&
         std::all_of(line.machines.begin(), line.machines.end(), is_this_machine);
}

}  // namespace heddle::launch
