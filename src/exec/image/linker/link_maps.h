// link_maps.h — loaded files as the dynamic linker lists them, read through <link.h> only.
//
// Thread safety: the caller holds the loader's lock.

#pragma once

#include <link.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "exec/image/code_range.h"

namespace heddle::image {

// The strings of a loaded file's DT_<tag> entries.
std::vector<std::string_view> loaded_strings(const link_map* map, std::int64_t tag);

std::string_view base_name(std::string_view path) noexcept;

// True if the linker would find this file for `name`: its path, the last part of that, or its
// soname.
bool is_named(const link_map* map, std::string_view name);

// The order in which the linker runs the destructor functions of `maps`, given in the order of
// loading.
std::vector<link_map*> in_order_of_destructors(const std::vector<link_map*>& maps);

// The pages of a loaded file that its program headers say are written to; empty where libc does not
// tell (before glibc 2.36).
std::vector<CodeRange> written_pages(link_map* map);

}  // namespace heddle::image
