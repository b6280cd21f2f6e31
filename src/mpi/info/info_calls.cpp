// The functions of MPI 5.0 §10 over Info.

#include <cstring>

#include "mpi/info/info.h"
#include "mpi/object/handle_table.h"

namespace heddle::info {

namespace {

Error check(const Info* info) {
  if (info != nullptr) return {};
  return Error::make(MPI_ERR_INFO, "argument info is MPI_INFO_NULL");
}

Error check_writable(const Info* info) {
  if (Error e = check(info)) return e;
  if (info != &environment()) return {};
  return Error::make(MPI_ERR_INFO, "argument info is MPI_INFO_ENV, which may only be read");
}

Error check_key(const char* key) {
  if (key == nullptr) return Error::make(MPI_ERR_INFO_KEY, "argument key is a null pointer");
  const std::size_t length = strnlen(key, MPI_MAX_INFO_KEY);
  if (length == 0) return Error::make(MPI_ERR_INFO_KEY, "argument key is empty");
  if (length < MPI_MAX_INFO_KEY) return {};
  return Error::make(MPI_ERR_INFO_KEY, "argument key has more than %d characters",
                     MPI_MAX_INFO_KEY - 1);
}

Error check_both(const Info* info, const char* key) {
  if (Error e = check(info)) return e;
  return check_key(key);
}

}  // namespace

Error create_info(Info** out) {
  *out = new Info();
  return {};
}

Error create_environment_info(Info** out) {
  return dup_info(&environment(), out);
}

Error set_info(Info* info, const char* key, const char* value) {
  if (Error e = check_writable(info)) return e;
  if (Error e = check_key(key)) return e;
  if (value == nullptr) return Error::make(MPI_ERR_INFO_VALUE, "argument value is a null pointer");
  if (strnlen(value, MPI_MAX_INFO_VAL) == MPI_MAX_INFO_VAL) {
    return Error::make(MPI_ERR_INFO_VALUE, "argument value has more than %d characters",
                       MPI_MAX_INFO_VAL - 1);
  }
  info->set(key, value);
  return {};
}

Error get_info(const Info* info, const char* key, int value_length, char* value, int* flag) {
  if (Error e = check_both(info, key)) return e;
  if (value_length < 0) {
    return Error::make(MPI_ERR_ARG, "argument valuelen is %d, but must not be negative",
                       value_length);
  }
  const std::optional<std::string> found = info->get(key);
  *flag = found.has_value();
  if (found) {
    // valuelen does not count the terminator (§10, deprecated functions).
    const std::size_t length = found->copy(value, static_cast<std::size_t>(value_length));
    value[length] = '\0';
  }
  return {};
}

Error get_info_string(const Info* info, const char* key, int* length, char* value, int* flag) {
  if (Error e = check_both(info, key)) return e;
  if (*length < 0) {
    return Error::make(MPI_ERR_ARG, "argument buflen is %d, but must not be negative", *length);
  }
  const std::optional<std::string> found = info->get(key);
  *flag = found.has_value();
  if (!found) return {};
  if (*length > 0) {
    if (value == nullptr) return Error::make(MPI_ERR_ARG, "argument value is a null pointer");
    value[found->copy(value, static_cast<std::size_t>(*length) - 1)] = '\0';
  }
  *length = static_cast<int>(found->size()) + 1;
  return {};
}

Error get_info_value_length(const Info* info, const char* key, int* length, int* flag) {
  if (Error e = check_both(info, key)) return e;
  const std::optional<std::string> found = info->get(key);
  *flag = found.has_value();
  if (found) *length = static_cast<int>(found->size());
  return {};
}

Error delete_info_key(Info* info, const char* key) {
  if (Error e = check_writable(info)) return e;
  if (Error e = check_key(key)) return e;
  if (info->erase(key)) return {};
  return Error::make(MPI_ERR_INFO_NOKEY, "the info object has no key \"%s\"", key);
}

Error count_info_keys(const Info* info, int* count) {
  if (Error e = check(info)) return e;
  *count = info->size();
  return {};
}

Error get_info_key(const Info* info, int n, char* key) {
  if (Error e = check(info)) return e;
  const std::optional<std::string> found = info->key(n);
  if (!found) {
    return Error::make(MPI_ERR_ARG, "argument n is %d, but the info object has %d keys", n,
                       info->size());
  }
  std::strcpy(key, found->c_str());
  return {};
}

Error dup_info(const Info* info, Info** out) {
  if (Error e = check(info)) return e;
  *out = new Info(info->entries());
  return {};
}

Error free_info(MPI_Info* handle) {
  if (*handle == MPI_INFO_ENV) {
    return Error::make(MPI_ERR_INFO, "argument info is MPI_INFO_ENV, which may not be freed");
  }
  object::Object* info = retire(object::Kind::kInfo, reinterpret_cast<object::HandleBits>(*handle));
  if (info == nullptr) {
    return Error::make(
        MPI_ERR_INFO, "argument info is %s",
        *handle == MPI_INFO_NULL ? "MPI_INFO_NULL" : "not an info object, or already freed");
  }
  info->release();
  *handle = MPI_INFO_NULL;
  return {};
}

}  // namespace heddle::info
