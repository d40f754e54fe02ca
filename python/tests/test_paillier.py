"""Paillier's cryptosystem, against phe and Python's own arithmetic."""

import json
import math
import pickle
import random

import pytest
import sunzi
from sunzi import paillier

phe = pytest.importorskip("phe")
from phe import util  # noqa: E402
from interrupts import STOPPED_WITHIN, seconds_to_stop  # noqa: E402
from phe.paillier import EncodedNumber  # noqa: E402

RANDOM = random.Random(20261124)
VALUES = [0, 1, -1, 7, -(2**70), 3.5, -0.1, 1e-30, -1e30, 2.0**-1000, 123456789.987654321]


@pytest.fixture(scope="module")
def private() -> paillier.PrivateKey:
    return paillier.generate_key(2048)


@pytest.fixture(scope="module")
def theirs(private):  # type: ignore[no-untyped-def]
    public = phe.PaillierPublicKey(private.public_key.n)
    return public, phe.PaillierPrivateKey(public, *private._key.primes)


def test_numbers_encode_as_in_phe(private, theirs) -> None:  # type: ignore[no-untyped-def]
    key = private.public_key
    values = [*VALUES, *(RANDOM.uniform(-1, 1) * 2.0 ** RANDOM.randint(-200, 200) for _ in range(500))]
    for value in values:
        for precision in (None, 1e-5, 0.25):
            mine = key.encode(value, precision)
            other = EncodedNumber.encode(theirs[0], value, precision)
            assert mine == (other.encoding, other.exponent), (value, precision)
            assert key.decode(*mine) == other.decode()
    for value in (math.inf, math.nan, 10**700):
        with pytest.raises(ValueError):
            key.encode(value)
    with pytest.raises(OverflowError):
        key.decode(key.n // 2, 0)


def test_errors_tell_their_items(private) -> None:  # type: ignore[no-untyped-def]
    key = private.public_key
    for function in (
        lambda: key.encrypt([1, math.inf]),
        lambda: key.encrypt([1.5, 2.5]) + [1, 10**700],
        lambda: key.encrypt([1.5, 2.5]) * [1, math.nan],
        lambda: key.encrypt([1.5, 2.5]).multiply([1, math.nan]),
    ):
        with pytest.raises(ValueError) as caught:
            function()
        assert caught.value.index == 1 and caught.value.__notes__ == ["item 1 of the batch"]
    third = key.max_int
    with pytest.raises(OverflowError) as overflow:
        private.decrypt(key.encrypt([1, third]) + key.encrypt([2, third]))
    assert overflow.value.index == 1


def test_each_decrypts_what_the_other_encrypts(private, theirs) -> None:  # type: ignore[no-untyped-def]
    public, secret = theirs
    for full in (False, True):
        mine = private.public_key.encrypt(VALUES, full=full)
        assert private.decrypt(mine) == VALUES
        assert [secret.decrypt(number) for number in mine.to_phe(public)] == VALUES
    from_phe = paillier.EncryptedVector.from_phe([public.encrypt(value) for value in VALUES])
    assert private.decrypt(from_phe) == VALUES
    total = from_phe + private.public_key.encrypt(VALUES)
    assert private.decrypt(total) == [2 * value for value in VALUES]
    assert paillier.EncryptedVector.from_phe([], private.public_key).sum() is not None


def test_the_sum_of_an_iteration_is_a_number(private) -> None:  # type: ignore[no-untyped-def]
    """As with phe's numbers: `total = sum(encrypted)`."""
    encrypted = private.public_key.encrypt([1.25, -3, 40])
    total = sum(encrypted)
    assert isinstance(total, paillier.EncryptedNumber)
    assert private.decrypt(total) == private.decrypt(encrypted.sum()) == 38.25
    assert private.decrypt(total, errors="return") == 38.25
    assert private.decrypt(total.randomize()) == 38.25
    first, second, _ = encrypted
    for number, expected in (
        (first + second, -1.75),
        (first - second, 4.25),
        (1 - first, -0.25),
        (2 * first + 1, 3.5),
        (-second / 2, 1.5),
    ):
        assert private.decrypt(number) == expected
    assert (total.ciphertext, total.exponent) == (total.vector.ciphertexts[0], total.vector.exponents[0])
    assert first.public_key == private.public_key and repr(first) == "<an encrypted number>"
    for wrong in (
        lambda: first * second,
        lambda: first + encrypted,
        lambda: encrypted + first,
        lambda: first + [1],
        lambda: first * "2",
    ):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(ValueError, match="3 numbers"):
        paillier.EncryptedNumber(encrypted)


def test_sums_and_products(private) -> None:  # type: ignore[no-untyped-def]
    key = private.public_key
    x = [RANDOM.randint(-(10**9), 10**9) for _ in range(20)]
    y = [RANDOM.randint(-(10**9), 10**9) for _ in range(20)]
    cx, cy = key.encrypt(x), key.encrypt(y)
    pairs = list(zip(x, y))
    assert private.decrypt(cx + cy) == [a + b for a, b in pairs]
    assert private.decrypt(cx - cy) == [a - b for a, b in pairs]
    assert private.decrypt(cx + y) == private.decrypt(y + cx) == [a + b for a, b in pairs]
    assert private.decrypt(cx - y) == [a - b for a, b in pairs]
    assert private.decrypt(1 - cx) == [1 - a for a in x]
    assert private.decrypt(cx * y) == private.decrypt(cx.multiply(y)) == [a * b for a, b in pairs]
    assert private.decrypt(3 * cx) == [3 * a for a in x]
    assert private.decrypt(-cx) == [-a for a in x]
    assert private.decrypt(cx / 4) == [a / 4 for a in x]
    assert private.decrypt(cx.sum()) == sum(x)
    assert private.decrypt(cx.dot(y)) == sum(a * b for a, b in pairs)
    assert private.decrypt(cx * 0.5 + y) == [a * 0.5 + b for a, b in pairs]
    again = cx.randomize()
    assert private.decrypt(again) == x and again.ciphertexts != cx.ciphertexts
    assert private.decrypt(cx[3]) == x[3] and private.decrypt(cx[-1]) == x[-1]
    assert private.decrypt(cx[2:5]) == x[2:5]
    assert len(list(cx)) == len(cx) == 20
    assert private.decrypt(key.encrypt([]).sum()) == 0
    for wrong in (lambda: cx + cy[:3], lambda: cx * [1, 2], lambda: cx[20]):
        with pytest.raises((ValueError, IndexError)):
            wrong()
    with pytest.raises(TypeError):
        cx * cy
    numpy = pytest.importorskip("numpy")
    assert private.decrypt(numpy.array(y) * cx) == [a * b for a, b in pairs]


def test_against_python_on_raw_numbers(private) -> None:  # type: ignore[no-untyped-def]
    key, (p, q) = private._key, private._key.primes
    n = p * q
    public = key.public_key
    plain = [0, 1, n - 1, n // 2, *(RANDOM.randrange(n) for _ in range(60))]
    ciphertexts = public.encrypt(plain)
    by_definition = [
        (pow(c, (p - 1) * (q - 1), n * n) - 1) // n * pow((p - 1) * (q - 1), -1, n) % n
        for c in ciphertexts
    ]
    assert by_definition == key.decrypt(ciphertexts) == plain
    with pytest.raises(ValueError) as caught:
        public.encrypt([1, n, 2])
    assert caught.value.index == 1
    with pytest.raises(ValueError, match="negative"):
        public.encrypt([-1])
    answers = key.decrypt([0, ciphertexts[1], n * n, n], errors="return")
    assert [isinstance(answer, ValueError) for answer in answers] == [True, False, True, True]


def test_keys(private) -> None:  # type: ignore[no-untyped-def]
    again = pickle.loads(pickle.dumps(private))
    assert again.public_key == private.public_key
    vector = pickle.loads(pickle.dumps(private.public_key.encrypt([5, 6.5])))
    assert again.decrypt(vector) == [5, 6.5]
    jwk = json.loads(private.public_key.to_jwk())
    assert util.base64_to_int(jwk["n"]) == private.public_key.n
    plain = paillier.PublicKey(private.public_key.n)
    assert private.decrypt(plain.encrypt([1])) == [1]
    other = paillier.PrivateKey.from_primes(*private._key.primes)
    assert other.decrypt(vector) == [5, 6.5]
    with pytest.raises(ValueError, match="another key"):
        paillier.generate_key(2048).decrypt(vector)
    for bits in (1024, 5000):
        with pytest.raises(ValueError):
            paillier.generate_key(bits)
    with pytest.raises(ValueError):
        paillier.PublicKey(2**2048)
    assert "PrivateKey" in repr(private) and str(private._key.primes[0]) not in repr(private)
    assert sunzi.paillier is paillier


def test_errors_in_place_of_numbers(private) -> None:  # type: ignore[no-untyped-def]
    key = private.public_key
    values = [1, math.nan, 2.5, "three", 10**700, -4]
    for wrong in (math.nan, "three", 10**700):
        with pytest.raises((TypeError, ValueError)) as caught:
            key.encrypt([1, 2, wrong])
        assert caught.value.index == 2
    vector, failures = key.encrypt(values, errors="return")
    assert sorted(failures) == [1, 3, 4]
    assert all(failure.index == place for place, failure in failures.items())
    numbers = private.decrypt(vector, errors="return")
    assert numbers[::2] == [1, 2.5, numbers[4]] and numbers[5] == -4
    assert all(isinstance(numbers[place], ValueError) for place in failures)
    # What failed is not counted as a zero.
    with pytest.raises(ValueError):
        vector.sum()
    large = paillier.EncryptedVector(key, key._key.encrypt([3, key.n // 2]), [0, 0])
    three, error = private.decrypt(large, errors="return")
    assert three == 3 and isinstance(error, OverflowError) and error.index == 1
    with pytest.raises(OverflowError):
        private.decrypt(large)
    assert key.encrypt([], errors="return")[1] == {}
    for function in (lambda: key.encrypt([1], errors="x"), lambda: private.decrypt(vector, errors="x")):
        with pytest.raises(ValueError, match="errors is"):
            function()


def test_progress_and_threads(private) -> None:  # type: ignore[no-untyped-def]
    vector = private.public_key.encrypt(range(100))
    for function in (vector.negate, vector.sum, vector.randomize):
        told: list[tuple[int, int]] = []
        function(threads=1, progress=lambda done, of: told.append((done, of)))
        assert told[-1] == (100, 100) and told == sorted(told)
        with pytest.raises(ValueError, match="threads"):
            function(threads=0)
    assert private.decrypt(vector.negate(threads=2)) == [-x for x in range(100)]
    assert private.decrypt(vector.sum(threads=2)) == 4950


def test_interrupts_stop_negation_and_sums(private) -> None:  # type: ignore[no-untyped-def]
    few = private.public_key.encrypt(range(50))
    vector = paillier.EncryptedVector(few.public_key, few.ciphertexts * 400, few.exponents * 400)
    long = paillier.EncryptedVector(few.public_key, few.ciphertexts * 8000, few.exponents * 8000)
    for name, work in (("negation", lambda: -vector), ("sum", long.sum)):
        seconds = seconds_to_stop(work)
        print(f"{name}: stopped {seconds:.2f} s after the interrupt")
        assert seconds < STOPPED_WITHIN
