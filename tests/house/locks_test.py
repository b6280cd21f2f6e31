"""tools/locks.py finds each lock, and says which of them have no comment."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import locks

HEAD = "namespace heddle::ult {\n\nclass Worker {\n private:\n"


def found(text):
    return list(locks.locks_of("src/exec/ult/worker.h", text))


def row(text):
    return found(text)[0][0]


class Locks(unittest.TestCase):
    def test_a_row_says_all_that_the_comment_says(self):
        lock = row(HEAD + "  // Why it is so.\n  // Lock: guards the list;\n  // held across `f`; taken after a\'s; never b.\n  mutable SpinLock lock_;\n")
        self.assertEqual(lock, "| [`ult::Worker`](../../src/exec/ult/worker.h) spin lock | the list | `f` | taken after a\'s; never b |")

    def test_what_a_comment_leaves_out(self):
        self.assertIn("| the list | nothing | |", row(HEAD + "  // Lock: guards the rest: the list.\n  Mutex mutex_;\n"))

    def test_names(self):
        for text, name in (("struct A {\n  struct B {\n    // Lock: guards c.\n    std::mutex m;\n", "ult::A::B"),
                           ("int A::f(int b) {\n  if (b) {\n  }\n  // Lock: guards c.\n  static Mutex m;\n", "ult::A::f"),
                           ("// Lock: guards c.\nconstinit SpinLock all_of_it;\n", "ult::all_of_it")):
            self.assertIn(f"`{name}`", row("namespace heddle::process {\nclass A;\n}\nnamespace heddle::exec::ult {\n" + text))

    def test_a_lock_without_a_comment(self):
        for comment in ("", "  // guards the rest\n", "  // Lock: guards the rest.\n\n"):
            [(lock, error)] = found(HEAD + comment + "  SpinLock lock_;\n")
            self.assertIsNone(lock)
            self.assertRegex(error, r"^src/exec/ult/worker.h:\d+: no comment says what this lock guards")

    def test_what_is_no_lock(self):
        for text in ("  SpinGuard guard(lock_);\n", "  SpinLock& lock_;\n", "  void lock(SpinLock lock);\n", "  // SpinLock lock_;\n"):
            self.assertEqual(found(HEAD + text), [])
        self.assertEqual(found("class CAPABILITY(\"mutex\") Mutex {\n private:\n  std::mutex mutex_;\n"), [])


unittest.main()
