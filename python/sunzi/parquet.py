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
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import uuid
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from . import arrays
from ._engine import default_engine
from ._powers import powmod_rows
from ._sunzi import Engine

__all__ = ["Powmod", "claimed", "map_file", "map_files", "missing"]

#: From a table of Arrow to another one.
Job = Callable[[Any], Any]


class Powmod:
    """A job that appends a column of powers. Bases, exponents and moduli are each the name of a column of
    fixed-size binary, with big-endian numbers, or one integer for all rows. Conditions are those of
    `powmod_rows`: moduli are odd and have 64 to 16,384 bits; `secret` exponents take constant time.

    It can be pickled: the processes that load it have an engine each.
    """

    def __init__(
        self,
        *,
        bases: str | int = "base",
        exps: str | int = "exp",
        mods: str | int = "mod",
        out: str = "power",
        secret: bool = False,
        backend: str | None = None,
        threads: int | None = None,
    ) -> None:
        if all(isinstance(operand, int) for operand in (bases, exps, mods)):
            raise ValueError("bases, exps or mods must be a column")
        if any(isinstance(operand, int) and operand < 0 for operand in (bases, exps, mods)):
            raise ValueError("bases, exps and mods must not be negative")
        self._engine = Engine(backend) if backend else default_engine()
        self._operands = bases, exps, mods
        self._out = out
        self._secret = secret
        self._threads = threads

    def __call__(self, table: Any) -> Any:
        """The table with the column of powers, as wide as the moduli.

        Raises ValueError, with the number of the row as its attribute `index`, for what cannot be computed.
        """
        if not len(table):
            modulus = self._operands[2]
            width = _width(modulus) if isinstance(modulus, int) else table[modulus].type.byte_width
            powers = importlib.import_module("numpy").zeros((0, width), dtype="uint8")
        else:
            bases, exps, mods = (self._rows(table, operand) for operand in self._operands)
            powers = powmod_rows(
                bases, exps, mods, secret=self._secret, threads=self._threads, engine=self._engine
            )
        return table.append_column(self._out, arrays.rows_to_arrow(powers))

    def _rows(self, table: Any, operand: str | int) -> Any:
        if isinstance(operand, int):
            return importlib.import_module("numpy").frombuffer(
                operand.to_bytes(_width(operand), "big"), dtype="uint8"
            )
        return arrays.rows_from_arrow(table[operand])


def _width(number: int) -> int:
    return max(1, (number.bit_length() + 7) // 8)


def map_file(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    job: Job,
    *,
    rows: int = 16_384,
) -> int:
    """Writes what the job makes of a Parquet file, `rows` at a time, and returns the number of rows.

    The target appears when it is whole. An interrupted or killed run leaves none, and at most a file in the same
    folder whose name begins with `.sunzi-`.
    """
    parquet = importlib.import_module("pyarrow.parquet")
    arrow = importlib.import_module("pyarrow")
    target = Path(target)
    part = target.with_name(f".sunzi-{uuid.uuid4().hex}.parquet")
    done = 0
    try:
        with parquet.ParquetFile(source) as file:
            writer = None
            try:
                for batch in file.iter_batches(batch_size=rows):
                    table = job(arrow.Table.from_batches([batch]))
                    writer = writer or parquet.ParquetWriter(part, table.schema)
                    writer.write_table(table)
                    done += len(table)
                if writer is None:
                    # A file without rows has columns, too.
                    table = job(file.schema_arrow.empty_table())
                    writer = parquet.ParquetWriter(part, table.schema)
                    writer.write_table(table)
            finally:
                if writer is not None:
                    writer.close()
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return done


def missing(
    sources: Iterable[str | os.PathLike[str]], folder: str | os.PathLike[str]
) -> list[tuple[Path, Path]]:
    """The sources whose targets, the files of their names in the folder, are not there, each with its target.

    Raises ValueError if two sources have one name.
    """
    pairs = [(Path(source), Path(folder) / Path(source).name) for source in sources]
    if len({target for _, target in pairs}) < len(pairs):
        raise ValueError("two of the files have the same name")
    return [(source, target) for source, target in pairs if not target.exists()]


@contextlib.contextmanager
def claimed(target: str | os.PathLike[str], *, wait: bool = False) -> Iterator[bool]:
    """Whether this process, and no other one, is to make the target: it is not there, and no process is at it. With
    `wait` the end of another one's work is waited for.

    What says so is a lock on a file in the same folder whose name begins with `.sunzi-`. It ends with its process,
    also with a killed one. Where the file system or the operating system has no such locks, processes do not see
    each other.
    """
    target = Path(target)
    place = target.with_name(f".sunzi-{target.name}.lock")
    lock = None
    while not target.exists():
        lock = os.open(place, os.O_RDWR | os.O_CREAT, 0o666)
        if not _locked(lock, wait):
            break
        if _is_at(lock, place):
            try:
                # Another process may have made it just before.
                if not target.exists():
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


def map_files(
    sources: Iterable[str | os.PathLike[str]],
    folder: str | os.PathLike[str],
    job: Job,
    *,
    rows: int = 16_384,
) -> int:
    """`map_file` for each source whose target, the file of its name in the folder, is not there: a run that was
    killed and is started again does what is missing. Returns the number of rows.

    Several processes may do this with the same sources and folder: each file is made by one of them, as `claimed`
    says. A process returns when there is no file left to begin, while others may still be at theirs.
    """
    Path(folder).mkdir(parents=True, exist_ok=True)
    done = 0
    for source, target in missing(sources, folder):
        with claimed(target) as mine:
            if mine:
                done += map_file(source, target, job, rows=rows)
    return done
