#include "launch/mpiexec/this_machine.h"

#include <unistd.h>

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

void check_host(const std::string& argument, std::string host) {
  const std::size_t colon = host.rfind(':');
  if (colon != std::string::npos && host.find(':') == colon) host.resize(colon);
  if (is_this_machine(host)) return;
  fail_usage("argument " + argument + " names '" + host +
             "', which is not this machine; jobs over several machines are not possible yet");
}

}  // namespace

void check_hosts(const std::string& argument, const std::string& hosts) {
  std::istringstream list(hosts);
  for (std::string host; std::getline(list, host, ',');) check_host(argument, host);
}

void check_host_file(const std::string& argument, const std::string& path) {
  std::ifstream file(path);
  if (!file) fail_usage("argument " + argument + ": cannot read '" + path + "'");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string host;
    if (words >> host) check_host(argument, host);
  }
}

}  // namespace heddle::launch
