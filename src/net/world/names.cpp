#include "net/world/names.h"

namespace heddle::world {

std::string describe(const ProcessName& name) {
  const std::string process = "process " + std::to_string(name.number);
  return name.job == kFirstJob ? process : process + " of job " + std::to_string(name.job);
}

}  // namespace heddle::world
