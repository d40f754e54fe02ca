"""What runs where nothing but the wheel is installed; `scripts/python.sh` runs it before it installs other packages."""

import importlib.util

import sunzi

for package in ("numpy", "pyarrow", "gmpy2", "phe", "cryptography", "ray", "fsspec"):
    assert importlib.util.find_spec(package) is None, package

MODULUS = 2**521 - 1
bases = [3**k for k in range(10)]
rows = b"".join(base.to_bytes(66, "big") for base in bases)
modulus = MODULUS.to_bytes(66, "big")
powers = sunzi.powmod_rows(memoryview(rows).cast("B", (10, 66)), (65537).to_bytes(3, "big"), modulus)
assert isinstance(powers, memoryview) and powers.shape == (10, 66)
expected = [pow(base, 65537, MODULUS).to_bytes(66, "big") for base in bases]
assert [powers.tobytes()[at : at + 66] for at in range(0, 660, 66)] == expected
out = bytearray(66)
assert sunzi.powmod_rows(modulus, b"\3", modulus, out=out) is not None and out == bytes(66)
private = sunzi.paillier.generate_key(2048)
assert private.decrypt(private.public_key.encrypt([1.5, -2]) + [1, 1]) == [2.5, -1]
# Modules that need no package can be imported.
importlib.import_module("sunzi.aio")
try:
    importlib.import_module("sunzi.arrays").rows_to_objects(powers)
except ImportError as error:
    assert "numpy" in str(error)
else:
    raise AssertionError("arrays need numpy")
print("without packages: all is right")
