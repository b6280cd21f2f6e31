// link_maps.h — loaded files as the dynamic linker lists them, read through <link.h> only.
//
// Thread safety: the caller holds the loader's lock.

#pragma once

#include <link.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace heddle::image {

// The strings of a loaded file's DT_<tag> entries.
std::vector<std::string_view> loaded_strings(const link_map* map, std::int64_t tag);

std::string_view base_name(std::string_view path) noexcept;

// True if the linker would find this file for `name`: its path, the last part of that, or its soname.
bool is_named(const link_map* map, std::string_view name);

// The order in which the linker runs the destructor functions of `maps`, given in the order of loading.
std::vector<link_map*> in_order_of_destructors(const std::vector<link_map*>& maps);

}  // namespace heddle::image
