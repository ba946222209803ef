"""The network between ranks: latencies and rates of pairs, latency curves, rings, overheads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from odonata.errors import UserError
from odonata.measure.estimate import Estimate, median_of
from odonata.measure.knees import Knee, find_knees
from odonata.measure.overheads import Overheads, measure_overheads
from odonata.measure.pairs import choose_pairs
from odonata.measure.pingpong import LONG_BYTES, SHORT_BYTES, Effort, call_seconds, sample_pair
from odonata.measure.protocols import longest_eager
from odonata.measure.rings import Rings, measure_rings
from odonata.measure.small_messages import SmallMessages, measure_small_messages
from odonata.measure.world import World

__all__ = [
    "Curve",
    "Network",
    "Pair",
    "Thoroughness",
    "curve_sizes",
    "fastest",
    "furthest",
    "measure_network",
    "nearest",
]

MOST_CURVE_BYTES = 2**20


@dataclass(frozen=True)
class Thoroughness:
    """Extent of the measurements.

    Parameters
    ----------
    pairs
        Most pairs of ranks.
    orders
        Random rings.
    effort
        Samples of a number.
    seed
        Seed of the choice of pairs and of the rings.
    """

    pairs: int = 64
    orders: int = 10
    effort: Effort = field(default_factory=Effort)
    seed: int = 0

    def __post_init__(self) -> None:
        for name, value in (("pairs", self.pairs), ("rings", self.orders)):
            if not 1 <= value <= 10**5:
                raise UserError(f"{name}: out of range", value=value, allowed="1 to 100000")
        if not 5 <= self.effort.samples <= 10**4:
            raise UserError(
                "samples: out of range", value=self.effort.samples, allowed="5 to 10000"
            )
        if not 0 <= self.seed < 2**63:
            raise UserError("seed: out of range", value=self.seed, allowed="0 to 2**63 - 1")


@dataclass(frozen=True)
class Pair:
    """Measurements between two ranks.

    Parameters
    ----------
    ranks
        The two.
    same_node
        Whether they share a node.
    links
        Links between their nodes, including the nodes' own; None if unknown.
    latency
        Time of 8 bytes, one way: α [s].
    bandwidth
        2,000,000 bytes by their time [B/s].
    rate
        1,000,000 bytes by the additional time of 2,000,000: without latency [B/s].
    """

    ranks: tuple[int, int]
    same_node: bool
    links: int | None
    latency: Estimate
    bandwidth: Estimate
    rate: Estimate


@dataclass(frozen=True)
class Curve:
    """Time of a message by its size, one way, and where its law changes.

    Parameters
    ----------
    ranks
        The pair.
    sizes
        Sizes of messages [B].
    seconds
        Time of each [s].
    knees
        From small to large; jumps are narrowed down to a byte.
    """

    ranks: tuple[int, int]
    sizes: tuple[int, ...]
    seconds: tuple[Estimate, ...]
    knees: tuple[Knee, ...]


@dataclass(frozen=True)
class Network:
    """Measurements between ranks.

    Parameters
    ----------
    pairs
        By ranks.
    curves
        Curves of the fastest pair and of the slowest; the fastest pair on two nodes, if any, comes
        first.
    rings
        Natural and random.
    overheads
        Between the ranks of the first curve.
    small_messages
        Between the same, and between their nodes.
    eager_bytes
        The longest eager message between the same [B]; None without a rendezvous in the curve.
    call_seconds
        Share of the interpreter in a latency [s]: intervals reach down by that.
    """

    pairs: tuple[Pair, ...]
    curves: tuple[Curve, ...]
    rings: Rings
    overheads: Overheads
    small_messages: SmallMessages
    eager_bytes: int | None
    call_seconds: float


def nearest(pairs: Sequence[Pair], *, same_node: bool | None = None) -> Pair | None:
    """Return the pair with the least latency; None without pairs.

    Parameters
    ----------
    pairs
        To choose from.
    same_node
        Only pairs that share a node, or that don't; by default all.
    """
    return min(_those(pairs, same_node), key=lambda pair: pair.latency.value, default=None)


def furthest(pairs: Sequence[Pair], *, same_node: bool | None = None) -> Pair | None:
    """Return the pair with the largest latency; parameters as `nearest`."""
    return max(_those(pairs, same_node), key=lambda pair: pair.latency.value, default=None)


def fastest(pairs: Sequence[Pair], *, same_node: bool | None = None) -> Pair | None:
    """Return the pair with the best bandwidth; parameters as `nearest`."""
    return max(_those(pairs, same_node), key=lambda pair: pair.bandwidth.value, default=None)


def _those(pairs: Sequence[Pair], same_node: bool | None) -> list[Pair]:
    return [p for p in pairs if same_node is None or p.same_node == same_node]


def curve_sizes(most: int = MOST_CURVE_BYTES) -> tuple[int, ...]:
    """Return the sizes of a curve: powers of two from 8 bytes, and half-way between [B].

    Parameters
    ----------
    most
        The last.

    Examples
    --------
    >>> curve_sizes(64)
    (8, 12, 16, 24, 32, 48, 64)
    """
    sizes = (2**k * part // 2 for k in range(3, 41) for part in (2, 3))
    return tuple(size for size in sizes if size <= most)


def measure_network(
    world: World,
    thoroughness: Thoroughness,
    links: Callable[[int, int], int] | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> Network:
    """Measure the network between all ranks; all of them call this, and get the same.

    Parameters
    ----------
    world
        Two ranks or more.
    thoroughness
        How much is measured.
    links
        Links between the nodes of two ranks, including the nodes' own, where known.
    tell
        Called with the name of the current measurement.

    Raises
    ------
    UserError
        There is one rank only.
    """
    if world.size < 2:
        raise UserError("ranks: the network needs two", value=world.size, allowed="2 or more")
    spent = call_seconds(world)
    pairs = _measure_pairs(world, thoroughness, links, spent, tell)
    curves = []
    for ranks in _curve_pairs(pairs):
        tell(f"latency curve of ranks {ranks[0]} and {ranks[1]}")
        curves.append(_measure_curve(world, ranks, thoroughness.effort))
    first, samples = curves[0], thoroughness.effort.samples
    tell("the longest message that doesn't ask")
    eager = longest_eager(world, first.ranks, first.sizes, [e.value for e in first.seconds])
    tell("overheads")
    known = MOST_CURVE_BYTES if eager is None else eager
    overheads = measure_overheads(world, first.ranks, known, samples)
    tell("many small messages")
    small = measure_small_messages(world, first.ranks, samples)
    tell(f"a natural ring and {thoroughness.orders} random ones")
    rings = measure_rings(world, thoroughness.orders, thoroughness.seed)
    return Network(pairs, tuple(curves), rings, overheads, small, eager, spent)


def _measure_pairs(
    world: World,
    thoroughness: Thoroughness,
    links: Callable[[int, int], int] | None,
    spent: float,
    tell: Callable[[str], None],
) -> tuple[Pair, ...]:
    apart = links or (lambda a, b: int(not world.same_node(a, b)))
    chosen = choose_pairs(world.size, thoroughness.pairs, apart, thoroughness.seed)
    found = []
    for i, ranks in enumerate(chosen):
        tell(f"ping-pong of pair {i + 1} of {len(chosen)}")
        found.append(_measure_pair(world, ranks, thoroughness.effort, links, spent))
    return tuple(found)


def _measure_pair(
    world: World,
    ranks: tuple[int, int],
    effort: Effort,
    links: Callable[[int, int], int] | None,
    spent: float,
) -> Pair:
    sizes = (SHORT_BYTES, LONG_BYTES // 2, LONG_BYTES)
    short, half, long = map(median_of, sample_pair(world, ranks, sizes, effort))
    return Pair(
        ranks,
        world.same_node(*ranks),
        links(*ranks) if links else None,
        short.lowered(spent),
        long.mapped(lambda seconds: LONG_BYTES / seconds),
        _rate(half, long),
    )


def _rate(half: Estimate, long: Estimate) -> Estimate:
    """Return the rate of the second half of a long message, with the worst ends of both times."""
    bytes = LONG_BYTES - LONG_BYTES // 2
    plain = LONG_BYTES / long.value
    apart = long.value - half.value
    if apart <= 0:  # noise is larger than the difference
        return replace(long.mapped(lambda seconds: LONG_BYTES / seconds), low=0.0)
    shortest, longest = long.low - half.high, long.high - half.low
    high = bytes / shortest if shortest > 0 else 2 * plain
    return Estimate(bytes / apart, bytes / longest, max(high, bytes / apart), long.spread)


def _curve_pairs(pairs: Sequence[Pair]) -> list[tuple[int, int]]:
    """Return the pairs that get a curve: fastest between nodes, fastest in a node, slowest."""
    wanted = [nearest(pairs, same_node=False), nearest(pairs, same_node=True), furthest(pairs)]
    return list(dict.fromkeys(pair.ranks for pair in wanted if pair is not None))


def _measure_curve(world: World, ranks: tuple[int, int], effort: Effort) -> Curve:
    sizes = curve_sizes()
    seconds = tuple(map(median_of, sample_pair(world, ranks, sizes, effort)))
    errors = [(e.high - e.low) / 4 for e in seconds]  # the interval is about four of them wide
    knees = find_knees(sizes, [e.value for e in seconds], errors)
    narrowed = [_narrow(world, ranks, knee, effort) for knee in knees]
    return Curve(ranks, sizes, seconds, tuple(narrowed))


def _narrow(world: World, ranks: tuple[int, int], knee: Knee, effort: Effort) -> Knee:
    """Halve the range of a jump until it is between two sizes that differ by a byte.

    If a size beside the knee then doesn't follow the law of its side, noise has led astray, and the
    knee is returned as it came.
    """
    if knee.kind != "jump":
        return knee

    def before(size: int) -> bool:
        (times,) = sample_pair(world, ranks, [size], effort)
        return knee.belongs_before(size, median_of(times).value)

    low, high = knee.low, knee.high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if before(middle) else (low, middle)
    settled = before(low) and not before(high)
    return replace(knee, low=low, high=high) if settled else knee
