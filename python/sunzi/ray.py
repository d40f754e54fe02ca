"""Jobs on columns on a cluster of Ray, by Ray Data, with one engine for each actor. Needs `ray[data]`
(`pip install "sunzi[ray]"`).

    import ray.data
    import sunzi.ray
    from sunzi import parquet

    job = {"bases": "base", "exps": 65537, "mods": "modulus"}
    powers = sunzi.ray.map_batches(ray.data.read_parquet("in/"), parquet.Powmod, job, workers=8)
    powers.write_parquet("out/")

`map_batches` takes columns in and gives columns out, as a part of any pipeline. `map_files` works by files, and a
run that was killed and is started again does what is missing.

Reading needs processors, too: a cluster with no more than `workers * threads` of them waits forever in
`map_batches` for its input.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import ray.data

from . import parquet

__all__ = ["map_batches", "map_files"]


def map_batches(
    dataset: Any,
    job: Callable[..., parquet.Job],
    options: dict[str, Any],
    *,
    workers: int = 1,
    threads: int = 1,
    rows: int = 16_384,
) -> Any:
    """The dataset that a job makes, such as `parquet.Powmod` with these options: each of the `workers` actors makes
    the job once, and calls it for `rows` rows at a time. An actor has `threads` processors, and the job gets
    the option of that name."""
    return dataset.map_batches(
        job,
        fn_constructor_kwargs={**options, "threads": threads},
        batch_format="pyarrow",
        batch_size=rows,
        concurrency=workers,
        num_cpus=threads,
    )


#: In place of a number of rows: another run has made the file.
_NOT_MINE = -1


class _Files:
    """An actor that maps files."""

    def __init__(self, job: Callable[..., parquet.Job], options: dict[str, Any], rows: int) -> None:
        self._job = job(**options)
        self._rows = rows

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        done = _NOT_MINE
        # Actors of a run that was killed may still be at it.
        with parquet.claimed(row["target"], wait=True) as mine:
            if mine:
                done = parquet.map_file(row["source"], row["target"], self._job, rows=self._rows)
        return {"target": row["target"], "rows": done, "process": os.getpid()}


def map_files(
    sources: Iterable[str | os.PathLike[str]],
    folder: str | os.PathLike[str],
    job: Callable[..., parquet.Job],
    options: dict[str, Any],
    *,
    workers: int = 1,
    threads: int = 1,
    rows: int = 16_384,
) -> list[dict[str, Any]]:
    """`parquet.map_files` by `workers` actors: maps each source whose target, the file of its name in the folder,
    is not there. Sources and folder are where all machines see them. Returns a dict for each new file, with its
    `target`, its number of `rows`, and the `process` that made it."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    pairs = [
        {"source": str(source.resolve()), "target": str(target.resolve())}
        for source, target in parquet.missing(sources, folder)
    ]
    if not pairs:
        return []
    # One block for each file, or one actor would get them all.
    dataset = ray.data.from_items(pairs, override_num_blocks=len(pairs))
    # Ray's types know functions only.
    files: Any = _Files
    mapped = dataset.map(
        files,
        fn_constructor_args=(job, {**options, "threads": threads}, rows),
        concurrency=min(workers, len(pairs)),
        num_cpus=threads,
    )
    return [made for made in mapped.take_all() if made["rows"] != _NOT_MINE]
