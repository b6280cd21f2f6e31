// What gcc's code calls of its OpenMP library and LLVM's libomp (14 to 19) does not have
// (README.md, "OpenMP").
//
// Without it the linker would take these functions from libgomp, and a program would have two
// OpenMP runtimes that know nothing of each other's tasks. There are no devices: a target region
// runs on the host, at once, which OpenMP allows also where it says nowait. A dependence is waited
// for before; nothing has to wait for the region.
//
// Names that stand neither in libomp nor here are refused by the linker;
// tests/image/openmp_names.py has the list.
//
// Thread safety: as OpenMP has it: any thread of a team.

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// libomp's.
void GOMP_taskwait_depend(void** depend);
void GOMP_task(void (*function)(void*), void* data, void (*copy)(void*, void*), long bytes,
               long alignment, bool if_clause, unsigned flags, void** depend, int priority,
               void* detach);
int omp_get_num_teams_(void);
int omp_get_team_num_(void);

// gcc's encoding of how a variable gets to a device: the kind below, the logarithm of the alignment
// above.
enum { kKindMask = 0xff, kFirstPrivate = 0xc, kAlignmentShift = 8, kTaskHasDependences = 1 << 3 };

static void wait_for(void** depend) {
  if (depend != NULL) GOMP_taskwait_depend(depend);
}

// The teams of a league on the host, one after the other.
static __thread unsigned teams, team;

// firstprivate: the region changes a copy of its own.
static char* copy_private(size_t count, void** addresses, const size_t* sizes,
                          const unsigned short* kinds) {
  size_t whole = 0;
  for (size_t i = 0; i < count; ++i) {
    if ((kinds[i] & kKindMask) == kFirstPrivate)
      whole += sizes[i] + ((size_t)1 << (kinds[i] >> kAlignmentShift));
  }
  if (whole == 0) return NULL;
  char* const copies = malloc(whole);
  if (copies == NULL) {
    fprintf(stderr, "no memory for the private variables of a target region\n");
    abort();
  }
  uintptr_t at = (uintptr_t)copies;
  for (size_t i = 0; i < count; ++i) {
    if ((kinds[i] & kKindMask) != kFirstPrivate) continue;
    const uintptr_t alignment = (uintptr_t)1 << (kinds[i] >> kAlignmentShift);
    at = (at + alignment - 1) & ~(alignment - 1);
    memcpy((void*)at, addresses[i], sizes[i]);
    addresses[i] = (void*)at;
    at += sizes[i];
  }
  return copies;
}

void GOMP_target_ext(int device, void (*function)(void*), size_t count, void** addresses,
                     size_t* sizes, unsigned short* kinds, unsigned flags, void** depend,
                     void** arguments) {
  (void)device, (void)flags, (void)arguments;
  wait_for(depend);
  char* const copies = copy_private(count, addresses, sizes, kinds);
  const unsigned teams_before = teams, team_before = team;
  teams = team = 0;
  function(addresses);
  teams = teams_before;
  team = team_before;
  free(copies);
}

void GOMP_target_data_ext(int device, size_t count, void** addresses, size_t* sizes,
                          unsigned short* kinds) {
  (void)device, (void)count, (void)addresses, (void)sizes, (void)kinds;
}

void GOMP_target_update_ext(int device, size_t count, void** addresses, size_t* sizes,
                            unsigned short* kinds, unsigned flags, void** depend) {
  (void)device, (void)count, (void)addresses, (void)sizes, (void)kinds, (void)flags;
  wait_for(depend);
}

void GOMP_target_enter_exit_data(int device, size_t count, void** addresses, size_t* sizes,
                                 unsigned short* kinds, unsigned flags, void** depend) {
  (void)device, (void)count, (void)addresses, (void)sizes, (void)kinds, (void)flags;
  wait_for(depend);
}

void* GOMP_target_map_indirect_ptr(void* function) {
  return function;
}

// The region runs once for each true that this returns.
bool GOMP_teams4(unsigned least, unsigned most, unsigned thread_limit, bool first) {
  (void)thread_limit;
  if (first) {
    teams = least != 0 ? least : most != 0 ? most : 1;
    team = 0;
    return true;
  }
  if (++team < teams) return true;
  teams = team = 0;
  return false;
}

int omp_get_num_teams(void) {
  return teams != 0 ? (int)teams : omp_get_num_teams_();
}

int omp_get_team_num(void) {
  return teams != 0 ? (int)team : omp_get_team_num_();
}

static void nothing(void* data) {
  (void)data;
}

void GOMP_taskwait_depend_nowait(void** depend) {
  GOMP_task(nothing, NULL, NULL, 0, 1, true, kTaskHasDependences, depend, 0, NULL);
}

static void tell(const char* kind, const char* message, size_t length) {
  if (message == NULL) {
    fprintf(stderr, "OpenMP %s\n", kind);
  } else if (length == SIZE_MAX) {
    fprintf(stderr, "OpenMP %s: %s\n", kind, message);
  } else {
    fprintf(stderr, "OpenMP %s: %.*s\n", kind, (int)length, message);
  }
}

void GOMP_warning(const char* message, size_t length) {
  tell("warning", message, length);
}

void GOMP_error(const char* message, size_t length) {
  tell("error", message, length);
  exit(EXIT_FAILURE);
}

// Memory of a device is the host's.
void* omp_target_alloc(size_t bytes, int device) {
  (void)device;
  return malloc(bytes);
}

void omp_target_free(void* block, int device) {
  (void)device;
  free(block);
}

int omp_target_is_present(const void* address, int device) {
  (void)address, (void)device;
  return 1;
}

int omp_target_is_accessible(const void* address, size_t bytes, int device) {
  (void)address, (void)bytes, (void)device;
  return 1;
}

void* omp_get_mapped_ptr(const void* address, int device) {
  (void)device;
  return (void*)(uintptr_t)address;
}

int omp_target_memcpy(void* to, const void* from, size_t bytes, size_t to_offset,
                      size_t from_offset, int to_device, int from_device) {
  (void)to_device, (void)from_device;
  memcpy((char*)to + to_offset, (const char*)from + from_offset, bytes);
  return 0;
}

int omp_target_memcpy_rect(void* to, const void* from, size_t element, int dimensions,
                           const size_t* volume, const size_t* to_offsets,
                           const size_t* from_offsets, const size_t* to_dimensions,
                           const size_t* from_dimensions, int to_device, int from_device) {
  if (to == NULL && from == NULL) return INT32_MAX;  // asked for the most dimensions
  if (dimensions < 1) return EINVAL;
  size_t to_stride = element, from_stride = element;
  for (int i = 1; i < dimensions; ++i) {
    to_stride *= to_dimensions[i];
    from_stride *= from_dimensions[i];
  }
  char* const to_first = (char*)to + to_offsets[0] * to_stride;
  const char* const from_first = (const char*)from + from_offsets[0] * from_stride;
  if (dimensions == 1) {
    memcpy(to_first, from_first, volume[0] * element);
    return 0;
  }
  for (size_t i = 0; i < volume[0]; ++i) {
    omp_target_memcpy_rect(to_first + i * to_stride, from_first + i * from_stride, element,
                           dimensions - 1, volume + 1, to_offsets + 1, from_offsets + 1,
                           to_dimensions + 1, from_dimensions + 1, to_device, from_device);
  }
  return 0;
}

int omp_target_associate_ptr(const void* host, const void* device_address, size_t bytes,
                             size_t offset, int device) {
  (void)host, (void)device_address, (void)bytes, (void)offset, (void)device;
  return EINVAL;
}

int omp_target_disassociate_ptr(const void* host, int device) {
  (void)host, (void)device;
  return EINVAL;
}
