// info.h — an ordered list of (key, value) strings (MPI 5.0 §10).
//
// MPI_INFO_NULL is a null pointer, also as a result. MPI_INFO_ENV describes how the calling rank's
// program was started; runtime fills it, programs may only read it.
//
// Thread safety: an Info locks by itself.

#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/spin_lock.h"
#include "mpi/object/object.h"

namespace heddle::info {

class Info final : public object::Object {
 public:
  using object::Object::Lifetime;
  using KeyValue = std::pair<std::string, std::string>;

  explicit Info(std::vector<KeyValue> entries = {}, Lifetime lifetime = Lifetime::kCounted) noexcept
      : Object(object::Kind::kInfo, lifetime), entries_(std::move(entries)) {}

  // Replaces the value of a key that is there; adds a new one at the end.
  void set(std::string_view key, std::string_view value);
  std::optional<std::string> get(std::string_view key) const;
  // False if the key was not there.
  bool erase(std::string_view key);

  int size() const noexcept;
  // Empty where `index` is no entry.
  std::optional<std::string> key(int index) const;

  // A snapshot.
  std::vector<KeyValue> entries() const;

 private:
  // Lock: guards the entries of one info object.
  mutable SpinLock lock_;
  std::vector<KeyValue> entries_
      GUARDED_BY(lock_);  // in the order in which the keys were first set
};

// nullptr if the handle is not an info object, MPI_INFO_NULL included.
Info* from_handle(MPI_Info handle) noexcept;

// MPI_INFO_ENV of the calling rank; the runtime sets its entries before the program runs.
Info& environment() noexcept;

// The functions of §10. A null `info` (MPI_INFO_NULL) is an error.
Error create_info(Info** out);
Error create_environment_info(Info** out);
Error set_info(Info* info, const char* key, const char* value);
Error get_info(const Info* info, const char* key, int value_length, char* value, int* flag);
Error get_info_string(const Info* info, const char* key, int* length, char* value, int* flag);
Error get_info_value_length(const Info* info, const char* key, int* length, int* flag);
Error delete_info_key(Info* info, const char* key);
Error count_info_keys(const Info* info, int* count);
Error get_info_key(const Info* info, int n, char* key);
Error dup_info(const Info* info, Info** out);
Error free_info(MPI_Info* handle);

}  // namespace heddle::info
