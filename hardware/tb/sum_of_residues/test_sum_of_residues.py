"""The sum-of-residues cores against sunzi_field::sum_of_residues."""

import cocotb
from cocotb.triggers import RisingEdge
from tb.common.harness import CONFIGURATION, OPERATIONS, Harness, pack, record, residues, unpack, vectors

CHANNELS, WIDTH = 8, 66
EXACT = CONFIGURATION["EXACT"]
EXPECTED = "exact" if EXACT else "published"

# (cycles, cycles with EXACT = 1)
CYCLES = {"sor_1m_n": (31, 37), "sor_1m_p": (24, 29), "sor_2m": (18, 22)}[CONFIGURATION["core"]][EXACT]


def operations(cases):
    """The operands of cases."""
    return [{name: pack(residues(case[name]), WIDTH) for name in ("x", "y")} for case in cases]


async def compare(dut, cases, **how):
    """Runs cases; results and cycles must be right."""
    harness = Harness(dut, ["x", "y"], ["z"])
    await harness.start()
    results, latencies, taken = await harness.run(operations(cases), **how)
    for case, (z,) in zip(cases, results, strict=True):
        assert unpack(z, CHANNELS, WIDTH) == residues(case[EXPECTED]), case
    assert set(latencies) == {CYCLES}, latencies
    return taken


@cocotb.test()
async def adversarial_operands(dut):
    await compare(dut, vectors(f"{CONFIGURATION['tables']}/adversarial.json"))


@cocotb.test()
async def random_operands_back_to_back(dut):
    cases = vectors(f"{CONFIGURATION['tables']}/random.json")[:OPERATIONS]
    assert len(cases) == OPERATIONS
    taken = await compare(dut, cases)
    assert set(taken) == {CYCLES}
    record(cycles=CYCLES, operations=len(cases))


@cocotb.test()
async def the_model_s_vectors(dut):
    """Products from vectors/models, which shares no code with the library."""
    model = vectors("../../vectors/sum_of_residues.json")
    moduli = residues(model["moduli"])
    name = CONFIGURATION["tables"].split("/")[-1]
    cases = [
        {
            key: [f"{int(case[value], 16) % m:x}" for m in moduli]
            for key, value in (("x", "x"), ("y", "y"), ("published", "published"), ("exact", "canonical"))
        }
        for case in model["curves"][name]["cases"][: OPERATIONS + 15]
    ]
    await compare(dut, cases)


@cocotb.test()
async def a_consumer_that_stalls(dut):
    cases = vectors(f"{CONFIGURATION['tables']}/adversarial.json")[:12]
    taken = await compare(dut, cases, ready=lambda cycle: cycle % 50 == 49)
    assert max(taken) > CYCLES


@cocotb.test()
async def reset_in_the_middle_of_an_operation(dut):
    cases = vectors(f"{CONFIGURATION['tables']}/adversarial.json")[:2]
    harness = Harness(dut, ["x", "y"], ["z"])
    await harness.start()
    first, second = operations(cases)
    for cycles in range(1, CYCLES + 2):
        harness.offer(first)
        await RisingEdge(dut.clk)
        harness.offer(None)
        for _ in range(cycles):
            await RisingEdge(dut.clk)
        await harness.reset()
        results, latencies, _ = await harness.run([second])
        assert unpack(results[0][0], CHANNELS, WIDTH) == residues(cases[1][EXPECTED])
        assert latencies == [CYCLES]


def expected_states(core, trace):
    """What the core must hold, as (step, name, value): the state at the beginning of a step."""
    product, gammas = residues(trace["product"]), residues(trace["gammas"])
    terms = [residues(term) for term in trace["terms"]]
    sums = [residues(partial) for partial in trace["sums"]]
    multiple, kappa = residues(trace["multiple"]), int(trace["kappa"], 16)
    if core == "sor_2m":
        yield from ((2, "first_terms", product), (4, "gammas", gammas), (14, "kappa", kappa))
        for pair in range(4):
            yield 6 + 2 * pair, "first_terms", terms[2 * pair]
            yield 6 + 2 * pair, "second_terms", terms[2 * pair + 1]
            yield 7 + 2 * pair, "accumulators", sums[2 * pair]
            yield 8 + 2 * pair, "accumulators", sums[2 * pair + 1]
        yield from ((17, "first_terms", multiple), (17, "accumulators", sums[8]), (18, "accumulators", sums[9]))
    else:
        period, tail = (2, 21) if core == "sor_1m_p" else (3, 28)
        yield from ((2, "terms", product), (4, "gammas", gammas), (tail, "kappa", kappa))
        for index in range(CHANNELS):
            yield 6 + period * index, "terms", terms[index]
            yield 7 + period * index, "accumulators", sums[index]
        yield from ((tail + 2, "terms", multiple), (tail + 2, "accumulators", sums[8]))
        yield tail + 3, "accumulators", sums[9]
    yield 4, "alpha", trace["alpha"]


@cocotb.test()
async def every_state_is_the_library_s(dut):
    """Lock-step: each intermediate RNS state of traced operations, at the cycle where it must be there."""
    core = dut if CONFIGURATION["core"] == "sor_2m" else dut.core
    seen = 0
    for case in vectors(f"{CONFIGURATION['tables']}/adversarial.json")[:3]:
        states = list(expected_states(CONFIGURATION["core"], case["trace"]))

        def compare_states(step, states=states):
            nonlocal seen
            for at, name, value in states:
                if at == step:
                    signal = getattr(core, name)
                    held = signal.value.to_unsigned()
                    assert (unpack(held, CHANNELS, WIDTH) if isinstance(value, list) else held) == value, (
                        step,
                        name,
                    )
                    seen += 1

        harness = Harness(dut, ["x", "y"], ["z"])
        await harness.start()
        ((z,),), _, _ = await harness.run(operations([case]), each=compare_states)
        assert unpack(z, CHANNELS, WIDTH) == residues(case[EXPECTED])
        if EXACT:
            assert core.exact.negative.value == (not case["trace"]["at_least_p"])
    assert seen == 3 * len(states)
    record(states=seen)
