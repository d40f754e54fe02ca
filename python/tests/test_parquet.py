"""Jobs on columns and on Parquet files."""

import os
import pickle
import random
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
import sunzi

arrow = pytest.importorskip("pyarrow")
pytest.importorskip("numpy")
from pyarrow import parquet as files  # noqa: E402
from sunzi import parquet  # noqa: E402

RANDOM = random.Random(20261128)
WIDTH = 32


def column(numbers: list[int], width: int = WIDTH) -> object:
    return arrow.array([n.to_bytes(width, "big") for n in numbers], arrow.binary(width))


def table(rows: int) -> object:
    return arrow.table(
        {
            "name": [f"row {row}" for row in range(rows)],
            "base": column([RANDOM.getrandbits(256) for _ in range(rows)]),
            "exp": column([RANDOM.getrandbits(64) for _ in range(rows)], 8),
            "mod": column([RANDOM.getrandbits(256) | 1 | 1 << 255 for _ in range(rows)]),
        }
    )


def expected(rows: object, exp: int | None = None, mod: int | None = None) -> list[bytes]:
    def number(value: bytes) -> int:
        return int.from_bytes(value, "big")

    return [
        pow(number(row["base"]), exp or number(row["exp"]), mod or number(row["mod"])).to_bytes(32, "big")
        for row in rows.to_pylist()
    ]


def test_columns() -> None:
    rows = table(100)
    for job in (parquet.Powmod(), parquet.Powmod(secret=True, backend="portable", threads=1)):
        for powers in (job(rows), pickle.loads(pickle.dumps(job))(rows)):
            assert powers["power"].to_pylist() == expected(rows)
            assert powers.column_names == [*rows.column_names, "power"]
            assert powers.drop_columns("power") == rows
    modulus = 2**256 - 189
    job = parquet.Powmod(exps=65537, mods=modulus, out="p")
    assert job(rows)["p"].to_pylist() == expected(rows, 65537, modulus)
    empty = job(rows[:0])
    assert len(empty) == 0 and empty.schema == job(rows).schema
    assert parquet.Powmod()(rows[:0]).schema == parquet.Powmod()(rows).schema
    with pytest.raises(KeyError):
        parquet.Powmod(bases="no column")(rows)
    with pytest.raises(ValueError, match="two columns of the name 'base'"):
        parquet.Powmod(out="base")(rows)
    with pytest.raises(TypeError, match="binary, integers or text, not double"):
        parquet.Powmod(bases="x", exps=3, mods=modulus)(arrow.table({"x": [1.5]}))
    with pytest.raises(ValueError, match="must be a column"):
        parquet.Powmod(bases=2, exps=3, mods=modulus)
    with pytest.raises(ValueError, match="negative"):
        parquet.Powmod(exps=-1)
    broken = rows.set_column(3, "mod", column([2**255 + (row != 7) for row in range(100)]))
    with pytest.raises(ValueError, match="row 7: .*even") as caught:
        parquet.Powmod()(broken)
    assert caught.value.index == 7
    told = parquet.Powmod(errors="why")(broken)
    assert [row for row, why in enumerate(told["why"].to_pylist()) if why] == [7]
    assert "even" in told["why"][7].as_py() and told["power"][7].as_py() is None
    assert told["power"].null_count == 1 and told.schema == parquet.Powmod(errors="why")(rows).schema


NUMBERS = [3, 2**255 + 12345, 7**80]


@pytest.mark.parametrize(
    ("type", "value"),
    [
        (arrow.binary(32), lambda n: n.to_bytes(32, "big")),
        (arrow.binary(), lambda n: n.to_bytes((n.bit_length() + 7) // 8, "big")),
        (arrow.large_binary(), lambda n: n.to_bytes(40, "big")),
        (arrow.string(), str),
        (arrow.large_string(), hex),
        (arrow.dictionary(arrow.int32(), arrow.string()), str),
    ],
    ids=str,
)
def test_types_of_columns(type: object, value: object) -> None:
    """With a null and a number that is none, where there can be one."""
    modulus = 2**256 - 189
    wrong = "no number" if type in (arrow.string(), arrow.large_string()) else None
    values = [*map(value, NUMBERS), None, wrong]
    column = arrow.array(values, arrow.string()).dictionary_encode() if "dict" in str(type) else arrow.array(values, type)
    rows = arrow.table({"n": column, "e": arrow.array([65537, 3, 0, 1, 1], arrow.int64())})
    powers = parquet.Powmod(bases="n", exps="e", mods=modulus, errors="why")(rows)
    expected = [pow(n, e, modulus).to_bytes(32, "big") for n, e in zip(NUMBERS, [65537, 3, 0])]
    assert powers["power"].to_pylist() == [*expected, None, None]
    reasons = powers["why"].to_pylist()
    assert reasons[:3] == [None] * 3 and reasons[3] == "the column 'n' is null"
    assert ("no number" if wrong else "null") in reasons[4]
    negative = arrow.table({"n": arrow.array([5, -5], arrow.int32())})
    powers = parquet.Powmod(bases="n", exps=2, mods=modulus, errors="why")(negative)
    assert powers["why"].to_pylist() == [None, "the column 'n' has a negative number"]
    if type == arrow.dictionary(arrow.int32(), arrow.string()):
        return
    # Moduli of these types: powers of variable length are each as long as their moduli.
    moduli = arrow.table({"m": arrow.array([value(2**255 + 3), None, value(2**127 - 1)], type)})
    powers = parquet.Powmod(bases=5, exps=77, mods="m", errors="why")(moduli)
    assert [p and int.from_bytes(p, "big") for p in powers["power"].to_pylist()] == [
        pow(5, 77, 2**255 + 3),
        None,
        pow(5, 77, 2**127 - 1),
    ]
    assert powers["power"].type == parquet.Powmod(bases=5, exps=77, mods="m")(moduli[:0])["power"].type


@pytest.mark.parametrize("algorithm", ["P-256", "Ed25519", "RSA-2048"])
def test_signatures_in_columns(algorithm: str, tmp_path: Path) -> None:
    key = sunzi.generate_key(algorithm)
    messages = [f"message {row}" for row in range(50)]
    messages[7] = None
    for type in (arrow.string(), arrow.binary(), arrow.large_string(), arrow.large_binary()):
        files.write_table(arrow.table({"message": arrow.array(messages, type)}), tmp_path / "m.parquet")
        job = pickle.loads(pickle.dumps(parquet.Sign(key, threads=1)))
        signed = parquet.map_files(tmp_path / "m.parquet", tmp_path / "signed", job, existing="redo")
        assert signed.rows == 50 and signed.failed == 1
        [failure] = signed.failures
        assert failure.row == 7 and failure.source.endswith("m.parquet") and "null" in failure.reason
        assert str(failure).endswith("m.parquet, row 7: the column 'message' is null")
        table = files.read_table(tmp_path / "signed/m.parquet")
        present = [row for row in range(50) if row != 7]
        texts = [messages[row].encode() for row in present]
        signatures = [table["signature"][row].as_py() for row in present]
        assert sunzi.verify_many(key.public_key(), texts, signatures) == [True] * 49
    table = table.set_column(1, "signature", arrow.array([b"", *table["signature"].to_pylist()[1:]]))
    files.write_table(table, tmp_path / "changed.parquet")
    job = pickle.loads(pickle.dumps(parquet.Verify(key.public_key(), errors="why")))
    parquet.map_file(tmp_path / "changed.parquet", tmp_path / "verified.parquet", job)
    verified = files.read_table(tmp_path / "verified.parquet")
    assert verified["valid"].to_pylist() == [False, *[True] * 6, None, *[True] * 42]
    assert verified["why"][7].as_py() == "the column 'message' is null"
    assert verified["why"].null_count == 49


def test_jobs_refuse_keys_and_options_at_once() -> None:
    curve = sunzi.generate_key("P-256")
    with pytest.raises(ValueError, match="padding does not apply"):
        parquet.Sign(curve, padding="pss")
    with pytest.raises(ValueError, match="padding does not apply"):
        parquet.Verify(curve.public_key(), padding="pss")
    with pytest.raises(ValueError, match="cannot sign"):
        parquet.Sign(sunzi.generate_key("X25519"))
    raw = parquet.Sign(curve, encoding="raw", low_s=True)(arrow.table({"message": [b"m"]}))
    assert len(raw["signature"][0].as_py()) == 64
    with pytest.raises(TypeError, match="binary or text"):
        parquet.Sign(curve)(arrow.table({"message": [1]}))
    with pytest.raises(ValueError, match="row 0: .*null"):
        parquet.Sign(curve)(arrow.table({"message": arrow.array([None], arrow.string())}))


class Broken(parquet.Job):
    """Fails as a whole, and not in a row."""

    description = {"job": "Broken"}

    def __init__(self) -> None:
        super().__init__(out="x")

    def column(self, table: object) -> tuple[object, dict[int, str]]:
        raise RuntimeError("no result")


def test_files(tmp_path: Path) -> None:
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    for rows in (table(1000), table(1)[:0]):
        files.write_table(rows, source)
        made = parquet.map_file(source, target, parquet.Powmod(), rows=64)
        assert (made.rows, made.failed, made.failures) == (len(rows), 0, [])
        assert files.read_table(target)["power"].to_pylist() == expected(rows)
    before = target.read_bytes()
    files.write_table(table(3), source)
    with pytest.raises(RuntimeError) as caught:
        parquet.map_file(source, target, Broken())
    assert caught.value.__notes__ == [f"in {source}, rows 0 to 3"]
    assert target.read_bytes() == before and len(list(tmp_path.iterdir())) == 2
    with pytest.raises(ValueError, match="same name"):
        (tmp_path / "x").mkdir()
        files.write_table(table(3), tmp_path / "x" / "in.parquet")
        parquet.map_files([source, tmp_path / "x" / "in.parquet"], tmp_path / "out", Broken())
    for wrong, words in (
        (parquet.Powmod, "an instance of Powmod"),
        (lambda table: table, "a sunzi.parquet.Job, not function"),
    ):
        with pytest.raises(TypeError, match=words):
            parquet.map_file(source, target, wrong)
    for same in (tmp_path, tmp_path / "." / "x" / ".."):
        with pytest.raises(ValueError, match="would be replaced"):
            parquet.map_files(source, same, parquet.Powmod())
    with pytest.raises(ValueError, match="would be replaced"):
        parquet.map_file(source, source, parquet.Powmod())
    with pytest.raises(ValueError, match="existing is"):
        parquet.map_files(source, tmp_path / "out", parquet.Powmod(), existing="keep")
    with pytest.raises(ValueError, match="rows is 0"):
        parquet.map_files(source, tmp_path / "out", parquet.Powmod(), rows=0)


def folders(tmp_path: Path, count: int = 3, rows: int = 20) -> tuple[Path, Path]:
    sources = tmp_path / "in"
    sources.mkdir()
    for place in range(count):
        files.write_table(table(rows), sources / f"{place}.parquet")
    return sources, tmp_path / "out"


def assert_right(sources: Path, out: Path, exp: int | None = None) -> None:
    for source in sources.glob("*.parquet"):
        rows = files.read_table(source)
        assert files.read_table(out / source.name)["power"].to_pylist() == expected(rows, exp)


def test_a_right_target_is_skipped(tmp_path: Path) -> None:
    sources, out = folders(tmp_path)
    first = parquet.map_files(sources, out, parquet.Powmod())
    assert (len(first.made), first.rows, first.skipped, first.redone) == (3, 60, [], [])
    times = [path.stat().st_mtime_ns for path in sorted(out.iterdir())]
    # Neither the number of threads nor that of rows at a time is a part of the job.
    job = parquet.Powmod(threads=1, backend="portable")
    second = parquet.map_files(sources, out, job, rows=7)
    assert second.made == [] and [skipped.rows for skipped in second.skipped] == [20] * 3
    assert [path.stat().st_mtime_ns for path in sorted(out.iterdir())] == times
    assert str(second) == "0 files made, 0 rows; 3 skipped; 0 rows failed"
    told = parquet.provenance(out / "1.parquet")
    assert told["job"]["job"] == "Powmod" and told["rows"] == 20 and told["failed"] == 0
    assert parquet.provenance(sources / "1.parquet") is None


@pytest.mark.parametrize("damage", ["empty", "truncated", "footer", "data", "no parquet"])
def test_a_damaged_target_is_made_anew(tmp_path: Path, damage: str) -> None:
    sources, out = folders(tmp_path)
    parquet.map_files(sources, out, parquet.Powmod())
    target = out / "1.parquet"
    whole = target.read_bytes()
    target.write_bytes(
        {
            "empty": b"",
            "truncated": whole[: len(whole) // 2],
            "footer": whole[:-1000] + bytes(100) + whole[-900:],
            "data": whole[:500] + bytes([whole[500] ^ 1]) + whole[501:],
            "no parquet": b"something else",
        }[damage]
    )
    again = parquet.map_files(sources, out, parquet.Powmod())
    assert [Path(made.target).name for made in again.redone] == ["1.parquet"]
    assert "truncated or damaged" in again.redone[0].replaced
    assert len(again.skipped) == 2 and "1 of them anew" in str(again)
    assert_right(sources, out)


def test_another_job_or_source_is_never_kept_in_silence(tmp_path: Path) -> None:
    sources, out = folders(tmp_path)
    parquet.map_files(sources, out, parquet.Powmod(exps=3))
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    (sources / "new.parquet").write_bytes((sources / "0.parquet").read_bytes())
    with pytest.raises(parquet.StaleTarget, match="exps was .*0x3.*, and is .*0x5") as caught:
        parquet.map_files(sources, out, parquet.Powmod(exps=5))
    assert "3 files are there" in str(caught.value) and 'existing="redo"' in str(caught.value)
    # Nothing was touched, and nothing computed.
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    again = parquet.map_files(sources, out, parquet.Powmod(exps=5), existing="redo")
    assert len(again.made) == 4 and len(again.redone) == 3
    assert_right(sources, out, 5)

    # A source of the same size and time.
    status = (sources / "1.parquet").stat()
    other = bytearray((sources / "1.parquet").read_bytes())
    files.write_table(table(20), sources / "1.parquet")
    os.utime(sources / "1.parquet", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert other != (sources / "1.parquet").read_bytes()
    with pytest.raises(parquet.StaleTarget, match="1.parquet: its source has changed"):
        parquet.map_files(sources, out, parquet.Powmod(exps=5))
    again = parquet.map_files(sources, out, parquet.Powmod(exps=5), existing="redo")
    assert [Path(made.source).name for made in again.redone] == ["1.parquet"]
    assert_right(sources, out, 5)

    # What another program has made.
    files.write_table(table(3), out / "2.parquet")
    with pytest.raises(parquet.StaleTarget, match="not made by sunzi.parquet"):
        parquet.map_files(sources, out, parquet.Powmod(exps=5))
    assert len(parquet.map_files(sources, out, parquet.Powmod(exps=5), existing="redo").redone) == 1
    # The column's name is a part of the job, and so are a secret exponent and a key.
    for job in (
        parquet.Powmod(exps=5, out="p"),
        parquet.Powmod(exps=5, secret=True),
        parquet.Powmod(exps=5, errors="why"),
    ):
        with pytest.raises(parquet.StaleTarget):
            parquet.map_files(sources, out, job)
    secret = 2**200 + 12345
    first, same, other_secret = (
        parquet.Powmod(exps=number, secret=True).description for number in (secret, secret, secret + 1)
    )
    assert first == same != other_secret and hex(secret)[2:] not in str(first) and str(secret) not in str(first)
    keys = [sunzi.generate_key("Ed25519") for _ in range(2)]
    one, two = (parquet.Sign(key).description for key in keys)
    assert one != two


def test_a_wrong_row_stops_nothing(tmp_path: Path) -> None:
    sources, out = folders(tmp_path, rows=100)
    rows = files.read_table(sources / "1.parquet")
    bases, moduli = rows["base"].to_pylist(), rows["mod"].to_pylist()
    bases[70], moduli[3], moduli[4] = None, bytes(31) + b"\x04", bytes(32)
    rows = rows.set_column(1, "base", arrow.array(bases, arrow.binary(32)))
    files.write_table(rows.set_column(3, "mod", arrow.array(moduli, arrow.binary(32))), sources / "1.parquet")
    (sources / "2.parquet").write_bytes(b"PAR1 no parquet")
    summary = parquet.map_files(sources, out, parquet.Powmod(errors="why"), rows=16)
    assert summary.rows == 200 and summary.failed == 3 and len(summary.made) == 2
    assert [(Path(f.source).name, f.row) for f in summary.failures] == [
        ("2.parquet", None),
        ("1.parquet", 3),
        ("1.parquet", 4),
        ("1.parquet", 70),
    ]
    assert "cannot be read" in summary.unreadable[0].reason
    assert "the column 'base' is null" == summary.failures[3].reason
    powers = files.read_table(out / "1.parquet")
    assert [row for row, why in enumerate(powers["why"].to_pylist()) if why] == [3, 4, 70]
    assert [row for row, power in enumerate(powers["power"].to_pylist()) if power is None] == [3, 4, 70]
    assert files.read_table(out / "0.parquet")["why"].null_count == 100
    again = parquet.map_files(sources, out, parquet.Powmod(errors="why"))
    assert len(again.skipped) == 2 and again.failed == 3
    assert str(again) == "0 files made, 0 rows; 2 skipped; 1 could not be read; 3 rows failed"
    with pytest.raises(parquet.UnreadableSource, match="2.parquet"):
        parquet.map_file(sources / "2.parquet", out / "2.parquet", parquet.Powmod())


def test_many_failures_are_counted_and_some_listed(tmp_path: Path) -> None:
    nulls = arrow.table({"base": arrow.array([None] * 2500, arrow.binary(32))})
    files.write_table(nulls, tmp_path / "in.parquet")
    job = parquet.Powmod(exps=3, mods=2**256 - 189)
    made = parquet.map_file(tmp_path / "in.parquet", tmp_path / "out.parquet", job, rows=999)
    assert made.failed == 2500 and [failure.row for failure in made.failures] == list(range(1000))


def test_a_target_is_on_its_medium_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources, out = folders(tmp_path, 1)
    events: list[str] = []
    fsync, replace = os.fsync, os.replace

    def synced(file: int) -> None:
        kind = "folder" if stat.S_ISDIR(os.fstat(file).st_mode) else "file"
        events.append(f"sync {kind}")
        fsync(file)

    def replaced(source: object, target: object) -> None:
        assert files.read_metadata(source).num_rows == 20
        events.append("rename")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    parquet.map_files(sources, out, parquet.Powmod())
    assert events == ["sync file", "rename", "sync folder"]


def test_sources_are_files_folders_and_patterns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources, _ = folders(tmp_path)
    (sources / ".hidden.parquet").write_bytes(b"")
    (sources / "notes.txt").write_text("notes")
    for place, (some, count) in enumerate(
        [
            (str(sources / "1.parquet"), 1),
            (sources / "1.parquet", 1),
            (str(sources), 3),
            (f"{sources}/*.parquet", 3),
            (f"{sources}/[01].parquet", 2),
            ([str(sources / "0.parquet"), sources / "2.parquet"], 2),
            ((path for path in sources.glob("[0-9].parquet")), 3),
            (f"file://{sources}", 3),
        ]
    ):
        summary = parquet.map_files(some, tmp_path / f"out{place}", parquet.Powmod())
        assert len(summary.made) == count, some
    for nowhere in ("no.parquet", f"{sources}/x*.parquet", [sources, "no.parquet"], tmp_path / "out"):
        (tmp_path / "out").mkdir(exist_ok=True)
        with pytest.raises(FileNotFoundError):
            parquet.map_files(nowhere, tmp_path / "to", parquet.Powmod())
    # A relative path names the same files after a change of the folder.
    monkeypatch.chdir(tmp_path)
    summary = parquet.map_files("in", "relative", parquet.Powmod())
    assert len(summary.made) == 3 and Path(summary.made[0].target).is_absolute()


def test_urls(tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    tables = [table(30) for _ in range(3)]
    memory.makedirs("/bucket/in", exist_ok=True)
    for place, rows in enumerate(tables):
        with memory.open(f"/bucket/in/{place}.parquet", "wb") as file:
            files.write_table(rows, file)
    job = parquet.Powmod()
    try:
        for some in ("memory://bucket/in", "memory://bucket/in/*.parquet", ["memory://bucket/in/0.parquet"]):
            summary = parquet.map_files(some, "memory://bucket/out", job)
            assert len(summary.made) + len(summary.skipped) == (1 if isinstance(some, list) else 3)
        assert len(summary.skipped) == 1
        names = sorted(name.rpartition("/")[2] for name in memory.ls("/bucket/out", detail=False))
        assert names == ["0.parquet", "1.parquet", "2.parquet"]
        for place, rows in enumerate(tables):
            with memory.open(f"/bucket/out/{place}.parquet", "rb") as file:
                assert files.read_table(file)["power"].to_pylist() == expected(rows)
        assert parquet.provenance("memory://bucket/out/1.parquet")["rows"] == 30
        with memory.open("/bucket/out/1.parquet", "wb") as file:
            file.write(b"PAR1")
        again = parquet.map_files("memory://bucket/in", "memory://bucket/out", job)
        assert [made.target for made in again.redone] == ["memory:///bucket/out/1.parquet"]
        with memory.open("/bucket/in/2.parquet", "wb") as file:
            files.write_table(table(30), file)
        with pytest.raises(parquet.StaleTarget, match="memory:///bucket/out/2.parquet: its source"):
            parquet.map_files("memory://bucket/in", "memory://bucket/out", job)
        # From a URL to a folder and back.
        parquet.map_files("memory://bucket/in", tmp_path / "local", job)
        chained = parquet.map_files(tmp_path / "local", "memory://bucket/again", parquet.Powmod(out="second"))
        assert chained.rows == 90
        assert not list(tmp_path.glob(".sunzi*")) and not (Path.cwd() / "memory:").exists()
        with pytest.raises(ValueError, match="would be replaced"):
            parquet.map_files("memory://bucket/in", "memory://bucket/in", job)
    finally:
        memory.rm("/bucket", recursive=True)


def test_a_url_without_fsspec_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And makes no folder of its name."""
    sources, _ = folders(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "fsspec", None)
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(ImportError, match=r"s3://bucket/out is a URL, which needs the package fsspec.*s3fs"):
        parquet.map_files(sources, "s3://bucket/out", parquet.Powmod())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]


SCRIPT = """
import sys
from pathlib import Path
from sunzi import parquet
parquet.map_files(sys.argv[1], sys.argv[2], parquet.Powmod(threads=1), rows=100)
"""


def test_a_killed_run_is_taken_up(tmp_path: Path) -> None:
    sources, out = tmp_path / "in", tmp_path / "out"
    sources.mkdir()
    tables = [table(2000) for _ in range(8)]
    for place, rows in enumerate(tables):
        files.write_table(rows, sources / f"{place}.parquet")
    command = [sys.executable, "-c", SCRIPT, str(sources), str(out)]
    run = subprocess.Popen(command)
    while not (out / "1.parquet").exists():
        assert run.poll() is None
        time.sleep(0.001)
    run.send_signal(signal.SIGKILL)
    run.wait()
    whole = {path.name: path.stat().st_mtime_ns for path in out.glob("[0-9].parquet")}
    assert 2 <= len(whole) < 8
    subprocess.run(command, check=True)
    for place, rows in enumerate(tables):
        path = out / f"{place}.parquet"
        assert files.read_table(path)["power"].to_pylist() == expected(rows)
        assert path.stat().st_mtime_ns == whole.get(path.name, path.stat().st_mtime_ns)


def test_two_processes_share_a_folder(tmp_path: Path) -> None:
    """Each file is made by one of them, and every file is made."""
    sources, out = tmp_path / "in", tmp_path / "out"
    sources.mkdir()
    tables = [table(500) for _ in range(24)]
    for place, rows in enumerate(tables):
        files.write_table(rows, sources / f"{place}.parquet")
    script = SCRIPT.replace("parquet.map_files(", "done = parquet.map_files(") + "print(done.rows)"
    command = [sys.executable, "-c", script, str(sources), str(out)]
    runs = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    done = [int(run.communicate()[0]) for run in runs]
    assert all(run.returncode == 0 for run in runs)
    assert sum(done) == 24 * 500, done
    print(f"rows by each: {done}")
    for place, rows in enumerate(tables):
        assert files.read_table(out / f"{place}.parquet")["power"].to_pylist() == expected(rows)
    assert len(list(out.iterdir())) == 24


CLAIM = """
import sys
from sunzi import parquet
with parquet.claimed(sys.argv[1], wait=len(sys.argv) > 2) as mine:
    print(mine, flush=True)
    sys.stdin.read()
"""


def test_claims_end_with_their_process(tmp_path: Path) -> None:
    target = tmp_path / "a.parquet"

    def claim(*wait: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", CLAIM, str(target), *wait]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)

    first = claim()
    assert first.stdout and first.stdout.readline() == "True\n"
    with parquet.claimed(target) as mine:
        assert not mine
    first.kill()
    first.communicate()
    with parquet.claimed(target) as mine:
        assert mine
    assert list(tmp_path.iterdir()) == []
    second = claim()
    assert second.stdout and second.stdout.readline() == "True\n"
    # Whoever waits goes on when the other one has ended.
    third = claim("wait")
    time.sleep(0.5)
    target.touch()
    second.communicate()
    assert third.communicate()[0] == "False\n"
    with parquet.claimed(target, wait=True) as mine:
        assert not mine
    with pytest.raises(RuntimeError), parquet.claimed(tmp_path / "b.parquet") as mine:
        assert mine
        raise RuntimeError
    assert list(tmp_path.iterdir()) == [target]
