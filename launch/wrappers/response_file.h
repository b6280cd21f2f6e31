// response_file.h — the words in a compiler's @file.
//
// Thread safety: plain functions.

#pragma once

#include <string>
#include <vector>

namespace heddle::wrappers {

// As gcc reads it: words between white space, quotes of both kinds, a backslash before any
// character. A file that cannot be read has no words; the compiler will say so.
std::vector<std::string> read_response_file(const std::string& path);

// Splits a text that is at hand into words, as read_response_file() splits a file.
std::vector<std::string> split_words(const std::string& text);

}  // namespace heddle::wrappers
