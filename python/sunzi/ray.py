"""Jobs on columns on a cluster of Ray, by Ray Data, with one engine for each actor. Needs `ray[data]`
(`pip install "sunzi[ray]"`).

    import ray.data
    import sunzi.ray
    from sunzi import parquet

    job = parquet.Powmod(bases="base", exps=65537, mods="modulus")
    powers = sunzi.ray.map_batches(ray.data.read_parquet("in/"), job, workers=8)
    powers.write_parquet("out/")

    print(sunzi.ray.map_files("in/", "out/", job, workers=8))

`map_batches` takes columns in and gives columns out, as a part of any pipeline. `map_files` works by files, and a
run that was killed and is started again does what is missing: it is `parquet.map_files`, with the same arguments, and
returns the same summary.

Reading needs processors, too: a cluster with no more than `workers * threads` of them waits forever in
`map_batches` for its input.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from typing import Any

import ray.data

from . import parquet
from ._columns import check_job, with_threads
from ._places import Location

__all__ = ["map_batches", "map_files"]


class _Batches:
    """An actor that maps tables."""

    def __init__(self, job: parquet.Job, threads: int) -> None:
        self._job = with_threads(job, threads)

    def __call__(self, table: Any) -> Any:
        return self._job(table)


def map_batches(
    dataset: Any,
    job: parquet.Job,
    *,
    rows: int = 16_384,
    workers: int = 1,
    threads: int = 1,
) -> Any:
    """The dataset that a job makes, such as `parquet.Powmod(...)`, `rows` rows at a time, with `workers` actors of
    `threads` processors each.

    A row that is null or wrong raises ValueError, unless the job has a column for the reasons (`errors`).
    """
    check_job(job)
    # Ray's types know functions only.
    actor: Any = _Batches
    return dataset.map_batches(
        actor,
        fn_constructor_args=(job, threads),
        batch_format="pyarrow",
        batch_size=rows,
        concurrency=workers,
        num_cpus=threads,
    )


class _Files:
    """An actor that maps files. Its answers are pickled: Ray would make columns of them."""

    def __init__(self, steps: list[parquet.Step], threads: int) -> None:
        self._steps = steps
        self._threads = threads

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        step = self._steps[row["step"]]
        # Actors of a run that was killed may still be at it.
        answer = step.run(threads=self._threads, wait=True)
        return {"step": row["step"], "answer": pickle.dumps(answer)}


def map_files(
    sources: Location | Iterable[Location],
    folder: Location,
    job: parquet.Job,
    *,
    rows: int = 16_384,
    existing: parquet.Existing = "refuse",
    workers: int = 1,
    threads: int = 1,
) -> parquet.Summary:
    """`parquet.map_files` by `workers` actors of `threads` processors each. Sources and folder are where all machines
    see them: in a common file system, or at URLs."""
    steps, summary = parquet.plan(sources, folder, job, rows, existing)
    if not steps:
        return summary
    # One block for each file, or one actor would get them all.
    places = [{"step": place} for place in range(len(steps))]
    dataset = ray.data.from_items(places, override_num_blocks=len(steps))
    actor: Any = _Files
    mapped = dataset.map(
        actor,
        fn_constructor_args=(steps, threads),
        concurrency=min(workers, len(steps)),
        num_cpus=threads,
    )
    for row in mapped.take_all():
        parquet.collect(summary, steps[row["step"]], pickle.loads(row["answer"]))
    return summary
