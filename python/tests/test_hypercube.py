"""A power on a hypercube: in one process, and by actors of Ray on one machine and on two."""

import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sunzi.hypercube import Actors, Hypercube, HypercubeError

VECTORS = Path(__file__).parents[2] / "vectors" / "hypercube.json"
"""Networks and counts of messages, as the simulation of crates/papers has them."""

MODULUS = (1 << 255) - 19


def networks() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(VECTORS.read_text())["networks"]
    return found


@pytest.mark.parametrize("network", networks(), ids=lambda network: f"{network['form']}-{network['cubes']}")
def test_networks_are_those_of_the_simulation(network: dict[str, Any]) -> None:
    cube = Hypercube(network["cubes"], network["form"])
    assert (cube.constant, cube.dimension) == (network["d"], network["dimension"])
    coordinator, *nodes = cube.elements
    found = [{"name": e.name, "label": e.label, "products": e.products} for e in nodes]
    assert found == network["elements"]
    messages = {f"{a} -> {b}": count for (a, b), count in cube.messages(network["powers"]).items()}
    assert messages == network["messages"]
    for case in network["coordinator"]:
        products = cube.products(int(case["e"], 16))
        assert products.pop(coordinator.name) == case["products"]
        assert products == {e.name: e.products for e in nodes}
    labels = {e.name: int(e.label, 2) for e in nodes if e.label}
    for link in cube.links:
        if link.sender in labels and link.receiver in labels:
            assert (labels[link.sender] ^ labels[link.receiver]).bit_count() == 1


@pytest.mark.parametrize("form", ["plain", "optimized"])
def test_powers_in_one_process(form: str) -> None:
    for cubes in (1, 2, 3, 4, 7, 16):
        cube = Hypercube(cubes, form)
        d = cube.constant
        for exponent in (0, 1, d - 1, d, 3**150):
            for base in (0, MODULUS - 1, 7**80 % MODULUS):
                assert cube.power(base, exponent, MODULUS) == pow(base, exponent, MODULUS)
    # Every small power of a small modulus, even ones too.
    cube = Hypercube(2, form)
    for modulus in range(2, 9):
        for base in range(modulus):
            assert [cube.power(base, e, modulus) for e in range(60)] == [pow(base, e, modulus) for e in range(60)]


def test_violated_conditions_are_named() -> None:
    for arguments, reason in (
        ((0,), "0 cubes: a hypercube has at least 1 cube"),
        ((-1,), "at least 1 cube"),
        ((17,), "17 cubes are too many: at most 16"),
        ((1, "round"), "there is no form 'round': it is one of plain, optimized"),
    ):
        with pytest.raises(HypercubeError, match=reason):
            Hypercube(*arguments)
    assert [Hypercube.of_dimension(d).cubes for d in range(3, 8)] == [1, 2, 4, 8, 16]
    for dimension in (2, 8):
        with pytest.raises(HypercubeError, match=f"dimension {dimension}: it must have 3, for one cube, to 7"):
            Hypercube.of_dimension(dimension)
    cube = Hypercube(1)
    for (base, exponent, modulus), reason in (
        ((5, 2, 5), "not below the modulus"),
        ((-1, 2, 5), "negative"),
        ((0, 2, 1), "the modulus is 1: it must be at least 2"),
        ((1, -1, 5), "the exponent is negative"),
    ):
        with pytest.raises(HypercubeError, match=reason):
            cube.power(base, exponent, modulus)


ray: Any
try:
    import ray  # type: ignore[no-redef]
except ImportError:
    ray = None
# Ray's workers give way to all other work of the machine unless told otherwise, and tests run beside others.
os.environ.setdefault("RAY_worker_niceness", "0")
needs_ray = pytest.mark.skipif(ray is None, reason="SKIPPED: ray is not installed")


@pytest.fixture
def one_machine() -> Iterator[None]:
    ray.init(address="local", num_cpus=1, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.fixture
def two_machines() -> Iterator[list[str]]:
    """Two nodes of Ray on this host."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False)
    yield [node["NodeID"] for node in ray.nodes()]
    ray.shutdown()
    cluster.shutdown()


def check(actors: Actors, bases: list[int], exponent: int) -> None:
    """Powers, messages and products of a stream and of powers one by one."""
    for pipelined in (True, False):
        run = actors.powers(bases, exponent, MODULUS, pipelined=pipelined)
        assert run.powers == [pow(base, exponent, MODULUS) for base in bases]
        assert run.messages == actors.cube.messages(len(bases))
        each = actors.cube.products(exponent)
        assert run.products == {name: len(bases) * count for name, count in each.items()}
        assert run.seconds > 0


@needs_ray
@pytest.mark.usefixtures("one_machine")
def test_each_element_is_an_actor() -> None:
    cube = Hypercube(1)
    with Actors(cube) as actors:
        check(actors, [0, 1, 5, MODULUS - 1], 3**150)
        assert actors.powers([], 3, MODULUS).powers == []
        run = actors.powers([3], cube.constant, MODULUS)
        assert len({*run.machines.values()}) == 1 and run.between_machines == 0
        latency = actors.latency("PE 5", "PE 7", count=10)
        assert 0 < latency.alone < 1 and 0 < latency.in_a_row < 1
        for pair in (("PE 5", "PE 6"), ("PE 7", "outside"), ("PE 9", "PE 7")):
            with pytest.raises(HypercubeError, match="there is no link from"):
                actors.latency(*pair)
        for arguments, reason in (
            (([MODULUS], 2, MODULUS), "base number 0 is not below the modulus"),
            (([1], -2, MODULUS), "the exponent is negative"),
        ):
            with pytest.raises(HypercubeError, match=reason):
                actors.powers(*arguments)
        with pytest.raises(HypercubeError, match="2 machines for 1 cubes"):
            Actors(cube, machines=["a", "b"])
        with pytest.raises(HypercubeError, match="machine a is not alive"):
            Actors(cube, machines=["a"])
        with pytest.raises(HypercubeError, match="at least 1 is needed"):
            Actors(cube, machines=[])
        # An element that ends: an error instead of powers, and no run that lasts forever.
        ray.kill(actors._actors["PE 5"])
        with pytest.raises(HypercubeError, match="PE 5 ended early, no power is given"):
            actors.powers([3], 65537, MODULUS)
        with pytest.raises(HypercubeError, match="the actors have ended"):
            actors.powers([3], 65537, MODULUS)
    ray.shutdown()
    with pytest.raises(HypercubeError, match=r"call ray.init\(\) first"):
        Actors(cube)


@needs_ray
@pytest.mark.slow
@pytest.mark.parametrize(("cubes", "form"), [(2, "optimized"), (2, "plain"), (3, "optimized")])
def test_two_machines(two_machines: list[str], cubes: int, form: str) -> None:
    cube = Hypercube(cubes, form)
    with Actors(cube) as actors:
        check(actors, [0, 1, *range(5, 25), MODULUS - 1], 3**150)
        run = actors.powers([3, 5], 65537, MODULUS)
        machine = run.machines
        assert {*machine.values()} == {*two_machines}
        assert machine["coordinator 0"] == machine["PE 0"] != machine[f"PE {8 * cubes - 1}"]
        assert all(machine[e.name] == machine[f"PE {8 * e.cube}"] for e in cube.elements if e.cube is not None)
        crossing = [link for link in cube.links if "outside" not in (link.sender, link.receiver)]
        crossing = [link for link in crossing if machine[link.sender] != machine[link.receiver]]
        assert run.between_machines == 2 * len(crossing) > 0
        latency = actors.latency(crossing[0].sender, crossing[0].receiver, count=50)
        assert 0 < latency.alone < 1
    # The other way round, and all on one.
    for machines in (two_machines[::-1], two_machines[1:]):
        with Actors(cube, machines=machines) as actors:
            run = actors.powers([7], 3**100, MODULUS)
            assert run.powers == [pow(7, 3**100, MODULUS)]
            assert run.machines["PE 0"] == machines[0]


@needs_ray
@pytest.mark.slow
@pytest.mark.usefixtures("one_machine")
def test_a_long_stream_and_a_process_that_is_killed() -> None:
    """A killed process ends the run with an error."""
    with Actors(Hypercube(1)) as actors:
        bases = list(range(2, 6002))
        # More powers than calls that an actor answers at a time.
        run = actors.powers(bases[:1500], 11, MODULUS)
        assert run.powers == [pow(base, 11, MODULUS) for base in bases[:1500]]
        assert run.messages == actors.cube.messages(1500)
        process = ray.get(actors._actors["PE 6"].__ray_call__.remote(lambda _: os.getpid()))
        threading.Timer(1, os.kill, (process, signal.SIGKILL)).start()
        with pytest.raises(HypercubeError, match="ended early, no power is given"):
            actors.powers(bases, 3**150, MODULUS, timeout=300)
