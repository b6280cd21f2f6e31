#include "mpi/io/hints.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "mpi/info/hints.h"

namespace heddle::io {

using info::Info;
using object::Ref;

namespace {

bool is_switch(std::string_view value) noexcept {
  return value == "enable" || value == "disable" || value == "automatic";
}

constexpr info::Hint kKnown[] = {
    {"cb_nodes", info::is_number, nullptr},
    {"cb_buffer_size", info::is_number, "4194304"},
    {"cb_block_size", info::is_number, nullptr},
    {"romio_cb_read", is_switch, "automatic"},
    {"romio_cb_write", is_switch, "automatic"},
    {"collective_buffering", info::is_boolean, nullptr},
    {"access_style", info::is_anything, nullptr},
    {"striping_factor", info::is_number, nullptr},
    {"striping_unit", info::is_number, nullptr},
    {"num_io_nodes", info::is_number, nullptr},
    {"nb_proc", info::is_number, nullptr},
    {"file_perm", info::is_anything, nullptr},
    {"romio_ds_read", is_switch, nullptr},
    {"romio_ds_write", is_switch, nullptr},
    {"romio_no_indep_rw", info::is_anything, nullptr},
};

// `otherwise`: it is not given, or 0.
MPI_Count number_of(const Info& hints, const char* key, MPI_Count otherwise) {
  const auto value = hints.get(key);
  const MPI_Count number = value ? std::strtoll(value->c_str(), nullptr, 10) : 0;
  return number != 0 ? number : otherwise;
}

}  // namespace

Ref<Info> hints_in_use(const Info* before, const Info* given, int nodes) {
  auto hints = info::hints_in_use(kKnown, before, given);
  if (number_of(*hints, "cb_nodes", 0) == 0) hints->set("cb_nodes", std::to_string(2 * nodes));
  return hints;
}

CollectiveHints CollectiveHints::of(const Info& hints, Direction direction) {
  constexpr MPI_Count kMost = 1 << 30;
  CollectiveHints all;
  all.nodes = std::min(number_of(hints, "cb_nodes", all.nodes), kMost);
  all.buffer =
      std::clamp<MPI_Count>(number_of(hints, "cb_buffer_size", all.buffer), 4 << 10, kMost);
  const MPI_Count unit = number_of(hints, "striping_unit", all.block);
  all.block = std::min(number_of(hints, "cb_block_size", unit), kMost);
  const auto asked = hints.get(direction == Direction::kWrite ? "romio_cb_write" : "romio_cb_read");
  const bool is_unwanted = asked == "automatic" && hints.get("collective_buffering") == "false";
  if (asked == "enable") all.exchange = Exchange::kAlways;
  if (asked == "disable" || is_unwanted) all.exchange = Exchange::kNever;
  return all;
}

}  // namespace heddle::io
