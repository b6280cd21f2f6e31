"""What ./dev says and does where Debian packages are missing: dpkg-query, apt-get and id are stand-ins."""
import os, pathlib, re, subprocess, tempfile, unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = "  apt-get update && apt-get install --no-install-recommends "
# apt-get of a fresh machine, which knows no package before its first update.
APT_GET = """echo "$@" >>"$folder/calls"
case " $* " in
  *" update "*) touch "$folder/updated" ;;
  *) [ -e "$folder/updated" ] || { echo "E: Unable to locate package" >&2; exit 100; }
     case " $* " in *" none "*) echo "E: none" >&2; exit 100 ;; esac ;;
esac
"""


class Missing(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="heddle_packages_")
        self.program("dpkg-query", "exit 1")
        self.program("apt-get", APT_GET)

    def tearDown(self):
        self.folder.cleanup()

    def program(self, name, text):
        path = pathlib.Path(self.folder.name, name)
        path.write_text(f"#!/bin/sh\nfolder='{self.folder.name}'\n{text}\n")
        path.chmod(0o755)

    def run_as(self, user, *command):
        self.program("id", f"echo {user}")
        return subprocess.run(command, cwd=ROOT, text=True, capture_output=True,
                              env={**os.environ, "PATH": f"{self.folder.name}:{os.environ['PATH']}",
                                   "PYTHONPATH": self.folder.name})

    def need(self, *names):
        return self.run_as(0, "bash", "-euc", 'source tools/dev/packages.sh; need_packages "$@"', "bash", *names)

    def calls(self):
        calls = pathlib.Path(self.folder.name, "calls").read_text().splitlines()
        return [" ".join(word for word in call.split() if not word.startswith("-")) for call in calls]

    def test_without_root_all_are_named_at_once(self):
        for command, more in (("build", []), ("test", ["spin", "make"]), ("seeds", ["spin"]),
                              ("demo", ["python3-matplotlib"]), ("bench", ["make", "python3-venv"]),
                              ("acceptance", ["dpkg-dev"]), ("tidy", ["spin", "clang-tidy-14"])):
            result = self.run_as(1000, "./dev", command)
            said = result.stderr.splitlines()
            self.assertEqual((result.returncode, result.stdout, len(said)), (1, "", 2), f"{command}: {said}")
            self.assertTrue(said[1].startswith(NAMES), said[1])
            named = said[1].removeprefix(NAMES).split()
            self.assertEqual(len(named), len(set(named)), f"{command} names a package twice")
            self.assertLessEqual({"g++", "cmake", "ninja-build", *more}, set(named), command)

    def test_help_needs_none_and_builds_nothing(self):
        self.program("cmake", "exit 1")
        pathlib.Path(self.folder.name, "matplotlib.py").write_text("raise ImportError('not there')")
        commands = re.findall(r"^\./dev ([a-z]+(?: [a-z]+)*)", self.run_as(1000, "./dev", "help").stdout, re.MULTILINE)
        self.assertLessEqual({"test", "build", "bench threads", "tidy"}, set(commands))
        for command in commands:
            for ask in ("--help", "-h"):
                result = self.run_as(1000, "./dev", *command.split(), ask)
                self.assertEqual((result.returncode, result.stderr), (0, ""), command)
                self.assertIn(f"./dev {command}", result.stdout)

    def test_as_root_they_are_installed_with_fresh_lists_and_no_false_alarm(self):
        result = self.need("one", "two")
        self.assertEqual((result.returncode, result.stderr), (0, "./dev: installing Debian packages: one two\n"))
        self.assertEqual(self.calls(), ["install one two", "update", "install one two"])

    def test_what_cannot_be_installed_is_told(self):
        result = self.need("none")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr.splitlines()[1:], ["E: none", "./dev: could not install none"])


if __name__ == "__main__":
    unittest.main()
