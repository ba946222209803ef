"""Files that the verbs of explained runs refuse: one line, exit status 2, nothing written."""

from __future__ import annotations

import h5py
import pytest

RUN = ("simulate", "barrier", "--ranks", "4", "--machine", "eos")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("inputs")


@pytest.fixture
def files(folder, run_odonata):
    """Give a good file, and bad ones by their fault."""
    good, plain = folder / "good.nc", folder / "plain.nc"
    if not good.exists():
        assert run_odonata(*RUN, "--explain", "-o", good)[0] == 0
        assert run_odonata(*RUN, "-o", plain)[0] == 0
    whole = good.read_bytes()
    made = {"good": good, "plain": plain, "absent": folder / "absent.nc"}
    for name, content in (("foreign", b"name,time\n"), ("cut", whole[: len(whole) // 2])):
        made[name] = folder / f"{name}.nc"
        made[name].write_bytes(content)
    for name, key, value in (("older", "odonata_format", 0), ("newer", "odonata_format", 99)):
        made[name] = folder / f"{name}.nc"
        made[name].write_bytes(whole)
        with h5py.File(made[name], "a") as file:
            file.attrs[key] = value
    return made


@pytest.mark.parametrize(
    ("which", "says"),
    [
        ("plain", "run it again with --explain"),
        ("absent", "No such file"),
        ("foreign", "not a result of Odonata"),
        ("cut", "truncated or damaged"),
        ("older", "no such format"),
        ("newer", "written by a newer Odonata"),
    ],
)
@pytest.mark.parametrize("verb", ["explain", "compare", "report", "export"])
def test_a_bad_file_is_refused(verb, which, says, files, run_odonata, tmp_path):
    words = {
        "explain": ["explain", files[which]],
        "compare": ["compare", files["good"], files[which]],
        "report": ["report", files[which], "-o", tmp_path / "run.html"],
        "export": ["export", files[which], "-o", tmp_path / "run", "--format", "perfetto"],
    }
    if verb == "export":
        pytest.importorskip("perfetto")
    status, out, err = run_odonata(*words[verb])
    assert (status, out) == (2, "")
    assert says in err
    assert len(err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [
        ["report", "ALONE", "-o", "run.html"],
        ["export", "ALONE", "-o", "run", "--format", "perfetto"],
        ["explain", "ALONE", "--timeline", "t.png"],
        ["explain", "ALONE", "--plot", "t.png", "--by", "step"],
    ],
)
def test_a_breakdown_alone_has_no_path(words, files, run_odonata, tmp_path, monkeypatch):
    if words[0] == "export":
        pytest.importorskip("perfetto")
    monkeypatch.chdir(tmp_path)
    alone = files["good"].with_name("alone.nc")
    assert run_odonata(*RUN, "--breakdown", "-o", alone)[0] == 0
    given = [{"GOOD": files["good"], "ALONE": alone}.get(word, word) for word in words]
    status, out, err = run_odonata(*given)
    assert (status, out) == (2, "")
    assert "without its critical path; run it again" in err
    assert len(err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [
        ["explain", "GOOD", "--timeline", "t.txt"],
        ["explain", "GOOD", "--plot", "t.png", "--by", "node"],
        ["explain", "GOOD", "--timeline", "t.png", "--window", "5us"],
        ["explain", "GOOD", "--timeline", "t.png", "--window", "5us:1us"],
        ["explain", "GOOD", "--window", "1us:5us"],
        ["report", "GOOD", "-o", "absent/run.html"],
        ["export", "GOOD", "-o", "run.txt"],
    ],
)
def test_a_wrong_option_is_refused(words, files, run_odonata, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = [files["good"] if word == "GOOD" else word for word in words]
    status, out, err = run_odonata(*given)
    assert status == (74 if "report" in words else 2)
    assert out == ""
    assert len(err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []
