"""Tiles that the kernel refuses, since a thread has a small signal stack: another device computes, and the engine
says so."""

import subprocess
import sys

import pytest
import sunzi

SCRIPT = """
import ctypes
import random
import threading

import sunzi


class Stack(ctypes.Structure):
    _fields_ = [("sp", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t)]


def small_signal_stack():
    # As large as signal frames are without tiles, which add 8 KiB to them.
    room = ctypes.create_string_buffer(8192)
    stack = Stack(ctypes.addressof(room), 0, len(room))
    if ctypes.CDLL(None, use_errno=True).sigaltstack(ctypes.byref(stack), None) != 0:
        raise OSError(ctypes.get_errno(), "sigaltstack")
    ready.set()
    done.wait()


ready, done = threading.Event(), threading.Event()
if SMALL_STACK:
    threading.Thread(target=small_signal_stack, daemon=True).start()
    assert ready.wait(10)
engine = sunzi.Engine("amx")
assert engine.devices[0] == "amx", engine.devices
draw = random.Random(1)
# Which of these sizes are best on tiles, the engine's predictions say.
for bits in (2048, 3072, 4096, 6144):
    modulus = draw.getrandbits(bits) | 1 | 1 << (bits - 1)
    bases = [draw.randrange(modulus) for _ in range(256)]
    powers = sunzi.powmod_base_list(bases, 65537, modulus, engine=engine)
    assert powers == [pow(base, 65537, modulus) for base in bases]
done.set()
print(engine.devices, engine.take_failures(), engine.take_failures(), engine.devices, sep="|")
"""


def run(small_stack: bool) -> list[str]:
    script = SCRIPT.replace("SMALL_STACK", str(small_stack))
    process = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    return process.stdout.strip().split("|")


@pytest.fixture(autouse=True)
def tiles() -> None:
    row = next(row for row in sunzi.backends() if row["backend"] == "amx")
    if not row["available"]:
        pytest.skip(f"SKIPPED: no tiles: {row['detail']}")


def test_a_small_signal_stack_refuses_tiles() -> None:
    devices, failures, none, still = run(small_stack=True)
    assert "'amx'" not in devices and devices == still
    assert "amx: the kernel does not grant the tiles' state" in failures
    assert none == "[]"


def test_tiles_are_used_otherwise() -> None:
    devices, failures, *_ = run(small_stack=False)
    assert "'amx'" in devices and failures == "[]"
