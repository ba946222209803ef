"""Imports between modules: none leads back to where it began, however late it is done."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PYTHON = Path(__file__).parents[2] / "src"


def name_of(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path: Path, root: Path) -> Iterator[tuple[str, str]]:
    """Yield the module and the name of each import, wherever in a file; "" is the module."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = path.relative_to(root).parts[: -node.level] if node.level else ()
            base = ".".join([*package, *([node.module] if node.module else [])])
            yield from ((base, alias.name) for alias in node.names)


def imports(root: Path) -> dict[str, set[str]]:
    """Return the modules that each module below a folder imports.

    A name that a package takes from one of its modules counts as that module, since packages
    import their modules when these are asked for: their stubs say what is where.
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
    """Return modules that import each other in a circle; empty if there is none."""
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
