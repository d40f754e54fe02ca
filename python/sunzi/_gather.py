"""Batches of the calls of many threads and coroutines."""

from __future__ import annotations

import atexit
from collections.abc import Hashable
from concurrent.futures import Future
from typing import Any

from . import _sunzi

_FUNCTIONS = {
    "sign": _sunzi.sign_many,
    "verify": _sunzi.verify_many,
    "encrypt": _sunzi.encrypt_many,
    "decrypt": _sunzi.decrypt_many,
    "agree": _sunzi.agree_many,
}


class Call:
    """A call: the name of a function, an item for each of its lists, the first of which is a key, and its options.

    Raises TypeError for an item that is neither a key nor bytes, so that it does no harm to the batch.
    """

    def __init__(self, function: str, items: tuple[Any, ...], options: dict[str, Hashable]) -> None:
        self.kind = function, tuple(sorted(options.items()))
        keys = (_sunzi.PrivateKey, _sunzi.PublicKey)
        if not isinstance(items[0], keys):
            raise TypeError(f"the key must be a PrivateKey or a PublicKey, not {type(items[0]).__name__}")
        self.items = tuple(item if isinstance(item, keys) else _bytes(item) for item in items)
        self.answer: Any = None
        self.is_answered = False
        #: Where somebody waits who is no thread.
        self.future: Future[Any] | None = None

    def answers(self, answer: Any) -> None:
        self.answer = answer
        self.is_answered = True
        if self.future is None:
            return
        # Nobody waits any more for one that was cancelled.
        if self.future.set_running_or_notify_cancel():
            if isinstance(answer, Exception):
                self.future.set_exception(_fresh(answer))
            else:
                self.future.set_result(answer)


def _bytes(item: Any) -> bytes:
    try:
        return bytes(memoryview(item))
    except TypeError:
        raise TypeError(f"bytes are needed, not {type(item).__name__}") from None


def compute(batch: list[Call]) -> None:
    """Answers the calls of a batch, those of one function with the same options together."""
    kinds: dict[Any, list[Call]] = {}
    for call in batch:
        kinds.setdefault(call.kind, []).append(call)
    for (name, options), calls in kinds.items():
        lists = [list(column) for column in zip(*(call.items for call in calls))]
        # Whether a signature is valid has no errors: each call that has one is asked again, alone.
        errors = {} if name == "verify" else {"errors": "return"}
        function: Any = _FUNCTIONS[name]
        try:
            answers = function(*lists, **dict(options), **errors)
        except Exception as error:
            if len(calls) == 1:
                calls[0].answers(error)
            else:
                for call in calls:
                    compute([call])
            continue
        for call, answer in zip(calls, answers):
            call.answers(answer)


def _fresh(error: Exception) -> Exception:
    """The same exception without what it says of a batch that the caller knows nothing of."""
    kind = type(error) if isinstance(error, (TypeError, RuntimeError)) else ValueError
    return kind(str(error))


def _returned(call: Call) -> Any:
    if isinstance(call.answer, Exception):
        raise _fresh(call.answer)
    return call.answer


def _computed(batch: list[Call]) -> list[bool]:
    compute(batch)
    return [call.is_answered for call in batch]


def _failed(call: Call, error: BaseException) -> None:
    """Gives a call, for which no thread waits, the exception that ended its computation."""
    if call.future is not None and not call.future.done() and call.future.set_running_or_notify_cancel():
        call.future.set_exception(error)


#: The gatherer that programs in all languages have, with one batch at a time, as each uses all processors. A call that
#: finds nothing computed is computed at once; what comes meanwhile is the next batch, which the first of those who wait
#: computes in its thread, or, for those who cannot wait, a thread of the gatherer. A forked child begins anew.
_gatherer = _sunzi.Gatherer(_computed)
atexit.register(_gatherer.wait)


def gathered(function: str, *items: Any, **options: Hashable) -> Any:
    """The answer to a call, with those of other threads and coroutines of this process."""
    call = Call(function, items, options)
    _gatherer.call(call)
    return _returned(call)


def submitted(function: str, *items: Any, **options: Hashable) -> Future[Any]:
    """The same, for those who cannot wait."""
    call = Call(function, items, options)
    call.future = Future()
    _gatherer.submit(call, _failed)
    return call.future
