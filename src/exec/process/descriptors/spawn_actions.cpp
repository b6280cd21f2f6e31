#include "exec/process/descriptors/spawn_actions.h"

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace heddle::libc {

namespace {

char* bytes_of(const posix_spawn_file_actions_t& list) noexcept {
  return reinterpret_cast<char*>(list.__actions);
}

struct Dup2 {
  int from;
  int onto;
};

// Where it stands in the list, which has it.
std::size_t place_of(const Dup2& action, const posix_spawn_file_actions_t& list) noexcept {
  std::size_t place = 0;
  while (std::memcmp(bytes_of(list) + place, &action, sizeof action) != 0) place += sizeof(int);
  return place;
}

// The bytes of one element; 0: no memory is left.
std::size_t element_size() noexcept {
  constexpr Dup2 kFirst = {11, 12}, kSecond = {13, 14};
  posix_spawn_file_actions_t list;
  if (posix_spawn_file_actions_init(&list) != 0) return 0;
  std::size_t size = 0;
  if (posix_spawn_file_actions_adddup2(&list, kFirst.from, kFirst.onto) == 0 &&
      posix_spawn_file_actions_adddup2(&list, kSecond.from, kSecond.onto) == 0) {
    size = place_of(kSecond, list) - place_of(kFirst, list);
  }
  posix_spawn_file_actions_destroy(&list);
  return size;
}

}  // namespace

SpawnActions::SpawnActions() noexcept {
  posix_spawn_file_actions_init(&all_);
}

SpawnActions::~SpawnActions() {
  // Not libc's function for it: it would free what elements of the program's list point to.
  std::free(all_.__actions);
}

int SpawnActions::add_dup2(int from, int onto) noexcept {
  return posix_spawn_file_actions_adddup2(&all_, from, onto);
}

int SpawnActions::add_close(int descriptor) noexcept {
  return posix_spawn_file_actions_addclose(&all_, descriptor);
}

int SpawnActions::add_all(const posix_spawn_file_actions_t& programs) noexcept {
  const std::size_t size = element_size();
  if (size == 0) return ENOMEM;
  const auto own = static_cast<std::size_t>(all_.__used);
  const auto added = static_cast<std::size_t>(programs.__used);
  void* const grown = std::realloc(bytes_of(all_), (own + added) * size + 1);
  if (grown == nullptr) return ENOMEM;
  all_.__actions = static_cast<__spawn_action*>(grown);
  if (added != 0) std::memcpy(bytes_of(all_) + own * size, bytes_of(programs), added * size);
  all_.__used = all_.__allocated = static_cast<int>(own + added);
  return 0;
}

}  // namespace heddle::libc
