// elf_edit.h — changes to the bytes of a shared object before it is loaded from memory.
//
// Thread safety: plain functions.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::image {

// True if any dynamic symbol is STB_GNU_UNIQUE. The dynamic linker keeps one definition of such a
// symbol for the whole process, so private copies would share it (libstdc++'s locale ids; static
// variables of templates in libraries not built by our mpicxx) and could not be unloaded.
bool has_unique_symbols(const std::string& bytes);

// Turns them into ordinary global symbols.
void make_unique_symbols_global(std::string* bytes);

// Overwrites the first bytes of the dynamic string `name` with `mark`, wherever the string stands.
// `name` is a soname; DT_SONAME, DT_NEEDED and the version tables share one string. Requires mark
// to be shorter.
void mark_name(std::string* bytes, std::string_view name, std::string_view mark);

// True if the file exports a function `name`.
bool defines_function(const std::string& bytes, std::string_view name);

// The tables of names that a file has: of dynamic symbols, of others, of sections. They point into
// `bytes`.
std::vector<std::string_view> string_tables(const std::string& bytes);

// The file's DT_SONAME, or an empty text.
std::string soname_of(const std::string& bytes);

// The contents of a file, or an empty text.
std::string read_file(const std::string& path);

}  // namespace heddle::image
