// error_codes.h — error classes and codes: the standard's, and those that a rank's program adds
// (MPI 5.0 §9.4, §9.5).
//
// Our own calls return classes as their codes. Added classes and codes count up from
// MPI_ERR_LASTCODE + 1; each rank has its own.
//
// Thread safety: any strand; the rank's table locks.

#pragma once

#include <mpi.h>

#include <string>
#include <string_view>

#include "base/error.h"

namespace heddle::error {

// "MPI_ERR_RANK: invalid rank"; what the program gave for one of its own; "" if it gave nothing.
// Requires a code that exists.
std::string describe_code(int code);

// The highest code of the calling rank: MPI_LASTUSEDCODE. Its address stays the same.
const int& last_used_code() noexcept;

Error get_error_class(int code, int* error_class);
// `sentence` is what is known of the caller's last error of this code; it may be empty. Codes that
// the program has added are told without it.
Error get_error_string(int code, std::string_view sentence, char* text, int* length);

Error add_error_class(int* error_class);
Error add_error_code(int error_class, int* code);
Error add_error_string(int code, const char* text);

// The last addition must be removed first: codes before their class, strings before their code.
Error remove_error_class(int error_class);
Error remove_error_code(int code);
Error remove_error_string(int code);

}  // namespace heddle::error
