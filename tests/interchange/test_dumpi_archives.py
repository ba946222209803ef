"""DUMPI traces as they are found: archives with junk, many polls, most calls unrecorded."""

from __future__ import annotations

import bz2
import json
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from dumpi_writer import DOUBLE, WORLD, RankFile, array, i4, message, statuses, u2
from typer.testing import CliRunner

import odonata
from odonata.cli import app
from odonata.errors import UserError
from odonata.interchange import archive_files, convert, dumpi_archive
from odonata.profile import Views, read

POLLS = 500
NAME = "dumpi-2014.03.03.14.55.50"
RANKS = 6


def rank_file(rank: int) -> bytes:
    """Return the file of a rank: exchanges with neighbours among many polls."""
    made = RankFile().call("Init", i4(0))
    for step in range(2):
        for place, peer in enumerate(((rank + 1) % RANKS, (rank - 1) % RANKS)):
            made.call("Irecv", message(100, peer, step) + i4(10 + place))
            made.call("Isend", message(100, peer, step) + i4(20 + place))
        for _ in range(POLLS // 2):
            made.call("Iprobe", i4(-1, -1) + u2(WORLD) + i4(0) + statuses(), after=0)
        made.call("Waitall", i4(4) + array([10, 11, 20, 21]) + statuses())
    made.call("Allreduce", i4(1) + u2(DOUBLE) + bytes([3]) + u2(WORLD))
    if rank == 0:  # on one side only: the receive was not recorded
        made.call("Send", message(25, 1, 99))
    made.call("Finalize").ignore("Testall", 100_000)
    return made.bytes()


FILES = {f"{NAME}-{rank:04}.bin": rank_file(rank) for rank in range(RANKS)}
META = f"hostname=nid0001\nnumprocs={RANKS}\nfileprefix={NAME}\nversion=1\n".encode()
JUNK = {
    f"._{NAME}-0000.bin": b"\0\5\26\7 of a Macintosh",
    "README": b"text",
    "core.77": b"\x7fELF",
    "noise-0000.bin": bytes(range(256)),
    "empty.bin": b"",
}
RECORDED = RANKS * (1 + 2 * (4 + POLLS // 2 + 1) + 1 + 1) + 1
"""Init, two steps of four messages, polls and a wait, allreduce, Finalize; the send of rank 0."""


def archive(path: Path, files: dict[str, bytes], *, mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as made:  # type: ignore[call-overload]
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            made.addfile(member, BytesIO(content))
    return path


def zipped(path: Path, files: dict[str, bytes], *, way: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", way) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return path


def folder(path: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)
    return path


WAYS: dict[str, Callable[[Path], Path]] = {
    "folder": lambda at: folder(at / "t", {**FILES, f"{NAME}.meta": META, **JUNK}),
    "no meta": lambda at: folder(at / "t", {**JUNK, **FILES}),
    "deep": lambda at: folder(at / "t", {f"a/b/{name}": c for name, c in FILES.items()} | JUNK),
    "tar.gz": lambda at: archive(at / "t.tar.gz", {**JUNK, **FILES, f"{NAME}.meta": META}),
    "tar": lambda at: archive(
        at / "t.tar", {f"./AMG/{n}": c for n, c in {**JUNK, **FILES}.items()}, mode="w"
    ),
    "zip": lambda at: zipped(at / "t.zip", {**JUNK, **FILES, f"{NAME}.meta": META}),
    "stored": lambda at: zipped(
        at / "t", {f"AMG/x/{n}": c for n, c in {**FILES, **JUNK}.items()}, way=zipfile.ZIP_STORED
    ),
    "climbing zip": lambda at: zipped(at / "t.zip", {f"../../{n}": c for n, c in FILES.items()}),
    "climbing": lambda at: archive(at / "t.tgz", {f"../../{n}": c for n, c in FILES.items()}),
}


def test_junk_may_come_first_and_files_in_any_order(tmp_path: Path) -> None:
    """A file of a Macintosh for each of a thousand ranks comes before the first of the trace."""
    junk = {f"__MACOSX/._{NAME}-{rank:04}.bin": JUNK[f"._{NAME}-0000.bin"] for rank in range(1000)}
    files = dict(reversed(FILES.items()))
    source = archive(tmp_path / "t.tar.bz2", {**junk, **files}, mode="w:bz2")
    account = convert(source, tmp_path / "amg.trace")
    assert account.calls == RECORDED
    assert any(note.startswith("1000 other files were ignored") for note in account.notes)


@pytest.mark.parametrize("way", WAYS)
def test_every_way_gives_the_same_trace(tmp_path: Path, way: str) -> None:
    source = WAYS[way](tmp_path)
    before = sorted(tmp_path.parent.rglob("*"))
    account = convert(source, tmp_path / "amg.trace")
    assert sorted(tmp_path.parent.rglob("*")) == sorted([*before, tmp_path / "amg.trace"])
    assert account.coverage is not None
    called = RECORDED + RANKS * 100_000
    assert (account.coverage.num_recorded, account.coverage.num_called) == (RECORDED, called)
    assert account.calls == RECORDED
    assert account.left_out == {"messages that no recorded call receives": 1}
    ignored = len(JUNK) if "climbing" not in way else 0
    notes = [note for note in account.notes if "other files were ignored" in note]
    assert [note.split()[0] for note in notes] == [str(ignored)] * bool(ignored)


def test_the_profile_has_what_was_recorded_on_one_side(tmp_path: Path) -> None:
    found = Views(read(WAYS["tar.gz"](tmp_path)))
    document = found.plain()
    # 2 steps of 2 messages of 400 B on each rank, and one of 100 B without a receive.
    assert found.message_bytes == RANKS * 4 * 400 + 100
    assert {"source": 0, "target": 1, "messages": 3, "bytes": 900} in document["matrix"]
    assert found.calls["MPI_Iprobe"].nothing_found == RANKS * POLLS
    assert document["coverage"]["functions"]["MPI_Testall"] == {"called": 600_000, "recorded": 0}
    assert document["coverage"]["share"] == pytest.approx(RECORDED / (RECORDED + 600_000))


def test_what_is_played_says_what_is_missing(tmp_path: Path) -> None:
    convert(WAYS["tar.gz"](tmp_path), tmp_path / "amg.trace")
    result = odonata.replay(tmp_path / "amg.trace", "theta", engine="analytic")
    assert result.run.jobs[0].workload["calls_made"] == RECORDED + 600_000
    (warning,) = result.warnings
    assert warning.startswith("the trace has 0.511 % of the calls that the program made (3,079 of")
    shown = CliRunner().invoke(app, ["trace", "show", str(tmp_path / "amg.trace"), "--json"])
    assert json.loads(shown.stdout)["calls_made"] == RECORDED + 600_000
    coverage = read(tmp_path / "amg.trace").coverage
    assert coverage is not None
    assert (coverage.num_recorded, coverage.num_called) == (RECORDED, RECORDED + 600_000)


def test_an_archive_is_played_and_shown_at_once(tmp_path: Path) -> None:
    source = str(WAYS["tar.gz"](tmp_path))
    convert(source, tmp_path / "amg.trace")
    where = ["--machine", "eos,theta", "--engine", "analytic", "--json"]
    made = [
        CliRunner().invoke(app, ["replay", path, *where])
        for path in (source, str(tmp_path / "amg.trace"))
    ]
    times = [[run["time_seconds"] for run in json.loads(one.stdout)["runs"]] for one in made]
    assert times[0] == times[1]
    assert "converted from dumpi" in made[0].stderr
    assert "1 messages that no recorded call receives" in made[0].stderr
    assert not made[1].stderr
    shown = CliRunner().invoke(app, ["trace", "show", source, "--json"])
    assert json.loads(shown.stdout)["calls"] == RECORDED


def test_a_rank_without_a_file_is_named(tmp_path: Path) -> None:
    files = {name: c for name, c in FILES.items() if "0003" not in name and "0005" not in name}
    with pytest.raises(UserError, match=rf"{NAME}: 2 of 6 ranks have no file: 3, 5"):
        read(archive(tmp_path / "t.tar.gz", {**files, f"{NAME}.meta": META}))
    with pytest.raises(UserError, match="1 of 5 ranks have no file: 3"):  # nothing says that 5 is
        read(archive(tmp_path / "u.tar.gz", files))


def test_archives_of_two_traces_are_refused(tmp_path: Path) -> None:
    second = {name.replace("14.55", "15.55"): content for name, content in FILES.items()}
    for made in (archive(tmp_path / "t.tar.gz", {**FILES, **second}), tmp_path / "t.zip"):
        if made.suffix == ".zip":
            zipped(made, {f"a/b/{name}": content for name, content in {**FILES, **second}.items()})
        inside = "a/b/" if made.suffix == ".zip" else ""
        names = f"{inside}{NAME}, {inside}{NAME.replace('14.55', '15.55')}"
        with pytest.raises(UserError, match=f"several DUMPI traces: '{names}'; allowed: one;"):
            read(made)


def test_errors_name_files_as_they_are_in_the_archive(tmp_path: Path) -> None:
    name = f"{NAME}-0002.bin"
    files = {f"AMG/{n}": c[:-9] if n == name else c for n, c in FILES.items()}
    source = zipped(tmp_path / "t.zip", files)
    with pytest.raises(UserError, match=rf"^{source}: AMG/{name}: no index at the end"):
        read(source)


def test_damaged_archives_are_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = archive(tmp_path / "t.tar.gz", FILES).read_bytes()
    (tmp_path / "cut.tar.gz").write_bytes(whole[: len(whole) * 3 // 4])
    with pytest.raises(UserError, match="cut off, or a damaged archive"):
        read(tmp_path / "cut.tar.gz")
    spoilt = bytearray(zipped(tmp_path / "t.zip", FILES).read_bytes())
    spoilt[len(spoilt) // 2] ^= 0xFF
    (tmp_path / "spoilt.zip").write_bytes(spoilt)
    (tmp_path / "cut.zip").write_bytes(spoilt[:-100])
    with pytest.raises(UserError, match=r"cut\.zip: cut off, or a damaged archive"):
        read(tmp_path / "cut.zip")
    with pytest.raises(UserError, match=r"spoilt\.zip: cut off, or a damaged archive"):
        read(tmp_path / "spoilt.zip")
    monkeypatch.setattr(dumpi_archive, "MOST_UNPACKED", 2 * max(map(len, FILES.values())))
    for name in ("t.tar.gz", "t.zip"):
        with pytest.raises(UserError, match=rf"^{tmp_path / name}: bytes of its files: 'more than"):
            read(tmp_path / name)
    monkeypatch.undo()
    monkeypatch.setattr(dumpi_archive, "MOST_MEMBERS", 3)
    with pytest.raises(UserError, match="files; allowed: up to 3"):
        read(tmp_path / "t.zip")


def test_archives_that_claim_too_much_are_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = zipped(tmp_path / "t.zip", FILES).read_bytes()
    first, *_ = FILES
    sizes = content.index(b"PK\1\2") + 24  # of the first file in the list at the end
    claims = content[:sizes] + (2**32 - 2).to_bytes(4, "little") + content[sizes + 4 :]
    (tmp_path / "bomb.zip").write_bytes(claims)
    monkeypatch.setattr(dumpi_archive, "MOST_UNPACKED", 2**31)
    with pytest.raises(UserError, match="bytes of its files: 'more than 2147483648"):
        read(tmp_path / "bomb.zip")
    monkeypatch.setattr(archive_files, "MOST_DIRECTORY", 200)
    with pytest.raises(UserError, match=r"damaged archive: a list of files of \d+ bytes"):
        convert(tmp_path / "t.zip", tmp_path / "amg.trace")
    long_name = archive(tmp_path / "t.tar", {"a" * 200 + first: FILES[first]}, mode="w")
    monkeypatch.setattr(archive_files, "MOST_HEADER", 100)
    with pytest.raises(tarfile.ReadError, match="a header of"):
        list(archive_files.files_of(long_name))


def test_zip_archives_of_other_kinds_are_told(tmp_path: Path) -> None:
    source = zipped(tmp_path / "t.zip", FILES, way=zipfile.ZIP_BZIP2)
    with pytest.raises(UserError, match=rf"{NAME}-0000.bin is packed by bzip2, where"):
        read(source)
    content = bytearray(zipped(tmp_path / "t.zip", FILES).read_bytes())
    content[content.index(b"PK\1\2") + 8] |= 1  # flag of an encrypted file
    source.write_bytes(content)
    with pytest.raises(UserError, match=f"{NAME}-0000.bin is encrypted"):
        read(source)


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    with tarfile.open(archive(tmp_path / "t.tar", FILES, mode="w"), "a") as made:
        member = tarfile.TarInfo(f"{NAME}-0000.bin")
        member.size = len(FILES[member.name])
        made.addfile(member, BytesIO(FILES[member.name]))
    with pytest.raises(UserError, match=f"two files of the same name: '{NAME}-0000.bin'"):
        read(tmp_path / "t.tar")


@pytest.mark.parametrize("mode", ["w:gz", "w:bz2", "w:xz"])
def test_what_an_archive_unpacks_to_takes_no_memory(tmp_path: Path, mode: str) -> None:
    """A block of bzip2 or xz may unpack to any length: some hundred bytes took 1.8 GB."""
    path = archive(tmp_path / "t.tar", {"notes.txt": bytes(300 * 2**20)}, mode=mode)
    tracemalloc.start()
    try:
        with pytest.raises(UserError):
            read(path)
        assert tracemalloc.get_traced_memory()[1] < 2**27
    finally:
        tracemalloc.stop()


def test_an_archive_of_several_streams_is_read(tmp_path: Path) -> None:
    whole = archive(tmp_path / "t.tar", {"notes.txt": b"x" * 40_000}, mode="w").read_bytes()
    path = tmp_path / "t.tar.bz2"
    path.write_bytes(bz2.compress(whole[:10_000]) + bz2.compress(whole[10_000:]))
    (file,) = archive_files.files_of(path)
    assert (file.name, file.size) == ("notes.txt", 40_000)


def test_a_packed_archive_that_is_cut_off_is_damaged(tmp_path: Path) -> None:
    path = archive(tmp_path / "t.tar.xz", {"notes.txt": bytes(10_000)}, mode="w:xz")
    path.write_bytes(path.read_bytes()[:60])
    with pytest.raises(archive_files.DAMAGE):
        list(archive_files.files_of(path))
