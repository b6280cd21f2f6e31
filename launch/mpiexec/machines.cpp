#include "launch/mpiexec/machines.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include "launch/mpiexec/allocation.h"
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

int slots_of(const std::string& argument, const std::string& host, const std::string& text) {
  int slots = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, slots);
  if (error == std::errc() && rest == end && slots > 0) return slots;
  fail_usage("argument " + argument + " gives machine '" + host + "' the number '" + text +
             "', but it must be a whole number from 1 on");
}

// `slots`: ""; a number, which `host` may end with, too.
void add_host(const std::string& argument, std::string host, std::string slots,
              std::vector<Machine>& machines) {
  const std::size_t colon = host.rfind(':');
  if (colon != std::string::npos && host.find(':') == colon) {
    if (slots.empty()) slots = host.substr(colon + 1);
    host.resize(colon);
  }
  if (host.empty()) fail_usage("argument " + argument + " names a machine without a name");
  const int more = slots.empty() ? 0 : slots_of(argument, host, slots);
  const auto found = std::find_if(machines.begin(), machines.end(),
                                  [&](const Machine& each) { return each.name == host; });
  if (found == machines.end()) {
    machines.push_back({host, more});
  } else {
    found->slots = std::max(found->slots, 1) + std::max(more, 1);
  }
}

}  // namespace

void add_hosts(const std::string& argument, const std::string& hosts,
               std::vector<Machine>& machines) {
  std::istringstream list(hosts);
  for (std::string host; std::getline(list, host, ',');) add_host(argument, host, "", machines);
}

void add_host_file(const std::string& argument, const std::string& path,
                   std::vector<Machine>& machines) {
  constexpr std::string_view kSlots = "slots=";
  std::ifstream file(path);
  if (!file) fail_usage("argument " + argument + ": cannot read '" + path + "'");
  bool names_one = false;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string host, slots;
    if (!(words >> host)) continue;
    for (std::string word; words >> word;) {
      if (word.starts_with(kSlots)) slots = word.substr(kSlots.size());
    }
    add_host(argument, host, slots, machines);
    names_one = true;
  }
  if (!names_one) fail_usage("argument " + argument + ": '" + path + "' names no machine");
}

void take_allocation(CommandLine& line) {
  if (!line.machines.empty()) return;
  Allocation allocation = find_allocation();
  line.allocation = std::move(allocation.name);
  line.machines = std::move(allocation.machines);
}

bool is_for_this_machine(const CommandLine& line) {
  return line.launcher.empty() &&
         std::all_of(line.machines.begin(), line.machines.end(),
                     [](const Machine& each) { return is_this_machine(each.name); });
}

}  // namespace heddle::launch
