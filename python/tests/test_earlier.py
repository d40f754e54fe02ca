"""Files that version 0.1 of the package wrote are read. vectors/compat-0.1/README.md says how they were made."""

import json
import shutil
from pathlib import Path

import pytest
import sunzi
from sunzi import paillier

FOLDER = Path(__file__).resolve().parents[2] / "vectors" / "compat-0.1"
LIST = json.loads((FOLDER / "files.json").read_text())


def test_keys() -> None:
    for entry in LIST["keys"]:
        passphrase = LIST["passphrase"].encode() if entry["encrypted"] else None
        private = sunzi.load_private_key((FOLDER / "keys" / entry["key"]).read_bytes(), passphrase)
        public = sunzi.load_public_key((FOLDER / "keys" / f"{entry['key']}.public").read_bytes())
        assert private.public_key() == public


def test_paillier() -> None:
    key = paillier.PrivateKey.from_jwk((FOLDER / "python/paillier.jwk").read_text())
    public = paillier.PublicKey.from_jwk((FOLDER / "python/paillier.public.jwk").read_text())
    assert key.public_key == public
    told = json.loads((FOLDER / "python/paillier.json").read_text())
    vector = paillier.EncryptedVector(public, [int(c, 16) for c in told["ciphertexts"]], told["exponents"])
    assert key.decrypt(vector) == told["values"]


def test_parquet_files_are_right_and_stay(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("numpy")
    from sunzi import parquet

    shutil.copytree(FOLDER / "python", tmp_path, dirs_exist_ok=True)
    key = sunzi.load_private_key((FOLDER / "keys/ed25519.pkcs8.pem").read_bytes())
    jobs = {"powers": parquet.Powmod(exps=65537, mods=2**255 - 19), "signed": parquet.Sign(key)}
    for name, job in jobs.items():
        target = tmp_path / name / "rows.parquet"
        before = target.read_bytes()
        told = parquet.provenance(target)
        assert told is not None and told["version"].startswith("0.1.") and told["rows"] == 8
        # They count as made by this job of this source, and what is made anew has the same columns.
        kept = parquet.map_files(tmp_path / "in", tmp_path / name, job)
        assert (kept.made, len(kept.skipped)) == ([], 1) and target.read_bytes() == before
        parquet.map_file(tmp_path / "in" / "rows.parquet", tmp_path / "again.parquet", job)
        from pyarrow import parquet as files

        assert files.read_table(target).equals(files.read_table(tmp_path / "again.parquet"))
