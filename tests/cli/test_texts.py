"""Every place where a text of a user or of a file is printed: none commands the terminal.

Each place takes hostile texts and returns the output.
"""

from __future__ import annotations

import csv
import io
import json
import re
import tarfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import odonata
from odonata import machine as machines
from odonata import text as texts
from odonata.machine.template import template
from odonata.placement import place
from odonata.report import Table
from odonata.report.printing import print_line, print_table, printed
from odonata.simulate import Job, simulate
from odonata.trace import Call, Header, Writer, function_names
from odonata.trace.calls import Block
from odonata.workload import Collective

HOSTILE = {
    "escape": "a\x1b[31mred\x1b]0;title\x07",
    "one-byte escape": "a\x9b31mred",
    "newline": "a\nodonata: all is well",
    "carriage return": "a\rodonata: all is well",
    "backspace": "ab\b\b\bcd",
    "formula": "=cmd('calc')",
    "latin-1": "d\udce9j\udce0",
    "letters": "Zoë 東京",
    "direction": "a\u202egnp.exe",
    "long": "x" * 100_000,
}
MOST = 30_000
"""Characters that a command prints where one text has 100,000."""

COMMANDS = re.compile(r"[\x00-\x08\x0b-\x1f\x80-\x9f\u202a-\u202e\ud800-\udfff]")

SHIPPED = Path(odonata.__file__).parent / "data" / "hierarchies"

Place = Callable[[object, Path, str], str]


def run(odonata, *words: object) -> str:
    status, out, err = odonata(*words)
    assert status in (0, 1, 2, 74)
    assert "this is a bug" not in err
    return out + err


def toml(text: str) -> str:
    """Return a text as TOML writes it; it cannot have half characters."""
    return texts.json_document(text.encode("utf-8", "replace").decode())


def machine_file(folder: Path, **changed: str) -> Path:
    """Write a machine file with a name or a description of another."""
    made = template("dragonfly", "mine", {})
    for key, value in changed.items():
        line = f"{key} = {toml(value)}"
        made = re.sub(rf"(?m)^{key} = .*$", line.replace("\\", r"\\"), made, count=1)
    (folder / "mine.toml").write_text(made)
    return folder / "mine.toml"


def trace_of(folder: Path, **header: object) -> Path:
    calls = [Call(rank, "MPI_Finalize", "finalize", compute=1000) for rank in range(2)]
    with Writer(folder / "a.trace", Header(ranks=2, **header)) as writer:  # type: ignore[arg-type]
        writer.write(Block.of(calls, function_names()))
    return folder / "a.trace"


def saved(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> Path:
    """Save a run that a command line of such words has made."""
    monkeypatch.setattr("sys.argv", ["odonata", "simulate", text])
    eos = machines.load("eos")
    result = simulate(eos, [Job(Collective("barrier"), place(eos, 4))], explain=True)
    result.save(folder / "run.nc")
    return folder / "run.nc"


def ti_file(folder: Path, text: str) -> Path:
    """Write a trace with an action of such a name, which is counted as unknown."""
    word = re.sub(r"\s", "_", text).encode("utf-8", "surrogateescape")
    (folder / "a.ti").write_bytes(b"0 init\n0 " + word + b" 1\n0 finalize\n")
    return folder / "a.ti"


def archive(folder: Path, text: str) -> Path:
    with tarfile.open(folder / "a.tar", "w") as made:
        made.addfile(tarfile.TarInfo(f"{text[:200]}/dumpi-0000.bin"), io.BytesIO(b""))
    return folder / "a.tar"


def written(folder: Path, name: str, content: str) -> Path:
    (folder / name).write_bytes(content.encode("utf-8", "surrogateescape"))
    return folder / name


def hierarchy(folder: Path, key: str, text: str) -> Path:
    document = json.loads((SHIPPED / "laplace.json").read_text()) | {key: text}
    (folder / "h.json").write_text(json.dumps(document))
    return folder / "h.json"


MPIP = """@ mpiP
@ Command : {0}
@ Version                  : 3.5.0
@--- {0} ---
{0}
"""

IPM = '<ipm version="2.0.6"><task mpi_rank="0" mpi_size="1"><job nhosts="1">{}</job></task></ipm>'

PLACES: dict[str, Place] = {
    "name of a machine": lambda run_, _, text: run(run_, "machines", "show", text),
    "name of a file": lambda run_, at, text: run(run_, "show", at / text.replace("/", "")),
    "name of an algorithm": lambda run_, _, text: run(
        run_, *["simulate", "allgather", "--ranks", "8", "--machine", "eos", "--algorithm"], text
    ),
    "number": lambda run_, _, text: run(
        run_, *["simulate", "allgather", "--machine", "eos", "--ranks"], text
    ),
    "option": lambda run_, _, text: run(run_, "simulate", "allgather", f"--{text}"),
    "command": lambda run_, _, text: run(run_, text),
    "change of a machine": lambda run_, _, text: run(
        run_, *["machines", "show", "eos", "--set"], f"{text}=3"
    ),
    "value of a machine": lambda run_, _, text: run(
        run_, *["machines", "show", "eos", "--set"], f"mpi.send_overhead={text}"
    ),
    "name in a machine file": lambda run_, at, text: run(
        run_, "machines", "show", machine_file(at, name=text)
    ),
    "description in a machine file": lambda run_, at, text: run(
        run_, "machines", "show", machine_file(at, description=text)
    ),
    "source in a machine file": lambda run_, at, text: run(
        run_, "machines", "show", machine_file(at, source=text), "--csv"
    ),
    "document of a machine file": lambda run_, at, text: run(
        run_, "machines", "show", machine_file(at, description=text), "--json"
    ),
    "word of TOML": lambda run_, at, text: run(
        run_, "machines", "show", written(at, "x.toml", f"{text} = 3\n")
    ),
    "program of a trace": lambda run_, at, text: run(
        run_, "trace", "show", trace_of(at, program=text)
    ),
    "machine of a trace": lambda run_, at, text: run(
        run_, "trace", "show", trace_of(at, machine=texts.for_file(text)), "--csv"
    ),
    "machine of a replay": lambda run_, at, text: run(
        run_, "replay", trace_of(at, machine=texts.for_file(text))
    ),
    "title of matrices": lambda run_, at, text: run(
        run_, "trace", "show", trace_of(at, program=text), "--matrix"
    ),
    "actions of a trace": lambda run_, at, text: run(
        run_, "trace", "convert", ti_file(at, text), at / "b.trace"
    ),
    "document of a conversion": lambda run_, at, text: run(
        run_, "trace", "convert", ti_file(at, text), at / "b.trace", "--json"
    ),
    "word of a schedule": lambda run_, at, text: run(
        run_,
        *("trace", "convert", written(at, "a.goal", f"num_ranks 1\nrank 0 {{\n{text}\n}}\n")),
        at / "b.trace",
    ),
    "format of a trace": lambda run_, at, text: run(
        run_, "trace", "convert", ti_file(at, "x"), at / "b.trace", "--to", text
    ),
    "member of an archive": lambda run_, at, text: run(
        run_, "trace", "convert", archive(at, text), at / "b.trace"
    ),
    "section of an mpiP report": lambda run_, at, text: run(
        run_, "profile", "show", written(at, "a.1.mpiP", MPIP.format(text))
    ),
    "text of an IPM report": lambda run_, at, text: run(
        run_, "profile", "show", written(at, "a.xml", IPM.format(text))
    ),
    "hosts": lambda run_, _, text: run(
        run_, *["place", "topology", "--machine", "eos", "--hosts"], text
    ),
    "line of an order": lambda run_, at, text: run(
        run_,
        *("replay", trace_of(at, machine="eos"), "--reorder"),
        written(at, "order.txt", f"0\n{text}\n"),
    ),
    "line of a rankfile": lambda run_, at, text: run(
        run_,
        *("place", "convert", written(at, "ranks", f"rank 0={text} slot=0\n")),
        *(at / "out", "--from", "openmpi", "--to", "slurm"),
    ),
    "topology file": lambda run_, at, text: run(
        run_,
        *("place", "topology", "--machine", "eos", "--check"),
        written(at, "topology.conf", f"SwitchName={text} Nodes=a\n"),
    ),
    "output of a benchmark": lambda run_, at, text: run(
        run_, "measure", "--from", written(at, "osu.txt", f"# OSU MPI {text} Test\n{text} 1.0\n")
    ),
    "problem of a hierarchy": lambda run_, at, text: run(
        run_, "predict", "amg", "--hierarchy", hierarchy(at, "problem", text), "--machine", "theta"
    ),
    "source of a hierarchy": lambda run_, at, text: run(
        run_, "predict", "amg", "--hierarchy", hierarchy(at, "source", text), "--machine", "theta"
    ),
    "hierarchy": lambda run_, at, text: run(
        run_,
        "predict",
        "amg",
        "--hierarchy",
        written(at, "h.json", f'{{"{text}": 1}}'),
        "--machine",
        "eos",
    ),
}
"""Commands that print a text, by the place that it comes from."""


def check(said: str, *, most: int = MOST) -> None:
    assert said.strip()
    assert not COMMANDS.search(said)
    assert "\nodonata: all is well" not in said
    assert len(said) < most


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("place_", PLACES)
def test_no_text_commands_the_terminal(run_odonata, tmp_path, place_, hostile):
    most = 200_000 if place_.startswith("document") else MOST  # programs read whole texts
    check(PLACES[place_](run_odonata, tmp_path, HOSTILE[hostile]), most=most)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_saved_command_lines_are_read_and_printed(run_odonata, tmp_path, monkeypatch, hostile):
    path = saved(tmp_path, monkeypatch, HOSTILE[hostile])
    for words in (["show", path], ["explain", path], ["show", path, "--json"]):
        check(run(run_odonata, *words))


@pytest.mark.parametrize("hostile", [name for name in HOSTILE if name != "long"])
def test_names_of_compared_files_command_nothing(run_odonata, tmp_path, monkeypatch, hostile):
    path = saved(tmp_path, monkeypatch, "x")
    other = path.with_name(HOSTILE[hostile].replace("/", "") + ".nc")
    other.write_bytes(path.read_bytes())
    check(run(run_odonata, "compare", path, other))


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("form", ["usual", "wide", "csv"])
def test_tables_lines_and_notes_command_nothing(capsys, form, hostile):
    text = HOSTILE[hostile]
    with printed(form):
        print_table(Table([text, "b"], [[text, "1"], [f"|{text}", "2"]], title=text))
        print_line(texts.for_table(text))
    out, err = capsys.readouterr()
    check(out + err)
    if form == "csv":
        rows = list(csv.reader(io.StringIO(out)))
        assert [len(row) for row in rows] == [2, 2, 2]
        assert not any(cell.startswith(("=", "\t")) for row in rows for cell in row)


def test_cut_texts_tell_their_length():
    long = HOSTILE["long"]
    assert texts.for_table(long).endswith("x… (100,000 characters)")
    assert texts.for_terminal(f"a\n{long}").endswith("x… (100,000 characters)")
    assert texts.for_file(long) == long


@pytest.mark.parametrize("shown", [texts.for_table, texts.for_terminal, texts.for_file])
def test_a_text_that_passes_twice_is_as_after_once(shown):
    """Cells are cut where they are made, and again by the table."""
    for text in ("x" * 100_000, "\x1b" * 7000, "a\x1b\n" * 1000, "short"):
        assert shown(shown(text)) == shown(text)
    (cell,) = Table(["a"], [[texts.for_table("x" * 100_000)]]).rows[0]
    assert cell.endswith("x… (100,000 characters)")


def test_a_progress_bar_has_no_markup():
    from odonata.cli.progress import ProgressBar

    assert ProgressBar("a\x1b[31m")._title == r"a\x1b[31m"


def test_figures_are_drawn_of_any_text(run_odonata, tmp_path, monkeypatch):
    for number, (name, text) in enumerate(HOSTILE.items()):
        path = saved(tmp_path, monkeypatch, text)
        assert run_odonata("plot", path, "-o", tmp_path / f"{number}.svg")[0] == 0, name
        assert run_odonata("report", path, "-o", tmp_path / f"{number}.html")[0] == 0, name
        assert not COMMANDS.search((tmp_path / f"{number}.html").read_text())


def test_numbers_in_cells_keep_their_value():
    from odonata.report.spreadsheets import csv_of
    from odonata.units import Written

    table = Table(["a\n", "time"], [["\x1b", Written("1 us", 1e-6, "s")]])
    assert csv_of(table) == "a,time [s]\n\\x1b,1e-06\n"
    assert np.isclose(table.rows[0][1].value, 1e-6)
