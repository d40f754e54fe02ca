"""The engine that is used if none is given."""

import os
import threading

from ._sunzi import Engine, limit_instructions

# As in the command: for tests and measurements. It comes before all that looks for backends.
if _limit := os.environ.get("SUNZI_INSTRUCTIONS"):
    limit_instructions(_limit)

_lock = threading.Lock()
_default: Engine | None = None


def default_engine() -> Engine:
    """The engine of this process on the backend that the environment variable SUNZI_BACKEND names, or
    else on the fastest that this processor can run.

    Raises ValueError if the variable names a backend that cannot run.
    """
    global _default
    with _lock:
        if _default is None:
            _default = Engine(os.environ.get("SUNZI_BACKEND") or None)
        return _default


def _after_fork() -> None:
    global _lock
    # Another thread of the parent may have held it.
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
