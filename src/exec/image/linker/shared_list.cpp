#include "exec/image/linker/shared_list.h"

namespace heddle::image {

SharedList::SharedList()
    : names_{"libc",          "libm",         "libpthread", "libdl",           "librt",
             "libutil",       "libresolv",    "libanl",     "libgcc_s",        "libmvec",
             "libmpi_abi",    "libgomp",      "libiomp5",   "libnss_files",    "libnss_dns",
             "libnss_compat", "libthread_db", "libasan",    "libtsan",         "libubsan",
             "liblsan",       "libquadmath",  "linux-vdso", "ld-linux-x86-64", "ld-linux-aarch64"} {
}

bool SharedList::contains(std::string_view file) const noexcept {
  const std::size_t slash = file.rfind('/');
  if (slash != std::string_view::npos) file.remove_prefix(slash + 1);
  for (const std::string& name : names_) {
    if (file.substr(0, name.size()) != name) continue;
    if (file.size() == name.size() || file[name.size()] == '.') return true;
  }
  return false;
}

}  // namespace heddle::image
