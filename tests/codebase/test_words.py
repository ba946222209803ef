"""Who may use whom: the words of the architecture, in C++ and in Python."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CPP = ROOT / "cpp" / "odonata"
PYTHON = ROOT / "src" / "odonata"

MAY_USE = {
    "units": [],
    "random": [],
    "event": ["units"],
    "machine": ["units"],
    "placement": ["machine"],
    "engine": ["event", "machine"],
    "mpi": ["engine"],
    "explain": ["mpi", "engine"],
    "trace": ["units"],
    "live": ["trace"],
    "workload": ["mpi", "placement", "trace"],
    "simulate": ["workload", "engine", "placement", "explain"],
    "result": ["units"],
    "decide": ["machine"],
    "interchange": ["trace"],
    "profile": ["trace"],
    "model": ["machine"],
    "measure": ["trace", "machine"],
    "report": ["machine", "result", "explain"],
}
"""Words that a word may use, besides the words that these may use, `random` and itself."""

PRELOAD = ROOT / "cpp" / "preload"
BESIDE = {
    "libmpi": PRELOAD / "libmpi",
    "libprofile": PRELOAD / "libprofile",
    "amg": ROOT / "amg",
    "bindings": ROOT / "cpp" / "bindings",
}
"""The folders beside the simulator, by the names of their parts."""

BESIDE_MAY_USE = {
    "libmpi/clocks": [],  # stands before the C library, in every process
    "libmpi/audit": ["live"],  # names of libraries; is loaded by the dynamic linker
    "libmpi/core": ["libmpi/clocks", "live"],  # knows no ABI
    "libmpi/api": ["libmpi/core"],  # includes the header of the ABI that it is compiled for
    "libmpi/abi": ["libmpi/api"],
    "libmpi/fortran": ["libmpi/api"],
    "libprofile": ["profile"],  # stands before the MPI of real programs
    "amg": ["model"],  # programs on hypre and MPI, which take the model's decision as they run
    "bindings": [word for word in MAY_USE if (CPP / word).is_dir()],
}
"""Words that the folders beside the simulator may use, besides the words that these may use."""

GENERATED = {
    "fortran_functions.inc": "libmpi/fortran",
    "profiled_fortran.inc": "libprofile",
    "profiled_functions.inc": "libprofile",
    "undefine_functions.hpp": "libprofile",
}
"""Headers that the build writes, and whose they are."""

PYTHON_MAY_ALSO_USE = {
    "simulate": ["result"],  # its one entry returns a Result
    "explain": ["result"],  # it explains results
    "reference": ["units"],  # readable twins stand alone
    "testing": [*MAY_USE],  # strategies for machines, placements and workloads
    # the expected gain is simulated; matrices come from profiles
    "decide": ["simulate", "placement", "result", "profile"],
    # collectives are taken apart by playing each alone
    "interchange": ["simulate"],
    "profile": ["interchange"],  # traces of other tools have profiles
    # plays what its programs call, counts it, orders their ranks
    "live": ["simulate", "result", "decide", "profile"],
    "trust": ["simulate", "result", "machine"],  # measured collectives, simulated
    "measure": ["trust"],  # numbers are fitted to measured collectives
    "study": ["units"],  # its commands are words: who runs them is told to it
    "cli": [*MAY_USE, "trust", "study"],
    "__main__": ["cli"],  # the command from its first moment on
}
ANY_PYTHON_MAY_USE = {"errors", "files", "quiet", "text", "_core", ""}
# "" is the package, for its version


def closure(word: str, rules: dict[str, list[str]]) -> set[str]:
    """Return every word that may be used by one."""
    reached = {word, "random"}
    waiting = [word]
    while waiting:
        for other in rules.get(waiting.pop(), []):
            if other not in reached:
                reached.add(other)
                waiting.append(other)
    return reached


def cpp_includes(path: Path) -> set[str]:
    """Return the words that a C++ source includes; other names are returned as they stand."""
    names = re.findall(
        r'^\s*#\s*include\s+"([^"]+)"', path.read_text(encoding="utf-8"), re.MULTILINE
    )
    names += re.findall(
        r"^\s*#\s*include\s+<(odonata/[^>]+)>", path.read_text(encoding="utf-8"), re.MULTILINE
    )
    return {name.split("/")[1] if name.startswith("odonata/") else name for name in names}


def part_of(path: Path) -> str:
    """Return the folder beside the simulator that a source belongs to."""
    name, folder = next(
        (name, folder) for name, folder in BESIDE.items() if path.is_relative_to(folder)
    )
    return f"libmpi/{path.relative_to(folder).parts[0]}" if name == "libmpi" else name


def beside_includes(path: Path) -> set[str]:
    """Return the folders and words that a source beside the simulator includes."""
    found = set()
    for name in cpp_includes(path):
        inside = name.removeprefix("preload/")
        if inside.startswith("libmpi/"):
            found.add("/".join(inside.split("/")[:2]))
        elif inside.startswith(("amg/", "libprofile/")):
            found.add(inside.split("/")[0])
        elif (path.parent / name).exists():
            found.add(part_of(path.parent / name))
        else:
            found.add(GENERATED.get(name, name))
    return found


def python_imports(path: Path) -> set[str]:
    """Return the words of odonata that a Python module imports, wherever in it."""
    words = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            words |= {word_of(alias.name) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            words |= {word_of(name) for name in imported_names(node, path)}
    return words - {None}


def imported_names(node: ast.ImportFrom, path: Path) -> list[str]:
    """Return the absolute names that a from-import may mean."""
    package = ("odonata", *path.relative_to(PYTHON).parts)[: -node.level] if node.level else ()
    base = ".".join([*package, *([node.module] if node.module else [])])
    if base != "odonata":
        return [base]
    return [f"odonata.{alias.name}" if is_module(alias.name) else "odonata" for alias in node.names]


def is_module(name: str) -> bool:
    return name == "_core" or (PYTHON / name).is_dir() or (PYTHON / f"{name}.py").exists()


def word_of(name: str) -> str | None:
    """Return the word of an absolute module name, None if it is not ours."""
    first, *rest = name.split(".")
    return (rest[0] if rest else "") if first == "odonata" else None


def python_word(path: Path) -> str:
    return path.relative_to(PYTHON).parts[0].removesuffix(".py")


CPP_FILES = sorted([*CPP.rglob("*.cpp"), *CPP.rglob("*.hpp")])
BESIDE_FILES = sorted(
    path
    for folder in BESIDE.values()
    for ending in ("cpp", "hpp", "inc")
    for path in folder.rglob(f"*.{ending}")
)
PYTHON_FILES = sorted(path for path in PYTHON.rglob("*.py") if path != PYTHON / "__init__.py")
PYTHON_RULES = {
    word: MAY_USE.get(word, []) + PYTHON_MAY_ALSO_USE.get(word, [])
    for word in [*MAY_USE, *PYTHON_MAY_ALSO_USE]
}


@pytest.mark.parametrize("path", CPP_FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_cpp_includes_only_what_its_word_may(path):
    word = path.relative_to(CPP).parts[0]
    assert word in MAY_USE, f"{word} is not a word of the architecture"
    assert cpp_includes(path) <= closure(word, MAY_USE)


@pytest.mark.parametrize("path", BESIDE_FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_is_beside_the_simulator_includes_only_what_it_may(path):
    part = part_of(path)
    assert part in BESIDE_MAY_USE, f"{part} is not a part of the architecture"
    allowed = closure(part, {**MAY_USE, **BESIDE_MAY_USE})
    assert beside_includes(path) <= (allowed if part == "bindings" else allowed - {"random"})


@pytest.mark.parametrize("word", sorted({*MAY_USE, *PYTHON_MAY_ALSO_USE, *ANY_PYTHON_MAY_USE}))
def test_every_word_has_a_home(word):
    homes = [CPP / word, PYTHON / word, PYTHON / f"{word}.py", PYTHON / f"{word}.pyi"]
    assert any(home.exists() for home in homes) or word == "_core"


@pytest.mark.parametrize("part", BESIDE_MAY_USE)
def test_every_part_beside_the_simulator_has_a_folder(part):
    name, *rest = part.split("/")
    assert BESIDE[name].joinpath(*rest).is_dir()


def test_folders_of_tests_are_words():
    words = {*MAY_USE, *PYTHON_MAY_ALSO_USE, "random"}
    for folder in (CPP.parent / "tests").iterdir():
        assert not folder.is_dir() or folder.name in words | {"libmpi"}


@pytest.mark.parametrize("path", PYTHON_FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_python_imports_only_what_its_word_may(path):
    word = python_word(path)
    if word in ANY_PYTHON_MAY_USE:
        allowed = {word, "errors", "text"}
    else:
        assert word in PYTHON_RULES, f"{word} is not a word of the architecture"
        allowed = closure(word, PYTHON_RULES) | ANY_PYTHON_MAY_USE
    assert python_imports(path) <= allowed


def test_no_word_uses_itself_through_others():
    for rules in (PYTHON_RULES, {**MAY_USE, **BESIDE_MAY_USE}):
        for word, used in rules.items():
            assert all(word not in closure(other, rules) for other in used if other != word)


@pytest.mark.parametrize(
    ("part", "line", "found"),
    [
        ("libmpi/core/requests", '#include "preload/libmpi/api/api.hpp"', {"libmpi/api"}),
        ("libmpi/clocks", '#include "odonata/live/memory.hpp"', {"live"}),
        ("libmpi/fortran", '#include "fortran_functions.inc"', {"libmpi/fortran"}),
        ("libmpi/core", "#include <odonata/mpi/world.hpp>", {"mpi"}),
        ("amg", '#include "there.hpp"', {"amg"}),
        ("amg", '#include "absent.hpp"', {"absent.hpp"}),
    ],
)
def test_includes_beside_the_simulator_are_found(part, line, found, tmp_path, monkeypatch):
    name, *rest = part.split("/")
    monkeypatch.setitem(BESIDE, name, tmp_path / name)
    folder = tmp_path / name / "/".join(rest)
    folder.mkdir(parents=True)
    (folder / "there.hpp").touch()
    (folder / "source.cpp").write_text(line, encoding="utf-8")
    assert beside_includes(folder / "source.cpp") == found


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("import odonata.result", {"result"}),
        ("from odonata.result.figures import x", {"result"}),
        ("from odonata import units, __version__", {"units", ""}),
        ("from ..units import parse_time", {"units"}),
        ("from . import failures", {"cli"}),
        ("def f():\n  import odonata.report", {"report"}),
        ("import numpy", set()),
    ],
)
def test_imports_are_found(line, words, tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "PYTHON", tmp_path)
    (tmp_path / "units.py").touch()
    (tmp_path / "cli").mkdir()
    path = tmp_path / "cli" / "module.py"
    path.write_text(line, encoding="utf-8")
    assert python_imports(path) == words


def test_libmpi_has_the_same_chapters_in_both_layers():
    """The MPI standard has these chapters; each layer has one folder beside them."""
    core, api = (
        {path.name for path in (BESIDE["libmpi"] / layer).iterdir() if path.is_dir()}
        for layer in ("core", "api")
    )
    assert core - api == {"shared_memory"}
    assert api - core == {"language_bindings"}
    assert not [*(BESIDE["libmpi"] / "core").glob("*.[chi]*")]
