"""Where things are."""

from pathlib import Path

HARDWARE = Path(__file__).resolve().parent.parent
RTL = HARDWARE / "rtl"
TB = HARDWARE / "tb"
GENERATED = HARDWARE / "generated"
BUILD = HARDWARE / "build"


def label(core, configuration):
    """The name of a core in one configuration, which is also that of its folder in build/."""
    return f"{core.name}-{configuration.name}"


def sources(core):
    """The source files of a core."""
    return [RTL / source for source in core.sources]
