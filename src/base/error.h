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

// The classes that layers below mpi.h need (MPI_ERR_ARG, MPI_ERR_OTHER, MPI_ERR_NO_MEM of the standard
// ABI).
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

  // `error_class` is one of the MPI_ERR_ constants, never MPI_SUCCESS. printf's format. Where no
  // memory is left for the sentence, the error says just that.
  static Error make(int error_class, const char* format, ...) __attribute__((format(printf, 2, 3)));

  // True if something failed.
  explicit operator bool() const noexcept { return detail_ != nullptr; }

  // Requires a failure.
  int error_class() const noexcept;
  // The class that an error handler hears of; error_class() but after told_as().
  int told_class() const noexcept;
  std::string_view text() const noexcept;

  // The same failure with `context` put before its sentence ("loading ./app: no such file").
  Error within(std::string_view context) &&;

  // The same failure, of which error handlers hear as `told_class`.
  Error told_as(int told_class) && noexcept;

  // For an error that no caller can get (a destructor's); says so where it is called.
  void ignore() noexcept {}

 private:
  struct Detail;
  void destroy() noexcept;

  Detail* detail_ = nullptr;
};

}  // namespace heddle
