"""Runs the cases of the modules named and ends with a line `NAME: P passed, F failed`.

A case that is skipped has failed, and so has a module without cases.
"""

import importlib
import sys
import time
import unittest


class Result(unittest.TextTestResult):
    passed = 0

    def startTest(self, test):
        super().startTest(test)
        self._started = time.monotonic()

    def addSuccess(self, test):
        unittest.TestResult.addSuccess(self, test)
        self.passed += 1
        self.stream.writeln(f"ok ({time.monotonic() - self._started:.2f} s)")


def main(name, modules):
    failed = passed = 0
    for module in modules:
        suite = unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(module))
        cases = suite.countTestCases()
        result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2, resultclass=Result).run(suite)
        passed += result.passed
        failed += max(cases - result.passed, 0 if cases else 1)
    print(f"{name}: {passed} passed, {failed} failed", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
