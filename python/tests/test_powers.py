"""Modular powers of Python's integers, against Python's own `pow` and gmpy2."""

import os
import random
import threading
import time

import pytest
import sunzi
from interrupts import STOPPED_WITHIN, seconds_to_stop

gmpy2 = pytest.importorskip("gmpy2")

RANDOM = random.Random(20261122)


def odd(bits: int) -> int:
    return RANDOM.getrandbits(bits) | 1 | 1 << (bits - 1)


@pytest.mark.parametrize("bits", [64, 65, 127, 256, 521, 1024, 2048])
def test_lists_against_gmpy2(bits: int) -> None:
    modulus = odd(bits)
    numbers = [RANDOM.getrandbits(bits) for _ in range(37)]
    exponent = RANDOM.getrandbits(bits)
    assert sunzi.powmod_base_list(numbers, exponent, modulus) == gmpy2.powmod_base_list(
        numbers, exponent, modulus
    )
    assert sunzi.powmod_exp_list(numbers[0], numbers, modulus) == gmpy2.powmod_exp_list(
        numbers[0], numbers, modulus
    )
    assert sunzi.powmod_base_list_sec(numbers, exponent, modulus) == gmpy2.powmod_base_list(
        numbers, exponent, modulus
    )
    assert sunzi.powmod_exp_list_sec(numbers[0], numbers, modulus) == gmpy2.powmod_exp_list(
        numbers[0], numbers, modulus
    )


def test_any_mix_of_sizes_and_signs() -> None:
    """Moduli that the engine takes and those that it leaves to `pow`."""
    bases, exponents, moduli = [], [], []
    for modulus_bits in (1, 2, 8, 63, 64, 65, 192, 300, 1030, 2049):
        for exponent_bits in (0, 1, 17, 64, 65, 200):
            for even in (False, True):
                modulus = RANDOM.getrandbits(modulus_bits) | 1 << (modulus_bits - 1)
                modulus = modulus & ~1 | (not even)
                moduli.append(modulus or 2)
                bases.append(RANDOM.randint(-(2**400), 2**400))
                exponents.append(RANDOM.getrandbits(exponent_bits) if exponent_bits else 0)
    expected = [pow(*item) for item in zip(bases, exponents, moduli)]
    assert sunzi.powmod_list(bases, exponents, moduli) == expected
    assert sunzi.powmod_list(bases, exponents, moduli, threads=1) == expected
    assert list(sunzi.powmod_iter(bases, exponents, moduli, batch=7)) == expected
    assert sunzi.powmod_list(bases[0], 5, moduli) == [pow(bases[0], 5, m) for m in moduli]
    assert sunzi.powmod_list(3, 5, 7) == [5]
    assert sunzi.powmod_list([], 5, 7) == []


def test_negative_exponents_invert() -> None:
    modulus = 2**127 - 1
    assert sunzi.powmod_base_list([2, 3, -5], -7, modulus) == [
        pow(base, -7, modulus) for base in (2, 3, -5)
    ]
    assert sunzi.powmod_exp_list(3, [-1, 1, -2], 10**9 + 7) == [
        pow(3, exponent, 10**9 + 7) for exponent in (-1, 1, -2)
    ]
    # gmpy2 2.3 ends the process here.
    with pytest.raises(ValueError) as caught:
        sunzi.powmod_base_list([1, 3], -1, 3 * (2**127 - 1))
    assert caught.value.index == 1


def test_mpz_and_other_integers() -> None:
    numpy = pytest.importorskip("numpy")
    modulus = gmpy2.mpz(2**89 - 1)
    result = sunzi.powmod_base_list([gmpy2.mpz(5), True, numpy.int64(7)], gmpy2.mpz(3), modulus)
    assert result == [125, 1, 343]
    assert all(type(number) is int for number in result)
    assert sunzi.powmod_base_list(numpy.array([5, 6], dtype=object), 2, 2**89 - 1) == [25, 36]
    assert sunzi.powmod_base_list((2, 3), 2, 2**89 - 1) == [4, 9]


# gmpy2's test_powmod and test_powmod_sec, for lists.
def test_what_gmpy2_tests() -> None:
    assert sunzi.powmod_base_list([2, 5], 3, 4) == [pow(2, 3, 4), pow(5, 3, 4)]
    for arguments in ([1], ([1], 2), ([1], 2, 3, 4)):
        with pytest.raises(TypeError):
            sunzi.powmod_base_list(*arguments)
    for arguments in ([1.5], 2, 7), ([1], 2.5, 7), ([1], 2, 7.5), (["1"], 2, 7), ("12", 2, 7):
        with pytest.raises(TypeError):
            sunzi.powmod_base_list(*arguments)
    with pytest.raises(TypeError, match="sequence"):
        sunzi.powmod_base_list(1, 2, 7)
    with pytest.raises(TypeError, match="sequence"):
        sunzi.powmod_exp_list(1, 2, 7)
    for modulus in (0, -7):
        with pytest.raises(ValueError, match="positive"):
            sunzi.powmod_base_list([1], 2, modulus)
    large = 2**127 - 1
    assert sunzi.powmod_base_list_sec([3, -3], 3, large) == [27, large - 27]
    for exponent, modulus in ((-3, large), (4, 2**80), (4, 7)):
        with pytest.raises(ValueError):
            sunzi.powmod_base_list_sec([3], exponent, modulus)


def test_errors_stay_with_their_items() -> None:
    modulus = 2**127 - 1
    with pytest.raises(TypeError) as caught:
        sunzi.powmod_list([2, 3, "x", 4], 5, modulus)
    assert caught.value.index == 2
    results = sunzi.powmod_list([2, 3, "x", 4], 5, [modulus, 0, modulus, modulus], errors="return")
    assert results[0] == 32 and results[3] == 1024
    assert isinstance(results[1], ValueError) and isinstance(results[2], TypeError)
    for arguments in (([1, 2], [3], modulus), ([1], 2, [modulus, modulus])):
        with pytest.raises(ValueError, match="items"):
            sunzi.powmod_list(*arguments)
    for options in ({"threads": 0}, {"threads": 10**6}, {"errors": "ignore"}):
        with pytest.raises(ValueError):
            sunzi.powmod_list([1], 2, modulus, **options)


def test_numbers_of_threads() -> None:
    for threads in (-1, 0, 1025, 10**30):
        with pytest.raises(ValueError, match=f"threads is {threads}: 1 to 1024 are possible"):
            sunzi.powmod_list([1], 2, 2**127 - 1, threads=threads)
    with pytest.raises(TypeError, match="threads must be an integer, not str"):
        sunzi.powmod_list([1], 2, 2**127 - 1, threads="2")
    with pytest.raises(ValueError, match="count is -1"):
        sunzi.generate_keys("P-256", -1)
    with pytest.raises(ValueError, match="count is -1"):
        sunzi.primes.random_primes(256, -1)
    with pytest.raises(ValueError, match="bits is -5"):
        sunzi.primes.random_primes(-5)


def test_collections_without_an_order_are_refused() -> None:
    modulus = 2**127 - 1
    for wrong in (
        lambda: sunzi.powmod_list({1, 2}, 3, modulus),
        lambda: sunzi.powmod_list(2, frozenset([3]), modulus),
        lambda: sunzi.powmod_list(2, 3, {modulus}),
        lambda: sunzi.powmod_base_list_sec({1, 2}, 3, modulus),
        lambda: list(sunzi.powmod_iter({1, 2}, 3, modulus)),
        lambda: sunzi.primes.are_prime({7, 11}),
    ):
        with pytest.raises(TypeError, match="must have an order"):
            wrong()
    assert sunzi.powmod_list({1: "one", 2: "two"}, 3, modulus) == [1, 8]


def test_engines() -> None:
    rows = sunzi.backends()
    assert sum(row["chosen"] for row in rows) == 1
    modulus = odd(512)
    expected = [pow(base, 77, modulus) for base in range(20)]
    for row in rows:
        if row["available"]:
            engine = sunzi.Engine(row["backend"])
            assert engine.backend == row["backend"]
            assert sunzi.powmod_base_list(range(20), 77, modulus, engine=engine) == expected
        else:
            print("SKIPPED:", row["backend"], row["detail"])
            with pytest.raises(ValueError):
                sunzi.Engine(row["backend"])
    with pytest.raises(ValueError, match="choose one of"):
        sunzi.Engine("abacus")
    random_bases = sunzi.Engine("portable", random_bases=2)
    assert sunzi.powmod_base_list(range(20), 77, modulus, engine=random_bases) == expected


def test_progress_and_its_exceptions() -> None:
    seen: list[tuple[int, int]] = []
    modulus = odd(1024)
    numbers = [RANDOM.getrandbits(1000) for _ in range(600)]
    result = sunzi.powmod_list(
        numbers, modulus - 2, modulus, progress=lambda *done: seen.append(done)
    )
    assert len(result) == 600
    assert seen[-1] == (600, 600)
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})

    def stop(done: int, total: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        sunzi.powmod_list(numbers, 3, modulus, progress=stop)


@pytest.mark.parametrize("after", [0.3, 0.6, 1.2])
@pytest.mark.parametrize("order", ["same", "rising", "falling", "mixed"])
def test_an_interrupt_stops_a_batch(order: str, after: float) -> None:
    """Also where large numbers follow on many small ones, or each has a modulus of its own."""
    sizes = [4096] * 2000 if order == "same" else [256] * 20000 + [1024] * 2000 + [8192] * 200
    if order == "falling":
        sizes.reverse()
    elif order == "mixed":
        RANDOM.shuffle(sizes)
    moduli = [odd(size) for size in sizes]
    exponents = [modulus - 2 for modulus in moduli]
    seconds = seconds_to_stop(lambda: sunzi.powmod_list(3, exponents, moduli, threads=1), after)
    print(f"{order}: stopped {seconds:.2f} s after the interrupt")
    assert seconds < STOPPED_WITHIN


def test_an_interrupt_is_no_result() -> None:
    class Interrupting:
        def __index__(self) -> int:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sunzi.powmod_list([3, Interrupting()], 5, 2**127 - 1, errors="return")


def test_other_threads_run_meanwhile() -> None:
    counted = 0
    running = True

    def count() -> None:
        nonlocal counted
        while running:
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    modulus = odd(2048)
    numbers = [RANDOM.getrandbits(2048) for _ in range(300)]
    thread.start()
    sunzi.powmod_list(numbers, modulus - 2, modulus, threads=1)
    running = False
    thread.join()
    assert counted > 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="SKIPPED: no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_computes() -> None:
    modulus = odd(512)
    expected = [pow(base, 65537, modulus) for base in range(300)]
    assert sunzi.powmod_base_list(range(300), 65537, modulus) == expected
    child = os.fork()
    if child == 0:
        right = sunzi.powmod_base_list(range(300), 65537, modulus) == expected
        os._exit(0 if right else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
