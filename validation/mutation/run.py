"""Change the code in small ways, one at a time, and see whether a test notices.

    python validation/mutation/run.py                     # all of mutants.toml
    python validation/mutation/run.py --only 'libmpi-*'   # some, by name
    python validation/mutation/run.py --json > result.json

It works on a copy of the checkout with an environment of its own, which it removes at the end;
``--folder`` names one that stays, so that the next run compiles only what differs. It ends with
status 1 unless every mutant is killed.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIST = Path(__file__).with_name("mutants.toml")
CPP = "cpp:"
NOT_RUN = (4, 5)  # pytest's exit statuses of wrong usage and of no test


@dataclass(frozen=True)
class Mutant:
    """A change of one file, and the tests that should fail then."""

    name: str
    file: str
    old: str
    new: str
    tests: Sequence[str]
    why: str


@dataclass(frozen=True)
class Outcome:
    """Fate of a mutant: killed, survived, did not build, or old text not found."""

    name: str
    status: str
    seconds: float
    by: str = ""


def read_mutants(path: Path = LIST) -> list[Mutant]:
    return [Mutant(**entry) for entry in tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]]


def chosen(patterns: Sequence[str]) -> list[Mutant]:
    """Return the mutants that some patterns name, in the order of the patterns."""
    listed = read_mutants()
    found: dict[str, Mutant] = {}
    for pattern in patterns:
        fitting = {m.name: m for m in listed if fnmatch.fnmatchcase(m.name, pattern)}
        if not fitting:
            raise SystemExit(f"no mutant's name matches {pattern!r}")
        found |= fitting  # a name that an earlier pattern gave keeps its place
    return list(found.values())


@contextmanager
def signals_held() -> Iterator[None]:
    """Hold back what would end us; what came is raised again afterwards."""
    came: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda n, _: came.append(n)) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
    for number in came:
        signal.raise_signal(number)


def run(command: Sequence[object], **options: object) -> subprocess.CompletedProcess[str]:
    """Run a command in a group of its own, which ends with us or when its time is over."""
    timeout = options.pop("timeout", None)
    process = None
    try:
        with signals_held():  # while it starts, it could not be ended
            process = subprocess.Popen(
                [str(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                start_new_session=True,
                **options,
            )
        said, _ = process.communicate(timeout=timeout)
    except BaseException:
        if process is not None:
            os.killpg(process.pid, signal.SIGKILL)
            process.stdout.close()
            process.wait()
        raise
    return subprocess.CompletedProcess(command, process.returncode, said)


def must(command: Sequence[object], **options: object) -> None:
    done = run(command, **options)
    if done.returncode != 0:
        words = " ".join(map(str, command))
        raise SystemExit(f"{words}: status {done.returncode}\n{done.stdout[-4000:]}")


class Copy:
    """A copy of the checkout, built in an environment of its own.

    Parameters
    ----------
    folder
        Where; files of an earlier run are used again.
    timeout
        Of the tests of a mutant [s].
    definitions
        Settings of CMake, NAME=VALUE, with which the build is configured.
    """

    def __init__(self, folder: Path, timeout: float, definitions: Sequence[str] = ()) -> None:
        self.tree = folder / "odonata"
        self.build = self.tree / "build" / "mutation"
        self.venv = folder / "venv"
        self.timeout = timeout
        self.definitions = ["ODONATA_TESTS=ON", *definitions]
        temporary = folder / "tmp"  # of pip and the tests, which we may end before they tidy up
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir(parents=True)
        self.environment = {
            **os.environ,
            "TMPDIR": str(temporary),
            "PATH": f"{self.venv / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PYTHONDONTWRITEBYTECODE": "1",  # two versions of a file may have one second and size
        }
        self.stale = True  # sources differ from the build
        self.take_sources()
        if not (self.venv / "ready").exists():
            self.install()

    def take_sources(self) -> None:
        """Make the tree equal to the checkout; equal files stay untouched."""
        listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
        done = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True)
        wanted = {name for name in done.stdout.split("\0") if (ROOT / name).is_file()}
        for name in wanted:
            source, target = ROOT / name, self.tree / name
            if target.is_file() and target.read_bytes() == source.read_bytes():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
        for folder in ("amg", "cpp", "src", "tests"):
            for path in (self.tree / folder).rglob("*"):
                name = str(path.relative_to(self.tree))
                if path.is_file() and name not in wanted and not name.endswith("_core.pyi"):
                    path.unlink()

    def install(self) -> None:
        must([sys.executable, "-m", "venv", "--clear", self.venv])
        pip = [self.venv / "bin" / "python", "-m", "pip", "install", "--quiet"]
        tools = ["scikit-build-core>=0.11", "nanobind>=2.4", "ninja", "mpich>=5,<6"]
        cmake = [] if shutil.which("cmake") else ["cmake"]
        must([*pip, *tools, *cmake], env=self.environment)
        settings = [
            f"-Cbuild-dir={self.build}",
            "-Ccmake.define.ODONATA_AMG=OFF",  # it is installed for one checkout
            *(f"-Ccmake.define.{each}" for each in self.definitions),
        ]
        how = ["--no-build-isolation", *settings, "-e", ".[test,measure]"]
        must([*pip, *how], env=self.environment, cwd=self.tree)
        (self.venv / "ready").touch()

    def made(self, *targets: str) -> str:
        """Build some targets, or all; return the errors of a failed build."""
        wanted = ["--target", *targets] if targets else []
        done = run(["cmake", "--build", self.build, *wanted], env=self.environment)
        return done.stdout if done.returncode != 0 else ""

    def compile(self) -> str:
        """Build and install what differs; what the compiler said if it failed."""
        if said := self.made():
            return said
        (packages,) = self.venv.glob("lib/python3*/site-packages")
        must(["cmake", "--install", self.build, "--prefix", packages], env=self.environment)
        self.stale = False
        return ""

    def failing_test(self, tests: Sequence[str]) -> str:
        """Return the first of some tests that fails, empty if all pass."""
        for name in tests:
            if name.startswith(CPP):
                prefix = name.removeprefix(CPP)
                command = [self.build / "odonata-tests", prefix]
            else:
                options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
                command = [self.venv / "bin" / "python", "-m", "pytest", *options, name]
            try:
                done = run(command, env=self.environment, cwd=self.tree, timeout=self.timeout)
            except subprocess.TimeoutExpired:
                return f"{name} (takes too long)"
            if done.returncode in NOT_RUN and not name.startswith(CPP):
                raise SystemExit(f"{name}: no such test\n{done.stdout[-2000:]}")
            if done.returncode != 0:
                found = re.search(r"^(?:FAILED|ERROR) (.+)", done.stdout, re.MULTILINE)
                return found[1].partition(" - ")[0] if found else name
        return ""

    @contextmanager
    def changed(self, file: str, text: str) -> Iterator[None]:
        """Hold the changed text of a file, which is as before afterwards, whatever happens."""
        path = self.tree / file
        before = path.read_text(encoding="utf-8")
        path.write_text(text, encoding="utf-8")
        self.stale |= file.startswith("cpp/")
        try:
            yield
        finally:
            path.write_text(before, encoding="utf-8")
            self.stale |= file.startswith("cpp/")

    def check_tests(self, mutants: Sequence[Mutant]) -> None:
        """See that the tests pass on the code as it is."""
        if self.stale and (said := self.compile()):
            raise SystemExit(f"the code as it is does not build:\n{said[-4000:]}")
        if failing := self.failing_test(sorted({test for m in mutants for test in m.tests})):
            raise SystemExit(f"fails on the code as it is: {failing}")

    def judge(self, mutant: Mutant) -> tuple[str, str]:
        """Return the status of a mutant, and which test killed it."""
        text = (self.tree / mutant.file).read_text(encoding="utf-8")
        if text.count(mutant.old) != 1:
            return "old text not found", f"{text.count(mutant.old)} times in {mutant.file}"
        with self.changed(mutant.file, text.replace(mutant.old, mutant.new)):
            if self.stale and (said := self.compile()):
                error = next((line for line in said.splitlines() if "error:" in line), "")
                return "did not build", error
            failing = self.failing_test(mutant.tests)
            return ("killed", failing) if failing else ("survived", "")


@contextmanager
def folder_of(given: Path | None) -> Iterator[Path]:
    """Return the folder to work in: the given one, or one that is removed."""
    if given is not None:
        given.mkdir(parents=True, exist_ok=True)
        if given.resolve().is_relative_to(ROOT):
            raise SystemExit(f"{given}: inside the checkout, which is not to be changed")
        yield given.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="odonata-mutation-") as made:
        yield Path(made)


def ended(number: int, _: object) -> None:
    raise SystemExit(128 + number)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--only", metavar="PATTERN", nargs="+", default=["*"], help="names of mutants, with *"
    )
    parser.add_argument("--json", action="store_true", help="print the outcomes as JSON")
    parser.add_argument("--folder", type=Path, help="work here, and leave copy and build there")
    parser.add_argument(
        "--timeout", type=float, default=600, metavar="SECONDS", help="longest time of a test file"
    )
    return parser.parse_args()


def main() -> int:
    options = arguments()
    signal.signal(signal.SIGTERM, ended)
    mutants = chosen(options.only)
    outcomes = []
    with folder_of(options.folder) as folder:
        copy = Copy(folder, options.timeout)
        copy.check_tests(mutants)
        for mutant in mutants:
            began = time.monotonic()
            status, by = copy.judge(mutant)
            outcomes.append(Outcome(mutant.name, status, round(time.monotonic() - began, 1), by))
            print(f"{status:18} {mutant.name:40} {by}", file=sys.stderr, flush=True)
    if options.json:
        print(json.dumps([asdict(outcome) for outcome in outcomes], indent=1))
    alive = [outcome for outcome in outcomes if outcome.status != "killed"]
    print(f"{len(outcomes) - len(alive)} of {len(outcomes)} mutants killed", file=sys.stderr)
    return 1 if alive else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
