"""Batches of the calls of many threads and coroutines."""

from __future__ import annotations

import os
import threading
from collections.abc import Hashable
from concurrent.futures import Future, ThreadPoolExecutor
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


class Gatherer:
    """Makes batches of single calls. Whoever comes while nothing is computed computes all that
    waits; who comes later waits for the next batch, which one of those who wait computes. For those who cannot wait
    (`submit`) a thread does."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._waiting: list[Call] = []
        self._computes = False
        self._drains = False
        self._thread: ThreadPoolExecutor | None = None

    def __call__(self, function: str, *items: Any, **options: Hashable) -> Any:
        """The answer to a call; its thread waits."""
        call = Call(function, items, options)
        with self._condition:
            self._waiting.append(call)
            while self._computes and not call.is_answered:
                self._condition.wait()
            if call.is_answered:
                return _returned(call)
            batch = self._take()
        self._answer(batch, call)
        return _returned(call)

    def submit(self, function: str, *items: Any, **options: Hashable) -> Future[Any]:
        """The answer to a call, when it is there."""
        call = Call(function, items, options)
        call.future = Future()
        with self._condition:
            self._waiting.append(call)
            if not self._drains:
                self._thread = self._thread or ThreadPoolExecutor(1, "sunzi-gatherer")
                self._drains = True
                self._thread.submit(self._drain)
        return call.future

    def _drain(self) -> None:
        """Computes until nothing waits."""
        while True:
            with self._condition:
                while self._computes:
                    self._condition.wait()
                if not self._waiting:
                    self._drains = False
                    return
                batch = self._take()
            self._answer(batch, None)

    def _take(self) -> list[Call]:
        self._computes = True
        batch, self._waiting = self._waiting, []
        return batch

    def _answer(self, batch: list[Call], mine: Call | None) -> None:
        try:
            compute(batch)
        finally:
            with self._condition:
                # After an exception, an interrupt for instance, the others compute what has no answer.
                left = [call for call in batch if not call.is_answered and call is not mine]
                self._waiting = left + self._waiting
                self._computes = False
                self._condition.notify_all()


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


_gatherer = Gatherer()


def gathered(function: str, *items: Any, **options: Hashable) -> Any:
    """The answer to a call, with those of other threads and coroutines of this process."""
    return _gatherer(function, *items, **options)


def submitted(function: str, *items: Any, **options: Hashable) -> Future[Any]:
    """The same, for those who cannot wait."""
    return _gatherer.submit(function, *items, **options)


def _after_fork() -> None:
    global _gatherer
    # Another thread of the parent may have been computing.
    _gatherer = Gatherer()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
