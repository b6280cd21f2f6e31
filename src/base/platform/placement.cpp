#include "base/platform/placement.h"

#include <algorithm>

namespace heddle::platform {

namespace {

int number_of(const Core& core, Part part) noexcept {
  switch (part) {
    case Part::kCore:
      return core.cpu;
    case Part::kL3Cache:
      return core.l3_cache;
    case Part::kNumaNode:
      return core.numa_node;
    case Part::kSocket:
      break;
  }
  return core.socket;
}

}  // namespace

std::optional<Part> part_named(std::string_view name) noexcept {
  if (name == "package") return Part::kSocket;
  for (const Part part : {Part::kCore, Part::kL3Cache, Part::kNumaNode, Part::kSocket}) {
    if (name == name_of(part)) return part;
  }
  return std::nullopt;
}

const char* name_of(Part part) noexcept {
  constexpr const char* kNames[] = {"core", "l3cache", "numa", "socket"};
  return kNames[static_cast<int>(part)];
}

std::vector<std::vector<std::size_t>> parts_of(std::span<const Core> cores, Part part) {
  std::vector<std::vector<std::size_t>> parts;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    const auto same = std::find_if(parts.begin(), parts.end(), [&](const auto& one) {
      return number_of(cores[one.front()], part) == number_of(cores[i], part);
    });
    if (same != parts.end()) {
      same->push_back(i);
    } else {
      parts.push_back({i});
    }
  }
  return parts;
}

std::vector<std::size_t> map_to_cores(std::size_t count, std::span<const Core> cores,
                                      const Placement& placement) {
  std::vector<std::size_t> mapped(count);
  const auto parts = parts_of(cores, placement.map_by.value_or(Part::kCore));
  for (std::size_t unit = 0; unit < count; ++unit) {
    if (!placement.map_by) {
      mapped[unit] = unit * cores.size() / count;
      continue;
    }
    const auto& part = parts[unit % parts.size()];
    mapped[unit] = part[unit / parts.size() % part.size()];
  }
  if (placement.rank_by_fill) {
    const auto part_of = [&](std::size_t core) {
      return std::find_if(parts.begin(), parts.end(), [&](const auto& one) {
        return std::find(one.begin(), one.end(), core) != one.end();
      });
    };
    std::stable_sort(mapped.begin(), mapped.end(), [&](std::size_t left, std::size_t right) {
      return part_of(left) < part_of(right);
    });
  }
  return mapped;
}

std::vector<std::vector<std::size_t>> bind_processes(std::size_t count, std::span<const Core> cores,
                                                     const Placement& placement, Part bind) {
  std::vector<std::vector<std::size_t>> bound(count);
  const std::vector<std::size_t> mapped = map_to_cores(count, cores, placement);
  for (std::size_t process = 0; process < count; ++process) {
    const int number = number_of(cores[mapped[process]], bind);
    for (std::size_t i = 0; i < cores.size(); ++i) {
      if (number_of(cores[i], bind) == number) bound[process].push_back(i);
    }
  }
  return bound;
}

std::string draw(std::span<const Core> cores, std::span<const std::size_t> bound) {
  std::string text = "[";
  for (std::size_t i = 0; i < cores.size(); ++i) {
    if (i > 0 && cores[i].socket != cores[i - 1].socket) {
      text += "][";
    } else if (i > 0 && cores[i].numa_node != cores[i - 1].numa_node) {
      text += "|";
    }
    text += std::find(bound.begin(), bound.end(), i) != bound.end() ? "B" : ".";
  }
  return text + "]";
}

}  // namespace heddle::platform
