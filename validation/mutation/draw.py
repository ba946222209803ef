"""Draw changes of the code of some folders, and see whether the tests of these folders notice.

    python validation/mutation/draw.py src/odonata/decide --count 40 --seed 1
    python validation/mutation/draw.py cpp/odonata/decide cpp/odonata/explain --json > result.json

The places of the changes are drawn among all of a folder, and are the same for the same code, count
and seed. It works on a copy as ``run.py`` does. It ends with status 1 if a change survived, and
with status 2 if it could not judge.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from changes import Change, drawn, first_difference
from run import ROOT, Copy, ended, folder_of, run

LANGUAGES = {
    "src": ("python_changes", ("*.py",)),
    "cpp": ("cpp_changes", ("*.cpp", "*.hpp")),
}
PRESET_DEV = ("CMAKE_BUILD_TYPE=Debug", "CMAKE_CXX_FLAGS=-O1")  # assertions on
SLOWER = 5  # times the time of the tests on the code as it is, after which a change hangs
JUDGED = ("killed", "timed out", "survived")
LIBMPI = "libmpi"  # below cpp/preload; programs with mpirun are its tests in Python


class Refusal(Exception):  # noqa: N818, as it is no error of ours
    """A reason in one line why nothing can be judged."""


@dataclass(frozen=True)
class Outcome:
    """Fate of one change.

    Parameters
    ----------
    file, line, kind, was, became
        The change; ``was`` and ``became`` are the first line that differs.
    status
        ``killed``, ``timed out``, ``survived``, ``did not build``, or ``error`` where the tests
        could not be run: such a change says nothing of them.
    by
        The test that killed it, or what the compiler or pytest said.
    seconds
        Time it took [s].
    """

    file: str
    line: int
    kind: str
    was: str
    became: str
    status: str
    by: str
    seconds: float


class Suite:
    """A command that runs tests, and the time it takes on the code as it is.

    Parameters
    ----------
    command
        The command.
    copy
        Where it runs.
    crash_kills
        Whether an end by a signal is a failed test, as it is of tests in one process.
    """

    def __init__(self, command: Sequence[object], copy: Copy, crash_kills: bool = False) -> None:
        self.command, self.copy, self.crash_kills = command, copy, crash_kills
        self.longest = copy.timeout

    def run(self) -> tuple[str, str]:
        """Return the status of the code as the copy has it, and a remark."""
        where = {"env": self.copy.environment, "cwd": self.copy.tree}
        try:
            done = run(self.command, timeout=self.longest, **where)
        except subprocess.TimeoutExpired:
            return "timed out", ""
        if done.returncode == 0:
            return "survived", ""
        if done.returncode == 1 or (self.crash_kills and done.returncode < 0):
            found = re.search(r"^(?:FAILED|ERROR) (.+)", done.stdout, re.MULTILINE)
            return "killed", found[1].partition(" - ")[0] if found else ""
        return "error", f"status {done.returncode}: {last_line(done.stdout)}"

    def check(self, longest: float | None) -> float:
        """See that the tests pass on the code as it is, and return the seconds that they take."""
        began = time.monotonic()
        status, said = self.run()
        seconds = time.monotonic() - began
        if status != "survived":
            raise Refusal(f"the tests do not pass on the code as it is: {status}: {said}")
        self.longest = longest or max(10.0, SLOWER * seconds)
        return seconds


def last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")


def part_of(folder: str) -> tuple[str, str]:
    """Return the language of a folder of the checkout, and the part whose tests are its tests."""
    path = Path(folder).resolve()
    names = path.relative_to(ROOT).parts if path.is_relative_to(ROOT) else ()
    if path.is_dir() and names[:3] == ("cpp", "preload", LIBMPI):
        return "cpp", LIBMPI
    if not path.is_dir() or len(names) < 3 or names[0] not in LANGUAGES or names[1] != "odonata":
        known = "src/odonata, cpp/odonata or cpp/preload/libmpi"
        raise Refusal(f"{folder}: not a folder below {known}")
    return names[0], names[2]


def tests_of(language: str, part: str, copy: Copy, *first: str) -> list[Suite]:
    """Return the suites of a part, the quickest first; some paths of tests go before its own."""
    found = []
    tests = copy.tree / "cpp" / "tests"
    sources = [*tests.glob(f"{part}/**/*.cpp"), *tests.glob(f"test_{part}*.cpp")]
    texts = "\n".join(path.read_text(encoding="utf-8") for path in sorted(sources))
    if language == "cpp" and (names := re.findall(r'^TEST\("([^"]+)"', texts, re.MULTILINE)):
        found.append(Suite([copy.build / "odonata-tests", *names], copy, crash_kills=True))
    # In one process: pytest-xdist ends with status 2 after -x, whether a test failed or not.
    pytest = [copy.venv / "bin" / "python", "-m", "pytest", "-x", "-q"]
    pytest += ["-p", "no:cacheprovider", "-p", "no:xdist"]
    if first:
        found.append(Suite([*pytest, *first], copy))
    python = "mpirun" if part == LIBMPI else part
    if list((copy.tree / "tests" / python).rglob("test_*.py")):
        found.append(Suite([*pytest, f"tests/{python}"], copy))
    if not found:
        raise Refusal(f"{language}/odonata/{part}: no tests in tests/{part} or cpp/tests/{part}")
    return found


def changes_in(folder: str, language: str, count: int, seed: int) -> list[tuple[str, Change]]:
    """Draw changes of the sources below a folder, whose names are those in the checkout."""
    module, patterns = LANGUAGES[language]
    try:
        changes_of = importlib.import_module(module).changes_of
    except ModuleNotFoundError as missing:
        how = "pip install -e '.[mutation]'"
        raise Refusal(f"{missing.name} is not installed: {how}") from None
    paths = [path for each in patterns for path in Path(folder).resolve().rglob(each)]
    every = {str(p.relative_to(ROOT)): changes_of(p.read_text(encoding="utf-8")) for p in paths}
    return drawn(every, count, seed)


def judge(copy: Copy, suites: Sequence[Suite], file: str, change: Change) -> Outcome:
    """Make one change, run the tests until some fail, and take the change back."""
    before = (copy.tree / file).read_text(encoding="utf-8")
    after = change.apply(before)
    began = time.monotonic()
    with copy.changed(file, after):
        status, said = fate(copy, suites, file.startswith("cpp/"))
    lines = first_difference(before, after)
    seconds = round(time.monotonic() - began, 1)
    return Outcome(file, change.place[0], change.kind, *lines, status, said, seconds)


def fate(copy: Copy, suites: Sequence[Suite], compiled: bool) -> tuple[str, str]:
    status, said = "survived", ""
    for suite in suites:
        # The C++ tests need no Python, which only what survives them has to wait for.
        build = copy.made("odonata-tests") if compiled and suite.crash_kills else ready(copy)
        if build:
            return "did not build", first_error(build)
        status, said = suite.run()
        if status != "survived":
            break
    return status, said


def first_error(build: str) -> str:
    return next((line for line in build.splitlines() if "error" in line), last_line(build))


def ready(copy: Copy) -> str:
    return copy.compile() if copy.stale else ""


def outcomes_of(copy: Copy, options: argparse.Namespace) -> Iterator[Outcome]:
    """Judge the drawn changes of each folder, one folder after the other."""
    for folder in options.folders:
        language, part = part_of(folder)
        chosen = changes_in(folder, language, options.count, options.seed)
        if said := ready(copy):
            raise Refusal(f"the code as it is does not build: {first_error(said)}")
        suites = tests_of(language, part, copy, *options.tests)
        took = sum(suite.check(options.timeout) for suite in suites)
        told(f"{folder}: {len(chosen)} changes; the tests take {took:.1f} s")
        for file, change in chosen:
            outcome = judge(copy, suites, file, change)
            told(f"{outcome.status:13} {file}:{outcome.line} {outcome.kind} {outcome.by}")
            if outcome.status == "survived":
                told(f"    - {outcome.was}\n    + {outcome.became}")
            yield outcome


def told(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def summary(outcomes: Sequence[Outcome]) -> str:
    counts = Counter(outcome.status for outcome in outcomes)
    judged = sum(counts[status] for status in JUDGED)
    apart = [f"{counts[s]} {s}" for s in ("timed out", "did not build", "error") if counts[s]]
    share = f" ({counts['survived'] / judged:.0%})" if judged else ""
    survived = f"{counts['survived']} of {judged} changes survived{share}"
    return "; ".join([survived, *apart])


class OneLine(argparse.ArgumentParser):
    def error(self, message: str) -> None:
        raise Refusal(message)


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = OneLine(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="+", metavar="FOLDER", help="below src/odonata or cpp")
    parser.add_argument("--count", type=int, default=40, help="changes to draw in each folder")
    parser.add_argument("--seed", type=int, default=1, help="seed of all draws")
    parser.add_argument(
        "--timeout",
        type=float,
        metavar="SECONDS",
        help="longest time of the tests; 5 times that on the code as it is, if not given",
    )
    parser.add_argument(
        "--tests",
        nargs="+",
        default=[],
        metavar="PATH",
        help="tests in Python that judge before the folder's, as tests/profile/test_sums.py",
    )
    parser.add_argument("--json", action="store_true", help="print the outcomes as JSON")
    parser.add_argument("--folder", type=Path, help="work here, and leave copy and build there")
    options = parser.parse_args(words)
    if options.count < 1:
        raise Refusal(f"--count: {options.count}; allowed: 1 or more")
    for path in options.tests:
        if not (ROOT / path.partition("::")[0]).exists():
            raise Refusal(f"--tests: no such file or folder: {path}")
    if options.timeout is not None and not options.timeout > 0:
        raise Refusal(f"--timeout: {options.timeout}; allowed: more than 0")
    return options


def refused(why: str) -> int:
    told(f"draw.py: {why}")
    return 2


def main() -> int:
    signal.signal(signal.SIGTERM, ended)
    try:
        options = arguments()
        for folder in options.folders:  # before anything is built
            part_of(folder)
        with folder_of(options.folder) as place:
            copy = Copy(place, options.timeout or 3600, PRESET_DEV)
            outcomes = list(outcomes_of(copy, options))
    except Refusal as refusal:
        return refused(str(refusal))
    except SystemExit as ended_early:  # run.py's way to refuse, with a text of several lines
        if isinstance(ended_early.code, str):
            return refused(ended_early.code.partition("\n")[0])
        raise
    if options.json:
        print(json.dumps([asdict(outcome) for outcome in outcomes], indent=1))
    told(summary(outcomes))
    return 1 if any(outcome.status == "survived" for outcome in outcomes) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
