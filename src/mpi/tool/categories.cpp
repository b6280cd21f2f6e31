#include "mpi/tool/categories.h"

#include <cstring>
#include <iterator>

#include "mpi/tool/controls.h"
#include "mpi/tool/out.h"
#include "mpi/tool/variables.h"

namespace heddle::tool {

namespace {

struct Category {
  const char* name;
  const char* within;  // the category that it is part of; empty: none
  const char* text;
};

constexpr Category kCategories[] = {
    {"messages", "", "Point-to-point messages and their matching."},
    {"objects", "", "Communicators, datatypes and other objects of the program."},
    {"collector", "objects", "How it is known when a freed object is no longer used."},
    {"memory", "", "What ranks allocate."},
    {"scheduling", "", "Workers, what ranks load them with, and ranks that move."},
    {"threads", "", "Threads of a rank."},
    {"observation", "", "What a job tells of itself."},
    {"errors", "", "What becomes of calls that fail."},
};
constexpr int kCount = static_cast<int>(std::size(kCategories));

bool same(const char* a, const char* b) noexcept {
  return std::strcmp(a, b) == 0;
}

bool holds_control(const Category& category, int index) noexcept {
  return same(settings::setting_of(control(index)).topic, category.name);
}
bool holds_variable(const Category& category, int index) noexcept {
  return same(variable(index).topic, category.name);
}
bool holds_category(const Category& category, int index) noexcept {
  return same(kCategories[index].within, category.name);
}

using Holds = bool (*)(const Category&, int) noexcept;

// How many of `count` things the category holds; the first `len` of them go to `indices`.
int list(const Category& category, int count, Holds holds, int len, int* indices) noexcept {
  int found = 0;
  for (int i = 0; i < count; ++i) {
    if (!holds(category, i)) continue;
    if (found < len) indices[found] = i;
    ++found;
  }
  return found;
}

Error check_category(int index) {
  return check_index("cat_index", index, kCount, "categories");
}

Error check_length(int len) {
  if (len >= 0) return {};
  return Error::make(MPI_T_ERR_INVALID, "argument len is %d, but must not be negative", len);
}

Error give_list(int cat_index, int count, Holds holds, int len, int* indices) {
  if (Error e = check_category(cat_index)) return e;
  if (Error e = check_length(len)) return e;
  list(kCategories[cat_index], count, holds, len, indices);
  return {};
}

}  // namespace

Error category_get_num(int* num_cat) {
  *num_cat = kCount;
  return {};
}

Error category_get_info(int cat_index, char* name, int* name_len, char* desc, int* desc_len,
                        int* num_cvars, int* num_pvars, int* num_categories) {
  if (Error e = check_category(cat_index)) return e;
  const Category& wanted = kCategories[cat_index];
  give_string(wanted.name, name, name_len);
  give_string(wanted.text, desc, desc_len);
  give(num_cvars, list(wanted, control_count(), holds_control, 0, nullptr));
  give(num_pvars, list(wanted, variable_count(), holds_variable, 0, nullptr));
  give(num_categories, list(wanted, kCount, holds_category, 0, nullptr));
  return {};
}

Error category_get_num_events(int cat_index, int* num_events) {
  if (Error e = check_category(cat_index)) return e;
  *num_events = 0;
  return {};
}

Error category_get_index(const char* name, int* cat_index) {
  for (int i = 0; i < kCount; ++i) {
    if (!same(kCategories[i].name, name)) continue;
    *cat_index = i;
    return {};
  }
  return no_such_name("categories", name);
}

Error category_get_cvars(int cat_index, int len, int* indices) {
  return give_list(cat_index, control_count(), holds_control, len, indices);
}

Error category_get_pvars(int cat_index, int len, int* indices) {
  return give_list(cat_index, variable_count(), holds_variable, len, indices);
}

Error category_get_events(int cat_index, int len) {
  return give_list(cat_index, 0, nullptr, len, nullptr);
}

Error category_get_categories(int cat_index, int len, int* indices) {
  return give_list(cat_index, kCount, holds_category, len, indices);
}

Error category_changed(int* update_number) {
  *update_number = 0;
  return {};
}

}  // namespace heddle::tool
