// last_error.h — what went wrong in the calling strand's last failed MPI call, for
// MPI_Error_string. A sentence of more than 248 bytes is cut.
//
// Thread safety: each strand has its own.

#pragma once

#include <string_view>

namespace heddle::api {

void remember_error(int code, std::string_view sentence) noexcept;

// Empty unless the strand's last error had this code. Valid until the strand's next error.
std::string_view last_sentence(int code) noexcept;

}  // namespace heddle::api
