"""run.py with libraries of scripts: mistakes, failures, the right library, turns, Ctrl-C."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

from suite import PYTHON, SUITE, Case


class Mistakes(Case):
    """Each is refused before anything is built."""

    def test_options(self):
        mpi = f"MPICH={self.library()}"
        for words, said in ((["--rounds", "0"], "--rounds: must be a whole number above 0, not '0'"),
                            (["--rounds", "-3"], "--rounds: must be a whole number above 0"),
                            (["--rounds", "1.5"], "--rounds: must be a whole number above 0"),
                            (["--seconds", "0"], "--seconds: must be seconds above 0, not '0'"),
                            (["--seconds", "inf"], "--seconds: must be seconds above 0"),
                            (["--seconds", "nan"], "--seconds: must be seconds above 0"),
                            (["--limit", "-1"], "--limit: must be seconds above 0"),
                            (["--benches", "latencies"], "there is no program 'latencies'")):
            self.assert_refused(self.script("run.py", "--mpi", mpi, *words), said)
        self.assertFalse((self.folder / "build").exists())

    def test_no_library(self):
        self.assert_refused(self.script("run.py"), "no library")
        self.assert_refused(self.script("run.py", "--mpi", "MPICH=/opt/my mpi/bin"), "'mpi/bin' is no flag", "in quotes")
        self.assert_refused(self.script("run.py", "--mpi", "MPICH"), "NAME=FOLDER", "'MPICH'")
        self.assert_refused(self.script("run.py", "--mpi", "MPICH=/none/bin"), "there is no program /none/bin/mpicc")

    def test_a_label_twice(self):
        one, two = self.library("one"), self.library("two")
        result = self.script("run.py", "--mpi", f"MPICH={one}", "--mpi", f"MPICH={two}")
        self.assert_refused(result, "two libraries are called 'MPICH'", str(one), str(two))

    def test_files_of_libraries(self):
        good = {"name": "MPICH", "bin": str(self.library())}
        for entry, said in (({**good, "enviroment": {}}, "no key 'enviroment'; is 'environment' meant?"),
                            ({**good, "xyz": 1}, "no key 'xyz'; there are name, bin"),
                            ({**good, "environment": {"A": 1}}, "'environment' must be names with texts"),
                            ({**good, "environment": ["A=1"]}, "'environment' must be names with texts"),
                            ({**good, "flags": "-l"}, "'flags' must be a list of texts"),
                            ({**good, "threaded": "yes"}, "'threaded' must be true or false"),
                            ({**good, "benches": ["latencies"]}, "no program 'latencies'"),
                            ({"name": "MPICH"}, "'bin' is missing"), ("MPICH", "a library is written")):
            path = self.libraries(good, entry)
            self.assert_refused(self.script("run.py", "--libraries", path), f"{path}, library 2: ", said)
        path.write_text('[{"name": "MPICH",]')
        self.assert_refused(self.script("run.py", "--libraries", path), f"{path} is not JSON", "line 1")
        path.write_text("{}")
        self.assert_refused(self.script("run.py", "--libraries", path), f"{path} must be a list")
        self.assert_refused(self.script("run.py", "--libraries", "none.json"), "none.json: No such file")


class Failures(Case):
    """One sentence each; the other libraries go on."""

    def measure_beside_a_good_one(self, how, **environment):
        libraries = self.libraries({"name": "MPICH", "bin": str(self.library("good"))},
                                   {"name": "MPICH", "variant": "bad", "bin": str(self.library("bad")),
                                    "environment": {"FAKE": how, **environment}})
        result = self.measure("--libraries", libraries)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual({one["label"] for one in self.noted("quantity")} - {"MPICH, bad"}, {"MPICH"})
        self.assertNotIn("Traceback", result.stdout + result.stderr)
        return result.stdout

    def test_a_build_that_fails(self):
        said = self.measure_beside_a_good_one("nocompile")
        self.assertRegex(said, r"(?m)^MPICH, bad: building failed: x.c:1: error: no such thing \(all of it: "
                               r".*/mpich-\w+/build.log\); the others go on$")
        self.assertIn("MPICH, bad", self.noted("machine")[0]["left_out"])

    def test_a_library_that_does_not_start(self):
        said = self.measure_beside_a_good_one("fails at once")
        self.assertRegex(said, r"(?m)^MPICH, bad: .* ended with status 3: no such device; the others go on$")

    def test_rubbish_instead_of_results(self):
        self.assertRegex(self.measure_beside_a_good_one("rubbish"), r"(?m)^MPICH, bad: .* printed no result: ")

    def test_another_library_than_the_one_asked_for(self):
        said = self.measure_beside_a_good_one("", FAKE_NAME="Open MPI")
        self.assertRegex(said, r"(?m)^MPICH, bad: its programs run with another library; "
                               r"MPI_Get_library_version says 'Open MPI Version: 1.0', that is not MPICH; ")

    def test_a_text_that_the_version_should_contain(self):
        bin_folder = str(self.library())
        for says, status in (("Version: 1", 0), ("Version: 2", 1)):
            result = self.measure("--libraries", self.libraries({"name": "Mine", "bin": bin_folder, "says": says}))
            self.assertEqual(result.returncode, status, result.stdout)

    def test_runs_that_fail_say_why(self):
        said = self.measure_beside_a_good_one("fails")
        self.assertRegex(said, r"(?m)^\d runs did not come to their end; the first one: MPICH, bad, .*overhead .*: "
                               r"status 7: Abort\(1\): no network$")
        self.assertTrue(self.noted("failed")[0]["said"].startswith("Abort(1): no network\nmore"))

    def test_when_all_fail_the_status_says_so(self):
        environment = {"FAKE": "fails"}
        result = self.measure("--mpi", f"MPICH={self.library()}", **environment)
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"\Arun.py: every run failed; the first one: MPICH, .*overhead .*: "
                                        r"status 7: Abort\(1\): no network \(all: .*\)\n\Z")
        result = self.measure("--mpi", f"MPICH={self.library('other')}", FAKE="nocompile")
        self.assertEqual((result.returncode, result.stderr),
                         (1, "run.py: nothing was measured: no library could be built and run\n"))

    def test_what_a_job_leaves_behind_is_ended(self):
        pid = self.folder / "pid"
        self.measure("--mpi", f"MPICH={self.library()}", FAKE="orphan", FAKE_PID=str(pid))
        self.assertFalse(pathlib.Path("/proc", pid.read_text(), "stat").exists())


class Running(Case):
    def test_flags_of_the_command_line_reach_mpiexec(self):
        folder = self.library()
        (folder / "mpiexec").rename(folder / "real")
        (folder / "mpiexec").write_text('#!/bin/sh\n[ "$1 $2" = "--over subscribe" ] || exit 9\nshift 2\nexec "$0/../real" "$@"\n'
                                        .replace("$0/..", str(folder)))
        (folder / "mpiexec").chmod(0o755)
        result = self.measure("--mpi", f"MPICH={folder} --over subscribe")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.noted("failed"), [])

    def test_the_archive_runs_alone(self):
        self.assertEqual(self.script("archive.py", "suite.tar.gz").returncode, 0)
        shutil.unpack_archive(self.folder / "suite.tar.gz", self.folder)
        alone = self.folder / "threads-suite"
        self.assertIn("BSD 3-Clause", (alone / "LICENSE").read_text())
        self.assertNotIn("](../", (alone / "README.md").read_text())
        result = self.measure("--mpi", f"MPICH={self.library()}", suite=alone)
        self.assertEqual(result.returncode, 0, result.stderr)
        again = subprocess.run([PYTHON, alone / "archive.py", "again.tar.gz"], cwd=self.folder, text=True, capture_output=True)
        self.assertEqual(again.returncode, 0, again.stderr)

    def test_two_libraries_of_one_name_have_folders_of_their_own(self):
        libraries = self.libraries({"name": "MPICH", "variant": "a", "bin": str(self.library("a"))},
                                   {"name": "MPICH", "variant": "b", "bin": str(self.library("b"))})
        self.measure("--libraries", libraries)
        folders = {one["command"].split()[3] for one in self.noted("setup")}
        self.assertEqual(len(folders), 2, folders)

    def test_an_environment_that_changes_the_compiler_has_a_folder_of_its_own_and_others_share(self):
        bin_folder = str(self.library())
        entries = [{"name": "MPICH", "variant": name, "bin": bin_folder, "environment": environment}
                   for name, environment in (("a", {}), ("b", {"FAKE_FLAGS": "-O3"}), ("c", {"UNRELATED": "1"}))]
        result = self.measure("--libraries", self.libraries(*entries))
        folder = {one["setup"]: pathlib.Path(one["command"].split()[3]).parent for one in self.noted("setup")}
        self.assertEqual(folder["MPICH, a"], folder["MPICH, c"])
        self.assertNotEqual(folder["MPICH, a"], folder["MPICH, b"])
        self.assertEqual(result.stdout.count("building with"), 2)

    def test_libraries_take_turns_in_the_full_set_too(self):
        entries = [{"name": name, "bin": str(self.library(name)), "environment": {"FAKE_NAME": name}}
                   for name in ("One", "Two")]
        self.measure("--libraries", self.libraries(*entries), "--benches", "overhead,short_long", "--rounds", "2",
                     quick=False)
        calls = [call.split(" ", 1) for call in (self.folder / "calls").read_text().splitlines()[2:]]
        once = [call for at, call in enumerate(calls) if at == 0 or call != calls[at - 1]]  # disturbed ones come again
        pairs = [once[at:at + 2] for at in range(0, len(once), 2)]
        for (one, run), (other, same_run) in pairs:
            self.assertEqual(run, same_run)
            self.assertEqual({one, other}, {"One", "Two"})
        self.assertEqual([pair[0][0] for pair in pairs], ["One"] * (len(pairs) // 2) + ["Two"] * (len(pairs) // 2))
        self.assertEqual([pair[0][1].split()[0] for pair in pairs[:4]], ["overhead", "short_long"] * 2)

    def test_a_line_says_what_others_took_and_how_the_library_ran(self):
        self.measure("--mpi", f"MPICH={self.library()}")
        for one in self.noted("quantity"):
            self.assertTrue(0 <= one["others"] <= 1 <= one["attempts"] <= 3, one)
        setup = self.noted("setup")[0]
        self.assertEqual((setup["setup"], setup["says"]), ("MPICH", "MPICH Version: 1.0"))
        self.assertIn("/mpiexec -n RANKS ", setup["command"])

    def test_ctrl_c_while_building(self):
        command = [PYTHON, SUITE / "run.py", "--quick", "--mpi", f"MPICH={self.library()}"]
        job = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "FAKE": "slowcompile", "FAKE_CALLS": "calls"},
                               start_new_session=True)
        first = job.stdout.readline()
        while not self.compiling():
            time.sleep(0.05)
        job.send_signal(signal.SIGINT)
        said, errors = job.communicate(timeout=60)
        self.assertEqual((first, said, errors, job.returncode),
                         ("building with MPICH\n", "\nended while building; nothing was measured\n", "", 130))
        self.assertFalse(self.compiling())

    def compiling(self):
        """Whether a mpicc of this test's runs."""
        for process in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = process.read_text().split("\0")
            except OSError:
                continue
            if f"{self.folder}/mpi/bin/mpicc" in words and "-show" not in words:
                return True
        return False

    def test_the_example_of_the_readme_is_a_file_of_libraries(self):
        text = (SUITE / "README.md").read_text()
        example = json.loads(text.split("```json\n")[1].split("```")[0])
        self.assertEqual([one["name"] for one in example], ["Heddle", "MPICH", "Open MPI", "Intel MPI"])
        for one in example:
            one["bin"] = str(self.library(one["name"]))
            one["environment"] = {**one.get("environment", {}), "FAKE_NAME": one["name"]}
        result = self.measure("--libraries", self.libraries(*example))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len({one["label"] for one in self.noted("quantity")}), 4)


if __name__ == "__main__":
    unittest.main()
