// error.h — what a function that can fail returns.
//
// An Error is one word; null means success. A failure carries an MPI error class (MPI 5.0 §9.4) and
// one sentence for the user, written where the cause is first known:
//
//   if (Error e = open(path)) return e;
//
// Thread safety: an Error belongs to one thread at a time.

#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace heddle {

// The error classes that layers below mpi.h use, with the numbers of the standard ABI: MPI_ERR_ARG,
// MPI_ERR_OTHER, MPI_ERR_NO_MEM.
constexpr int kErrorArgument = 13;
constexpr int kErrorOther = 16;
constexpr int kErrorNoMemory = 39;

class [[nodiscard]] Error {
 public:
  Error() noexcept = default;  // success
  Error(Error&& other) noexcept : detail_(std::exchange(other.detail_, nullptr)) {}
  Error& operator=(Error&& other) noexcept;
  Error(const Error&) = delete;
  Error& operator=(const Error&) = delete;
  ~Error() {
    if (detail_ != nullptr) destroy();
  }

  // `error_class` is one of the MPI_ERR_ constants, never MPI_SUCCESS. `format` is
  // printf's. If there is no memory for the sentence, the error says so.
  static Error make(int error_class, const char* format, ...) __attribute__((format(printf, 2, 3)));

  // True if something failed.
  explicit operator bool() const noexcept { return detail_ != nullptr; }

  // Requires a failure.
  int error_class() const noexcept;
  // The class that error handlers are given: error_class(), or another one after told_as().
  int told_class() const noexcept;
  std::string_view text() const noexcept;

  // This failure with `context` put before its sentence ("loading ./app: no such file").
  Error within(std::string_view context) &&;

  // This failure, but error handlers are given `told_class`.
  Error told_as(int told_class) && noexcept;

  // Drops the error on purpose: no caller could get it (in a destructor, for example).
  void ignore() noexcept {}

 private:
  struct Detail;
  void destroy() noexcept;

  Detail* detail_ = nullptr;
};

}  // namespace heddle
