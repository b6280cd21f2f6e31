// strings.c — calls that take the length of a string: C's counts the null at its end, Fortran's has none.

#include "bindings/fortran/wrappers.h"

void F_NAME(info_get)(int* info, char* key, int* valuelen, char* value, int* flag, int* ierror,
                      size_t key_length, size_t value_length) {
  char* const name = f_stripped(key, key_length);
  char* const text = f_room_slow(*valuelen > 0 ? (long)*valuelen + 1 : 1, 1);
  text[0] = '\0';
  const int error = F_CALL(Info_get)(F_FROM(*info), name, *valuelen, text, flag);
  if (error == MPI_SUCCESS && *flag) f_pad(value, value_length, text);
  free(name);
  free(text);
  f_return(ierror, error);
}

void F_NAME(info_get_string)(int* info, char* key, int* buflen, char* value, int* flag, int* ierror,
                             size_t key_length, size_t value_length) {
  char* const name = f_stripped(key, key_length);
  const int room = *buflen > 0 ? *buflen + 1 : 0;
  int length = room;
  char* const text = f_room_slow((long)room + 1, 1);
  text[0] = '\0';
  const int error = F_CALL(Info_get_string)(F_FROM(*info), name, &length, text, flag);
  if (error == MPI_SUCCESS && *flag) {
    if (room > 0) f_pad(value, value_length, text);
    *buflen = length - 1;
  }
  free(name);
  free(text);
  f_return(ierror, error);
}

void F_NAME(session_get_nth_pset)(int* session, int* info, int* n, int* pset_len, char* pset_name,
                                  int* ierror, size_t name_length) {
  int room = *pset_len > 0 ? *pset_len + 1 : 0;
  char* const text = f_room_slow((long)room + 1, 1);
  text[0] = '\0';
  const int error = F_CALL(Session_get_nth_pset)(F_FROM(*session), F_FROM(*info), *n, &room, text);
  if (error == MPI_SUCCESS && *pset_len > 0) f_pad(pset_name, name_length, text);
  if (error == MPI_SUCCESS) *pset_len = room - 1;
  free(text);
  f_return(ierror, error);
}

F_F08(info_get)
F_F08(info_get_string)
F_F08(session_get_nth_pset)
