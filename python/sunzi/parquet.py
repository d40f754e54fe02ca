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

import abc
import contextlib
import copy
import errno
import hashlib
import importlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from . import arrays
from ._engine import default_engine
from ._places import HIDDEN, Location, Place, replacing
from ._places import sources as files_of
from ._powers import powmod_rows
from ._sunzi import Engine, PrivateKey, PublicKey, __version__, sign_many, verify_many

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

#: Failures by row.
Failures = dict[int, str]


class Job(abc.ABC):
    """From a table to the same table with a column more. Jobs of one's own say what the column is (`column`), and
    what it depends on besides the table (`description`). All can be pickled.

    `out` is the name of the column. With `errors`, the name of another column, the reasons of the rows that
    failed are there. `threads` is the number of threads; by default there is one for each processor.
    """

    def __init__(self, *, out: str, errors: str | None = None, threads: int | None = None) -> None:
        self.out = out
        self.errors = errors
        self.threads = threads

    @property
    @abc.abstractmethod
    def description(self) -> dict[str, Any]:
        """What the column depends on, besides the table, as JSON has it. Without secrets: files carry it."""

    @abc.abstractmethod
    def column(self, table: Any) -> tuple[Any, Failures]:
        """The column, always of one type, with null in the rows that failed; and the reasons of these by row."""

    def apply(self, table: Any) -> tuple[Any, Failures]:
        """The table with the column, and with that of the reasons if there is to be one; and the reasons by row.

        Raises ValueError if the table has a column of such a name, and KeyError or TypeError where it has not the
        columns that the job takes.
        """
        names = [self.out] if self.errors is None else [self.out, self.errors]
        for name in names:
            if name in table.column_names or names.count(name) > 1:
                raise ValueError(f"there would be two columns of the name {name!r}")
        column, failures = self.column(table)
        table = table.append_column(self.out, column)
        if self.errors is not None:
            arrow = importlib.import_module("pyarrow")
            reasons = [failures.get(row) for row in range(len(table))] if failures else [None] * len(table)
            table = table.append_column(self.errors, arrow.array(reasons, arrow.string()))
        return table, failures

    def __call__(self, table: Any) -> Any:
        """The table with the column.

        Raises ValueError for the first row that failed, with its number as the attribute `index`; not if there is a
        column for the reasons.
        """
        table, failures = self.apply(table)
        if failures and self.errors is None:
            row = min(failures)
            error = ValueError(f"row {row}: {failures[row]}")
            setattr(error, "index", row)
            raise error
        return table


class Powmod(Job):
    """A job that appends a column of powers. Bases, exponents and moduli are each the name of a column, or one
    integer for all rows. Conditions are those of `powmod_rows`: moduli are odd and have 64 to 16,384 bits; `secret`
    exponents take constant time.

    A column has big-endian numbers in binary of fixed or variable length, integers, or text: decimal numbers, or
    hexadecimal ones with "0x". Powers are big-endian numbers, each as long as its modulus: binary of fixed length if
    the moduli are that or one integer, or else of variable length.

    The processes that load a pickled job have an engine each. A file does not tell a `secret` exponent that is one
    integer, but a digest, which is slow to compute.
    """

    def __init__(
        self,
        *,
        bases: str | int = "base",
        exps: str | int = "exp",
        mods: str | int = "mod",
        out: str = "power",
        errors: str | None = None,
        secret: bool = False,
        backend: str | None = None,
        threads: int | None = None,
    ) -> None:
        super().__init__(out=out, errors=errors, threads=threads)
        operands = {"bases": bases, "exps": exps, "mods": mods}
        if all(isinstance(operand, int) for operand in operands.values()):
            raise ValueError("bases, exps or mods must be a column")
        for name, operand in operands.items():
            if isinstance(operand, int) and operand < 0:
                raise ValueError(f"{name} is {operand}: it must not be negative")
        self._engine = Engine(backend) if backend else default_engine()
        self._operands = operands
        self._secret = secret
        self._described = {"job": "Powmod", "secret": secret, "out": out, "errors": errors}
        for name, operand in operands.items():
            self._described[name] = _described(operand, secret and name == "exps")

    @property
    def description(self) -> dict[str, Any]:
        return self._described

    def column(self, table: Any) -> tuple[Any, Failures]:
        arrow = importlib.import_module("pyarrow")
        modulus = self._operands["mods"]
        if isinstance(modulus, int):
            type = arrow.binary(_width(modulus))
        else:
            type = _power_type(table[modulus].type)
        if not len(table):
            for name in self._operands.values():
                if isinstance(name, str):
                    _numbers(table, name)
            return arrow.array([], type), {}
        numbers = {name: _numbers(table, operand) for name, operand in self._operands.items()}
        powers, errors = powmod_rows(
            *(operand.rows for operand in numbers.values()),
            secret=self._secret,
            threads=self.threads,
            engine=self._engine,
            errors="return",
        )
        failures = {row: str(error) for row, error in errors.items()}
        for operand in numbers.values():
            failures |= operand.failures
        if not failures and arrow.types.is_fixed_size_binary(type):
            return arrays.rows_to_arrow(powers), failures
        lengths = numbers["mods"].lengths
        results = [
            None
            if row in failures
            else power.tobytes()[-lengths[row] :] if lengths else power.tobytes()
            for row, power in enumerate(powers)
        ]
        return arrow.array(results, type), failures


@dataclass
class _Numbers:
    """An operand of a batch: a row of bytes for each number, or one for all."""

    rows: Any
    #: Bytes of each number, where they differ.
    lengths: list[int] = field(default_factory=list)
    failures: Failures = field(default_factory=dict)


def _numbers(table: Any, operand: str | int) -> _Numbers:
    numpy, arrow = importlib.import_module("numpy"), importlib.import_module("pyarrow")
    if isinstance(operand, int):
        return _Numbers(numpy.frombuffer(operand.to_bytes(_width(operand), "big"), dtype="uint8"))
    column = table[operand]
    is_fixed = arrow.types.is_fixed_size_binary(column.type)
    if is_fixed and not column.null_count:
        return _Numbers(arrays.rows_from_arrow(column))
    if not (_is_bytes(column.type) or _is_text(column.type) or arrow.types.is_integer(column.type)):
        raise TypeError(
            f"the column {operand!r} must have numbers in binary, integers or text, not {column.type}"
        )
    failures: Failures = {}
    values = []
    for row, value in enumerate(column.to_pylist()):
        try:
            values.append(_big_endian(value))
        except ValueError as error:
            failures[row] = f"the column {operand!r} {error}"
            values.append(b"")
    width = column.type.byte_width if is_fixed else max((len(value) for value in values), default=0)
    lengths = [] if is_fixed else [len(value) for value in values]
    return _Numbers(arrays.padded(values, max(1, width)), lengths, failures)


def _big_endian(value: bytes | int | str | None) -> bytes:
    """The bytes of a number. Raises ValueError for none, with the rest of a sentence."""
    if value is None:
        raise ValueError("is null")
    if isinstance(value, str):
        try:
            value = int(value, 0)
        except ValueError:
            raise ValueError("has a text that is no number") from None
    if isinstance(value, int):
        if value < 0:
            raise ValueError("has a negative number")
        return value.to_bytes(_width(value), "big")
    if not value:
        raise ValueError("has a number without bytes")
    return value


def _described(operand: str | int, is_secret: bool) -> dict[str, str]:
    if isinstance(operand, str):
        return {"column": operand}
    if is_secret:
        # What verifies a guess of the exponent takes about as long as a power, which verifies it, too.
        secret = operand.to_bytes(_width(operand), "big")
        return {"secret": hashlib.pbkdf2_hmac("sha256", secret, b"sunzi.parquet.Powmod", 100_000).hex()}
    return {"number": hex(operand)}


def _width(number: int) -> int:
    return max(1, (number.bit_length() + 7) // 8)


def _is(type: Any, *kinds: str) -> bool:
    """Whether a type of Arrow is of one of these kinds, of which older versions do not know all."""
    types = importlib.import_module("pyarrow").types
    if types.is_dictionary(type):
        type = type.value_type
    return any(getattr(types, f"is_{kind}", lambda _: False)(type) for kind in kinds)


def _is_bytes(type: Any) -> bool:
    return _is(type, "fixed_size_binary", "binary", "large_binary", "binary_view")


def _is_text(type: Any) -> bool:
    return _is(type, "string", "large_string", "string_view")


def _power_type(moduli: Any) -> Any:
    """The type of the powers for this type of moduli."""
    arrow = importlib.import_module("pyarrow")
    if arrow.types.is_fixed_size_binary(moduli):
        return moduli
    return arrow.large_binary() if _is(moduli, "large_binary", "large_string") else arrow.binary()


def _strings(table: Any, name: str) -> list[bytes | None]:
    """The byte strings of a column; those of texts are UTF-8."""
    column = table[name]
    if _is_bytes(column.type):
        values: list[bytes | None] = column.to_pylist()
        return values
    if _is_text(column.type):
        return [None if value is None else value.encode() for value in column.to_pylist()]
    raise TypeError(f"the column {name!r} must be of binary or text, not of {column.type}")


class Sign(Job):
    """A job that appends a column of signatures, made by one private key of any algorithm. `messages` is the name of a
    column of binary or text, of which the UTF-8 is signed. Options are those of `sunzi.sign_many`.

    A pickled job has the key as plain DER: mind where it goes.

    Raises ValueError for a key that cannot sign, and for options that do not apply to it.
    """

    def __init__(
        self,
        key: PrivateKey,
        *,
        messages: str = "message",
        out: str = "signature",
        errors: str | None = None,
        padding: str | None = None,
        hash: str | None = None,
        salt_length: int | None = None,
        encoding: str | None = None,
        low_s: bool = False,
        context: bytes | None = None,
        scheme: str | None = None,
        nonces: str | None = None,
        threads: int | None = None,
    ) -> None:
        super().__init__(out=out, errors=errors, threads=threads)
        self._key = key
        self._messages = messages
        self._options = _options(padding, hash, salt_length, encoding, low_s, context, scheme)
        if nonces is not None:
            self._options["nonces"] = nonces
        # So that the key and the options are refused at once, and not with every row.
        sign_many(key, [b""], **self._options)

    @property
    def description(self) -> dict[str, Any]:
        return {
            "job": "Sign",
            "messages": self._messages,
            "out": self.out,
            "errors": self.errors,
            **_key_described(self._key.public_key(), self._options),
        }

    def column(self, table: Any) -> tuple[Any, Failures]:
        arrow = importlib.import_module("pyarrow")
        messages = _strings(table, self._messages)
        failures = {
            row: f"the column {self._messages!r} is null"
            for row, message in enumerate(messages)
            if message is None
        }
        signed = iter(
            sign_many(
                self._key,
                [message for message in messages if message is not None],
                errors="return",
                threads=self.threads,
                **self._options,
            )
        )
        signatures: list[bytes | None] = []
        for row in range(len(messages)):
            answer: Any = None if row in failures else next(signed)
            if isinstance(answer, Exception):
                failures[row] = str(answer)
                answer = None
            signatures.append(answer)
        return arrow.array(signatures, arrow.binary()), failures


class Verify(Job):
    """A job that appends a column of truth values: whether each signature is valid for its message and the public key.
    `messages` and `signatures` are names of columns of binary; messages may also be text. Options are those of
    `sunzi.verify_many`.

    Raises ValueError for a key that cannot verify, and for options that do not apply to it.
    """

    def __init__(
        self,
        key: PublicKey,
        *,
        messages: str = "message",
        signatures: str = "signature",
        out: str = "valid",
        errors: str | None = None,
        padding: str | None = None,
        hash: str | None = None,
        salt_length: int | None = None,
        encoding: str | None = None,
        low_s: bool = False,
        context: bytes | None = None,
        scheme: str | None = None,
        threads: int | None = None,
    ) -> None:
        super().__init__(out=out, errors=errors, threads=threads)
        self._key = key
        self._columns = {"messages": messages, "signatures": signatures}
        self._options = _options(padding, hash, salt_length, encoding, low_s, context, scheme)
        verify_many(key, [b""], [b""], **self._options)

    @property
    def description(self) -> dict[str, Any]:
        return {
            "job": "Verify",
            **self._columns,
            "out": self.out,
            "errors": self.errors,
            **_key_described(self._key, self._options),
        }

    def column(self, table: Any) -> tuple[Any, Failures]:
        arrow = importlib.import_module("pyarrow")
        columns = {name: _strings(table, name) for name in self._columns.values()}
        failures: Failures = {}
        for name, values in columns.items():
            for row, value in enumerate(values):
                if value is None:
                    failures.setdefault(row, f"the column {name!r} is null")
        messages, signatures = (
            [value for row, value in enumerate(columns[name]) if row not in failures and value is not None]
            for name in self._columns.values()
        )
        verdicts = iter(
            verify_many(self._key, messages, signatures, threads=self.threads, **self._options)
        )
        answers = [None if row in failures else next(verdicts) for row in range(len(table))]
        return arrow.array(answers, arrow.bool_()), failures


def _options(
    padding: str | None,
    hash: str | None,
    salt_length: int | None,
    encoding: str | None,
    low_s: bool,
    context: bytes | None,
    scheme: str | None,
) -> dict[str, Any]:
    """The options of signatures that are given."""
    given = {
        "padding": padding,
        "hash": hash,
        "salt_length": salt_length,
        "encoding": encoding,
        "low_s": low_s or None,
        "context": context,
        "scheme": scheme,
    }
    return {name: value for name, value in given.items() if value is not None}


def _key_described(key: PublicKey, options: dict[str, Any]) -> dict[str, Any]:
    texts = {name: value.hex() if isinstance(value, bytes) else value for name, value in options.items()}
    return {
        "algorithm": key.algorithm,
        "public_key": hashlib.sha256(key.to_der()).hexdigest(),
        "options": texts,
    }


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
    """What a Parquet file tells of how `map_file` made it: the `job` and its options, the `source` by its size and
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
                table = file.schema_arrow.empty_table() if batch is None else arrow.Table.from_batches([batch])
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


def check_job(job: object) -> None:
    """That a job is one, and no class."""
    if isinstance(job, type):
        raise TypeError(f"the job must be an instance of {job.__name__}, such as {job.__name__}(...)")
    if not isinstance(job, Job):
        raise TypeError(f"the job must be a sunzi.parquet.Job, not {type(job).__name__}")


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
        return _State(reason=f"it was made by another job: {_differences(told.get('job'), wanted)}", is_stale=True)
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
    return ", ".join(f"{name} was {_short(found.get(name))}, and is {_short(wanted.get(name))}" for name in names)


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

    def run(
        self, *, threads: int | None = None, wait: bool = False
    ) -> Made | Skipped | Failure | None:
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
    source, and its pages have their checksums: for that, the target and its source, whose SHA-256 is compared, are read,
    which takes a small part of the time that making it takes. A truncated or damaged one is made anew. One that was made by another job, of another source or by another program is not touched: nothing is
    computed, and StaleTarget says which ones these are and what is different. With existing="redo" they are replaced.

    Rows that are null or wrong, and sources that cannot be read, stop nothing: the summary has them.

    Several processes may do this with the same sources and folder: each file is made by one of them, as `claimed`
    says. A process returns when there is no file left to begin, while others may still be at theirs.
    """
    steps, summary = plan(sources, folder, job, rows, existing)
    for step in steps:
        collect(summary, step, step.run())
    return summary


def with_threads(job: Job, threads: int) -> Job:
    """The same job with this number of threads."""
    job = copy.copy(job)
    job.threads = threads
    return job
