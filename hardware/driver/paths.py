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


def top(core, configuration):
    """The name of the top module of a core in one configuration: the core, or the generated module around it."""
    return f"{core.name}_{Path(configuration.tables).name}" if core.bound else core.name


def sources(core, configuration):
    """The source files of a core in one configuration, the generated module last."""
    files = [RTL / source for source in core.sources]
    if core.bound:
        files.append(GENERATED / configuration.tables / f"{top(core, configuration)}.sv")
    return files
