"""CMake's own find_package(MPI) works with the wrappers. Usage: find_mpi_test.py BIN CC CXX"""
import os, pathlib, subprocess, sys, tempfile, unittest

BIN = pathlib.Path(sys.argv[1])
CC, CXX = sys.argv[2:4]

PROJECT = """
cmake_minimum_required(VERSION 3.20)
project(user C CXX)
find_package(MPI REQUIRED)
include(CheckFunctionExists)
include(CheckCSourceRuns)
add_library(part SHARED part.c)
target_link_libraries(part PUBLIC MPI::MPI_C)
add_library(archive STATIC part.c)
target_link_libraries(archive PUBLIC MPI::MPI_C)
add_library(plugin MODULE plugin.c)
target_link_libraries(plugin MPI::MPI_C)
add_library(calls_back SHARED plugin.c)
target_link_libraries(calls_back MPI::MPI_C)
add_executable(c_program program.c)
target_link_libraries(c_program part MPI::MPI_C)
add_executable(of_archive program.c)
target_link_libraries(of_archive archive)
add_executable(cxx_program program.cpp)
target_link_libraries(cxx_program MPI::MPI_CXX)
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
check_function_exists(MPI_Init has_init)
check_function_exists(no_such_function has_nothing)
check_c_source_runs("#include <mpi.h>\\nint main(void) { int v, s; return MPI_Get_version(&v, &s); }" runs)
message(STATUS "checks: init=${has_init} nothing=${has_nothing} runs=${runs}")
"""
FILES = {
    "CMakeLists.txt": PROJECT,
    "part.c": "#include <mpi.h>\nint part(void) { int r; MPI_Comm_rank(MPI_COMM_WORLD, &r); return r + 1; }\n",
    # Calls the program that loads it.
    "plugin.c": "#include <mpi.h>\nint of_the_host(int);\nint plugin(void) { int r; MPI_Comm_rank(MPI_COMM_WORLD, &r); return of_the_host(r); }\n",
    "program.c": "#include <mpi.h>\n#include <stdio.h>\nint part(void); __thread int t = 4; int g = 2;\n"
                 'int main(void) { fprintf(stdout, "c %d %d %d\\n", part(), t, g); return 0; }\n',
    "program.cpp": '#include <mpi.h>\n#include <iostream>\nthread_local int t = 4; int g = 2;\n'
                   'int main() { std::cout << "cxx " << t << g << std::endl; }\n',
}


class FindMpi(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="heddle_find_mpi_")
        for name, text in FILES.items():
            pathlib.Path(self.folder.name, name).write_text(text)

    def tearDown(self):
        self.folder.cleanup()

    def run_command(self, *command, **settings):
        result = subprocess.run([str(c) for c in command], cwd=self.folder.name, text=True,
                                capture_output=True, env={**os.environ, **settings})
        self.assertEqual(result.returncode, 0, f"{command}: {result.stdout}{result.stderr}")
        return result.stdout

    def check_project(self, c_compiler, cxx_compiler, *flags):
        text = self.run_command("cmake", "-B", "build", f"-DCMAKE_C_COMPILER={c_compiler}",
                                f"-DCMAKE_CXX_COMPILER={cxx_compiler}", *flags,
                                PATH=f"{BIN}:{os.environ['PATH']}")
        self.assertIn("init=1 nothing= runs=1", text)
        self.run_command("cmake", "--build", "build")
        self.assertEqual(self.run_command("build/c_program"), "c 1 4 2\n")
        self.assertEqual(self.run_command("build/of_archive"), "c 1 4 2\n")
        self.assertEqual(self.run_command("build/cxx_program"), "cxx 42\n")
        for program in ("c_program", "of_archive", "cxx_program"):
            self.assertIn("Heddle", self.run_command("readelf", "-nW", f"build/{program}"))
        for library in ("libpart.so", "libplugin.so", "libcalls_back.so"):
            self.assertNotIn("Heddle", self.run_command("readelf", "-nW", f"build/{library}"))

    def test_with_the_plain_compilers(self):
        self.check_project(CC, CXX)

    def test_with_flags_for_another_kind_of_program(self):
        for compiling, linking in (("-no-pie", ""), ("-fno-pie", "-no-pie"), ("-fPIE", "-pie")):
            with self.subTest(f"{compiling} {linking}"):
                self.check_project(CC, CXX, "--fresh", f"-DCMAKE_C_FLAGS={compiling}", f"-DCMAKE_CXX_FLAGS={compiling}",
                                   f"-DCMAKE_EXE_LINKER_FLAGS={linking}")

    def test_with_the_wrappers_as_compilers(self):
        self.check_project(BIN / "mpicc", BIN / "mpicxx")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
