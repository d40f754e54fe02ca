"""Jobs on columns: `sunzi.parquet` documents them."""

from __future__ import annotations

import abc
import copy
import hashlib
import importlib
from dataclasses import dataclass, field
from typing import Any

from . import arrays
from ._engine import default_engine
from ._powers import powmod_rows
from ._sunzi import Engine, PrivateKey, PublicKey, sign_many, verify_many

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
            None if row in failures else power.tobytes()[-lengths[row] :] if lengths else power.tobytes()
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
        verdicts = iter(verify_many(self._key, messages, signatures, threads=self.threads, **self._options))
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


def check_job(job: object) -> None:
    """That a job is one, and no class."""
    if isinstance(job, type):
        raise TypeError(f"the job must be an instance of {job.__name__}, such as {job.__name__}(...)")
    if not isinstance(job, Job):
        raise TypeError(f"the job must be a sunzi.parquet.Job, not {type(job).__name__}")


def with_threads(job: Job, threads: int) -> Job:
    """The same job with this number of threads."""
    job = copy.copy(job)
    job.threads = threads
    return job
