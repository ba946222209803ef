"""Imports between modules: none leads back to where it began, however late it is done."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

LIBRARIES = {
    # take longer to import than a command may take to print its help
    *("h5netcdf", "h5py", "matplotlib", "msgspec", "numpy", "pandas", "rich", "scipy", "xarray"),
    # optional parts
    *("_otf2", "mpi4py", "mtkahypar", "otf2", "parsl", "perfetto", "pyarrow"),
    "pymetis",
}
"""Libraries that may be imported when they are used."""

PYTHON = Path(__file__).parents[2] / "src"


def name_of(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path: Path, root: Path) -> Iterator[tuple[str, str]]:
    """Yield the module and the name of each import, wherever in a file; "" is the module.

    A name that a file takes from a package by a dot, as in ``report.Table``, is imported as well.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    packages = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = path.relative_to(root).parts[: -node.level] if node.level else ()
            base = ".".join([*package, *([node.module] if node.module else [])])
            yield from ((base, alias.name) for alias in node.names)
            packages |= {alias.asname or alias.name: f"{base}.{alias.name}" for alias in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield packages.get(node.value.id, ""), node.attr


def imports(root: Path) -> dict[str, set[str]]:
    """Return the modules that each module below a folder imports.

    A name that a package takes from one of its modules counts as that module, since packages
    import their modules when these are asked for: their stubs list the names.
    """
    files = {name_of(path, root): path for path in root.rglob("*.py")}
    homes = {}
    for package, path in files.items():
        if path.name == "__init__.py":
            for stub in {path, path.with_suffix(".pyi")} & {*root.rglob("__init__.py*")}:
                homes |= {(package, name): base for base, name in imported(stub, root)}

    def home(base: str, name: str) -> str:
        module = f"{base}.{name}"
        found = homes.get((base, name), base)
        return module if module in files else found if found == base else home(found, name)

    return {
        module: ({home(*each) for each in imported(path, root)} & files.keys()) - {module}
        for module, path in files.items()
    }


def circle(graph: dict[str, set[str]]) -> list[str]:
    """Return modules that import each other in a circle, or nothing."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_module_imports_itself_through_others():
    graph = imports(PYTHON)
    assert graph["odonata.machine.machine"] > {"odonata.machine.build"}
    assert circle(graph) == []


@pytest.mark.parametrize(
    "line",
    [
        "from odonata.a.one import x",
        "from odonata.a import x",  # by way of the package
        "from .one import x",
        "from odonata import a as package\ny = package.x",
        "def f():\n    from odonata.a import one",
        "if TYPE_CHECKING:\n    import odonata.a.one",
    ],
)
def test_a_circle_is_found(line, tmp_path):
    folder = tmp_path / "odonata" / "a"
    folder.mkdir(parents=True)
    (tmp_path / "odonata" / "__init__.py").touch()
    (folder / "__init__.py").write_text("lazy.attach_stub(__name__, __file__)", encoding="utf-8")
    (folder / "__init__.pyi").write_text("from odonata.a.one import x as x", encoding="utf-8")
    (folder / "one.py").write_text("from odonata.a.two import y\nx = y", encoding="utf-8")
    (folder / "two.py").write_text("y = 1", encoding="utf-8")
    assert circle(imports(tmp_path)) == []
    (folder / "two.py").write_text(line, encoding="utf-8")
    assert set(circle(imports(tmp_path))) == {"odonata.a.one", "odonata.a.two"}


def late_imports(source: str) -> list[str]:
    """Return the imports inside of functions, or for type checkers, that have no reason."""
    lines = source.splitlines()
    late = [
        node
        for outer in ast.walk(ast.parse(source))
        if isinstance(outer, (ast.FunctionDef, ast.If))
        for node in ast.walk(outer)
        if isinstance(node, (ast.Import, ast.ImportFrom))
    ]
    return [
        lines[node.lineno - 1].strip()
        for node in late
        if roots(node) - LIBRARIES and "#" not in lines[node.lineno - 1]
    ]


def roots(node: ast.Import | ast.ImportFrom) -> set[str]:
    names = [node.module or "."] if isinstance(node, ast.ImportFrom) else []
    names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
    return {name.split(".")[0] for name in names}


@pytest.mark.parametrize("path", sorted((PYTHON / "odonata").rglob("*.py")), ids=str)
def test_a_late_import_is_slow_or_optional_or_says_why(path):
    assert late_imports(path.read_text(encoding="utf-8")) == []


def test_late_imports_are_found():
    body = ["import numpy", "import json", "from odonata.a import b", "import csv  # its reason"]
    source = "\n".join(["import math", "def f():", *(f"    {line}" for line in body)])
    assert late_imports(source) == ["import json", "from odonata.a import b"]
    assert late_imports("if TYPE_CHECKING:\n    from .a import b") == ["from .a import b"]
