// controls.h — control variables (MPI 5.0 §15.3.6): the settings that the library reads, under the
// names of their environment variables.
//
// All are read when the library is loaded and never change, so none can be written.
//
// Thread safety: any strand of the rank.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "base/settings.h"

namespace heddle::tool {

int control_count() noexcept;
// Requires 0 <= index < control_count().
settings::Id control(int index) noexcept;

Error cvar_get_num(int* num_cvar);
Error cvar_get_info(int cvar_index, char* name, int* name_len, int* verbosity,
                    MPI_Datatype* datatype, MPI_T_enum* enumtype, char* desc, int* desc_len,
                    int* bind, int* scope);
Error cvar_get_index(const char* name, int* cvar_index);
Error cvar_handle_alloc(int cvar_index, MPI_T_cvar_handle* handle, int* count);
Error cvar_handle_free(MPI_T_cvar_handle* handle);
Error cvar_read(MPI_T_cvar_handle handle, void* buf);
Error cvar_write(MPI_T_cvar_handle handle);

}  // namespace heddle::tool
