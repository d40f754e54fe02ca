#!/usr/bin/env python3
"""Measures how much memory each verb of `sunzi` takes for a gigabyte of hostile or random input.

    scripts/memory.py SUNZI [--megabytes 1000] [--seconds 60] [--limit 200] [--only TEXT]

Inputs are made while they are written; files are sparse. A case ends after the megabytes or after
the seconds, whichever comes first. The table has the peak of the resident memory in MiB, as the
kernel accounts it (it includes what this script takes when it starts a process, some 20 MiB). It is
an error if that exceeds the limit, or if a verb panics or crashes.
"""

import argparse
import itertools
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

MIB = 1 << 20
RANDOM = random.Random(1)


def endless(chunk, start=b""):
    """The bytes `start`, then `chunk` again and again."""
    return itertools.chain([start] if start else [], itertools.repeat(chunk))


def wide(piece, length=64 << 10):
    """Enough copies of a short piece to be written at once."""
    return piece * max(1, length // len(piece))


def line(before, piece, after, length):
    """A line of about `length` bytes, as chunks: made of copies of `piece` between two ends."""
    chunk = wide(piece)
    return [before] + [chunk] * ((length - len(before) - len(after)) // len(chunk)) + [after + b"\n"]


def lines(*arguments):
    return itertools.cycle(line(*arguments))


def powers():
    """Powers, each modulo another number of the largest size."""
    while True:
        modulus = RANDOM.getrandbits(16384) | 1 << 16383 | 1
        yield b'{"base":"0x2","exponent":"0x3","modulus":"0x%x"}\n' % modulus


def short_powers():
    """Powers modulo small numbers, all of them different."""
    for modulus in itertools.count(1 << 255 | 1, 2):
        yield b'{"base":"0x2","exponent":"0x3","modulus":"0x%x"}\n' % modulus


def public_exponents():
    """Powers to exponents that have a program each, if they are public."""
    for exponent in itertools.count(1 << 63, 2):
        yield b'{"base":"0x2","exponent":"0x%x","modulus":"0xffffffffffffffc5"}\n' % exponent


def exponents(moduli):
    """Powers to exponents and of bases of many lengths, most of whose digits are zeros."""
    for bits, modulus in itertools.cycle(moduli):
        for base in range(1, 65):
            for exponent in range(4096, 0, -16):
                yield b'{"base":"0x%s2","exponent":"0x%s3","modulus":"0x%x"}\n' % (
                    b"0" * (base * bits // 4 - 1),
                    b"0" * (exponent - 1),
                    modulus,
                )


# Just below the limit of 16 MiB for a line.
LONGEST = 16 * MIB - 256

JSON_STREAMS = {
    "one line without an end": lambda: endless(wide(b"x")),
    "one string without an end": lambda: endless(wide(b"x"), b'{"message":"'),
    "line breaks": lambda: endless(wide(b"\n")),
    "many tiny lines": lambda: endless(wide(b"{}\n")),
    "many tiny messages": lambda: endless(wide(b'{"message":""}\n')),
    "longest messages": lambda: lines(b'{"message":"', b"x", b'"}', LONGEST),
    "longest messages of escapes": lambda: lines(b'{"message":"', b"\\u0041", b'"}', LONGEST),
    "longest messages in base64": lambda: lines(b'{"message_base64":"', b"QUFB", b'"}', LONGEST),
    "longest public keys": lambda: lines(b'{"peer_base64":"', b"QUFB", b'"}', LONGEST),
    "longest public keys in PEM": lambda: lines(b'{"peer":"-----BEGIN', b"\\n", b'"}', LONGEST),
    "longest ciphertexts": lambda: lines(b'{"ciphertext":"', b"QUFB", b'"}', LONGEST),
    "signatures of 500 kB": lambda: lines(
        b'{"message":"","signature":"', b"QUFB", b'"}', 500_000
    ),
    "ciphertexts of 500 kB": lambda: lines(b'{"ciphertext":"', b"QUFB", b'"}', 500_000),
    "messages of 500 kB": lambda: lines(b'{"message":"', b"x", b'"}', 500_000),
    "ids of 500 kB": lambda: lines(b'{"message":"","id":"', b"x", b'"}', 500_000),
    "ids of 4 kB": lambda: endless(b'{"message":"","id":"%s"}\n' % (b"x" * 4090)),
    "ids that are long arrays": lambda: lines(b'{"message":"","id":[0', b",0", b"]}", LONGEST),
    "arrays nested deeply": lambda: lines(b"", b"[", b"", LONGEST),
    "ids nested deeply": lambda: lines(b'{"id":', b"[", b"", LONGEST),
    "objects nested deeply": lambda: lines(b"", b'{"a":', b"", LONGEST),
    "many fields": lambda: lines(b'{"message":""', b',"a":0', b"}", LONGEST),
    "zero bytes": lambda: endless(bytes(64 << 10)),
    "random bytes": lambda: (RANDOM.randbytes(64 << 10) for _ in itertools.count()),
}
CSV_STREAMS = {
    "a header without an end": lambda: endless(wide(b"x")),
    "columns without number": lambda: endless(wide(b","), b"message"),
    "one field without an end": lambda: endless(wide(b"x"), b"message\n"),
    "an open quote": lambda: endless(wide(b"x\n"), b'message,id\n"'),
    "fields without number": lambda: endless(wide(b","), b"message\n"),
    "many tiny records": lambda: endless(wide(b",\n"), b"message,id\n"),
    "fields of 500 kB": lambda: itertools.chain(
        [b"message,signature\n"], lines(b",", b"QUFB", b"", 500_000)
    ),
    "ids of 4 kB": lambda: endless(b"%s,\n" % (b"x" * 4090), b"id,message\n"),
    "ids of control characters": lambda: endless(b"%s,\n" % (b"\x01" * 4090), b"id,message\n"),
    "random bytes": lambda: itertools.chain(
        [b"message,id\n"], (RANDOM.randbytes(64 << 10) for _ in itertools.count())
    ),
}
POWMOD_STREAMS = {
    name: JSON_STREAMS[name]
    for name in [
        "one line without an end",
        "line breaks",
        "many tiny lines",
        "arrays nested deeply",
        "objects nested deeply",
        "random bytes",
    ]
} | {
    "numbers of 60 kB": lambda: lines(b'{"base":"2","exponent":"3","modulus":"', b"9", b'"}', 60_000),
    "moduli of 16384 bits, all different": powers,
    "small moduli, all different": short_powers,
    "exponents of many lengths": lambda: exponents([(64, (1 << 64) - 59), (256, (1 << 256) - 189)]),
    "public exponents, all different": public_exponents,
}
STREAM_VERBS = {
    "sign": ["--key", "key.pem"],
    "verify": ["--key", "public.pem"],
    "encrypt": ["--key", "public.pem"],
    "decrypt": ["--key", "key.pem"],
    "agree": ["--key", "curve.pem"],
}
# What the column of CSV is named instead of message.
CSV_COLUMNS = {"decrypt": b"ciphertext", "agree": b"peer_base64"}


class Meter:
    def __init__(self, arguments, folder):
        self.sunzi = os.path.abspath(arguments.sunzi)
        self.bytes = arguments.megabytes * 1_000_000
        self.seconds = arguments.seconds
        self.limit = arguments.limit
        self.only = arguments.only
        self.folder = folder
        self.failed = []
        self.largest = 0

    def run(self, verb, name, command, stream=None, environment=None):
        """Runs a command, with a stream as its input, and prints a row of the table."""
        if self.only not in f"{verb}: {name}":
            return
        start = time.monotonic()
        process = subprocess.Popen(
            [self.sunzi, *command],
            cwd=self.folder,
            env=os.environ | (environment or {}),
            stdin=subprocess.PIPE if stream else subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        # A signal is the only way to end a write that is blocked.
        signal.signal(signal.SIGALRM, lambda *_: process.kill())
        signal.setitimer(signal.ITIMER_REAL, self.seconds)
        written = 0
        if stream:
            try:
                for chunk in stream:
                    written += process.stdin.write(chunk)
                    if written >= self.bytes:
                        break
                process.stdin.close()
            except BrokenPipeError:
                pass
        _, status, usage = os.wait4(process.pid, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        process.returncode = code = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - start
        peak = usage.ru_maxrss / 1024
        self.largest = max(self.largest, peak)
        ended = "time" if code == -signal.SIGKILL else f"{code}"
        # 101 is a panic's, and a negative one a signal's.
        good = peak < self.limit and (ended == "time" or code in (0, 1, 2))
        print(
            f"| {verb} | {name} | {written / 1e6:.0f} | {seconds:.1f} | {ended} "
            f"| {peak:.0f}{'' if good else ' **FAILED**'} |",
            flush=True,
        )
        if not good:
            self.failed.append(f"{verb}: {name}")

    def prepare(self, *command):
        subprocess.run([self.sunzi, *command], cwd=self.folder, check=True, capture_output=True)

    def sparse(self, name):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.truncate(self.bytes)


def measure_files(meter):
    for name in ["huge", "wrong.sig", "wrong.enc", "huge.jsonl", "passphrase"]:
        meter.sparse(name)
    open(os.path.join(meter.folder, "wrong"), "w").close()
    meter.prepare("sign", "--key", "key.pem", "huge")
    with open(os.path.join(meter.folder, "short"), "w") as file:
        file.write("a passphrase")
    encrypted = ["--out", "encrypted.pem", "--new-passphrase-file", "short"]
    meter.prepare("key", "convert", "key.pem", *encrypted)
    key, public = ["--key", "key.pem"], ["--key", "public.pem"]
    meter.run("sign", "a huge file", ["sign", *key, "huge", "--force"])
    meter.run("sign", "a huge file, --resume", ["sign", *key, "huge", "--resume"])
    meter.run("verify", "a huge file", ["verify", *public, "huge"])
    meter.run("verify", "a huge signature", ["verify", *public, "wrong"])
    meter.run("encrypt", "a huge file", ["encrypt", *public, "huge"])
    meter.run("decrypt", "a huge file", ["decrypt", *key, "wrong.enc", "--force"])
    meter.run("agree", "a huge public key", ["agree", "--key", "curve.pem", "huge"])
    meter.run("powmod", "a huge file", ["powmod", "huge.jsonl"])
    meter.run("sign", "a huge key", ["sign", "--key", "huge", "wrong"])
    meter.run("key show", "a huge key", ["key", "show", "huge"])
    meter.run("key show", "/dev/zero", ["key", "show", "/dev/zero"])
    meter.run("dnssec verify", "/dev/zero", ["dnssec", "verify", "/dev/zero"])
    convert = ["key", "convert", "--out", "converted.pem"]
    meter.run("key convert", "a huge key", [*convert, "huge"])
    meter.run("key convert", "/dev/zero", [*convert, "/dev/zero"])
    meter.run(
        "key convert",
        "a huge passphrase",
        [*convert, "encrypted.pem", "--passphrase-file", "passphrase", "--decrypt"],
    )
    meter.run(
        "key convert",
        "a huge new passphrase",
        [*convert, "key.pem", "--new-passphrase-file", "passphrase"],
    )
    meter.run(
        "key new",
        "a huge passphrase",
        ["key", "new", "--out", "new.pem", "--passphrase-file", "passphrase"],
    )
    caches = os.path.join(meter.folder, "caches")
    environment = os.environ | {"XDG_CACHE_HOME": caches}
    subprocess.run([meter.sunzi, "backends", "--explain", "1024"], env=environment, check=True, capture_output=True)
    for name in os.listdir(os.path.join(caches, "sunzi")):
        meter.sparse(os.path.join("caches", "sunzi", name))
    explain = ["backends", "--explain", "1024"]
    meter.run("backends", "a huge calibration", explain, None, {"XDG_CACHE_HOME": caches})


def measure_folders(meter, count):
    """Many files with long names, in folders that are nested deeply."""
    deep = os.path.join(meter.folder, "files", *["d" * 20] * 20)
    os.makedirs(deep)
    os.makedirs(os.path.join(meter.folder, "nested", *["d"] * 200))
    for i in range(count):
        # Half of the files above the folders: they are still to be read when these are.
        where = deep if i % 2 else os.path.join(meter.folder, "files")
        open(os.path.join(where, f"{i:0200}"), "w").close()
    name = f"{count:,} files with long names"
    key, public = ["--key", "key.pem"], ["--key", "public.pem"]
    meter.run("sign", name, ["sign", *key, "files"])
    meter.run("sign", name + ", --resume", ["sign", *key, "files", "--resume"])
    meter.run("verify", name, ["verify", *public, "files"])
    meter.run("encrypt", name, ["encrypt", *public, "files", "--out", "encrypted"])
    meter.run("encrypt", name + ", --resume", ["encrypt", *public, "files", "--out", "encrypted", "--resume"])
    meter.run("decrypt", name, ["decrypt", *key, "encrypted", "--out", "decrypted"])
    meter.run("decrypt", name + ", --resume", ["decrypt", *key, "encrypted", "--out", "decrypted", "--resume"])
    meter.run("sign", "200 nested folders", ["sign", *key, "nested"])
    meter.run("verify", "200 nested folders", ["verify", *public, "nested"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("sunzi", help="the command to measure")
    parser.add_argument("--megabytes", type=int, default=1000, help="length of each input")
    parser.add_argument("--seconds", type=float, default=60, help="longest time of a case")
    parser.add_argument("--limit", type=float, default=200, help="limit of the memory in MiB")
    parser.add_argument("--files", type=int, default=20_000, help="number of files in folders")
    parser.add_argument("--only", default="", help="cases whose verb and name contain this text")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        meter = Meter(arguments, folder)
        meter.prepare("key", "new", "--bits", "2048", "--out", "key.pem", "--public", "public.pem")
        meter.prepare("key", "new", "--curve", "P-256", "--out", "curve.pem", "--public", "point.pem")
        print("| verb | input | MB | s | exit | MiB |\n|---|---|--:|--:|--:|--:|")
        for verb, options in STREAM_VERBS.items():
            for name, stream in JSON_STREAMS.items():
                meter.run(verb, name, [verb, *options, "-"], stream())
            for name, stream in CSV_STREAMS.items():
                command = [verb, *options, "-", "--format", "csv"]
                column = CSV_COLUMNS.get(verb, b"message")
                renamed = (chunk.replace(b"message", column, 1) for chunk in stream())
                meter.run(verb, "CSV: " + name, command, renamed)
        for name, stream in POWMOD_STREAMS.items():
            meter.run("powmod", name, ["powmod", "--public-exponent", "-"], stream())
        for name, stream in JSON_STREAMS.items():
            meter.run("jwt sign", name, ["jwt", "sign", "--key", "curve.pem", "-"], stream())
            meter.run("jwt verify", name, ["jwt", "verify", "--key", "point.pem", "-"], stream())
            meter.run("recover", name, ["recover", "-"], stream())
            meter.run("dnssec verify", name, ["dnssec", "verify", "-"], stream())
            meter.run("acvp", name, ["acvp", "-"], stream())
        name = "exponents of many lengths"
        meter.run("powmod", name + ", secret", ["powmod", "-"], POWMOD_STREAMS[name]())
        measure_files(meter)
        measure_folders(meter, arguments.files)
        print(f"\nlargest: {meter.largest:.0f} MiB, limit: {meter.limit:.0f} MiB", flush=True)
        if meter.failed:
            sys.exit("FAILED: " + ", ".join(meter.failed))


if __name__ == "__main__":
    main()
