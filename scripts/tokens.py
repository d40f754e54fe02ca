#!/usr/bin/env python3
"""Tokens of every algorithm both ways with PyJWT and with jose: the command verifies theirs, and they verify the
command's; one in a thousand has the signature of another one, and must be refused, and all claims must come through.

Takes the command's path. Needs the packages PyJWT and cryptography, and for jose Node.js with npm, which downloads it
into the folder given by --folder; without Node.js that half is said to be skipped.
"""

import argparse
import base64
import json
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import jwt as pyjwt

SCRIPT = Path(__file__).resolve().with_suffix(".mjs")
CURVES = {"ES256": "P-256", "ES384": "P-384", "ES512": "P-521", "ES256K": "secp256k1", "EdDSA": "Ed25519"}
HASHES = ("256", "384", "512")
ALGORITHMS = [kind + size for kind in ("HS", "RS", "PS") for size in HASHES] + list(CURVES)
# The current version of jose has no keys of secp256k1.
OF_JOSE = [name for name in ALGORITHMS if name != "ES256K"]
EVERY = 1000


def run(command: list[str], text: str | None = None, codes: tuple[int, ...] = (0,)) -> str:
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode not in codes:
        sys.exit(f"{' '.join(command[:3])}: exit code {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout


def lines_of(text: str) -> list[str]:
    """The lines of a text, which may have other separators within."""
    return text.removesuffix("\n").split("\n")


def key_of(command: str, folder: Path, name: str) -> tuple[dict, dict]:
    """A private key and its public half, as JSON Web Keys."""
    if name.startswith("HS"):
        key = base64.urlsafe_b64encode(bytes(range(64))).rstrip(b"=").decode()
        jwk = {"kty": "oct", "k": key, "alg": name, "kid": "key"}
        return jwk, jwk
    kind = ["--curve", CURVES[name]] if name in CURVES else ["--bits", "2048"]
    private, public = folder / f"{name}.json", folder / f"{name}.public.json"
    run([command, "key", "new", *kind, "--format", "jwk", "--out", str(private)])
    run([command, "key", "convert", str(private), "--public", "--format", "jwk", "--out", str(public)])
    jwks = [{**json.loads(path.read_text()), "alg": name, "kid": "key"} for path in (private, public)]
    return jwks[0], jwks[1]


def changed(tokens: list[str]) -> list[str]:
    """The tokens, of which one in a thousand has the signature of the next."""
    result = list(tokens)
    for place in range(EVERY // 2, len(tokens) - 1, EVERY):
        text = tokens[place].rpartition(".")[0]
        result[place] = text + "." + tokens[place + 1].rpartition(".")[2]
    return result


def expected(claims: list[str]) -> list[dict | None]:
    result: list[dict | None] = [json.loads(text) for text in claims]
    for place in range(EVERY // 2, len(claims) - 1, EVERY):
        result[place] = None
    return result


def by_command(command: str, folder: Path, public: dict, tokens: list[str]) -> list[dict | None]:
    keys = folder / "keys.json"
    keys.write_text(json.dumps({"keys": [public]}))
    arguments = ["jwt", "verify", "--keys", str(keys), "--json", "-"]
    answers = run([command, *arguments], "\n".join(tokens) + "\n", (0, 1))
    return [json.loads(line)["claims"] for line in lines_of(answers)]


def with_pyjwt(work: tuple[str, dict, list[str]]) -> list:
    action, jwk, lines = work
    key = pyjwt.PyJWK.from_dict(jwk).key
    if action == "sign":
        header = {"kid": jwk["kid"]}
        sign = pyjwt.PyJWS().encode
        return [sign(line.encode(), key, jwk["alg"], headers=header) for line in lines]
    answers: list[dict | None] = []
    for token in lines:
        try:
            answers.append(pyjwt.decode(token, key, [jwk["alg"]]))
        except pyjwt.InvalidTokenError:
            answers.append(None)
    return answers


def with_jose(folder: Path, action: str, jwk: dict, lines: list[str]) -> list:
    arguments = ["node", str(SCRIPT), action, json.dumps(jwk), str(folder)]
    answers = lines_of(run(arguments, "\n".join(lines) + "\n"))
    return answers if action == "sign" else [json.loads(answer) for answer in answers]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("command", help="the path of sunzi")
    parser.add_argument("--count", type=int, default=100_000, help="tokens of each algorithm")
    parser.add_argument("--only", action="append", choices=ALGORITHMS)
    parser.add_argument("--processes", type=int, default=1, help="processes that run PyJWT")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "sunzi-jose")
    arguments = parser.parse_args()
    command = str(Path(arguments.command).resolve())
    node = shutil.which("node") and shutil.which("npm")
    if node:
        arguments.folder.mkdir(exist_ok=True)
        run(["npm", "install", "--silent", "--no-fund", "--prefix", str(arguments.folder), "jose@6"])
    else:
        print("SKIPPED: jose, since there is no Node.js with npm")
    now = int(time.time())
    claims = [
        json.dumps({"sub": f"user {number}", "exp": now + 86_400, "text": "é\u2028", "n": 2**53 - number})
        for number in range(arguments.count)
    ]
    wanted = expected(claims)
    pool = ProcessPoolExecutor(arguments.processes)

    def pyjwt_peer(action: str, jwk: dict, lines: list[str]) -> list:
        parts = [(action, jwk, lines[start : start + 2000]) for start in range(0, len(lines), 2000)]
        return [answer for answers in pool.map(with_pyjwt, parts) for answer in answers]

    def jose_peer(action: str, jwk: dict, lines: list[str]) -> list:
        return with_jose(arguments.folder, action, jwk, lines)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for algorithm in arguments.only or ALGORITHMS:
            private, public = key_of(command, folder, algorithm)
            (folder / "private.json").write_text(json.dumps(private))
            sign = ["jwt", "sign", "--key", str(folder / "private.json"), "-"]
            ours = changed(lines_of(run([command, *sign], "\n".join(claims) + "\n")))
            peers = {"PyJWT": pyjwt_peer}
            if node and algorithm in OF_JOSE:
                peers["jose"] = jose_peer
            for who, peer in peers.items():
                theirs = changed(peer("sign", private, claims))
                assert by_command(command, folder, public, theirs) == wanted, f"{who}, {algorithm}: theirs"
                assert peer("verify", public, ours) == wanted, f"{who}, {algorithm}: ours"
                print(f"{algorithm}: {len(claims)} tokens both ways with {who}", flush=True)


if __name__ == "__main__":
    main()
