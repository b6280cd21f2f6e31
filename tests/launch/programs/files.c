// Collective writes of all ranks to one file, in blocks that they deal among themselves.
//
//   full FILE [HINT VALUE]…     to a disk that is too small: what each rank counts is there
//   readonly FILE NEW           a file that may only be read, and one that cannot be made
//   synced FILE                 says after each sync how many steps are on the disk; for ever
//   dies FILE RANK              this rank is killed in the middle of such writes
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kBlock = 500, kBlocks = 400, kBytes = kBlock * kBlocks };

static int rank, size;

static MPI_File open_file(const char* name, int mode, MPI_Info hints) {
  MPI_File file;
  if (MPI_File_open(MPI_COMM_WORLD, name, mode, hints, &file) != MPI_SUCCESS)
    MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Datatype block, filetype;
  MPI_Type_contiguous(kBlock, MPI_BYTE, &block);
  MPI_Type_create_resized(block, 0, (MPI_Aint)kBlock * size, &filetype);
  MPI_Type_commit(&filetype);
  MPI_File_set_view(file, (MPI_Offset)kBlock * rank, MPI_BYTE, filetype, "native", hints);
  MPI_Type_free(&block);
  MPI_Type_free(&filetype);
  return file;
}

static const char* name_of_class(int code) {
  int error_class = 0;
  MPI_Error_class(code, &error_class);
  switch (error_class) {
    case MPI_SUCCESS:
      return "success";
    case MPI_ERR_NO_SPACE:
      return "no space";
    case MPI_ERR_READ_ONLY:
      return "read only";
    default:
      return "another error";
  }
}

// Each rank's class and sentence, in order.
static void tell(const char* what, int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (code != MPI_SUCCESS) MPI_Error_string(code, text, &length);
  for (int r = 0; r < size; ++r) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (r == rank) {
      printf("%s: %s: %s\n", what, name_of_class(code), text);
      fflush(stdout);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static long bytes_there(const char* name) {
  static unsigned char part[65536];
  long count = 0;
  const int descriptor = open(name, O_RDONLY);
  for (ssize_t got; (got = read(descriptor, part, sizeof part)) > 0;) {
    for (ssize_t i = 0; i < got; ++i) count += part[i] != 0;
  }
  close(descriptor);
  return count;
}

static void write_too_much(const char* name, MPI_Info hints) {
  MPI_File file = open_file(name, MPI_MODE_RDWR | MPI_MODE_CREATE, hints);
  const int many = 8 * kBytes;
  char* const data = malloc(many);
  memset(data, rank + 1, many);
  MPI_Status status;
  const int code = MPI_File_write_all(file, data, many, MPI_BYTE, &status);
  tell("write", code);
  int count = 0;
  MPI_Get_count(&status, MPI_BYTE, &count);
  long mine = count, all = 0;
  MPI_Reduce(&mine, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%s\n",
           all == bytes_there(name) && all < (long)many * size ? "counted" : "WRONG COUNTS");
  MPI_File_set_size(file, 0);
  tell("less", MPI_File_write_at_all(file, 0, data, kBytes, MPI_BYTE, MPI_STATUS_IGNORE));
  MPI_File_close(&file);
  free(data);
}

static void try_to_write(const char* name, const char* fresh) {
  MPI_File file;
  tell("open", MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR, MPI_INFO_NULL, &file));
  tell("create", MPI_File_open(MPI_COMM_WORLD, fresh, MPI_MODE_WRONLY | MPI_MODE_CREATE,
                               MPI_INFO_NULL, &file));
  tell("delete", MPI_File_delete(name, MPI_INFO_NULL));
  file = open_file(name, MPI_MODE_RDONLY, MPI_INFO_NULL);
  char byte = 0;
  tell("read", MPI_File_read_at_all(file, 0, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE));
  MPI_File_close(&file);
}

static void write_for_ever(const char* name, int dies) {
  MPI_File file = open_file(name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL);
  static char data[kBytes];
  for (int step = 0;; ++step) {
    memset(data, 1 + step % 100, kBytes);
    MPI_File_write_at_all(file, (MPI_Offset)step * kBytes, data, kBytes, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    if (rank == dies && step == 5) raise(SIGKILL);
    MPI_File_sync(file);
    if (rank == 0 && dies < 0) {
      printf("%d\n", step + 1);
      fflush(stdout);
    }
  }
}

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* const what = arguments[1];
  MPI_Info hints;
  MPI_Info_create(&hints);
  if (strcmp(what, "full") == 0) {
    for (int i = 3; i + 1 < count; i += 2) MPI_Info_set(hints, arguments[i], arguments[i + 1]);
    write_too_much(arguments[2], hints);
  } else if (strcmp(what, "readonly") == 0) {
    try_to_write(arguments[2], arguments[3]);
  } else if (strcmp(what, "synced") == 0) {
    write_for_ever(arguments[2], -1);
  } else {
    write_for_ever(arguments[2], atoi(arguments[3]));
  }
  MPI_Info_free(&hints);
  MPI_Finalize();
}
