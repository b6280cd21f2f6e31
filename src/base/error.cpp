#include "base/error.h"

#include <cassert>
#include <cstdarg>
#include <cstdio>
#include <new>

namespace heddle {

struct Error::Detail {
  int error_class;
  std::string text;
  bool shared = false;  // the one record for "no memory left", never freed
  int told_class = 0;   // 0: error_class

  static Detail no_memory;
};

// There before the first use, and not a static of make(): a thread that makes an error while it
// polls may not wait for the first one to make this.
Error::Detail Error::Detail::no_memory{kErrorNoMemory, "out of memory", true};

Error& Error::operator=(Error&& other) noexcept {
  if (this != &other) {
    if (detail_ != nullptr) destroy();
    detail_ = std::exchange(other.detail_, nullptr);
  }
  return *this;
}

Error Error::make(int error_class, const char* format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);

  Error error;
  error.detail_ = new (std::nothrow) Detail{error_class, text};
  if (error.detail_ == nullptr) error.detail_ = &Detail::no_memory;
  return error;
}

int Error::error_class() const noexcept {
  assert(detail_ != nullptr);
  return detail_->error_class;
}

std::string_view Error::text() const noexcept {
  assert(detail_ != nullptr);
  return detail_->text;
}

Error Error::within(std::string_view context) && {
  assert(detail_ != nullptr);
  if (!detail_->shared) detail_->text = std::string(context) + ": " + detail_->text;
  return std::move(*this);
}

int Error::told_class() const noexcept {
  assert(detail_ != nullptr);
  return detail_->told_class != 0 ? detail_->told_class : detail_->error_class;
}

Error Error::told_as(int told_class) && noexcept {
  assert(detail_ != nullptr);
  if (!detail_->shared) detail_->told_class = told_class;
  return std::move(*this);
}

void Error::destroy() noexcept {
  if (!detail_->shared) delete detail_;
  detail_ = nullptr;
}

}  // namespace heddle
