"""The cores: sources, testbenches, and the configurations in which they are tested and synthesized."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Configuration:
    """One set of parameters of a core.

    `tables` is the folder below `generated/` with its header and vectors. `operations` is the number
    of random operations in the quick run and in the full one. `published` has the paper's figures.
    """

    name: str
    tables: str
    parameters: dict = field(default_factory=dict)
    operations: tuple = (20, 1000)
    published: dict = field(default_factory=dict)
    quick: bool = True
    synthesize: bool = True


@dataclass(frozen=True)
class Core:
    """A core: its top module, its sources below `rtl/`, the Python module of its testbench.

    `notes` goes below the table of the report.
    """

    name: str
    sources: tuple
    testbench: str
    configurations: tuple
    notes: str = ""

    @property
    def top(self):
        return self.name


SUM_OF_RESIDUES = (
    "common/modular_adder.sv",
    "common/pseudo_mersenne_reducer.sv",
    "common/sequencer.sv",
    "sum_of_residues/sor_multiplier.sv",
    "sum_of_residues/sor_rank.sv",
    "sum_of_residues/sor_quotient_multiplier.sv",
    "sum_of_residues/sor_comparator.sv",
)


def sum_of_residues(name, published):
    """A core of the sum of residues, for two primes, with redundant and with exact results."""
    configurations = [
        Configuration(
            name=f"{prime}{'-exact' if exact else ''}",
            tables=f"sum_of_residues/{prime}",
            parameters={"EXACT": exact},
            published={} if exact else published,
            # Each core with one prime, and with redundant results for one and exact ones for the other.
            quick=exact == (prime == "ed25519"),
            synthesize=not exact or prime == "secp256k1",
        )
        for prime in ("secp256k1", "ed25519")
        for exact in (0, 1)
    ]
    sources = (*SUM_OF_RESIDUES, f"sum_of_residues/{name}.sv")
    if name != "sor_2m":
        sources += ("sum_of_residues/sor_1m.sv",)
    return Core(name, sources, "tb.sum_of_residues.test_sum_of_residues", tuple(configurations))


CUBE = ("cube/montgomery_multiplier.sv",)

# Mehrabi (2019), Table 4, Artix-7, with Vivado 2017.4.
CORES = [
    sum_of_residues("sor_1m_n", {"cycles": 31, "dsp": 140, "lut": 8170, "ff": 3758}),
    sum_of_residues("sor_1m_p", {"cycles": 24, "dsp": 140, "lut": 8730, "ff": 4279}),
    sum_of_residues("sor_2m", {"cycles": 18, "dsp": 280, "lut": 10110, "ff": 4797}),
    Core(
        "montgomery_multiplier",
        CUBE,
        "tb.cube.test_montgomery_multiplier",
        tuple(
            Configuration(f"256-by-{word}", "cube/two", {"WIDTH": 256, "WORD": word}) for word in (16, 32)
        ),
    ),
    Core(
        "cube_rsa",
        (*CUBE, "cube/cube_element.sv", "cube/cube_coordinator.sv", "cube/cube_rsa.sv"),
        "tb.cube.test_cube_rsa",
        (Configuration("two-cubes", "cube/two", {"WORD": 32}, operations=(100, 1000)),),
    ),
]
