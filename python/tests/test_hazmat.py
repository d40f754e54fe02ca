"""Keys with the methods of `cryptography`'s, against those."""

import copy
import threading
import time

import pytest
import sunzi

pytest.importorskip("cryptography")
from cryptography import x509  # noqa: E402
from cryptography.exceptions import InvalidSignature  # noqa: E402
from cryptography.hazmat.primitives import hashes, serialization  # noqa: E402
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils  # noqa: E402
from sunzi import _gather, hazmat  # noqa: E402

RSA = rsa.generate_private_key(65537, 2048)
CURVE = ec.generate_private_key(ec.SECP256R1())
SHA256, SHA3 = hashes.SHA256(), hashes.SHA3_384()


def pss(length: object, algorithm: hashes.HashAlgorithm = SHA256) -> padding.PSS:
    return padding.PSS(padding.MGF1(algorithm), length)


SCHEMES = [
    (padding.PKCS1v15(), SHA256),
    (padding.PKCS1v15(), SHA3),
    (pss(32), SHA256),
    (pss(padding.PSS.DIGEST_LENGTH), SHA256),
    (pss(20, hashes.SHA512()), hashes.SHA512()),
    # Left to the adopted key.
    (pss(padding.PSS.MAX_LENGTH), SHA256),
    (pss(20, hashes.SHA512()), SHA256),
    (padding.PKCS1v15(), hashes.SHA1()),
]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_rsa_signatures(scheme: tuple[padding.AsymmetricPadding, hashes.HashAlgorithm]) -> None:
    key = hazmat.adopt(RSA)
    public = key.public_key()
    mine, theirs = key.sign(b"m", *scheme), RSA.sign(b"m", *scheme)
    for signature in (mine, theirs):
        RSA.public_key().verify(signature, b"m", *scheme)
        public.verify(signature, b"m", *scheme)
        with pytest.raises(InvalidSignature):
            public.verify(signature, b"n", *scheme)
    with pytest.raises(InvalidSignature):
        public.verify(b"", b"m", *scheme)


def test_what_is_left_to_the_adopted_key() -> None:
    key = hazmat.adopt(RSA)
    digest = hashes.Hash(SHA256)
    digest.update(b"m")
    prehashed = utils.Prehashed(SHA256)
    signature = key.sign(digest.copy().finalize(), padding.PKCS1v15(), prehashed)
    key.public_key().verify(signature, b"m", padding.PKCS1v15(), SHA256)
    key.public_key().verify(signature, digest.finalize(), padding.PKCS1v15(), prehashed)
    salted = key.sign(b"m", pss(11), SHA256)
    key.public_key().verify(salted, b"m", pss(padding.PSS.AUTO), SHA256)
    recovered = key.public_key().recover_data_from_signature(signature, padding.PKCS1v15(), SHA256)
    assert recovered == digest_of(b"m")


def digest_of(data: bytes) -> bytes:
    digest = hashes.Hash(SHA256)
    digest.update(data)
    return digest.finalize()


def test_rsa_encryption() -> None:
    key = hazmat.adopt(RSA)
    oaep = padding.OAEP(padding.MGF1(SHA256), SHA256, b"label")
    other = padding.OAEP(padding.MGF1(hashes.SHA1()), SHA256, None)
    for scheme in (padding.PKCS1v15(), oaep, other):
        assert RSA.decrypt(key.public_key().encrypt(b"secret", scheme), scheme) == b"secret"
        assert key.decrypt(RSA.public_key().encrypt(b"secret", scheme), scheme) == b"secret"
    with pytest.raises(ValueError):
        key.decrypt(bytes(256), oaep)
    with pytest.raises(ValueError):
        key.public_key().encrypt(bytes(300), oaep)


@pytest.mark.parametrize(
    "curve", [ec.SECP256R1(), ec.SECP384R1(), ec.SECP521R1(), ec.SECP256K1(), ec.BrainpoolP256R1()]
)
def test_curves(curve: ec.EllipticCurve) -> None:
    theirs = ec.generate_private_key(curve)
    key = hazmat.adopt(theirs)
    public = key.public_key()
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    assert isinstance(public, ec.EllipticCurvePublicKey)
    for algorithm in (SHA256, SHA3, hashes.SHA1()):
        scheme = ec.ECDSA(algorithm)
        theirs.public_key().verify(key.sign(b"m", scheme), b"m", scheme)
        public.verify(theirs.sign(b"m", scheme), b"m", scheme)
        with pytest.raises(InvalidSignature):
            public.verify(key.sign(b"n", scheme), b"m", scheme)
    peer = ec.generate_private_key(curve)
    secret = peer.exchange(ec.ECDH(), theirs.public_key())
    assert key.exchange(ec.ECDH(), peer.public_key()) == secret
    assert key.exchange(ec.ECDH(), hazmat.adopt(peer.public_key())) == secret
    assert key.curve.name == curve.name and key.key_size == public.key_size == curve.key_size
    with pytest.raises(ValueError):
        key.exchange(ec.ECDH(), ec.generate_private_key(ec.SECP224R1()).public_key())


def test_files_and_numbers() -> None:
    for theirs in (RSA, CURVE):
        key = hazmat.adopt(theirs)
        encoding, none = serialization.Encoding.PEM, serialization.NoEncryption()
        format = serialization.PrivateFormat.PKCS8
        pem = key.private_bytes(encoding, format, none)
        assert pem == theirs.private_bytes(encoding, format, none)
        assert key.sunzi_key.to_der() == sunzi.load_private_key(pem).to_der()
        assert key.private_numbers() == theirs.private_numbers()
        public = key.public_key()
        assert public.public_numbers() == theirs.public_key().public_numbers()
        assert public == hazmat.adopt(theirs.public_key()) == theirs.public_key()
        assert len({public, hazmat.adopt(theirs.public_key())}) == 1
        spki = serialization.PublicFormat.SubjectPublicKeyInfo
        assert public.public_bytes(encoding, spki) == theirs.public_key().public_bytes(encoding, spki)
        assert key.key_size == theirs.key_size
        for object in (key, public):
            assert copy.copy(object) is object and copy.deepcopy(object) is object


def test_what_is_not_adopted() -> None:
    for key in (ed25519.Ed25519PrivateKey.generate(), b"key"):
        with pytest.raises(TypeError):
            hazmat.adopt(key)
    # Made with 1,024 bits: it verifies, and does not sign.
    with pytest.raises(ValueError, match="signing needs"):
        short = rsa.generate_private_key(65537, 1024)
        hazmat.adopt(short).sign(b"m", padding.PKCS1v15(), SHA256)


def test_code_for_cryptography() -> None:
    """A certificate is signed by cryptography's own code, which asks the key."""
    import datetime

    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "example")])
    for theirs in (RSA, CURVE):
        key = hazmat.adopt(theirs)
        now = datetime.datetime(2026, 1, 1)
        builder = x509.CertificateBuilder(name, name, theirs.public_key(), 7, now)
        certificate = builder.not_valid_after(now + datetime.timedelta(1)).sign(key, SHA256)
        certificate.verify_directly_issued_by(certificate)


def test_calls_of_many_threads_gather(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of other keys; a wrong item harms no neighbour."""
    sizes = []
    compute = _gather.compute

    def counted(batch):  # type: ignore[no-untyped-def]
        sizes.append(len(batch))
        time.sleep(0.05)
        compute(batch)

    monkeypatch.setattr(_gather, "compute", counted)
    keys = [hazmat.adopt(RSA), hazmat.adopt(CURVE)]
    answers: dict[int, object] = {}

    together = threading.Barrier(60)

    def work(item: int) -> None:
        message = b"%d" % item
        together.wait()
        try:
            if item % 10 == 9:
                answers[item] = keys[0].decrypt(b"wrong", padding.PKCS1v15())
            elif item % 2:
                answers[item] = keys[1].sign(message, ec.ECDSA(SHA256))
            else:
                answers[item] = keys[0].sign(message, padding.PKCS1v15(), SHA256)
        except ValueError as error:
            answers[item] = error

    threads = [threading.Thread(target=work, args=(item,)) for item in range(60)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(sizes) == 60 and max(sizes) > 20
    for item in range(60):
        message, answer = b"%d" % item, answers[item]
        if item % 10 == 9:
            assert isinstance(answer, ValueError)
        elif item % 2:
            CURVE.public_key().verify(answer, message, ec.ECDSA(SHA256))
        else:
            RSA.public_key().verify(answer, message, padding.PKCS1v15(), SHA256)


def test_an_interrupted_thread_leaves_the_rest_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    compute = _gather.compute
    interrupts = iter([True, False])
    gathered = threading.Barrier(2)

    def interrupted(batch):  # type: ignore[no-untyped-def]
        if next(interrupts, False):
            gathered.wait()
            time.sleep(0.2)
            raise KeyboardInterrupt
        compute(batch)

    monkeypatch.setattr(_gather, "compute", interrupted)
    key = hazmat.adopt(CURVE)
    signed: list[bytes] = []

    def work() -> None:
        gathered.wait()
        signed.append(key.sign(b"m", ec.ECDSA(SHA256)))

    thread = threading.Thread(target=work)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        key.sign(b"m", ec.ECDSA(SHA256))
    thread.join(30)
    CURVE.public_key().verify(signed[0], b"m", ec.ECDSA(SHA256))


def test_a_wrong_call_harms_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that has no bytes is refused before it is in a batch, and a batch that fails is asked one by one."""
    compute = _gather.compute

    def slow(batch):  # type: ignore[no-untyped-def]
        time.sleep(0.1)
        compute(batch)

    monkeypatch.setattr(_gather, "compute", slow)
    key = hazmat.adopt(CURVE)
    answers: dict[int, object] = {}

    def work(item: int) -> None:
        try:
            answers[item] = key.sign(None if item == 5 else b"%d" % item, ec.ECDSA(SHA256))
        except Exception as error:
            answers[item] = error

    threads = [threading.Thread(target=work, args=(item,)) for item in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert isinstance(answers.pop(5), TypeError)
    for item, signature in answers.items():
        CURVE.public_key().verify(signature, b"%d" % item, ec.ECDSA(SHA256))


def test_a_forked_child_gathers_anew() -> None:
    """It is forked while threads sign: none of them, and no batch of theirs, is there."""
    import multiprocessing

    key = hazmat.adopt(CURVE)
    ends = threading.Event()

    def work() -> None:
        while not ends.is_set():
            key.sign(b"m", ec.ECDSA(SHA256))

    def child() -> None:
        threads = [threading.Thread(target=key.sign, args=(b"m", ec.ECDSA(SHA256))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    child()
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(5):
            process = multiprocessing.get_context("fork").Process(target=child)
            process.start()
            process.join(60)
            assert process.exitcode == 0
    finally:
        ends.set()
        for thread in threads:
            thread.join()
