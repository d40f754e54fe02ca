"""Jobs on columns and on Parquet files."""

import pickle
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

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
    with pytest.raises(ValueError, match="must be a column"):
        parquet.Powmod(bases=2, exps=3, mods=modulus)
    with pytest.raises(ValueError, match="negative"):
        parquet.Powmod(exps=-1)
    broken = rows.set_column(3, "mod", column([2**255 + (row != 7) for row in range(100)]))
    with pytest.raises(ValueError) as caught:
        parquet.Powmod()(broken)
    assert caught.value.index == 7


def test_files(tmp_path: Path) -> None:
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    for rows in (table(1000), table(1)[:0]):
        files.write_table(rows, source)
        assert parquet.map_file(source, target, parquet.Powmod(), rows=64) == len(rows)
        assert files.read_table(target)["power"].to_pylist() == expected(rows)

    def fails(rows: object) -> object:
        raise RuntimeError("no result")

    before = target.read_bytes()
    files.write_table(table(3), source)
    with pytest.raises(RuntimeError):
        parquet.map_file(source, target, fails)
    assert target.read_bytes() == before and len(list(tmp_path.iterdir())) == 2
    with pytest.raises(ValueError, match="same name"):
        parquet.map_files([source, tmp_path / "x" / "in.parquet"], tmp_path / "out", fails)


SCRIPT = """
import sys
from pathlib import Path
from sunzi import parquet
parquet.map_files(sorted(Path(sys.argv[1]).iterdir()), sys.argv[2], parquet.Powmod(threads=1), rows=100)
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
    script = SCRIPT.replace("parquet.map_files(", "done = parquet.map_files(") + "print(done)"
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
