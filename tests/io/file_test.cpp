// What files are, how they begin and end (MPI 5.0 §14.2, §14.3, §14.7).

#include "tests/io/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

int class_of(int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  return error_class;
}

std::string sentence_of(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return text;
}

}  // namespace

RANKS_TEST(File, IsMadeAndDeleted, ranks(1, 2, 5)) {
  const std::string name = fresh_name(rank);
  MPI_File file = MPI_FILE_NULL;
  ASSERT_EQ(MPI_File_open(MPI_COMM_WORLD, name.c_str(),
                          MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_EXCL, MPI_INFO_NULL, &file),
            MPI_SUCCESS);
  int mode = 0;
  EXPECT_EQ(MPI_File_get_amode(file, &mode), MPI_SUCCESS);
  EXPECT_EQ(mode, MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_EXCL);
  MPI_Group group, world;
  EXPECT_EQ(MPI_File_get_group(file, &group), MPI_SUCCESS);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int result = -1;
  MPI_Group_compare(group, world, &result);
  EXPECT_EQ(result, MPI_IDENT);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  EXPECT_EQ(MPI_File_close(&file), MPI_SUCCESS);
  EXPECT_EQ(file, MPI_FILE_NULL);
  EXPECT_EQ(access(name.c_str(), F_OK), 0);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    EXPECT_EQ(MPI_File_delete(name.c_str(), MPI_INFO_NULL), MPI_SUCCESS);
    EXPECT_NE(access(name.c_str(), F_OK), 0);
    EXPECT_EQ(class_of(MPI_File_delete(name.c_str(), MPI_INFO_NULL)), MPI_ERR_NO_SUCH_FILE);
  }
}

RANKS_TEST(File, TellsWhyItCannotBeOpened, ranks(1, 3)) {
  const auto open = [](const std::string& name, int mode) {
    MPI_File file = MPI_FILE_NULL;
    const int code = MPI_File_open(MPI_COMM_WORLD, name.c_str(), mode, MPI_INFO_NULL, &file);
    EXPECT_EQ(file, MPI_FILE_NULL);
    return code;
  };
  const std::string name = fresh_name(rank);
  const int missing = open(name, MPI_MODE_RDONLY);
  EXPECT_EQ(class_of(missing), MPI_ERR_NO_SUCH_FILE);
  EXPECT_NE(sentence_of(missing).find(name), std::string::npos) << sentence_of(missing);
  EXPECT_NE(sentence_of(missing).find("No such file"), std::string::npos) << sentence_of(missing);
  EXPECT_EQ(class_of(open("/tmp", MPI_MODE_RDONLY)), MPI_ERR_BAD_FILE);
  EXPECT_EQ(class_of(open("/tmp", MPI_MODE_RDWR)), MPI_ERR_BAD_FILE);
  EXPECT_EQ(class_of(open("/dev/null/x", MPI_MODE_RDWR)), MPI_ERR_BAD_FILE);
  EXPECT_EQ(class_of(open(std::string(5000, 'x'), MPI_MODE_RDWR)), MPI_ERR_BAD_FILE);
  EXPECT_EQ(class_of(open("/proc/version", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL)),
            MPI_ERR_FILE_EXISTS);
  EXPECT_EQ(class_of(open(name, 0)), MPI_ERR_AMODE);
  EXPECT_EQ(class_of(open(name, MPI_MODE_RDONLY | MPI_MODE_RDWR)), MPI_ERR_AMODE);
  EXPECT_EQ(class_of(open(name, MPI_MODE_RDONLY | MPI_MODE_CREATE)), MPI_ERR_AMODE);
  EXPECT_EQ(class_of(open(name, MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL)), MPI_ERR_AMODE);
  if (size > 1) {
    const int mode = rank == 1 ? MPI_MODE_RDWR : MPI_MODE_WRONLY;
    EXPECT_EQ(class_of(open(name, mode | MPI_MODE_CREATE)), MPI_ERR_NOT_SAME);
  }
}

RANKS_TEST(File, HasASize, ranks(1, 3)) {
  const TestFile test(rank);
  EXPECT_EQ(MPI_File_set_size(test.file, 12345), MPI_SUCCESS);
  MPI_Offset bytes = -1;
  EXPECT_EQ(MPI_File_get_size(test.file, &bytes), MPI_SUCCESS);
  EXPECT_EQ(bytes, 12345);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(MPI_File_preallocate(test.file, 100), MPI_SUCCESS);
  EXPECT_EQ(MPI_File_get_size(test.file, &bytes), MPI_SUCCESS);
  EXPECT_EQ(bytes, 12345);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(MPI_File_preallocate(test.file, 20000), MPI_SUCCESS);
  EXPECT_EQ(MPI_File_sync(test.file), MPI_SUCCESS);
  EXPECT_EQ(MPI_File_get_size(test.file, &bytes), MPI_SUCCESS);
  EXPECT_EQ(bytes, 20000);
  // One rank's mistake is told at all.
  EXPECT_EQ(class_of(MPI_File_set_size(test.file, rank == 0 ? -1 : 1)), MPI_ERR_ARG);
}

RANKS_TEST(File, HasAView, ranks(1, 2)) {
  const TestFile test(rank);
  MPI_Offset displacement = -1;
  MPI_Datatype etype, filetype;
  char datarep[MPI_MAX_DATAREP_STRING];
  EXPECT_EQ(MPI_File_get_view(test.file, &displacement, &etype, &filetype, datarep), MPI_SUCCESS);
  EXPECT_EQ(displacement, 0);
  EXPECT_EQ(etype, MPI_BYTE);
  EXPECT_EQ(filetype, MPI_BYTE);
  EXPECT_STREQ(datarep, "native");
  MPI_Datatype vector;
  MPI_Type_vector(3, 1, 2, MPI_INT, &vector);
  EXPECT_EQ(class_of(MPI_File_set_view(test.file, 8, MPI_INT, vector, "native", MPI_INFO_NULL)),
            MPI_ERR_TYPE);
  MPI_Type_commit(&vector);
  EXPECT_EQ(MPI_File_set_view(test.file, 8, MPI_INT, vector, "native", MPI_INFO_NULL), MPI_SUCCESS);
  EXPECT_EQ(MPI_File_get_view(test.file, &displacement, &etype, &filetype, datarep), MPI_SUCCESS);
  EXPECT_EQ(displacement, 8);
  EXPECT_EQ(etype, MPI_INT);
  int bytes = 0;
  MPI_Type_size(filetype, &bytes);
  EXPECT_EQ(bytes, 12);
  MPI_Type_free(&filetype);
  // Elements 0, 2, 4 of a tile of 5 ints.
  const MPI_Offset expected[] = {8, 16, 24, 28, 36, 44, 48};
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(MPI_File_get_byte_offset(test.file, i, &displacement), MPI_SUCCESS);
    EXPECT_EQ(displacement, expected[i]);
  }
  EXPECT_EQ(MPI_File_seek(test.file, 5, MPI_SEEK_SET), MPI_SUCCESS);
  EXPECT_EQ(MPI_File_seek(test.file, -2, MPI_SEEK_CUR), MPI_SUCCESS);
  MPI_Offset position = -1;
  EXPECT_EQ(MPI_File_get_position(test.file, &position), MPI_SUCCESS);
  EXPECT_EQ(position, 3);
  EXPECT_EQ(class_of(MPI_File_seek(test.file, -4, MPI_SEEK_CUR)), MPI_ERR_ARG);
  EXPECT_EQ(MPI_File_set_size(test.file, 45), MPI_SUCCESS);
  EXPECT_EQ(MPI_File_seek(test.file, 0, MPI_SEEK_END), MPI_SUCCESS);
  EXPECT_EQ(MPI_File_get_position(test.file, &position), MPI_SUCCESS);
  EXPECT_EQ(position, 6);
  MPI_Type_free(&vector);
  EXPECT_EQ(class_of(MPI_File_set_view(test.file, -5, MPI_INT, MPI_INT, "native", MPI_INFO_NULL)),
            MPI_ERR_ARG);
  EXPECT_EQ(class_of(MPI_File_set_view(test.file, 0, MPI_INT, MPI_BYTE, "native", MPI_INFO_NULL)),
            MPI_ERR_ARG);
  EXPECT_EQ(class_of(MPI_File_set_view(test.file, 0, MPI_INT, MPI_INT, "strange", MPI_INFO_NULL)),
            MPI_ERR_UNSUPPORTED_DATAREP);
}

RANKS_TEST(File, RefusesViewsThatGoBack, ranks(1)) {
  const TestFile test(rank);
  const int lengths[] = {1, 1}, back[] = {3, 0}, same[] = {0, 0};
  MPI_Datatype wrong;
  MPI_Type_indexed(2, lengths, back, MPI_INT, &wrong);
  MPI_Type_commit(&wrong);
  EXPECT_EQ(class_of(MPI_File_set_view(test.file, 0, MPI_INT, wrong, "native", MPI_INFO_NULL)),
            MPI_ERR_IO);
  MPI_Type_free(&wrong);
  MPI_Type_indexed(2, lengths, same, MPI_INT, &wrong);
  MPI_Type_commit(&wrong);
  EXPECT_EQ(class_of(MPI_File_set_view(test.file, 0, MPI_INT, wrong, "native", MPI_INFO_NULL)),
            MPI_ERR_IO);
  MPI_Type_free(&wrong);
}

// PnetCDF sets views whose extent is shorter than their data, and uses one filetype of them.
RANKS_TEST(File, TakesViewsWhoseFiletypesInterleave, ranks(1, 2)) {
  const TestFile test(rank);
  MPI_Datatype vector, interleaved;
  MPI_Type_vector(3, 1, 2, MPI_INT, &vector);
  MPI_Type_create_resized(vector, 0, sizeof(int), &interleaved);
  MPI_Type_commit(&interleaved);
  EXPECT_EQ(MPI_File_set_view(test.file, 24 * rank, MPI_INT, interleaved, "native", MPI_INFO_NULL),
            MPI_SUCCESS);
  const int numbers[] = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(MPI_File_write_at_all(test.file, 0, numbers, 6, MPI_INT, MPI_STATUS_IGNORE),
            MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
  const auto bytes = contents(test.name);
  ASSERT_EQ(bytes.size(), static_cast<std::size_t>(24 * size));
  const int expected[] = {1, 4, 2, 5, 3, 6};
  EXPECT_EQ(std::memcmp(bytes.data() + 24 * rank, expected, sizeof expected), 0);
  MPI_Type_free(&vector);
  MPI_Type_free(&interleaved);
}

// A view of filetypes of `blocks` ints with gaps of one, which follow each other at `extent` ints.
void set_interleaved(MPI_File file, int blocks, int extent, MPI_Datatype etype) {
  MPI_Datatype vector, interleaved;
  MPI_Type_vector(blocks, 1, 2, MPI_INT, &vector);
  MPI_Type_create_resized(vector, 0, extent * static_cast<MPI_Aint>(sizeof(int)), &interleaved);
  MPI_Type_commit(&interleaved);
  EXPECT_EQ(MPI_File_set_view(file, 4, etype, interleaved, "native", MPI_INFO_NULL), MPI_SUCCESS);
  MPI_Type_free(&vector);
  MPI_Type_free(&interleaved);
}

// The end of a view is its first etype that begins behind the file's end: every one is asked.
RANKS_TEST(File, FindsTheEndOfInterleavingViews, ranks(1)) {
  const TestFile test(rank);
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  for (const int extent : {1, 2, 3, 5, 8, 11}) {
    for (MPI_Datatype etype : {MPI_BYTE, MPI_INT, pair}) {
      set_interleaved(test.file, 6, extent, etype);
      for (int bytes = 0; bytes < 150; ++bytes) {
        EXPECT_EQ(truncate(test.name.c_str(), bytes), 0);
        MPI_Offset expected = 0, at = 0, found = -1;
        while (MPI_File_get_byte_offset(test.file, expected, &at) == MPI_SUCCESS && at < bytes) {
          ++expected;
        }
        EXPECT_EQ(MPI_File_seek(test.file, 0, MPI_SEEK_END), MPI_SUCCESS);
        EXPECT_EQ(MPI_File_get_position(test.file, &found), MPI_SUCCESS);
        ASSERT_EQ(found, expected) << "extent " << extent << ", bytes " << bytes;
      }
    }
  }
  MPI_Type_free(&pair);
  // Filetypes that lie on each other: those of the first one are all that there is.
  set_interleaved(test.file, 6, 0, MPI_INT);
  MPI_Offset found = -1;
  EXPECT_EQ(MPI_File_seek(test.file, 0, MPI_SEEK_END), MPI_SUCCESS);
  EXPECT_EQ(MPI_File_get_position(test.file, &found), MPI_SUCCESS);
  EXPECT_EQ(found, 6);
}

RANKS_TEST(File, IsAnIntegerToFortran, ranks(1)) {
  const TestFile test(rank);
  EXPECT_EQ(MPI_File_f2c(MPI_File_c2f(test.file)), test.file);
  EXPECT_EQ(MPI_File_f2c(MPI_File_c2f(MPI_FILE_NULL)), MPI_FILE_NULL);
}

RANKS_TEST(FileHints, AreTold, ranks(1, 2)) {
  const TestFile test(rank);
  MPI_Info hints;
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "cb_nodes", "3");
  MPI_Info_set(hints, "striping_unit", "much");
  MPI_Info_set(hints, "nonsense", "1");
  EXPECT_EQ(MPI_File_set_info(test.file, hints), MPI_SUCCESS);
  MPI_Info_free(&hints);
  EXPECT_EQ(MPI_File_get_info(test.file, &hints), MPI_SUCCESS);
  char value[32] = "";
  int room = sizeof value, flag = 0;
  MPI_Info_get_string(hints, "cb_nodes", &room, value, &flag);
  EXPECT_STREQ(value, "3");
  MPI_Info_get_string(hints, "striping_unit", &room, value, &flag);
  EXPECT_EQ(flag, 0);
  MPI_Info_get_string(hints, "nonsense", &room, value, &flag);
  EXPECT_EQ(flag, 0);
  MPI_Info_free(&hints);
}

namespace {
thread_local int heard = 0;
thread_local MPI_File heard_file = MPI_FILE_NULL;
void hear(MPI_File* file, int* code, ...) {
  heard = *code;
  heard_file = *file;
}
}  // namespace

RANKS_TEST(FileErrors, GoToTheFilesHandler, ranks(1, 2)) {
  MPI_Errhandler own, before;
  MPI_File_create_errhandler(hear, &own);
  MPI_File_get_errhandler(MPI_FILE_NULL, &before);
  EXPECT_EQ(before, MPI_ERRORS_RETURN);
  EXPECT_EQ(MPI_File_set_errhandler(MPI_FILE_NULL, own), MPI_SUCCESS);
  const std::string name = fresh_name(rank);
  MPI_File file;
  heard = 0;
  const int code =
      MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  EXPECT_EQ(heard, code);
  EXPECT_EQ(class_of(code), MPI_ERR_NO_SUCH_FILE);
  EXPECT_EQ(heard_file, MPI_FILE_NULL);
  {
    const TestFile test(rank);
    heard = 0;
    EXPECT_EQ(class_of(MPI_File_seek(test.file, 0, 77)), MPI_ERR_ARG);
    EXPECT_EQ(class_of(heard), MPI_ERR_ARG);
    EXPECT_EQ(heard_file, test.file);
    heard = 0;
    EXPECT_EQ(MPI_File_call_errhandler(test.file, MPI_ERR_TAG), MPI_SUCCESS);
    EXPECT_EQ(heard, MPI_ERR_TAG);
    EXPECT_EQ(MPI_File_set_errhandler(test.file, MPI_ERRORS_RETURN), MPI_SUCCESS);
    heard = 0;
    EXPECT_EQ(class_of(MPI_File_seek(test.file, 0, 77)), MPI_ERR_ARG);
    EXPECT_EQ(heard, 0);
  }
  heard = 0;
  MPI_Offset bytes;
  EXPECT_EQ(class_of(MPI_File_get_size(MPI_FILE_NULL, &bytes)), MPI_ERR_FILE);
  EXPECT_EQ(class_of(heard), MPI_ERR_FILE);
  EXPECT_EQ(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN), MPI_SUCCESS);
  MPI_Errhandler_free(&own);
}
