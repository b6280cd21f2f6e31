#include "mpi/info/info.h"

#include <algorithm>

#include "exec/rank/rank.h"
#include "mpi/object/handle_table.h"

namespace heddle::info {

namespace {

template <class Entries>
auto position(Entries& entries, std::string_view key) noexcept {
  return std::find_if(entries.begin(), entries.end(),
                      [key](const Info::KeyValue& entry) { return entry.first == key; });
}

struct Environment {
  object::Ref<Info> info = object::Ref<Info>::adopt(new Info());
};
const RankLocal<Environment> environment_of_rank;

}  // namespace

void Info::set(std::string_view key, std::string_view value) {
  SpinGuard guard(lock_);
  const auto found = position(entries_, key);
  if (found == entries_.end()) {
    entries_.emplace_back(key, value);
  } else {
    found->second = value;
  }
}

std::optional<std::string> Info::get(std::string_view key) const {
  SpinGuard guard(lock_);
  const auto found = position(entries_, key);
  if (found == entries_.end()) return {};
  return found->second;
}

bool Info::erase(std::string_view key) {
  SpinGuard guard(lock_);
  const auto found = position(entries_, key);
  if (found == entries_.end()) return false;
  entries_.erase(found);
  return true;
}

int Info::size() const noexcept {
  SpinGuard guard(lock_);
  return static_cast<int>(entries_.size());
}

std::optional<std::string> Info::key(int index) const {
  SpinGuard guard(lock_);
  if (index < 0 || static_cast<std::size_t>(index) >= entries_.size()) return {};
  return entries_[static_cast<std::size_t>(index)].first;
}

std::vector<Info::KeyValue> Info::entries() const {
  SpinGuard guard(lock_);
  return entries_;
}

Info* from_handle(MPI_Info handle) noexcept {
  if (handle == MPI_INFO_ENV) return &environment();
  return object::find_as<Info>(object::Kind::kInfo, handle);
}

Info& environment() noexcept {
  Info& info = *environment_of_rank.get().info;
  info.set_handle(reinterpret_cast<object::HandleBits>(MPI_INFO_ENV));
  return info;
}

}  // namespace heddle::info
