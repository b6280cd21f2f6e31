// input.h — reads and writes of a rank on its descriptors 0, 1 and 2, wherever these lead.
//
// Thread safety: any strand.

#pragma once

#include <sys/types.h>

#include <cstddef>

namespace heddle::process {

// Reads from descriptor 0, with the result and errno of read(2). Waits without keeping the other
// ranks of the worker from running.
ssize_t read_input(int standard, void* bytes, std::size_t size);

// Writes to descriptor 1 or 2, with the result and errno of write(2).
ssize_t write_output(int descriptor, const void* bytes, std::size_t size);

}  // namespace heddle::process
