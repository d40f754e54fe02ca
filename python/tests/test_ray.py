"""Jobs on columns by two workers of Ray."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

arrow = pytest.importorskip("pyarrow")
pytest.importorskip("ray", reason="SKIPPED: ray is not installed")
import ray  # noqa: E402
import sunzi.ray  # noqa: E402
from pyarrow import parquet as files  # noqa: E402
from sunzi import parquet  # noqa: E402
from test_parquet import expected, table  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    # More than there may be: two for the workers, and one to read.
    ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


@pytest.mark.slow
def test_columns_in_and_columns_out(tmp_path: Path) -> None:
    rows = table(3000)
    for place in range(3):
        files.write_table(rows[place * 1000 : (place + 1) * 1000], tmp_path / f"{place}.parquet")
    dataset = ray.data.read_parquet(str(tmp_path))
    job = parquet.Powmod(out="p")
    powers = sunzi.ray.map_batches(dataset, job, workers=2, rows=200)
    answers = {row["name"]: row["p"] for row in powers.take_all()}
    assert [answers[f"row {row}"] for row in range(3000)] == expected(rows)
    with pytest.raises(TypeError, match="an instance of Powmod"):
        sunzi.ray.map_batches(dataset, parquet.Powmod)


def test_files_by_two_workers(tmp_path: Path) -> None:
    sources, out = tmp_path / "in", tmp_path / "out"
    sources.mkdir()
    tables = {f"{place}.parquet": table(2000) for place in range(8)}
    for name, rows in tables.items():
        files.write_table(rows, sources / name)
    paths = sorted(sources.iterdir())
    # What an earlier run has done stays as it is.
    parquet.map_files(paths[:2], out, parquet.Powmod())
    before = {path.name: path.stat().st_mtime_ns for path in out.iterdir()}
    # A null row, and a file that cannot be read.
    rows = tables["5.parquet"]
    bases = [None, *rows["base"].to_pylist()[1:]]
    files.write_table(rows.set_column(1, "base", arrow.array(bases, arrow.binary(32))), paths[5])
    paths[7].write_bytes(b"no parquet")
    summary = sunzi.ray.map_files(paths, out, parquet.Powmod(), workers=2, rows=500)
    made = summary.made
    assert sorted(Path(file.target).name for file in made) == sorted(tables)[2:7]
    assert all(file.rows == 2000 for file in made)
    assert len({file.process for file in made}) == 2
    assert sorted((Path(f.source).name, f.row) for f in summary.failures if f.row is not None) == [("5.parquet", 0)]
    assert [Path(failure.source).name for failure in summary.unreadable] == ["7.parquet"]
    assert len(summary.skipped) == 2 and summary.failed == 1
    files.write_table(rows, paths[5])
    files.write_table(tables["7.parquet"], paths[7])
    (out / "3.parquet").write_bytes((out / "3.parquet").read_bytes()[:1000])
    with pytest.raises(parquet.StaleTarget, match="5.parquet: its source has changed"):
        sunzi.ray.map_files(paths, out, parquet.Powmod())
    summary = sunzi.ray.map_files(str(sources), out, parquet.Powmod(), existing="redo")
    assert sorted(Path(file.target).name for file in summary.made) == [f"{n}.parquet" for n in (3, 5, 7)]
    assert len(summary.redone) == 2 and len(summary.skipped) == 5
    for name, rows in tables.items():
        assert files.read_table(out / name)["power"].to_pylist() == expected(rows)
    assert all((out / name).stat().st_mtime_ns == time for name, time in before.items())
    again = sunzi.ray.map_files(paths, out, parquet.Powmod())
    assert again.made == [] and len(again.skipped) == 8


DRIVER = """
import sys
from pathlib import Path

import ray
import sunzi.ray
from sunzi import parquet

ray.init(address="local", num_cpus=3, include_dashboard=False, log_to_driver=False)
sources = sorted(Path(sys.argv[1]).iterdir())
sunzi.ray.map_files(sources, sys.argv[2], parquet.Powmod(), workers=2, rows=50)
"""


@pytest.mark.slow
def test_a_killed_driver_is_taken_up(tmp_path: Path) -> None:
    """What its actors have made stays as it is, and only the rest is made."""
    sources, out = tmp_path / "in", tmp_path / "out"
    sources.mkdir()
    tables = {f"{place}.parquet": table(20_000) for place in range(8)}
    for name, rows in tables.items():
        files.write_table(rows, sources / name)
    paths = sorted(sources.iterdir())
    driver = subprocess.Popen([sys.executable, "-c", DRIVER, str(sources), str(out)])
    while len(list(out.glob("[0-9].parquet"))) < 2:
        assert driver.poll() is None
        time.sleep(0.01)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    # Its actors end soon after it, and may make another file until then.
    before: dict[str, int] = {}
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        now = {path.name: path.stat().st_mtime_ns for path in out.glob("[0-9].parquet")}
        if now == before:
            break
        before = now
        time.sleep(5)
    assert 2 <= len(before) < 8, "the driver was killed too late"
    made = sunzi.ray.map_files(paths, out, parquet.Powmod(), workers=2, rows=500).made
    assert sorted(Path(file.target).name for file in made) == sorted({*tables} - {*before})
    for name, rows in tables.items():
        assert files.read_table(out / name)["power"].to_pylist() == expected(rows)
    assert all((out / name).stat().st_mtime_ns == time for name, time in before.items())
    again = sunzi.ray.map_files(paths, out, parquet.Powmod())
    assert again.made == [] and len(again.skipped) == 8
