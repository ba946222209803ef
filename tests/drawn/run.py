"""Runs drawn simulations one after the other: `python tests/drawn/run.py --help`.

Each has a seed, which is printed before it begins, so that one that crashes is the last.
"""

from __future__ import annotations

import argparse
import faulthandler
import importlib
import importlib.util
import itertools
import pkgutil
import sys
import tempfile
import time
from pathlib import Path


def import_all(*packages: str) -> None:
    """Import the modules of packages: hypothesis draws constants of the imported ones."""
    for name in packages:
        package = importlib.import_module(name)
        for module in pkgutil.iter_modules(package.__path__, f"{name}."):
            importlib.import_module(module.name)


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--seed", type=int, default=1, help="first seed; the others follow it")
    words.add_argument("--runs", type=int, help="number of simulations")
    words.add_argument("--minutes", type=float, help="time after which no other one begins")
    words.add_argument("--core", type=Path, help="the compiled module, if not the installed one")
    given = words.parse_args()
    faulthandler.enable()  # says in which simulation the process was aborted
    if given.core:
        load_core(given.core)

    import checking
    import drawing

    from odonata.errors import UserError

    import_all("odonata.machine", "odonata.result", "odonata.trace")
    begun, refused = time.monotonic(), 0
    for done in itertools.count():
        late = given.minutes is not None and time.monotonic() - begun > 60 * given.minutes
        if late or done == given.runs:
            break
        seed = given.seed + done
        drawn = drawing.draw(seed)
        print(f"seed {seed}: {drawn}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            try:
                checking.check(drawn, Path(folder))
            except UserError as error:
                refused += 1
                print(f"  refused: {error}")
            except BaseException:
                print(f"  again: {sys.executable} {Path(__file__)} --runs 1 --seed {seed}")
                raise
    print(f"{done} simulations, {refused} of them refused")
    return 0


def load_core(path: Path) -> None:
    """Let a compiled module stand for `odonata._core`."""
    spec = importlib.util.spec_from_file_location("odonata._core", path)
    assert spec is not None
    assert spec.loader is not None
    sys.modules["odonata._core"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)


if __name__ == "__main__":
    sys.exit(main())
