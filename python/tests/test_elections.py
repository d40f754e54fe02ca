"""Elections, against a model of the proofs with Python's `pow` and hashlib."""

import hashlib
import pickle
import random

import pytest
import sunzi
from interrupts import STOPPED_WITHIN, seconds_to_stop
from sunzi import elections
from sunzi.elections import Ballot, BitProof, Ciphertext, EqualityProof, Group, Statement

RANDOM = random.Random(20261125)
CONTEXT = b"an election"


@pytest.fixture(scope="module")
def group() -> Group:
    return Group.named("ElectionGuard")


@pytest.fixture(scope="module")
def private(group: Group) -> elections.PrivateKey:
    return elections.PrivateKey.generate(group)


def challenge(group: Group, kind: str, context: bytes, numbers: list[int]) -> int:
    """A hash over the parts, each after its length."""
    digest = hashlib.sha256()

    def add(part: bytes) -> None:
        digest.update(len(part).to_bytes(8, "big") + part)

    def add_number(number: int) -> None:
        add(number.to_bytes((number.bit_length() + 7) // 8, "big"))

    add(kind.encode())
    for number in (group.p, group.q, group.g):
        add_number(number)
    add(context)
    for number in numbers:
        add_number(number)
    return int.from_bytes(digest.digest(), "big") % group.q


def model_ballot(group: Group, key: int, vote: int, context: bytes) -> Ballot:
    p, q, g = group.p, group.q, group.g
    r, u, c, v = (RANDOM.randrange(q) for _ in range(4))
    alpha, beta = pow(g, r, p), pow(g, vote, p) * pow(key, r, p) % p
    other = 1 - vote
    true = [pow(g, u, p), pow(key, u, p)]
    shifted = beta * pow(g, -other, p) % p
    false = [pow(g, v, p) * pow(alpha, c, p) % p, pow(key, v, p) * pow(shifted, c, p) % p]
    commitments = false + true if vote else true + false
    total = challenge(group, "sunzi ballot of 0 or 1", context, [key, alpha, beta, *commitments])
    mine = (total - c) % q
    response = (u - mine * r) % q
    pairs = [(c, v), (mine, response)] if vote else [(mine, response), (c, v)]
    (c0, v0), (c1, v1) = pairs
    return Ballot(Ciphertext(alpha, beta), BitProof((c0, c1), (v0, v1)))


def model_verifies(group: Group, key: int, ballot: Ballot, context: bytes) -> bool:
    p, q, g = group.p, group.q, group.g
    (alpha, beta), ((c0, c1), (v0, v1)) = ballot
    if not all(0 < x < p and pow(x, q, p) == 1 for x in (alpha, beta)):
        return False
    if not all(0 <= x < q for x in (c0, c1, v0, v1)):
        return False
    commitments = [
        pow(g, v0, p) * pow(alpha, c0, p) % p,
        pow(key, v0, p) * pow(beta, c0, p) % p,
        pow(g, v1, p) * pow(alpha, c1, p) % p,
        pow(key, v1, p) * pow(beta * pow(g, -1, p) % p, c1, p) % p,
    ]
    total = challenge(group, "sunzi ballot of 0 or 1", context, [key, alpha, beta, *commitments])
    return (c0 + c1) % q == total


def test_groups() -> None:
    for name in ("modp3072", "ffdhe3072", "ElectionGuard"):
        group = Group.named(name)
        assert (group.p - 1) % group.q == 0 and pow(group.g, group.q, group.p) == 1
        again = pickle.loads(pickle.dumps(group))
        assert again == group and hash(again) == hash(group)
        assert again == Group(group.p, group.q, group.g)
    assert "4096" in repr(group)
    group.validate()
    with pytest.raises(ValueError, match="no group is named"):
        Group.named("P-256")
    with pytest.raises(ValueError, match="does not divide"):
        Group(group.p, group.q + 2, group.g)
    with pytest.raises(ValueError, match="bits"):
        Group(23, 11, 2)
    with pytest.raises(ValueError, match="order q"):
        Group(group.p, group.q, 2).validate()


def test_powers(group: Group) -> None:
    p, q, g = group.p, group.q, group.g
    exponents = [0, 1, 2, q - 1, *group.random_exponents(30)]
    powers = group.powers(exponents)
    assert powers == [pow(g, e, p) for e in exponents]
    base = group.fixed_base(powers[-1])
    assert base.element == pickle.loads(pickle.dumps(base)).element == powers[-1]
    assert group.powers(exponents, base, threads=1) == [pow(powers[-1], e, p) for e in exponents]
    with pytest.raises(ValueError) as caught:
        group.powers([1, q])
    assert caught.value.index == 1
    results = group.powers([1, q, 2], errors="return")
    assert results[::2] == [g, g * g % p] and isinstance(results[1], ValueError)
    with pytest.raises(ValueError, match="negative"):
        group.powers([-1])
    for element in (0, p):
        with pytest.raises(ValueError):
            group.fixed_base(element)


def test_products_and_members(group: Group) -> None:
    p, q = group.p, group.q
    elements = group.powers(group.random_exponents(6))
    lists = []
    for length in (0, 1, 2, 3, 5, 2, 1):
        lists.append([(RANDOM.choice(elements), RANDOM.randrange(q)) for _ in range(length)])
    expected = []
    for terms in lists:
        product = 1
        for x, e in terms:
            product = product * pow(x, e, p) % p
        expected.append(product)
    assert group.products_of_powers(lists) == expected
    results = group.products_of_powers([[(2, 1)], [(0, 1)], [(2, q)]], errors="return")
    assert results[0] == 2
    assert all(isinstance(result, ValueError) for result in results[1:])
    numbers = [0, 1, 2, p - 1, p, p + elements[0], *elements, group.g]
    assert group.are_members(numbers) == [0 < x < p and pow(x, q, p) == 1 for x in numbers]


def test_equal_logarithms(group: Group) -> None:
    p, q, g = group.p, group.q, group.g
    secrets = group.random_exponents(5)
    bases = group.powers(group.random_exponents(5))
    statements = [
        Statement(g, pow(g, x, p), h, pow(h, x, p)) for x, h in zip(secrets, bases)
    ]
    proofs = group.prove_equal_logarithms(statements, secrets, context=CONTEXT)
    assert group.verify_equal_logarithms(statements, proofs, context=CONTEXT) == [True] * 5
    for (g, a, h, b), (c, v) in zip(statements, proofs):
        t, s = pow(g, v, p) * pow(a, c, p) % p, pow(h, v, p) * pow(b, c, p) % p
        assert challenge(group, "sunzi equality of logarithms", CONTEXT, [g, a, h, b, t, s]) == c
    # The model's own.
    u = RANDOM.randrange(q)
    numbers = [*statements[0], pow(g, u, p), pow(statements[0].h, u, p)]
    c = challenge(group, "sunzi equality of logarithms", b"", numbers)
    mine = EqualityProof(c, (u - c * secrets[0]) % q)
    assert group.verify_equal_logarithms(statements[:1], [mine]) == [True]
    wrong = [
        (statements[0], EqualityProof(mine.challenge, (mine.response + 1) % q)),
        (statements[0], EqualityProof(mine.challenge, mine.response + q)),
        (statements[0]._replace(b=p - statements[0].b), mine),
        (statements[0]._replace(a=0), mine),
        (statements[1], mine),
    ]
    verdicts = group.verify_equal_logarithms(*zip(*wrong))
    assert verdicts == [False] * 5
    contexts = [b"%d" % k for k in range(5)]
    proofs = group.prove_equal_logarithms(statements, secrets, context=contexts)
    verify = group.verify_equal_logarithms
    assert verify(statements, proofs, context=contexts) == [True] * 5
    assert verify(statements, proofs, context=contexts[::-1]) == [False, False, True, False, False]
    for arguments in ((statements, proofs[:2]), (statements[:2], proofs)):
        with pytest.raises(ValueError, match="statements and"):
            verify(*arguments)
    with pytest.raises(ValueError, match="3 contexts"):
        verify(statements, proofs, context=[b""] * 3)


def test_an_election(group: Group, private: elections.PrivateKey) -> None:
    key = private.public_key
    votes = [RANDOM.randrange(2) for _ in range(12)]
    ballots = key.encrypt_many(votes, context=CONTEXT)
    assert all(model_verifies(group, key.element, ballot, CONTEXT) for ballot in ballots[:4])
    models = [model_ballot(group, key.element, vote, CONTEXT) for vote in (0, 1)]
    assert all(model_verifies(group, key.element, ballot, CONTEXT) for ballot in models)
    ballots += models
    assert key.verify_many(ballots, context=CONTEXT) == [True] * 14
    assert key.verify_many(ballots[:3], context=b"another") == [False] * 3
    total = group.sum(ballot.ciphertext for ballot in ballots)
    tally = private.decrypt_sum(total, most=14, context=CONTEXT)
    assert tally.sum == sum(votes) + 1
    assert tally.share == pow(total.alpha, private.exponent, group.p)
    statement = Statement(group.g, key.element, total.alpha, tally.share)
    verify = group.verify_equal_logarithms
    assert verify([statement], [tally.proof], context=CONTEXT) == [True]
    assert group.sum([]) == (1, 1)
    with pytest.raises(ValueError, match="0 to 1"):
        private.decrypt_sum(total, most=1)


def test_ballots_that_are_refused(group: Group, private: elections.PrivateKey) -> None:
    key = private.public_key
    good = key.encrypt_many([1], context=CONTEXT)[0]
    (alpha, beta), ((c0, c1), (v0, v1)) = good
    p, q = group.p, group.q
    wrong = [
        Ballot(Ciphertext(alpha, beta * group.g % p), good.proof),
        Ballot(Ciphertext(p - alpha, beta), good.proof),
        Ballot(Ciphertext(alpha + p, beta), good.proof),
        Ballot(Ciphertext(0, beta), good.proof),
        Ballot(good.ciphertext, BitProof((c1, c0), (v0, v1))),
        Ballot(good.ciphertext, BitProof(((c0 + 1) % q, (c1 - 1) % q), (v0, v1))),
        Ballot(good.ciphertext, BitProof((c0 + q, c1), (v0, v1))),
        Ballot(good.ciphertext, BitProof((c0, c1), (v0, v1 + q))),
    ]
    assert not any(model_verifies(group, key.element, ballot, CONTEXT) for ballot in wrong)
    verdicts = key.verify_many([good, *wrong, good], context=CONTEXT)
    assert verdicts == [True] + [False] * len(wrong) + [True]
    with pytest.raises(ValueError, match="0 or 1") as caught:
        key.encrypt_many([0, 2], context=CONTEXT)
    assert caught.value.index == 1
    results = key.encrypt_many([0, 2], context=CONTEXT, errors="return")
    assert isinstance(results[0], Ballot) and isinstance(results[1], ValueError)
    with pytest.raises(ValueError, match="not in the subgroup"):
        elections.PublicKey(group, 2)
    for exponent in (0, q):
        with pytest.raises(ValueError):
            elections.PrivateKey(group, exponent)


def test_keys_pickle(private: elections.PrivateKey) -> None:
    again = pickle.loads(pickle.dumps(private))
    assert again.exponent == private.exponent and again.public_key == private.public_key
    key = pickle.loads(pickle.dumps(private.public_key))
    assert key == private.public_key and hash(key) == hash(private.public_key)


def test_interrupts_stop_sums_and_validation(private: elections.PrivateKey) -> None:
    large = Group.named("modp4096", engine=sunzi.Engine("portable"))
    group = private.public_key.group
    ballots = private.public_key.encrypt_many([0, 1] * 10, context=CONTEXT)
    ciphertexts = [ballot.ciphertext for ballot in ballots] * 10_000
    total = group.sum(ciphertexts[:20])
    work = {
        "sum": lambda: group.sum(ciphertexts),
        "decryption": lambda: private.decrypt_sum(Ciphertext(total.alpha, group.g), most=2**32 - 1),
        "validation": large.validate,
    }
    for name, function in work.items():
        seconds = seconds_to_stop(function)
        print(f"{name}: stopped {seconds:.2f} s after the interrupt")
        assert seconds < STOPPED_WITHIN
    told: list[tuple[int, int]] = []
    group.sum(ciphertexts[:50], threads=1, progress=lambda done, of: told.append((done, of)))
    assert told[-1] == (50, 50)
    private.decrypt_sum(total, most=20, progress=lambda done, of: told.append((done, of)))
    assert told[-1] == (0, 21)


def test_votes_that_are_none_are_refused_in_plain_words() -> None:
    group = elections.Group.named("ffdhe3072")
    key = elections.PrivateKey.generate(group).public_key
    with pytest.raises(ValueError, match="a vote is -1"):
        key.encrypt_many([1, -1], context=b"e")
    with pytest.raises(TypeError, match="a vote must be an integer, not str"):
        key.encrypt_many(["x"], context=b"e")
    with pytest.raises(TypeError, match="not an instance of 'bytes"):
        key.encrypt_many([1], context="e")
    with pytest.raises(ValueError, match="count is -1"):
        group.random_exponents(-1)
