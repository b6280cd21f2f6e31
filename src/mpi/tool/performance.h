// performance.h — sessions and handles of performance variables (MPI 5.0 §15.3.7).
//
//   handle    start                stop                  reset, write
//   --------  -------------------  --------------------  -----------------------------
//   sums      counts from now on   keeps what it has     0 or the value; counts on from there
//   level     NO_STARTSTOP         NO_STARTSTOP          NO_WRITE
//
// MPI_T_PVAR_ALL_HANDLES starts, stops or resets all handles of a session that can be.
//
// Thread safety: any strand of the rank; calls for one handle come one after the other.

#pragma once

#include <mpi.h>

#include "base/error.h"

namespace heddle::tool {

Error pvar_get_num(int* num_pvar);
Error pvar_get_info(int pvar_index, char* name, int* name_len, int* verbosity, int* var_class,
                    MPI_Datatype* datatype, MPI_T_enum* enumtype, char* desc, int* desc_len,
                    int* bind, int* readonly, int* continuous, int* atomic);
Error pvar_get_index(const char* name, int var_class, int* pvar_index);

Error pvar_session_create(MPI_T_pvar_session* session);
Error pvar_session_free(MPI_T_pvar_session* session);
Error pvar_handle_alloc(MPI_T_pvar_session session, int pvar_index, MPI_T_pvar_handle* handle,
                        int* count);
Error pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle* handle);

Error pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle);
Error pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle);
Error pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf);
Error pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void* buf);
Error pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle);
Error pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf);

}  // namespace heddle::tool
