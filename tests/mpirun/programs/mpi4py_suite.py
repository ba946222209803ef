"""Runs modules of mpi4py's own tests, and prints what became of them as one line of JSON a rank.

The arguments are the folder of the tests, a TOML file with tests that can't pass, and modules. An
entry of that file has a pattern, why the tests that fit it cannot pass, and perhaps for how many
ranks that is so. Tests that fit are expected to fail. Tests of an entry with ``run = false`` are
left out, because they would end the run, or never end. The pattern of a module that cannot even be
imported is its name.
"""

import fnmatch
import io
import json
import sys
import tomllib
import unittest
from pathlib import Path

folder, listed, *modules = sys.argv[1:]
sys.path.insert(0, folder)
sys.dont_write_bytecode = True

from mpi4py import MPI  # noqa: E402

SIZE = MPI.COMM_WORLD.Get_size()
ENTRIES = [
    entry
    for entry in tomllib.loads(Path(listed).read_text())["test"]
    if entry["pattern"].split(".")[0] in modules and SIZE in entry.get("ranks", [SIZE])
]


def flat(suite):
    for test in suite:
        yield from flat(test) if isinstance(test, unittest.TestSuite) else [test]


def load(names):
    """Return the tests of all modules, and why some cannot be imported."""
    tests, failed = [], {}
    for name in names:
        try:
            tests += flat(unittest.defaultTestLoader.loadTestsFromName(name))
        except MPI.Exception as error:
            failed[name] = str(error)
    return tests, failed


def select(tests, failed):
    """Return the tests that run, the tests that must fail, and entries that fit none."""
    unused = {entry["pattern"] for entry in ENTRIES} - failed.keys()
    chosen, hopeless = [], set()
    for test in tests:
        fitting = [e for e in ENTRIES if fnmatch.fnmatchcase(test.id(), e["pattern"])]
        unused -= {entry["pattern"] for entry in fitting}
        if any(not entry.get("run", True) for entry in fitting):
            continue
        chosen.append(test)
        if fitting:
            hopeless.add(test.id())
    return chosen, hopeless, sorted(unused)


def last_lines(problems):
    """Return the last line of each traceback; parts of a test count as the test."""
    return {
        getattr(test, "test_case", test).id(): text.strip().splitlines()[-1]
        for test, text in problems
    }


tests, not_imported = load(modules)
chosen, hopeless, unused = select(tests, not_imported)
log = io.StringIO()
result = unittest.TextTestRunner(log, verbosity=0).run(unittest.TestSuite(chosen))
problems = not_imported | last_lines(result.failures + result.errors)
skipped = {test.id() for test, _ in result.skipped}
expected = hopeless | {entry["pattern"] for entry in ENTRIES}
report = {
    "rank": MPI.COMM_WORLD.Get_rank(),
    "run": result.testsRun - len(result.skipped),
    "failed": {name: why for name, why in problems.items() if name not in expected},
    "passed": sorted(hopeless - problems.keys() - skipped),
    "unused": unused,
}
sys.stdout.write(json.dumps(report) + "\n")
sys.stdout.flush()
MPI.Finalize()
