#include "mpi/io/listener.h"

#include <utility>

#include "mpi/error/error_codes.h"

namespace heddle::io {

using error::Errhandler;
using object::Ref;

const RankLocal<NoFile> no_file_of_rank;

Ref<Errhandler> Listener::errhandler() const noexcept {
  const SpinGuard guard(lock_);
  return errhandler_;
}

void Listener::set_errhandler(Ref<Errhandler> handler) noexcept {
  const SpinGuard guard(lock_);
  std::swap(errhandler_, handler);
}

NoFile::NoFile() noexcept : Listener(Ref<Errhandler>(&error::errors_return())) {
  set_handle(reinterpret_cast<object::HandleBits>(MPI_FILE_NULL));
}

Error get_errhandler(const Listener* file, Errhandler** out) {
  *out = (file != nullptr ? *file : no_file()).errhandler().leak();
  return {};
}

Error set_errhandler(Listener* file, Errhandler& handler) {
  if (Error e = error::check_fits(handler, object::Kind::kFile)) return e;
  (file != nullptr ? *file : no_file()).set_errhandler(Ref<Errhandler>(&handler));
  return {};
}

Error call_errhandler(const Listener* file, int code) {
  const Listener& listener = file != nullptr ? *file : no_file();
  const std::string sentence =
      "MPI_File_call_errhandler: the program reports " + error::describe_code(code);
  error::raise_error(*listener.errhandler(), listener.handle(), code, sentence);
  return {};
}

}  // namespace heddle::io
