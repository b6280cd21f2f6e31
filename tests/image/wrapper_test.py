"""mpicc and mpicxx do what a compiler does. Usage: wrapper_test.py BIN CC CXX"""
import os, pathlib, re, subprocess, sys, tempfile, unittest

BIN = pathlib.Path(sys.argv[1])
CC, CXX = sys.argv[2:4]
LIB = BIN.parent / "lib"
SETTINGS = ("HEDDLE_", "MPICH_", "OMPI_", "I_MPI_")

HELLO = """#include <mpi.h>
#include <stdio.h>
int helper(int);
int main(int argc, char** argv) { MPI_Init(&argc, &argv); printf("hello %d\\n", helper(argc));
  return MPI_Finalize(); }
"""
FILES = {
    "hello.c": HELLO,
    "helper.c": "int helper(int n) { return n + 41; }\n",
    "tls.c": "static __thread int t; int helper(int n) { t += n; return t + 41; }\n",
    "all.c": HELLO.replace("int helper(int);", "int helper(int n) { return n + 41; }"),
    "all.cpp": '#include <iostream>\n#include <mpi.h>\n'
               'int main(int c, char** v) { MPI_Init(&c, &v); std::cout << "hello " << c + 41 << std::endl;'
               ' return MPI_Finalize(); }\n',
    "undefined.c": "int no_such_function(void); int main(void) { return no_such_function(); }\n",
    "nomain.c": "int only(void) { return 1; }\n",
    "wrong.c": "int main(void) { return }\n",
    "arguments.rsp": "-O1 all.c\n-o 'from response'\n",
    "compile.rsp": "-c all.c -o response.o\n",
}


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="heddle wrapper ")
        for name, text in FILES.items():
            pathlib.Path(self.folder.name, name).write_text(text)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(SETTINGS)}

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return pathlib.Path(self.folder.name, name)

    def run_command(self, *command, **settings):
        return subprocess.run([str(c) for c in command], cwd=self.folder.name, text=True,
                              capture_output=True, env={**self.environment, **settings})

    def wrapper(self, line, name="mpicc", **settings):
        words = line if isinstance(line, list) else line.split()
        return self.run_command(BIN / name, *words, **settings)

    def succeeds(self, line, name="mpicc", **settings):
        result = self.wrapper(line, name, **settings)
        self.assertEqual(result.returncode, 0, f"{name} {line}: {result.stderr}")
        return result.stdout

    def prints_hello(self, program):
        result = self.run_command(self.path(program))
        self.assertEqual((result.stdout, result.returncode), ("hello 42\n", 0), result.stderr)

    def is_image(self, program):
        return "Heddle" in self.run_command("readelf", "-nW", self.path(program)).stdout


class Links(Case):
    def test_command_lines_that_make_a_program_that_runs(self):
        table = [
            "hello.c helper.c -o out",
            "-o out hello.c helper.c",
            "-oout hello.c helper.c",
            "-O2 -g -Wall hello.c tls.c -o out",
            "-pie all.c -o out", "-no-pie all.c -o out", "-fPIE -pie all.c -o out",
            "-fno-pie -no-pie all.c -o out", "-fpie all.c -o out", "-fpic all.c -o out",
            "-fno-pic all.c -o out",
            "-O2 -flto hello.c helper.c -o out",
            "-fvisibility=hidden all.c -o out",
            "-x c all.c -o out",
            "all.c -o out -lm -lpthread",
            "all.c -Wl,-Bstatic -lm -Wl,-Bdynamic -Wl,--as-needed -o out",
            "-Wl,--gc-sections -ffunction-sections all.c -o out",
            "-static-libgcc all.c -o out",
            "-fuse-ld=gold all.c -o out",
            "-s all.c -o out",
            "-fsanitize=undefined all.c -o out",
            "-D_FORTIFY_SOURCE=2 -fstack-protector-all -O1 all.c -o out",
            "-fno-plt all.c -o out",
            "-nostartfiles all.c -o out",
        ]
        for line in table:
            with self.subTest(line):
                self.succeeds(line)
                self.prints_hello("out")
                self.assertTrue(self.is_image("out"))

    def test_default_output_is_a_out(self):
        self.succeeds("all.c")
        self.prints_hello("a.out")

    def test_objects_and_sources_mix(self):
        self.succeeds("-c hello.c")
        self.succeeds("-c helper.c -o other.o")
        self.succeeds("hello.o other.o -o objects")
        self.prints_hello("objects")
        self.succeeds("hello.o helper.c -o mixed")
        self.prints_hello("mixed")
        self.run_command("ar", "rcs", "libhelper.a", "other.o")
        self.succeeds("hello.c -L. -lhelper -o archive")
        self.prints_hello("archive")

    def test_main_may_lie_in_an_archive(self):
        self.succeeds("-c hello.c helper.c")
        self.run_command("ar", "rcs", "libmain.a", "hello.o", "helper.o")
        self.succeeds("libmain.a -o main_in_archive")
        self.prints_hello("main_in_archive")

    def test_response_files(self):
        self.succeeds("@arguments.rsp")
        self.prints_hello("from response")
        self.succeeds("@compile.rsp")
        self.succeeds("response.o -o linked")
        self.prints_hello("linked")

    def test_cxx_by_every_name(self):
        for name in ("mpicxx", "mpic++", "mpiCC"):
            with self.subTest(name):
                if not (BIN / name).exists():
                    os.symlink("mpicc", BIN / name)
                self.succeeds("all.cpp -o out", name)
                self.prints_hello("out")

    def test_standard_input(self):
        result = subprocess.run([BIN / "mpicc", "-x", "c", "-", "-o", "out"], input=FILES["all.c"],
                                cwd=self.folder.name, text=True, env=self.environment)
        self.assertEqual(result.returncode, 0)
        self.prints_hello("out")

    def test_own_shared_library(self):
        self.succeeds("-shared helper.c -o libhelper.so")
        self.assertFalse(self.is_image("libhelper.so"))
        self.succeeds(["hello.c", "-L.", "-lhelper", "-Wl,-rpath,$ORIGIN", "-o", "out"])
        self.prints_hello("out")

    def test_relocatable_object(self):
        self.succeeds("-c hello.c helper.c")
        self.succeeds("-r hello.o helper.o -o both.o")
        self.succeeds("both.o -o out")
        self.prints_hello("out")

    def test_what_must_fail_fails(self):
        table = [("undefined.c -o out", "no_such_function"), ("nomain.c -o out", "main"),
                 ("wrong.c -o out", "error"), ("missing.c", "missing.c"), ("", "no input files"),
                 ("all.c -lno_such_library -o out", "no_such_library"),
                 ("-static all.c -o out", "-static is not possible"),
                 ("-static-pie all.c -o out", "-static is not possible")]
        for line, text in table:
            with self.subTest(line):
                result = self.wrapper(line)
                self.assertNotEqual(result.returncode, 0)
                self.assertIn(text, result.stderr)
                self.assertFalse(self.path("out").exists())

    def test_objects_that_are_not_position_independent_are_explained(self):
        self.path("stream.c").write_text("#include <stdio.h>\nint helper(int n) { return fputs(\"\", stderr) + n + 41; }\n")
        for flags in ("-fPIE -O1", "-fno-pie -O1", "-fno-pie"):
            self.run_command(CC, *flags.split(), "-c", "stream.c", "-o", "stream.o")
            self.run_command("ar", "rcs", "libstream.a", "stream.o")
            for linker in ("bfd", "gold"):
                with self.subTest(f"{flags}, {linker}"):
                    line = f"hello.c -L. -lstream -fuse-ld={linker} -o out"
                    compilers = self.run_command("sh", "-c", self.succeeds(f"-show {line}"))
                    result = self.wrapper(line)
                    self.assertEqual((result.returncode, result.stdout), (compilers.returncode, compilers.stdout))
                    *lines, sentence = result.stderr.splitlines()
                    unnamed = [re.sub(r"/\S*/cc\w+\.o", "", text) for text in (*lines, *compilers.stderr.splitlines())]
                    self.assertEqual(unnamed[:len(lines)], unnamed[len(lines):])
                    self.assertRegex(sentence, "^mpicc: .* must be compiled again, by mpicc or with -fPIC;")
        self.assertNotIn("mpicc:", self.wrapper("undefined.c -o out").stderr)

    def test_the_compilers_end_is_the_wrappers(self):
        self.path("compiler").write_text("#!/bin/sh\necho out; echo error >&2; eval $HOW\n")
        self.path("compiler").chmod(0o755)
        for how, status in (("exit 0", 0), ("exit 3", 3), ("kill -TERM $$", -15), ("sleep 1000 2>&2 & exit 4", 4)):
            with self.subTest(how):
                result = subprocess.run([BIN / "mpicc", "-cc=./compiler", "all.c"], cwd=self.folder.name, text=True,
                                        stdout=self.path("stdout").open("w"), stderr=self.path("stderr").open("w"),
                                        env={**self.environment, "HOW": how}, timeout=60)
                self.assertEqual(result.returncode, status)
                self.assertEqual((self.path("stdout").read_text(), self.path("stderr").read_text()), ("out\n", "error\n"))

    def test_a_library_with_an_undefined_symbol_cannot_be_linked(self):
        self.path("hole.c").write_text("int hole(void); int helper(int n) { return n + hole(); }")
        self.succeeds("-shared hole.c -o libhole.so")
        self.assertNotEqual(self.wrapper("hello.c -L. -lhole -o out").returncode, 0)


class Stages(Case):
    def test_each_stage_stops_where_the_compilers_does(self):
        for line, output in [("-c all.c", "all.o"), ("-S all.c", "all.s"), ("-c all.c -o x.o", "x.o"),
                             ("-E all.c -o all.i", "all.i"), ("-M all.c -MF all.d", "all.d"),
                             ("-MD -c all.c -o y.o", "y.d")]:
            with self.subTest(line):
                self.succeeds(line)
                self.assertTrue(self.path(output).exists())
        self.assertIn("MPI_Init", self.succeeds("-E all.c"))
        self.assertIn("mpi.h", self.succeeds("-MM all.c"))
        self.succeeds("-fsyntax-only all.c")
        self.assertFalse(self.path("a.out").exists())

    def test_code_is_position_independent_without_unique_symbols(self):
        self.path("unique.cpp").write_text("template <class T> struct S { static int v; };\n"
                                           "template <class T> int S<T>::v = 1;\n"
                                           "int f() { return S<int>::v; }\n")
        self.succeeds("-fPIE -c unique.cpp", "mpicxx")
        self.assertNotIn("UNIQUE", self.run_command("readelf", "-sW", "unique.o").stdout)

    def test_questions_go_to_the_compiler(self):
        for line in ("--version", "-dumpversion", "-dumpmachine", "-print-search-dirs",
                     "-print-file-name=libc.so", "--help", "-print-prog-name=ld"):
            with self.subTest(line):
                expected = self.run_command(os.path.basename(CC), *line.split())
                self.assertEqual(self.succeeds(line), expected.stdout)
        self.assertIn("gcc version", self.wrapper("-v").stderr)


class Options(Case):
    def test_show_prints_what_would_run_and_runs_nothing(self):
        for option in ("-show", "-showme", "--showme", "-compile-info", "-link-info"):
            with self.subTest(option):
                text = self.succeeds(f"{option} all.c -o out")
                self.assertRegex(text, r"^\S*cc .*all\.c -o out .*-lmpi_abi")
                self.assertFalse(self.path("out").exists())
        self.assertEqual(self.run_command("sh", "-c", self.succeeds("-show all.c -o out")).returncode, 0)
        self.prints_hello("out")
        self.assertNotIn("-lmpi_abi", self.succeeds("-show -c all.c"))

    def test_showme_parts(self):
        include = str(BIN.parent / "include")
        self.assertIn(f"-I{include}", self.succeeds("-showme:compile"))
        self.assertIn("-fPIC", self.succeeds("-showme:compile"))
        self.assertIn(f"-L{LIB}", self.succeeds("-showme:link"))
        self.assertEqual(self.succeeds("-showme:incdirs").strip(), include)
        self.assertEqual(self.succeeds("-showme:libdirs").strip(), str(LIB))
        self.assertEqual(self.succeeds("-showme:libs").split()[-1], "mpi_abi")
        self.assertRegex(self.succeeds("-showme:version"), r"^Heddle \d+\.\d+\.\d+\n$")
        self.assertRegex(self.succeeds("-showme:command"), "cc")

    def test_large_frames_are_touched_unless_the_user_says_otherwise(self):
        flag = "-fstack-clash-protection"
        self.assertIn(flag, self.succeeds("-showme:compile"))
        words = self.succeeds("-show -c all.c -fno-stack-clash-protection").split()
        self.assertLess(words.index(flag), words.index("-fno-stack-clash-protection"))

    def test_flags_for_makefiles_work_with_the_plain_compiler(self):
        compile_flags = self.succeeds("-showme:compile").split()
        link_flags = self.succeeds("-showme:link").split()
        for command in ([CC, *compile_flags, "-c", "all.c"], [CC, "all.o", *link_flags, "-o", "out"]):
            self.assertEqual(self.run_command(*command).returncode, 0)
        self.prints_hello("out")
        self.assertTrue(self.is_image("out"))

    def test_unknown_questions_fail(self):
        for option in ("-showme:nothing", "-show-all", "--showme:x", "-compile-infos"):
            with self.subTest(option):
                self.assertNotEqual(self.wrapper(option).returncode, 0)

    def test_the_compiler_can_be_chosen(self):
        for line, settings in [("-cc=/bin/echo all.c", {}), ("all.c", {"HEDDLE_CC": "/bin/echo"}),
                               ("all.c", {"MPICH_CC": "/bin/echo"}), ("all.c", {"OMPI_CC": "/bin/echo"})]:
            with self.subTest(line=line, settings=settings):
                self.assertIn("all.c", self.succeeds(line, **settings))
        self.assertIn("all.cpp", self.succeeds("-cxx=/bin/echo all.cpp", "mpicxx"))
        self.assertRegex(self.succeeds("all.c", HEDDLE_CC="/bin/echo x"), "^x .*all.c")
        missing = self.wrapper("-cc=/no/compiler all.c")
        self.assertEqual(missing.returncode, 127)
        self.assertIn("/no/compiler", missing.stderr)

    def test_it_works_through_a_link_and_after_a_move(self):
        os.symlink(BIN / "mpicc", self.path("my mpicc"))
        self.assertEqual(self.run_command(self.path("my mpicc"), "all.c", "-o", "out").returncode, 0)
        self.prints_hello("out")
        moved = self.path("moved here")
        subprocess.run(["cp", "-rL", BIN.parent, moved], check=True)
        self.assertEqual(self.run_command(moved / "bin/mpicc", "all.c", "-o", "out2").returncode, 0)
        self.prints_hello("out2")
        self.assertIn("moved here", self.run_command("readelf", "-d", "out2").stdout)


class Configure(Case):
    """What autoconf's and libtool's checks do."""

    def compiles(self, body, *flags):
        self.path("conftest.c").write_text(body)
        return self.wrapper(["-o", "conftest", "conftest.c", *flags]).returncode == 0

    def test_checks_are_not_fooled(self):
        self.assertTrue(self.compiles("char printf(); int main() { return printf(); }"))
        self.assertFalse(self.compiles("char no_such(); int main() { return no_such(); }"))
        self.assertTrue(self.compiles("char MPI_Init(); int main() { return MPI_Init(); }"))
        self.assertFalse(self.compiles("#include <no_such.h>\nint main() { return 0; }"))
        self.assertTrue(self.compiles("char sin(); int main() { return sin(); }", "-lm"))
        self.assertFalse(self.compiles("int main() { return 0; }", "-lno_such"))
        self.assertFalse(self.compiles("int main() { return 0; }", "--no-such-option"))
        self.assertFalse(self.compiles("int main() { int a[sizeof(long) == 8 ? -1 : 1]; return a[0]; }"))

    def test_a_test_program_runs_and_its_status_counts(self):
        for status in (0, 7):
            self.assertTrue(self.compiles(f"int main() {{ return {status}; }}"))
            self.assertEqual(self.run_command(self.path("conftest")).returncode, status)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
