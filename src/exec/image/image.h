// image.h — one rank's private copy of a program: its code mapped, its data its own.
//
//   open():  one lock ──► dlopen of a spelled path ──► hide the new files ─► find the entry
//                         (spelling.h)                 (hidden_map.h)        (program.h)
//
// A copy brings private copies of the libraries that it needs, too, unless the shared list names
// them. All copies map the same file, so the kernel shares their code; only written pages cost
// memory. Where the hide method does not work (another libc), open() copies the file to memory
// instead and maps the read-only parts of the original over the copy (file_copy.h).
//
// A rank opens its image on its own strand, and constructors and destructors run there.
// Constructors run under the loader's lock and glibc's, and so do the destructors in ~Image(); they
// may not park.
//
//                    destructors run   memory
//   ~Image()         yes               given back
//   retire()         yes               stays until the process ends (the usual end of a rank)
//   not destroyed    no                stays; for a rank that left by _exit, or whose threads go on
//
// Thread safety: open() and the destructor from any strand; configure() before the first open();
// everything else is constant. A constructor that open() runs may call open() again (by dlopen).

#pragma once

#include <link.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "exec/image/code_range.h"
#include "exec/image/options.h"
#include "exec/image/program.h"

namespace heddle::image {

// Replaces all options.
void configure(const Options& options);

// The library that the process must be started with (LD_PRELOAD) for `program` to run in it,
// because the program brings an allocator of its own; empty: none. If a library is missing, fails
// as Image::open would.
Error find_allocator(const Program& program, std::string* out);

// The code of the allocator that the host was started with; empty: it is libc's. After configure().
CodeRange allocator_code() noexcept;

class HiddenMap;
struct Plan;

class Image {
 public:
  // Loads a copy of `program` and runs its constructors on the calling strand.
  static Error open(const Program& program, std::unique_ptr<Image>* out);

  // Runs the copy's destructors on the calling strand and unloads it with its private libraries.
  // No thread may be inside its code any more.
  ~Image();

  // Runs the copy's destructors, as ~Image() does, but does not unload it. To unload, the linker
  // looks at all loaded files several times; with 1024 copies that took longer than loading one. A
  // copy made by Method::copy is unloaded all the same, since only the linker knows its
  // destructors.
  static void retire(std::unique_ptr<Image> image) noexcept;

  // For a rank whose threads go on: writes what the units of its Fortran program still hold, and
  // closes them.
  void close_units() noexcept;

  Image(Image&&) = delete;

  Main main() const noexcept { return entry_->main; }
  const ImageEntry& entry() const noexcept { return *entry_; }

  // What dlopen(NULL) returns to this program.
  void* handle() const noexcept { return handle_; }

  // Where the copy lies, for reports: the path as loaded, and the load address.
  const char* loaded_path() const noexcept { return program_->l_name; }
  std::uintptr_t base() const noexcept { return program_->l_addr; }

  // The pages of the copy that are written to, of the program and its private libraries: each a
  // mapping or neighbours.
  std::vector<CodeRange> data_pages() const;

  // The address of an exported symbol of the program or of its private libraries, or nullptr.
  void* symbol(const char* name) const noexcept;

  Method method() const noexcept { return method_; }

  // True for code of the program, of a private library that was loaded with it, or of libm; false
  // for the runtime of a language or a plugin. Allowed in a signal handler.
  bool has_code_at(std::uintptr_t address) const noexcept;

 private:
  friend class Plugins;
  Image();
  Error open_hidden(const Program& program);
  Error open_copy(const Program& program);
  Error load(const Program& program, const Plan& plan);
  void find_program(const std::string& path) noexcept;
  bool hide_all(Plan* plan);
  void find_code(const Plan& plan);
  void free_exception_pool() noexcept;
  void run_destructors() noexcept;
  HiddenMap* hidden(const link_map* map) noexcept;

  // I1  Outside of the loader's lock every map in hidden_ is hidden.
  // I2  No map is in hidden_ of two images.
  // I3  hidden_ is in the order of loading.
  void* handle_ = nullptr;             // the program's or its carrier's
  const link_map* program_ = nullptr;  // the program's map
  const ImageEntry* entry_ = nullptr;
  Method method_ = Method::hide;
  std::uint64_t number_ = 0;  // of the copy; part of its spelling
  std::vector<CodeRange> code_;
  // Guarded by the loader's lock:
  std::vector<HiddenMap> hidden_;
  std::vector<void*> plugins_;         // one for each dlopen of the program that is still open
  std::vector<void*> global_plugins_;  // those with RTLD_GLOBAL
};

// The image of the calling strand's rank, or nullptr. Set by Image::open on a rank's strand.
Image* current() noexcept;

}  // namespace heddle::image
