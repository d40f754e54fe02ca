"""Jobs on columns: from an Arrow table to one with a column more, and from Parquet file to Parquet file, for any
scheduler. `sunzi.ray` runs them on a cluster. Needs numpy and pyarrow.

>>> import pyarrow
>>> from sunzi import parquet
>>> job = parquet.Powmod(exps=65537, mods=2**127 - 1)
>>> bases = [number.to_bytes(16, "big") for number in (2, 3, 5)]
>>> table = job(pyarrow.table({"base": pyarrow.array(bases, pyarrow.binary(16))}))
>>> [int.from_bytes(power, "big") for power in table["power"].to_pylist()] == [
...     pow(base, 65537, 2**127 - 1) for base in (2, 3, 5)]
True

`map_files` maps files into a folder, and what is there already is kept only if it is right: each file that it
makes tells, in its footer, of what job and of what source it was made (`provenance`). A run that was killed and is
started again does what is missing, damaged or out of date.

A row that is null or wrong gets null, and stops nothing: `Summary.failures` has its file, its number and the reason,
and with the option `errors` of a job the reasons are a column, too.

Files and folders are paths, or URLs such as `s3://bucket/in/` where the package fsspec and that of the file system
are installed (`pip install "sunzi[fsspec]" s3fs`).
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from ._columns import Job, Powmod, Sign, Verify, check_job, with_threads
from ._places import HIDDEN, Location, Place, replacing
from ._places import sources as files_of
from ._sunzi import __version__

__all__ = [
    "Failure",
    "Job",
    "Made",
    "Powmod",
    "Sign",
    "Skipped",
    "StaleTarget",
    "Summary",
    "UnreadableSource",
    "Verify",
    "claimed",
    "map_file",
    "map_files",
    "provenance",
]

Existing = Literal["refuse", "redo"]
Answer = TypeVar("Answer")

#: The entry of a file's metadata that tells of what it was made.
KEY = "sunzi"

#: The most failures of one file that are listed. All are counted.
LISTED = 1000


@dataclass(frozen=True)
class Failure:
    """A row that got no result; without a row, a file that could not be read."""

    source: str
    row: int | None
    reason: str

    def __str__(self) -> str:
        place = self.source if self.row is None else f"{self.source}, row {self.row}"
        return f"{place}: {self.reason}"


@dataclass(frozen=True)
class Made:
    """A file that was made: its number of rows, how many of them failed, the first 1,000 of these, and why it was
    made anew, if there was one already. `process` is the number of the process."""

    source: str
    target: str
    rows: int
    failed: int
    failures: list[Failure]
    replaced: str | None
    process: int


@dataclass(frozen=True)
class Skipped:
    """A file that was there already, whole and of this job and source."""

    source: str
    target: str
    rows: int
    failed: int


@dataclass(frozen=True)
class Summary:
    """What `map_files` has done: the files made, those skipped because they were right, the targets that
    other processes are at, and the sources that could not be read."""

    made: list[Made] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)
    unreadable: list[Failure] = field(default_factory=list)

    @property
    def rows(self) -> int:
        """The rows of the files that were made."""
        return sum(made.rows for made in self.made)

    @property
    def redone(self) -> list[Made]:
        """The files that were made anew: another one was in their place."""
        return [made for made in self.made if made.replaced is not None]

    @property
    def failed(self) -> int:
        """The number of rows that failed, of the files that were made and of those that were skipped."""
        return sum(made.failed for made in self.made) + sum(skipped.failed for skipped in self.skipped)

    @property
    def failures(self) -> list[Failure]:
        """The sources that could not be read, and the rows that failed in the files that were made: of each file the
        first 1,000."""
        return [*self.unreadable, *(failure for made in self.made for failure in made.failures)]

    def __str__(self) -> str:
        parts = [f"{len(self.made)} files made, {self.rows} rows"]
        if self.redone:
            parts.append(f"{len(self.redone)} of them anew")
        parts.append(f"{len(self.skipped)} skipped")
        if self.elsewhere:
            parts.append(f"{len(self.elsewhere)} with other processes")
        if self.unreadable:
            parts.append(f"{len(self.unreadable)} could not be read")
        parts.append(f"{self.failed} rows failed")
        return "; ".join(parts)


class StaleTarget(ValueError):
    """Files that are there were made by another job, of another source, or by another program."""


class UnreadableSource(OSError):
    """A source is not there, or is no whole Parquet file."""


def provenance(location: Location) -> dict[str, Any] | None:
    """What a Parquet file tells of how `map_file` made it: the `job` and its options, the `source` by its
    SHA-256, and the numbers of `rows` and of those that `failed`. None for a file that was made otherwise.

    Raises OSError or pyarrow's ArrowInvalid for a file that cannot be read.
    """
    return _provenance(Place.of(location))


def _provenance(place: Place) -> dict[str, Any] | None:
    with place.open() as file:
        metadata = importlib.import_module("pyarrow.parquet").read_metadata(file)
    entry = (metadata.metadata or {}).get(KEY.encode())
    if entry is None:
        return None
    told: dict[str, Any] = json.loads(entry)
    if told.get("rows") != metadata.num_rows:
        raise OSError(f"{place} has {metadata.num_rows} rows, and should have {told.get('rows')}")
    return told


def map_file(source: Location, target: Location, job: Job, *, rows: int = 16_384) -> Made:
    """Writes what the job makes of a Parquet file, `rows` at a time; a target that is there is replaced.

    The target appears when it is whole, and its bytes are on their medium. An interrupted or killed run leaves none,
    and at most a file in the same folder whose name begins with `.sunzi-`. Pages have checksums.

    Raises UnreadableSource for a source that cannot be read, and what the job raises, with a note that names the
    file and the rows.
    """
    place = Place.of(target)
    return _made(Place.of(source), place, job, rows, "it was there" if place.exists() else None)


def _made(source: Place, target: Place, job: Job, rows: int, replaced: str | None) -> Made:
    arrow = importlib.import_module("pyarrow")
    parquet = importlib.import_module("pyarrow.parquet")
    check_job(job)
    if rows < 1:
        raise ValueError(f"rows is {rows}: it must be positive")
    if source.absolute() == target.absolute():
        raise ValueError(f"{source} would be replaced by what is made of it")
    stamp, told = _read(source, lambda: (source.stamp(), _source_told(source)))
    done, failed = 0, 0
    failures: list[Failure] = []
    with replacing(target) as part, _read(source, source.open) as opened:
        file = _read(source, lambda: parquet.ParquetFile(opened))
        batches = file.iter_batches(batch_size=rows)
        writer = None
        try:
            while True:
                batch = _read(source, lambda: next(batches, None))
                if batch is None and writer is not None:
                    break
                # A file without rows has columns, too.
                table = (
                    file.schema_arrow.empty_table() if batch is None else arrow.Table.from_batches([batch])
                )
                try:
                    table, wrong = job.apply(_without_entry(table))
                except Exception as error:
                    error.add_note(f"in {source}, rows {done} to {done + len(table)}")
                    raise
                writer = writer or parquet.ParquetWriter(part, table.schema, write_page_checksum=True)
                writer.write_table(table)
                for row in sorted(wrong)[: LISTED - len(failures)]:
                    failures.append(Failure(str(source), done + row, wrong[row]))
                failed += len(wrong)
                done += len(table)
            entry = {**told, "job": job.description, "rows": done, "failed": failed, "version": __version__}
            writer.add_key_value_metadata({KEY: json.dumps(entry)})
        finally:
            if writer is not None:
                writer.close()
        if _read(source, source.stamp) != stamp:
            raise UnreadableSource(f"{source} was changed while it was read")
    return Made(str(source), str(target), done, failed, failures, replaced, os.getpid())


def _read(source: Place, read: Callable[[], Answer]) -> Answer:
    """What reading gives. Errors become those of the source."""
    arrow = importlib.import_module("pyarrow")
    try:
        return read()
    except (arrow.ArrowException, OSError) as error:
        raise UnreadableSource(f"{source} cannot be read: {error}") from error


def _without_entry(table: Any) -> Any:
    """The table without what its file tells of its own source."""
    metadata = table.schema.metadata or {}
    if KEY.encode() not in metadata:
        return table
    return table.replace_schema_metadata(
        {name: value for name, value in metadata.items() if name != KEY.encode()}
    )


def _source_told(source: Place) -> dict[str, Any]:
    return {"source": {"sha256": source.digest()}}


@dataclass(frozen=True)
class _State:
    """What is at a target. It is right, or to be made, for a reason if something is there."""

    #: Whether the file was made by this job, of this source.
    is_right: bool = False
    #: Why a file that is there is not right.
    reason: str | None = None
    #: Whether that is a whole file.
    is_stale: bool = False
    rows: int = 0
    failed: int = 0


def _state(source: Place, target: Place, job: Job) -> _State:
    if not target.exists():
        return _State()
    arrow = importlib.import_module("pyarrow")
    try:
        told = _provenance(target)
    except FileNotFoundError:
        return _State()
    except (arrow.ArrowException, OSError, ValueError) as error:
        return _State(reason=f"it was truncated or damaged: {error}")
    if told is None:
        return _State(reason="it was not made by sunzi.parquet", is_stale=True)
    wanted = json.loads(json.dumps(job.description))
    if told.get("job") != wanted:
        return _State(
            reason=f"it was made by another job: {_differences(told.get('job'), wanted)}", is_stale=True
        )
    try:
        _check_pages(target)
    except (arrow.ArrowException, OSError) as error:
        return _State(reason=f"it was truncated or damaged: {error}")
    if told["source"] != _read(source, lambda: _source_told(source))["source"]:
        return _State(reason="its source has changed since, or was another one", is_stale=True)
    return _State(True, rows=told["rows"], failed=told["failed"])


def _check_pages(target: Place) -> None:
    """Reads a file, whose pages have checksums. Raises OSError or pyarrow's errors for a damaged one."""
    parquet = importlib.import_module("pyarrow.parquet")
    with target.open() as opened:
        file = parquet.ParquetFile(opened, page_checksum_verification=True)
        for _ in file.iter_batches():
            pass


def _differences(found: Any, wanted: dict[str, Any]) -> str:
    found = found if isinstance(found, dict) else {}
    names = [name for name in {**wanted, **found} if found.get(name) != wanted.get(name)]
    return ", ".join(
        f"{name} was {_short(found.get(name))}, and is {_short(wanted.get(name))}" for name in names
    )


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


@contextlib.contextmanager
def claimed(
    target: Location, *, wait: bool = False, done: Callable[[], bool] | None = None
) -> Iterator[bool]:
    """Whether this process is to make the target: it is not there, or `done` says that it is not right, and no process
    is at it. With `wait` the end of another one's work is waited for.

    What says so is a lock on a file in the same folder whose name begins with `.sunzi-`. It ends with its process,
    also with a killed one. Where the file system or the operating system has no such locks, as at URLs, processes do
    not see each other, and a file may be made twice.
    """
    place = Place.of(target)
    with _claimed(place, wait, done or place.exists) as mine:
        yield mine


@contextlib.contextmanager
def _claimed(at: Place, wait: bool, done: Callable[[], bool]) -> Iterator[bool]:
    if at.system is not None:
        yield not done()
        return
    path = Path(at.path)
    place = path.with_name(f"{HIDDEN}{path.name}.lock")
    lock = None
    while not done():
        lock = os.open(place, os.O_RDWR | os.O_CREAT, 0o666)
        if not _locked(lock, wait):
            break
        if _is_at(lock, place):
            try:
                # Another process may have made it just before.
                if not done():
                    yield True
                    return
                break
            finally:
                # Whoever has opened the file before sees that it is at no place any more.
                place.unlink(missing_ok=True)
                os.close(lock)
                lock = None
        os.close(lock)
        lock = None
    if lock is not None:
        os.close(lock)
    yield False


def _locked(file: int, wait: bool) -> bool:
    """Locks an open file. False if another process has locked it."""
    try:
        fcntl: Any = importlib.import_module("fcntl")
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP):
            raise
    return True


def _is_at(file: int, place: Path) -> bool:
    """Whether an open file is the one at this place."""
    try:
        return os.path.samestat(os.fstat(file), place.stat())
    except FileNotFoundError:
        return False


@dataclass(frozen=True)
class Step:
    """A file to make, for those who run `map_files` on machines of their own."""

    source: Place
    target: Place
    job: Job
    rows: int
    existing: Existing

    def run(self, *, threads: int | None = None, wait: bool = False) -> Made | Skipped | Failure | None:
        """Makes the file, with this number of threads if one is given, unless it has become right. None if another
        process is at it."""
        job = self.job if threads is None else with_threads(self.job, threads)
        state = _State()

        def done() -> bool:
            nonlocal state
            state = _state(self.source, self.target, self.job)
            return state.is_right

        try:
            with _claimed(self.target, wait, done) as mine:
                if mine:
                    if state.is_stale and self.existing == "refuse":
                        raise _stale([(self.target, state.reason)])
                    return _made(self.source, self.target, job, self.rows, state.reason)
        except UnreadableSource as error:
            return Failure(str(self.source), None, str(error))
        if state.is_right:
            return Skipped(str(self.source), str(self.target), state.rows, state.failed)
        return None


def _stale(targets: list[tuple[Place, str | None]]) -> StaleTarget:
    listed = "; ".join(f"{target}: {reason}" for target, reason in targets[:5])
    more = f"; and {len(targets) - 5} more" if len(targets) > 5 else ""
    return StaleTarget(
        f"{len(targets)} files are there, and stay as they are: {listed}{more}. "
        'Use another folder, or existing="redo" to replace them'
    )


def plan(
    sources: Location | Iterable[Location],
    folder: Location,
    job: Job,
    rows: int,
    existing: Existing,
) -> tuple[list[Step], Summary]:
    """The steps that `map_files` takes, and what it does not have to do: for those who run it on machines of their
    own. Raises as `map_files` does before it begins."""
    check_job(job)
    if existing not in ("refuse", "redo"):
        raise ValueError(f'existing is "{existing}": "refuse" and "redo" are possible')
    if rows < 1:
        raise ValueError(f"rows is {rows}: it must be positive")
    into = Place.of(folder).absolute()
    into.make_folder()
    found = [place.absolute() for place in files_of(sources)]
    targets = [into.child(source.name) for source in found]
    names: dict[str, Place] = {}
    for source, target in zip(found, targets):
        other = names.setdefault(target.name, source)
        if other is not source:
            raise ValueError(f"{other} and {source} have the same name, and would have the same target")
        if source == target:
            raise ValueError(f"{source} would be replaced by what is made of it: use another folder")
    steps, summary = [], Summary()
    stale: list[tuple[Place, str | None]] = []
    for source, target in zip(found, targets):
        try:
            state = _state(source, target, job)
        except UnreadableSource as error:
            summary.unreadable.append(Failure(str(source), None, str(error)))
            continue
        if state.is_right:
            summary.skipped.append(Skipped(str(source), str(target), state.rows, state.failed))
        else:
            steps.append(Step(source, target, job, rows, existing))
        if state.is_stale:
            stale.append((target, state.reason))
    if stale and existing == "refuse":
        raise _stale(stale)
    return steps, summary


def collect(summary: Summary, step: Step, answer: Made | Skipped | Failure | None) -> None:
    """Adds what a step has come to."""
    if answer is None:
        summary.elsewhere.append(str(step.target))
    elif isinstance(answer, Made):
        summary.made.append(answer)
    elif isinstance(answer, Skipped):
        summary.skipped.append(answer)
    else:
        summary.unreadable.append(answer)


def map_files(
    sources: Location | Iterable[Location],
    folder: Location,
    job: Job,
    *,
    rows: int = 16_384,
    existing: Existing = "refuse",
) -> Summary:
    """`map_file` for each source whose target, the file of its name in the folder, is not there or is not right.
    `sources` are files, folders, of which the files `*.parquet` are taken, or patterns with `*`: one or a list.

    A target that is there is skipped if its footer says that it was made by this job, with these options, of this
    source, and its pages have their checksums. For that, the target and its source, whose SHA-256 is compared, are
    read, which takes a small part of the time of making it. A truncated or damaged target is made anew. One that was
    made by another job, of another source or by another program is not touched: nothing is computed, and StaleTarget
    says which ones these are and what is different. With existing="redo" they are replaced.

    Rows that are null or wrong, and sources that cannot be read, stop nothing: the summary has them.

    Several processes may do this with the same sources and folder: each file is made by one of them, as `claimed`
    says. A process returns when there is no file left to begin, while others may still be at theirs.
    """
    steps, summary = plan(sources, folder, job, rows, existing)
    for step in steps:
        collect(summary, step, step.run())
    return summary
