// out.h — how functions of the tools interface write their outputs (MPI 5.0 §15.3.3).
//
// Strings go into a buffer of the caller's with its length: at most *length - 1 characters and a
// null character; *length becomes the length that the whole string needs. With a null buffer or the
// length 0 a caller asks for that length alone, with a null length for nothing.
//
// Thread safety: the caller's buffers are the caller's.

#pragma once

#include <string_view>

#include "base/error.h"

namespace heddle::tool {

void give_string(std::string_view text, char* buffer, int* length) noexcept;

// Writes an output of a …_get_info function, unless the caller gave a null pointer for it.
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
