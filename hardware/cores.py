"""The cores: sources, testbenches, and the configurations in which they are tested and synthesized."""

from dataclasses import dataclass, field

from driver.comparisons import extensions, inversions, processors


@dataclass(frozen=True)
class Clock:
    """That a configuration is placed and routed for an ECP5, and the clock that it should have.

    `floor` is in MHz, and `None` as long as none has been measured; `make timing` fails if the median of the seeds is
    more than a tenth below. With `every`, only `make timing-every` makes it.
    """

    floor: float | None = None
    every: bool = False


@dataclass(frozen=True)
class Configuration:
    """One set of parameters of a core.

    `tables` is the folder below `generated/` with its header and vectors. `operations` is the number
    of random operations in the quick run and in the full one. `published` has the paper's figures.
    Of what is synthesized, `sweep` is left out unless every configuration is asked for.
    """

    name: str
    tables: str
    parameters: dict = field(default_factory=dict)
    operations: tuple = (20, 1000)
    published: dict = field(default_factory=dict)
    quick: bool = True
    synthesize: bool = True
    sweep: bool = False
    clock: Clock | None = None


@dataclass(frozen=True)
class Core:
    """A core: its top module, its sources below `rtl/`, the Python module of its testbench.

    `notes` goes below the table of the report: a text, or a function that makes it from the core's
    rows. The quick run may use another simulator than the full one: verilator takes half a minute to
    compile, which pays off from a million cycles on. A `bound` core takes its constants as parameters, from the
    generated module of its configuration, which is then the top; the others include a header. `signals` is a file
    below `tb/` with those signals that the testbench sees in verilator, where it does not need them all.
    """

    name: str
    sources: tuple
    testbench: str
    configurations: tuple
    notes: object = ""
    simulator: str = "icarus"
    quick_simulator: str = "icarus"
    bound: bool = False
    signals: str = ""

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
            sweep=bool(exact),
            clock=Clock(every=True) if (name, prime, exact) == ("sor_1m_n", "secp256k1", 0) else None,
        )
        for prime in ("secp256k1", "ed25519")
        for exact in (0, 1)
    ]
    sources = (*SUM_OF_RESIDUES, f"sum_of_residues/{name}.sv")
    if name != "sor_2m":
        sources += ("sum_of_residues/sor_1m.sv",)
    return Core(name, sources, "tb.sum_of_residues.test_sum_of_residues", tuple(configurations))


CUBE = ("cube/montgomery_multiplier.sv",)

COX_ROWER = ("common/rom.sv",) + tuple(
    f"cox_rower/{name}.sv"
    for name in ("fold", "fold_reducer", "channel_adder", "rower", "cox", "gatherer", "rower_array")
)

# Djath, Bigou and Tisserand (2019), slide "Hardware Implementation Results": XC7Z020, with Vivado HLS
# 2017.4; (DSP, slices, cycles, ns) of KBE and HBE by bits of P and width of a channel.
HIERARCHICAL = {
    (256, 17): ((51, 445, 98, 960.4), (35, 758, 91, 937.3)),
    (256, 20): ((45, 1073, 88, 844.8), (39, 784, 83, 738.7)),
    (256, 24): ((52, 785, 89, 854.4), (42, 769, 81, 769.5)),
    (256, 28): ((76, 753, 77, 746.9), (60, 843, 71, 681.6)),
    (384, 17): ((81, 587, 165, 1254.0), (63, 644, 143, 1444.3)),
    (384, 20): ((63, 1215, 140, 1344.0), (54, 869, 122, 1098.0)),
    (384, 24): ((76, 1251, 163, 1238.8), (60, 1134, 132, 1003.2)),
    (384, 28): ((104, 1031, 103, 1019.7), (80, 1145, 93, 874.2)),
}


# Floors in MHz of the configurations that are placed and routed. The inverter is that for 64 bits, which has three
# rowers but the same decisions, as one for a curve takes an hour.
CLOCKS = {
    "256_w17_kbe_s1": Clock(90),
    "256_w17_hbe2_s1": Clock(85),
    "composite_btmi": Clock(80),
    "composite_bmi": Clock(90),
    "p192_btmi": Clock(every=True),
    "p192_bmi": Clock(every=True),
    "p256": Clock(every=True),
}


def cox_rower():
    """The Montgomery multiplier, with both extensions at the paper's points, and two more."""

    def configuration(bits, width, columns, share, published=None):
        form = "kbe" if columns == 1 else f"hbe{columns}"
        name = f"{bits}_w{width}_{form}_s{share}"
        figures = dict(zip(("dsp", "slices", "cycles", "ns"), published, strict=True)) if published else {}
        return Configuration(
            name,
            tables=f"cox_rower/{name}",
            operations=(5, 20),
            published=figures,
            quick=bits == 11 or ((bits, width) == (256, 24) and columns < 4),
            synthesize=bits != 11,
            sweep=bits == 384 or columns > 2,
            clock=CLOCKS.get(name),
        )

    configurations = [configuration(11, 7, *form) for form in ((1, 1), (2, 1), (2, 2))]
    for (bits, width), (kawamura, hierarchical) in HIERARCHICAL.items():
        configurations.append(configuration(bits, width, 1, 1, kawamura))
        configurations.append(configuration(bits, width, 2, 1, hierarchical))
        configurations.append(configuration(bits, width, 2, 2, hierarchical))
    configurations += [configuration(256, 24, columns, 1) for columns in (3, 4)]
    sources = (*COX_ROWER, "cox_rower/cox_rower.sv")
    return Core("cox_rower", sources, "tb.cox_rower.test_cox_rower", tuple(configurations), notes=extensions, bound=True)


# Bigou and Tisserand (2016): BTMI takes 30% less time than BMI, for up to 4% more area (Virtex 5).
def inverter():
    """The plus-minus inverter, binary-ternary and binary."""

    def configuration(prime, form):
        return Configuration(
            f"{prime}_{form}",
            tables=f"inverter/{prime}_{form}",
            operations=(3, 200) if prime in ("p192", "p256", "p384", "p521") else (3, 20),
            quick=prime in ("p192", "composite") or (prime, form) == ("ed25519", "btmi"),
            synthesize=prime in ("p192", "p256", "p384", "p521"),
            sweep=prime == "p521",
            clock=CLOCKS.get(f"{prime}_{form}"),
        )

    primes = ("p192", "p224", "ed25519", "p256", "p384", "p521", "composite")
    configurations = [configuration(prime, form) for prime in primes for form in ("btmi", "bmi")]
    parts = ("mod3", "small_residues", "inversion_control", "inverting_rowers", "inverter")
    sources = (*COX_ROWER, *(f"inverter/{part}.sv" for part in parts))
    testbench = "tb.inverter.test_inverter"
    options = {"notes": inversions, "simulator": "verilator", "bound": True}
    return Core("inverter", sources, testbench, tuple(configurations), **options)


def curve_processor():
    """Scalar multiplication on curves of 256 and 384 bits."""
    parts = ("inverter/mod3", "inverter/small_residues", "inverter/inversion_control", "inverter/inverting_rowers")
    parts += ("common/register_file",)
    own = ("radix_converter", "reduction_control", "banked_rowers", "curve_processor")
    parts += tuple(f"curve/{part}" for part in own)

    def configuration(name, operations=8):
        return Configuration(
            name,
            tables=f"curve/{name}",
            # In the quick run only traced operations, by short scalars.
            operations=(0, operations),
            quick=name in ("p384_hbe3", "secp256k1_overlap"),
            sweep=name != "p256",
            clock=CLOCKS.get(name),
        )

    names = ("p256", "secp256k1", "secp256k1_overlap", "secp256k1_w17", "secp256k1_w17_hbe2", "brainpoolp256r1", "p384")
    configurations = [configuration(name) for name in names]
    configurations += [configuration(f"p384_{form}", 200) for form in ("hbe2", "hbe3")]
    configurations += [configuration("p384_hbe2_overlap")]
    sources = (*COX_ROWER, *(f"{part}.sv" for part in parts))
    testbench = "tb.curve.test_curve_processor"
    options = {"simulator": "verilator", "quick_simulator": "verilator", "signals": "curve/signals.vlt"}
    return Core("curve_processor", sources, testbench, tuple(configurations), notes=processors, bound=True, **options)


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
    cox_rower(),
    inverter(),
    curve_processor(),
]

PARTS = [
    Core(
        "sor_multiplier",
        ("common/pseudo_mersenne_reducer.sv", "sum_of_residues/sor_multiplier.sv"),
        "",
        (
            Configuration(
                "66-by-66", "", {"WIDTH": 66, "EXPONENT": 2}, quick=False, synthesize=False, clock=Clock(75)
            ),
        ),
    )
]
"""Parts that are placed and routed where the whole takes too long: one channel of the eight of a `sor_1m`."""


def designs():
    """What a designer takes: curve processors behind a bus or a UART, and two curves on one chip."""
    (processor,) = (core for core in CORES if core.name == "curve_processor")
    parts = ("register_interface", "curve_unit", "curve_registers")
    common = (*processor.sources, *(f"interface/{part}.sv" for part in parts))

    def design(name, sources, curves, parameters=None, quick=True):
        bound = tuple(f"../generated/curve/{curve}/curve_processor_{curve}.sv" for curve in curves)
        configuration = Configuration(
            "-".join(curves),
            tables=f"curve/{curves[0]}",
            parameters=parameters or {},
            operations=(0, 1),
            quick=quick,
            synthesize=False,
        )
        testbench = f"tb.interface.test_{name}"
        return Core(name, (*common, *sources, *bound), testbench, (configuration,), simulator="verilator")

    return [
        design("curve_axi4lite", ("interface/axi4lite_interface.sv", "interface/curve_axi4lite.sv"), ["secp256k1"]),
        design(
            "ecp5_uart",
            ("interface/uart_interface.sv", "example/ecp5_uart.sv"),
            ["secp256k1"],
            {"CLOCKS_PER_BIT": 4},
        ),
        design("two_curves", ("example/two_curves.sv",), ["secp256k1", "p256"], quick=False),
    ]


DESIGNS = designs()
"""Checked and simulated as the cores are, but not in the report."""
