"""Interrupts of long batches, for tests."""

import os
import signal
import threading
import time
from collections.abc import Callable

import pytest

# Seconds of processor time, of all threads together, after which work has overlooked its interrupt. A batch looks at
# interrupts many times a second; a unit of the slowest kernels takes most of a second beside busy neighbours. The whole
# of the longest works that are interrupted takes longer than this.
STOPPED_WITHIN = 3.0


def seconds_to_stop(work: Callable[[], object], after: float = 0.3) -> float:
    """Seconds of this process's time from an interrupt, so long after the start, to its exception. Work that ends
    before is begun again."""
    # A process that was started in the background ignores interrupts.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    sent = []

    def interrupt() -> None:
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, interrupt)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            for _ in range(100):
                work()
    finally:
        signal.signal(signal.SIGINT, before)
    return time.process_time() - sent[0]
