#!/usr/bin/env python3
"""Computes vectors/*.json anew: every result by a model in plain integers, see README.md.

Without arguments the files are written. With --check they are compared, byte for byte, and a
difference is an error. partially_blind_rsa.json comes from elsewhere: its numbers are compared
with a model's in any case. Python 3.9 or later, standard library only.
"""

import json
import sys
from pathlib import Path

from models import base_extension, inversion, partially_blind_rsa, sum_of_residues

FOLDER = Path(__file__).resolve().parent
MODELS = {
    "base_extension": base_extension,
    "inversion": inversion,
    "sum_of_residues": sum_of_residues,
}


def main(arguments):
    if arguments not in ([], ["--check"]):
        print("usage: generate.py [--check]", file=sys.stderr)
        return 2
    operands = json.loads((FOLDER / "operands.json").read_text())
    different = []
    for name, model in MODELS.items():
        text = json.dumps(model.vectors(operands[name]), indent=0)
        path = FOLDER / f"{name}.json"
        if not arguments:
            path.write_text(text)
        elif path.read_bytes() != text.encode():
            different.append(path.name)
    for case in json.loads((FOLDER / "partially_blind_rsa.json").read_text()):
        fields = partially_blind_rsa.expected(case)
        if any(case[name] != text for name, text in fields.items()):
            different.append("partially_blind_rsa.json")
    if different:
        files = ", ".join(different)
        print(f"not what the models in vectors/models compute: {files}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
