"""Notes of the report that set rows side by side."""

from math import prod


def extensions(rows):
    """Kawamura's extension and the hierarchical one at the points of Djath, Bigou and Tisserand (2019)."""
    found = {row["configuration"]: row for row in rows}
    lines = [
        "**Kawamura's extension (KBE) and the hierarchical one (HBE).** *Products* are slots of the multipliers",
        "for one Montgomery product; `s2` has half as many rowers, each for two moduli of a base. Paper: XC7Z020,",
        "Vivado HLS, KBE / HBE.",
        "",
        "| P, w | N | products: KBE, HBE | cycles: KBE, HBE, HBE s2 | DSP: KBE, HBE, HBE s2 "
        "| LUT: KBE, HBE, HBE s2 | cycles, paper | DSP, paper |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for bits in (256, 384):
        for width in (17, 20, 24, 28):
            three = [found[f"{bits}_w{width}_{form}"] for form in ("kbe_s1", "hbe2_s1", "hbe2_s2")]
            moduli = joined([row["simulated"].get("moduli") for row in three[:2]])
            products = joined([row["simulated"].get("multiplier_operations") for row in three[:2]])
            figures = [joined([row[name] for row in three]) for name in ("cycles", "dsp", "lut")]
            paper = [joined([row["published"].get(name) for row in three[:2]]) for name in ("cycles", "dsp")]
            cells = [f"{bits}, {width}", moduli, products, *figures, *paper]
            lines.append(f"| {' | '.join(cells)} |")
    lines += ["", VERDICT]
    return "\n".join(lines)


VERDICT = """*Where HBE wins here.* In products at every point, by 23% to 40%. In cycles where rows are many: with a
rower for each modulus it takes N + 35 cycles and KBE 2 N + 25, so with equal N it is faster from N = 11 on, by up
to 17% (384 bits, w = 17). It is even with KBE at N = 10, and where it takes 12 moduli for KBE's 11.
*Where it does not.* In area: each rower reduces row sums besides products, one of each in every cycle, which takes
multipliers for k times the high part, and LUTs. With half the rowers (`s2`) it takes about the DSPs of KBE, up to
4% more (384 bits, w = 17) and up to 29% fewer (w = 28, where a product alone takes four), LUTs within 14% of KBE's, and 17%
to 28% more cycles. More columns (`hbe3`, `hbe4`) take fewer products, 204 instead of 228 at 256 bits and w = 24, and
45 cycles instead of 47, but more DSPs, since row sums of 3 and 4 words take 3 and 5 folds. In the paper HBE takes fewer
cycles and DSPs at all eight points, and more slices at four, on a schedule by Vivado HLS that is not published;
here both take fewer cycles, since slots follow each other without gaps."""


def inversions(rows):
    """BTMI and BMI at four sizes."""
    found = {row["configuration"]: row for row in rows}
    lines = [
        "**Binary-ternary (BTMI) and binary (BMI) inversion**, mean of the simulated operands; channels of 28",
        "bits. The paper: 30% less time, and up to 4% more area (slices of a Virtex 5).",
        "",
        "| P | N | operands | cycles: BTMI, BMI | saved | LUT: BTMI, BMI | more | FF: BTMI, BMI | DSP: BTMI, BMI |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for prime in ("p192", "p256", "p384", "p521"):
        pair = [found[f"{prime}_{form}"] for form in ("btmi", "bmi")]
        cycles, luts = ([row[name] for row in pair] for name in ("cycles", "lut"))
        saved = f"{100 * (1 - cycles[0] / cycles[1]):.1f}%" if None not in cycles else ""
        more = f"{100 * (luts[0] / luts[1] - 1):.1f}%" if None not in luts else ""
        simulated = pair[0]["simulated"]
        cells = [prime, joined([simulated.get("moduli")]), joined([simulated.get("operations")])]
        cells += [joined(cycles), saved, joined(luts), more]
        cells += [joined([row[name] for row in pair]) for name in ("ff", "dsp")]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", OVERHEAD]
    return "\n".join(lines)


OVERHEAD = """*More* is all that the ternary form has in addition: the mod-3 units, more divisors, and their decisions. It takes
a larger part of LUTs here than of slices in the paper; flip-flops grow by about 1%, DSPs not at all."""


# The processors that are compared: the first of each group with the others.
PROCESSORS = (
    ("secp256k1", "secp256k1_overlap"),
    ("secp256k1_w17", "secp256k1_w17_hbe2"),
    ("p384", "p384_hbe2", "p384_hbe3", "p384_hbe2_overlap"),
)


def processors(rows):
    """Curve processors with the hierarchical extension, and with reductions that overlap."""
    found = {row["configuration"]: row for row in rows}
    lines = [
        "**Curve processors: the hierarchical extension, and overlapping reductions.** `hbe2` and `hbe3` have rows of",
        "two and three moduli, `overlap` has two banks of accumulators. *Change* is against the first row of a group;",
        "area times time is DSP or LUT, times cycles, at equal clocks.",
        "",
        "| processor | N | cycles | change | DSP | LUT | FF | DSP x cycles, change | LUT x cycles, change |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for group in PROCESSORS:
        first = found[group[0]]
        for name in group:
            row = found[name]
            cells = [f"`{name}`", joined([row["simulated"].get("moduli")]), joined([row["cycles"]])]
            cells += [change(row, first, "cycles"), *(joined([row[figure]]) for figure in ("dsp", "lut", "ff"))]
            cells += [change(row, first, "cycles", area) for area in ("dsp", "lut")]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, "", PROCESSOR_VERDICT])


def change(row, first, *figures):
    """By how much the product of these figures differs from that of the first row of a group, in percent."""
    values = [[of[figure] for figure in figures] for of in (row, first)]
    if row is first or None in (*values[0], *values[1]):
        return "" if row is first else "-"
    return f"{100 * (prod(values[0]) / prod(values[1]) - 1):+.1f}%"


PROCESSOR_VERDICT = """A dash is a count that was not made.
*In cycles* the hierarchical extension pays from N = 11 on: on P-384, and at 256 bits in channels of 17, but not in channels
of 28, where N = 10 and both take the same. Reductions that overlap save more.
*In area times time the hierarchical extension does not pay here.* The rowers are those of `cox_rower`, where rows of two
take several times as much of DSPs and LUTs as they save in cycles (`384_w28_kbe_s1` beside `384_w28_hbe2_s1`, and
`256_w17_kbe_s1` beside `256_w17_hbe2_s1`), as every rower reduces row sums, too.
*Reductions that overlap pay*: a second bank and a second control take LUTs and flip-flops, and no multiplier. Slots
still stay idle, as turns of the loop do not overlap."""


# Pairs of configurations, and what a paper has for the second beside the first, as ratios: period, time.
PAIRS = (
    ("HBE : KBE, 256 bits, w = 17", ("256_w17_hbe2_s1", "256_w17_kbe_s1"), (10.3 / 9.8, 937.3 / 960.4)),
    ("BTMI : BMI, 64 bits here", ("composite_btmi", "composite_bmi"), (None, 0.7)),
    ("BTMI : BMI, P-192", ("p192_btmi", "p192_bmi"), (None, 0.7)),
)


def clocks(rows):
    """The ratios of periods and times, here and in the papers; empty without a pair."""
    found = {row["configuration"]: row for row in rows}
    pairs = [pair for pair in PAIRS if all(configuration in found for configuration in pair[1])]
    if not pairs:
        return ""
    lines = [
        "",
        "Ratios of periods and of times of an operation, here and as printed (XC7Z020 with Vivado HLS; Virtex 5):",
        "",
        "| pair | period | time | period, paper | time, paper |",
        "|---|---|---|---|---|",
    ]
    for name, pair, printed in pairs:
        first, second = (found[configuration] for configuration in pair)
        time = first["ns"] / second["ns"] if first["ns"] and second["ns"] else None
        ratios = [second["mhz"] / first["mhz"], time, *printed]
        cells = [name, *("-" if ratio is None else f"{ratio:.2f}" for ratio in ratios)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def joined(values):
    """Figures, with a dash for those that were not measured."""
    return ", ".join("-" if value is None else f"{value:,}" for value in values)
