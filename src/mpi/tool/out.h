// out.h — how functions of the tools interface give something out (MPI 5.0 §15.3.3).
//
// Strings go into a buffer of the caller's with its length: at most *length - 1 characters and a null
// character; *length becomes what the whole string needs. A caller asks for that alone with a null
// buffer or the length 0, and for nothing with a null length.
//
// Thread safety: the caller's buffers are the caller's.

#pragma once

#include <string_view>

#include "base/error.h"

namespace heddle::tool {

void give_string(std::string_view text, char* buffer, int* length) noexcept;

// Functions named …_get_info leave out what the caller has a null pointer for.
template <class T, class Value>
void give(T* out, Value value) noexcept {
  if (out != nullptr) *out = value;
}

// MPI_T_ERR_INVALID_INDEX for argument `name` if it is none of `count` things, called `things`.
Error check_index(const char* name, int index, int count, const char* things);

// MPI_T_ERR_INVALID_NAME.
Error no_such_name(const char* things, const char* name);

// MPI_T_ERR_INVALID_HANDLE.
Error bad_handle(const char* name, const void* handle, const char* thing);

}  // namespace heddle::tool
