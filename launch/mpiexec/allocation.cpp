#include "launch/mpiexec/allocation.h"

#include <charconv>
#include <cstdlib>

#include "launch/mpiexec/failure.h"
#include "launch/mpiexec/machines.h"

namespace heddle::launch {

namespace {

const char* variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool read_number(std::string_view text, long* number) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && rest == text.data() + text.size() && !text.empty();
}

// Splits the list at the commas that stand in no brackets.
std::vector<std::string_view> split(std::string_view list) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size() && list[i] == '[') ++depth;
    if (i < list.size() && list[i] == ']') --depth;
    if (i < list.size() && (list[i] != ',' || depth > 0)) continue;
    parts.push_back(list.substr(begin, i - begin));
    begin = i + 1;
  }
  return parts;
}

// "07" or "1-3", as wide as its first number is.
bool add_numbers(std::string_view range, const std::string& before, Words& words) {
  const std::string_view first = range.substr(0, range.find('-'));
  const std::string_view last =
      first.size() < range.size() ? range.substr(first.size() + 1) : first;
  long from = 0, to = 0;
  if (!read_number(first, &from) || !read_number(last, &to) || to < from) return false;
  for (; from <= to; ++from) {
    std::string digits = std::to_string(from);
    if (digits.size() < first.size()) digits.insert(0, first.size() - digits.size(), '0');
    words.push_back(before + digits);
  }
  return true;
}

// What the brackets of a name mean, from left to right: r[1-2]n[3,5] is r1n3, r1n5, r2n3, r2n5.
bool add_names(std::string_view part, const std::string& before, Words& names) {
  const std::size_t open = part.find('[');
  if (open == std::string_view::npos) {
    names.push_back(before + std::string(part));
    return !names.back().empty();
  }
  const std::size_t close = part.find(']', open);
  if (close == std::string_view::npos) return false;
  Words begins;
  for (const std::string_view range : split(part.substr(open + 1, close - open - 1))) {
    if (!add_numbers(range, before + std::string(part.substr(0, open)), begins)) return false;
  }
  const std::string_view rest = part.substr(close + 1);
  for (const std::string& begin : begins) {
    if (rest.empty()) {
      names.push_back(begin);
    } else if (!add_names(rest, begin, names)) {
      return false;
    }
  }
  return true;
}

Allocation slurms() {
  Allocation found;
  found.name = std::string("Slurm's allocation ") + variable("SLURM_JOB_ID");
  const std::string list = variable("SLURM_JOB_NODELIST");
  for (const std::string& name : read_slurm_nodes(list)) found.machines.push_back({name, 0});
  if (found.machines.empty()) {
    fail_usage("SLURM_JOB_NODELIST is '" + list +
               "', which is no list of machines; name them with --host");
  }
  if (*variable("SLURM_NTASKS") == '\0' && *variable("SLURM_NTASKS_PER_NODE") == '\0') return found;
  const std::vector<int> tasks = read_slurm_tasks(variable("SLURM_TASKS_PER_NODE"));
  for (std::size_t i = 0; i < found.machines.size() && i < tasks.size(); ++i) {
    found.machines[i].slots = tasks[i];
  }
  return found;
}

}  // namespace

Words read_slurm_nodes(std::string_view list) {
  Words names;
  for (const std::string_view part : split(list)) {
    if (!add_names(part, "", names)) return {};
  }
  return names;
}

std::vector<int> read_slurm_tasks(std::string_view list) {
  std::vector<int> tasks;
  for (std::string_view part : split(list)) {
    long count = 0, times = 1;
    const std::size_t open = part.find("(x");
    if (open != std::string_view::npos) {
      if (!part.ends_with(')')) return {};
      if (!read_number(part.substr(open + 2, part.size() - open - 3), &times)) return {};
      part = part.substr(0, open);
    }
    if (!read_number(part, &count) || count < 1 || times < 1) return {};
    tasks.insert(tasks.end(), static_cast<std::size_t>(times), static_cast<int>(count));
  }
  return tasks;
}

Allocation find_allocation() {
  if (*variable("SLURM_JOB_ID") != '\0' && *variable("SLURM_JOB_NODELIST") != '\0') return slurms();
  const std::string file = variable("PBS_NODEFILE");
  if (file.empty()) return {};
  Allocation found;
  found.name = std::string("PBS's allocation ") + variable("PBS_JOBID");
  add_host_file("PBS_NODEFILE", file, found.machines);
  return found;
}

}  // namespace heddle::launch
