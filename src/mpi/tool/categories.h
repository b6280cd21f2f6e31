// categories.h — topics of control and performance variables (MPI 5.0 §15.3.9).
//
//   messages ── posted_recvq_length …, HEDDLE_EAGER_LIMIT
//   objects ─┬─ live_communicators …, HEDDLE_LIFETIME
//            └─ collector ── collector_cycles …
//   threads ─── HEDDLE_POSIX_THREADS
//   errors ──── HEDDLE_INITIAL_ERRHANDLER
//
// They never change. Each variable's table names its category.
//
// Thread safety: constant.

#pragma once

#include <mpi.h>

#include "base/error.h"

namespace heddle::tool {

Error category_get_num(int* num_cat);
Error category_get_info(int cat_index, char* name, int* name_len, char* desc, int* desc_len,
                        int* num_cvars, int* num_pvars, int* num_categories);
Error category_get_num_events(int cat_index, int* num_events);
Error category_get_index(const char* name, int* cat_index);

// The first `len` of them, or as many as there are.
Error category_get_cvars(int cat_index, int len, int* indices);
Error category_get_pvars(int cat_index, int len, int* indices);
Error category_get_events(int cat_index, int len);
Error category_get_categories(int cat_index, int len, int* indices);

Error category_changed(int* update_number);

}  // namespace heddle::tool
