#include "exec/process/threads/thread_leavings.h"

#include <limits.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <string_view>

#include "exec/process/exports/libc.h"

extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start;

namespace heddle::process {

namespace {

// Stands for the destructor of a key that has none.
void keep(void*) {}

// The destructors of all keys that programs and libraries made; nullptr: no such key. release and
// acquire: a thread that finds a key sees what its maker wrote before.
constinit std::array<std::atomic<void (*)(void*)>, PTHREAD_KEYS_MAX> destructors{};
constinit std::atomic<unsigned> keys_end{0};  // above the highest key ever made

// True: some destructor ran, so that there may be new values.
bool run_destructors() {
  bool ran = false;
  const unsigned end = keys_end.load(std::memory_order_acquire);
  for (pthread_key_t key = 0; key < end; ++key) {
    const auto destructor = destructors[key].load(std::memory_order_acquire);
    if (destructor == nullptr || destructor == keep) continue;
    void* value = pthread_getspecific(key);
    if (value == nullptr) continue;
    pthread_setspecific(key, nullptr);
    destructor(value);
    ran = true;
  }
  return ran;
}

// thread_local variables of these are the thread's own housekeeping.
bool keeps_thread_locals(const dl_phdr_info& module) noexcept {
  if (reinterpret_cast<const char*>(module.dlpi_addr) == &__ehdr_start) return true;
  std::string_view name = module.dlpi_name;
  name.remove_prefix(name.rfind('/') + 1);
  constexpr std::string_view kKept[] = {"libc.", "ld-", "libtsan.", "libasan.", "libubsan."};
  return std::any_of(std::begin(kKept), std::end(kKept),
                     [name](std::string_view kept) { return name.substr(0, kept.size()) == kept; });
}

int reset_module(dl_phdr_info* module, std::size_t, void*) noexcept {
  if (module->dlpi_tls_data == nullptr || keeps_thread_locals(*module)) return 0;
  const ElfW(Phdr)* const end = module->dlpi_phdr + module->dlpi_phnum;
  const ElfW(Phdr)* tls = std::find_if(
      module->dlpi_phdr, end, [](const ElfW(Phdr) & header) { return header.p_type == PT_TLS; });
  if (tls == end) return 0;
  auto* block = static_cast<char*>(module->dlpi_tls_data);
  std::memcpy(block, reinterpret_cast<const void*>(module->dlpi_addr + tls->p_vaddr),
              tls->p_filesz);
  std::memset(block + tls->p_filesz, 0, tls->p_memsz - tls->p_filesz);
  return 0;
}

}  // namespace

int key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept {
  if (const int error = libc().pthread_key_create(key, destructor)) return error;
  destructors[*key].store(destructor != nullptr ? destructor : keep, std::memory_order_release);
  unsigned end = keys_end.load(std::memory_order_relaxed);
  while (end <= *key && !keys_end.compare_exchange_weak(end, *key + 1, std::memory_order_release)) {
  }
  return 0;
}

int key_delete(pthread_key_t key) noexcept {
  if (key < destructors.size()) destructors[key].store(nullptr, std::memory_order_release);
  return libc().pthread_key_delete(key);
}

void clear_keys() {
  for (int i = 0; i < PTHREAD_DESTRUCTOR_ITERATIONS && run_destructors(); ++i) {
  }
  const unsigned end = keys_end.load(std::memory_order_acquire);
  for (pthread_key_t key = 0; key < end; ++key) {
    if (destructors[key].load(std::memory_order_acquire) == nullptr) continue;
    if (pthread_getspecific(key) != nullptr) pthread_setspecific(key, nullptr);
  }
}

void reset_thread_locals() noexcept {
  dl_iterate_phdr(reset_module, nullptr);
}

}  // namespace heddle::process
