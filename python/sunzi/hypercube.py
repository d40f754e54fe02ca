"""A modular power spread over a hypercube of processing elements (CRSA), in this process or as actors of Ray.

After "Cube Based RSA Analysis and Optimization" (M. Damrudi, K. Jadidy Aval). The exponent is split, `e = D q + r` with
`0 <= r < D`. A coordinator computes `A = m^q` and `B = m^r`; a path of cubes of eight processing elements each computes
`A^D B = m^e`. The graph of the cubes is a reconstruction, which docs/hypercube.md of the project derives. The unit of
work is the *product*: one product or square modulo n.

>>> cube = Hypercube(2)
>>> cube.constant, len(cube.elements), len(cube.links)
(46, 13, 21)
>>> cube.power(3, 65537, 1009) == pow(3, 65537, 1009)
True
>>> cube.messages()["PE 5", "PE 7"]
1

With Ray (`pip install "sunzi[ray]"`) each element is an actor, that is a process of its own, and the actors may be on
several machines. A value travels only between neighbours:

    import ray
    from sunzi.hypercube import Actors, Hypercube

    ray.init()
    with Actors(Hypercube(2)) as actors:
        run = actors.powers([3, 5], 65537, 1009)
        run.powers                          # [pow(3, 65537, 1009), pow(5, 65537, 1009)]
        run.messages["PE 5", "PE 7"]        # 2: one for each power
        actors.latency("PE 5", "PE 13")     # seconds for a message to a neighbour

This is for measuring the method, and not a fast way to a power: a message between processes takes longer than hundreds
of products, and the method saves two. The time depends on the exponent, and nothing is wiped: for public numbers only.
"""

from __future__ import annotations

import asyncio
import importlib
import statistics
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

__all__ = ["Actors", "Element", "Hypercube", "HypercubeError", "Latency", "Link", "Run"]

MAX_CUBES = 16
"""The largest number of cubes."""

COORDINATOR = "coordinator 0"
OUTSIDE = "outside"

NODES = {"plain": (0, 1, 2, 3, 4, 5, 6, 7), "optimized": (0, 2, 4, 5, 6, 7)}
"""The nodes of a cube that are elements, for each form."""

Node = tuple[int, int]
"""The cube, from 0, and the number within it, 0 to 7."""


class HypercubeError(ValueError):
    """A parameter that violates a condition, which the message names, or a run that gave no powers."""


@dataclass(frozen=True)
class Element:
    """A processing element. `name` is "coordinator 0" or "PE 5"; `cube` is the cube from 0, None for the coordinator;
    `label` its binary label in the hypercube, None for the coordinator: two nodes are neighbours if their labels differ
    in one bit. `products` is the number of products for each power; 0 for the coordinator, whose work depends on the
    exponent."""

    name: str
    cube: int | None
    label: str | None
    products: int


@dataclass(frozen=True)
class Link:
    """A one-way link from an element to a neighbour, by their names. "outside" is the caller, who sends m and gets m^e.
    A message of a link is one number below n, as an element's result."""

    sender: str
    receiver: str


@dataclass(frozen=True)
class Run:
    """A run of powers on actors.

    `powers` are the results in order. `messages` has the number of messages that were sent over each link, by the
    names of sender and receiver; `products` the number of products in each element. `seconds` is the time from the
    first base sent to the last power received, and `machines` the identifier of the machine of each element.
    """

    powers: list[int]
    messages: dict[tuple[str, str], int]
    products: dict[str, int]
    seconds: float
    machines: dict[str, str]

    @property
    def between_machines(self) -> int:
        """The number of messages whose sender and receiver are on different machines."""
        machine = self.machines
        ends = {pair: OUTSIDE not in pair and machine[pair[0]] != machine[pair[1]] for pair in self.messages}
        return sum(count for pair, count in self.messages.items() if ends[pair])


@dataclass(frozen=True)
class Latency:
    """Times of messages from an element to a neighbour, in seconds.

    `alone` is half of the median round trip of one message; `spread` half the distance between the quartiles of these
    halves. `in_a_row` is the mean time for each of many messages that are sent without waiting for one another.
    """

    alone: float
    spread: float
    in_a_row: float


class Hypercube:
    """A path of `cubes` cubes, 1 to 16, with one coordinator. `form` is "optimized", or "plain", in which each cube has
    two elements more that repeat the work of others.

    Raises HypercubeError for another number of cubes or another form.
    """

    def __init__(self, cubes: int, form: str = "optimized") -> None:
        if cubes < 1:
            raise HypercubeError(f"{cubes} cubes: a hypercube has at least 1 cube of 8 processing elements")
        if cubes > MAX_CUBES:
            raise HypercubeError(f"{cubes} cubes are too many: at most {MAX_CUBES} are supported")
        if form not in NODES:
            raise HypercubeError(f"there is no form {form!r}: it is one of {', '.join(NODES)}")
        self._count, self._form = cubes, form
        self._nodes: list[Node] = [(cube, index) for cube in range(cubes) for index in NODES[form]]
        self._factors = {node: self._factors_of(*node) for node in self._nodes}
        label = f"0{self.dimension}b"
        self._elements = {COORDINATOR: Element(COORDINATOR, None, None, 0)}
        for cube, index in self._nodes:
            gray = cube ^ cube >> 1
            products = max(len(self._factors[cube, index]) - 1, 0)
            name = _name((cube, index))
            self._elements[name] = Element(name, cube, format(8 * gray + index, label), products)
        self._links = [Link(OUTSIDE, COORDINATOR), Link(COORDINATOR, _name((0, 0))), Link(COORDINATOR, _name((0, 2)))]
        for node in self._nodes:
            self._links += [Link(_name(source), _name(node)) for source in sorted({*self._factors[node]})]
        self._links.append(Link(_name((0, 7)), OUTSIDE))

    @classmethod
    def of_dimension(cls, dimension: int, form: str = "optimized") -> Hypercube:
        """All `2^(dimension - 3)` cubes of a hypercube of this dimension, 3 to 7. Raises HypercubeError for another."""
        if not 3 <= dimension <= 7:
            raise HypercubeError(
                f"a hypercube of dimension {dimension}: it must have 3, for one cube, to 7, for {MAX_CUBES} cubes"
            )
        return cls(1 << dimension - 3, form)

    @property
    def cubes(self) -> int:
        """Nc, the number of cubes."""
        return self._count

    @property
    def form(self) -> str:
        """ "optimized" or "plain"."""
        return self._form

    @property
    def dimension(self) -> int:
        """The dimension of the smallest hypercube that contains the cubes: `3 + ceil(log2 Nc)`."""
        return 3 + (self._count - 1).bit_length()

    @property
    def constant(self) -> int:
        """D, by which exponents are split: `24 * 2^Nc - 12 Nc - 26`."""
        return (24 << self._count) - 12 * self._count - 26

    @property
    def elements(self) -> list[Element]:
        """The coordinator and the nodes, in the order of their numbers."""
        return list(self._elements.values())

    @property
    def links(self) -> list[Link]:
        """The links: one into the network, two from the coordinator, those between nodes, one out of the network."""
        return list(self._links)

    def split(self, exponent: int) -> tuple[int, int]:
        """`(q, r)` with `exponent = D q + r` and `0 <= r < D`. Raises HypercubeError for a negative exponent."""
        if exponent < 0:
            raise HypercubeError("the exponent is negative: it must be at least 0")
        return divmod(exponent, self.constant)

    def messages(self, powers: int = 1) -> dict[tuple[str, str], int]:
        """The number of messages over each link for this many powers, by the names of sender and receiver: one for each
        power."""
        return {(link.sender, link.receiver): powers for link in self._links}

    def products(self, exponent: int) -> dict[str, int]:
        """The number of products in each element for one power with this exponent."""
        counts = {element.name: element.products for element in self._elements.values()}
        counts[COORDINATOR] = len(_coordinate(*self.split(exponent))[0])
        return counts

    def power(self, base: int, exponent: int, modulus: int) -> int:
        """`pow(base, exponent, modulus)`, element by element in this process.

        Raises HypercubeError unless `0 <= base < modulus`, `modulus >= 2` and `exponent >= 0`.
        """
        _check([base], modulus)
        steps, outputs = _coordinate(*self.split(exponent))
        values: dict[str, int] = {}
        a, b = _run(steps, outputs, base, modulus)
        for node in self._nodes:
            # Nodes 7 take a value of the cube after theirs: they are computed last, from the last cube on.
            if node[1] != 7:
                values[_name(node)] = self._value(node, values, {(0, 0): a, (0, 2): b}, modulus)
        for cube in reversed(range(self._count)):
            values[_name((cube, 7))] = self._value((cube, 7), values, {}, modulus)
        return values[_name((0, 7))]

    def _value(self, node: Node, values: Mapping[str, int], inputs: Mapping[Node, int], modulus: int) -> int:
        """The value that a node sends."""
        return inputs[node] if node in inputs else _product([values[_name(f)] for f in self._factors[node]], modulus)

    def _factors_of(self, cube: int, index: int) -> list[Node]:
        """The nodes whose values a node multiplies, in order. Nodes 0 and 2 of cube 0, with none, pass on A and B."""

        def here(*indices: int) -> list[Node]:
            return [(cube, index) for index in indices]

        twin = 1 if self._form == "plain" else 4
        before: list[Node] = [(cube - 1, index)]
        if cube == 0:
            first: dict[int, list[Node]] = {
                0: [], 1: here(0, 0), 2: [], 3: here(1, 2), 4: here(0, 0), 5: here(4, twin), 6: here(4, 2)
            }  # fmt: skip
            factors = first.get(index)
        else:
            later: dict[int, list[Node]] = {
                0: before + before,
                1: here(0) + before,
                2: here(0, 0),
                3: here(2, 2, 1) if cube == 1 else here(1, 2) + before,
                4: here(0) + before,
                5: here(4, twin) + before,
                6: here(2, 2, 4) if cube == 1 else here(4, 2) + before,
            }
            factors = later.get(index)
        if factors is not None:
            return factors
        following: list[Node] = [(cube + 1, 7)] if cube + 1 < self._count else []
        return here(5, 5, 6) + following


def _name(node: Node) -> str:
    """The name of a node: "PE" and the paper's number."""
    return f"PE {8 * node[0] + node[1]}"


def _check(bases: Iterable[int], modulus: int) -> None:
    """Refuses a modulus below 2, and bases that are not below it."""
    if modulus < 2:
        raise HypercubeError(f"the modulus is {modulus}: it must be at least 2")
    for place, base in enumerate(bases):
        if not 0 <= base < modulus:
            raise HypercubeError(
                f"base number {place} is {'negative' if base < 0 else 'not below the modulus'}: "
                "reduce it first, its power stays the same"
            )


Step = tuple[int, int]
"""Two factors, by their numbers: -1 is the number 1, 0 is m, and k the product of step k - 1."""


def _coordinate(q: int, r: int) -> tuple[list[Step], tuple[int, int]]:
    """The coordinator's products and the numbers of A and B: from the lowest bit up, with shared squares."""
    steps: list[Step] = []

    def multiply(left: int, right: int) -> int:
        steps.append((left, right))
        return len(steps)

    results = [-1, -1]
    square = 0
    for bit in range(max(q.bit_length(), r.bit_length())):
        if bit:
            square = multiply(square, square)
        for place, exponent in enumerate((q, r)):
            if exponent >> bit & 1:
                known = results[place]
                results[place] = square if known < 0 else multiply(known, square)
    return steps, (results[0], results[1])


def _run(steps: Sequence[Step], outputs: Sequence[int], base: int, modulus: int) -> list[int]:
    """The outputs of a coordinator's program."""
    values = [base]
    for left, right in steps:
        values.append(values[left] * values[right] % modulus)
    return [1 if output < 0 else values[output] for output in outputs]


def _product(factors: Sequence[int], modulus: int) -> int:
    """The product of factors, one after the other."""
    result = factors[0]
    for factor in factors[1:]:
        result = result * factor % modulus
    return result


class _Worker:
    """An actor: one element. Messages come by `deliver`, and go to neighbours only: it knows no other actor."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._neighbours: dict[str, Any] = {}
        self._inbox: dict[tuple[int, str, int], int] = {}
        self._arrival = asyncio.Condition()

    async def connect(self, neighbours: dict[str, Any]) -> str:
        """Gets the actors that it sends to, by name. Returns the identifier of its machine."""
        self._neighbours = neighbours
        return str(importlib.import_module("ray").get_runtime_context().get_node_id())

    async def deliver(self, run: int, sender: str, power: int, value: int) -> None:
        """Takes a message."""
        async with self._arrival:
            self._inbox[run, sender, power] = value
            self._arrival.notify_all()

    async def echo(self, value: int) -> int:
        """Sends a number back, for the measurement of round trips."""
        return value

    async def _receive(self, run: int, sender: str, power: int) -> int:
        """The message of a sender for a power, as soon as it is there."""
        async with self._arrival:
            await self._arrival.wait_for(lambda: (run, sender, power) in self._inbox)
            return self._inbox.pop((run, sender, power))

    async def work(
        self, run: int, powers: int, modulus: int, senders: list[str], receivers: list[str], program: Any
    ) -> tuple[dict[str, int], int]:
        """Takes part in a run of `powers` powers.

        `program` is the coordinator's steps and outputs, or the list of senders whose values a node multiplies.
        Returns the number of messages sent to each receiver, and the number of products.
        """
        sent = dict.fromkeys(receivers, 0)
        products = 0
        for power in range(powers):
            inputs = {sender: await self._receive(run, sender, power) for sender in senders}
            if isinstance(program, tuple):
                steps, outputs = program
                values = _run(steps, outputs, inputs[OUTSIDE], modulus)
                products += len(steps)
            else:
                factors = program or senders
                values = [_product([inputs[factor] for factor in factors], modulus)] * len(receivers)
                products += len(factors) - 1
            for receiver, value in zip(receivers, values, strict=True):
                if receiver == OUTSIDE:
                    await self.deliver(run, OUTSIDE, power, value)
                else:
                    self._neighbours[receiver].deliver.remote(run, self._name, power, value)
                sent[receiver] += 1
        return sent, products

    async def collect(self, run: int, first: int, count: int) -> list[int]:
        """What the last element sends outside for these powers, as soon as all are there."""
        return [await self._receive(run, OUTSIDE, power) for power in range(first, first + count)]

    async def measure(self, receiver: str, count: int, value: int) -> tuple[list[float], float]:
        """The times of `count` round trips to a neighbour, and the time for each of as many messages in a row."""
        neighbour = self._neighbours[receiver]
        trips = []
        for _ in range(count):
            start = time.perf_counter()
            await neighbour.echo.remote(value)
            trips.append(time.perf_counter() - start)
        start = time.perf_counter()
        await asyncio.gather(*(neighbour.echo.remote(value) for _ in range(count)))
        return trips, (time.perf_counter() - start) / count

    async def product_time(self, modulus: int, count: int) -> float:
        """The mean time of a product modulo n in this process, in seconds."""
        value = modulus // 3
        start = time.perf_counter()
        for _ in range(count):
            value = value * value % modulus
        return (time.perf_counter() - start) / count


class Actors:
    """The elements of a hypercube as actors of Ray, one for each. Ray must have been started (`ray.init()`).

    `machines` are identifiers of Ray's nodes (`ray.nodes()[...]["NodeID"]`), all that are alive if it is left out. The
    cubes are spread over them in consecutive parts, the coordinator beside cube 0. Actors reserve no processors:
    there are more of them than there are.

    A run ends with all powers or with HypercubeError: if an actor ends early, all others are ended. `close`, or the end
    of a `with`, ends them.

    Raises HypercubeError if Ray has not been started, if there are more machines than cubes, or if one is not alive.
    """

    def __init__(self, cube: Hypercube, *, machines: Sequence[str] | None = None) -> None:
        ray = self._ray = importlib.import_module("ray")
        if not ray.is_initialized():
            raise HypercubeError("Ray has not been started: call ray.init() first")
        alive = [node["NodeID"] for node in ray.nodes() if node["Alive"]]
        chosen = alive[: cube.cubes] if machines is None else list(machines)
        if not chosen:
            raise HypercubeError("no machine is given: at least 1 is needed")
        if len(chosen) > cube.cubes:
            raise HypercubeError(
                f"{len(chosen)} machines for {cube.cubes} cubes: a cube stays on one machine, so at most {cube.cubes}"
            )
        for machine in chosen:
            if machine not in alive:
                raise HypercubeError(f"machine {machine} is not alive: Ray has {', '.join(alive)}")
        self.cube = cube
        self._runs = 0
        strategies = importlib.import_module("ray.util.scheduling_strategies")
        actor = ray.remote(_Worker)
        self._actors: dict[str, Any] = {}
        for element in cube.elements:
            machine = chosen[(element.cube or 0) * len(chosen) // cube.cubes]
            where = strategies.NodeAffinitySchedulingStrategy(machine, soft=False)
            options = {"num_cpus": 0, "scheduling_strategy": where, "max_concurrency": 1000}
            self._actors[element.name] = actor.options(**options).remote(element.name)
        self._senders: dict[str, list[str]] = {name: [] for name in self._actors}
        self._receivers: dict[str, list[str]] = {name: [] for name in self._actors}
        for link in cube.links:
            if link.receiver != OUTSIDE:
                self._senders[link.receiver].append(link.sender)
            if link.sender != OUTSIDE:
                self._receivers[link.sender].append(link.receiver)
        places = {
            name: actor.connect.remote({to: self._actors[to] for to in self._receivers[name] if to != OUTSIDE})
            for name, actor in self._actors.items()
        }
        self._machines: dict[str, str] = {name: self._get(place, 120) for name, place in places.items()}

    def powers(
        self, bases: Sequence[int], exponent: int, modulus: int, *, pipelined: bool = True, timeout: float = 120.0
    ) -> Run:
        """The powers of the bases: as a stream, in which one is begun before the last one is done, or each after the
        one before it (`pipelined=False`).

        Raises HypercubeError unless `0 <= base < modulus` for each base, `modulus >= 2` and `exponent >= 0`; and if an
        actor ends early or `timeout` seconds pass: then all actors are ended, and there are no powers.
        """
        if not self._actors:
            raise HypercubeError("the actors have ended: make new ones")
        _check(bases, modulus)
        programs: dict[str, Any] = {COORDINATOR: _coordinate(*self.cube.split(exponent))}
        for node, factors in self.cube._factors.items():
            programs[_name(node)] = [_name(factor) for factor in factors]
        self._runs += 1
        run, first, last = self._runs, self._actors[COORDINATOR], self._actors[_name((0, 7))]
        working = {}
        for name, actor in self._actors.items():
            links = self._senders[name], self._receivers[name]
            working[actor.work.remote(run, len(bases), modulus, *links, programs[name])] = name
        reports: dict[str, tuple[dict[str, int], int]] = {}
        deadline = time.monotonic() + timeout

        def wait(wanted: Any = None) -> Any:
            """The answer that is wanted, or the next report. An element that ends early is an error meanwhile."""
            while True:
                waiting = [*working] if wanted is None else [wanted, *working]
                done, _ = self._ray.wait(waiting, timeout=max(deadline - time.monotonic(), 0))
                if not done:
                    self.close()
                    raise HypercubeError(f"not all powers are there after {timeout} seconds: none is given")
                for reference in done:
                    if reference in working:
                        name = working.pop(reference)
                        reports[name] = self._get(reference, timeout, name)
                if wanted is None:
                    return None
                if wanted in done:
                    return self._get(wanted, timeout)

        powers: list[int] = []
        start = time.perf_counter()
        for power, base in enumerate(bases):
            first.deliver.remote(run, OUTSIDE, power, base)
            if not pipelined:
                powers += wait(last.collect.remote(run, power, 1))
        if pipelined:
            powers = wait(last.collect.remote(run, 0, len(bases)))
        seconds = time.perf_counter() - start
        while working:
            wait()
        messages = {(OUTSIDE, COORDINATOR): len(bases)}
        for name in self._actors:
            messages |= {(name, receiver): count for receiver, count in reports[name][0].items()}
        return Run(powers, messages, {name: reports[name][1] for name in self._actors}, seconds, dict(self._machines))

    def latency(self, sender: str, receiver: str, *, count: int = 200, bits: int = 1024) -> Latency:
        """The time of messages of `bits` bits from an element to one that it has a link to.

        Raises HypercubeError if there is no such link between two elements.
        """
        if sender not in self._actors or receiver not in self._receivers[sender] or receiver == OUTSIDE:
            raise HypercubeError(f"there is no link from {sender} to {receiver}: messages go over links only")
        value = (1 << bits) - 1
        # The first messages open connections.
        self._get(self._actors[sender].measure.remote(receiver, 20, value), 120, sender)
        trips, in_a_row = self._get(self._actors[sender].measure.remote(receiver, count, value), 120, sender)
        first, middle, third = statistics.quantiles([trip / 2 for trip in trips], n=4)
        return Latency(middle, (third - first) / 2, in_a_row)

    def product_time(self, modulus: int, *, count: int = 20_000) -> float:
        """The mean time of a product modulo n in an element, in seconds: Python's product and remainder."""
        _check([], modulus)
        seconds: float = self._get(self._actors[COORDINATOR].product_time.remote(modulus, count), 120, COORDINATOR)
        return seconds

    def close(self) -> None:
        """Ends all actors."""
        for actor in self._actors.values():
            self._ray.kill(actor)
        self._actors = {}

    def _get(self, reference: Any, timeout: float, name: str = "an element") -> Any:
        """The answer of an actor. If there is none, all actors are ended."""
        try:
            return self._ray.get(reference, timeout=timeout)
        except self._ray.exceptions.RayError as error:
            self.close()
            raise HypercubeError(f"{name} ended early, no power is given: {error}") from error

    def __enter__(self) -> Actors:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
