"""Graphs of papers as fabrics: Slim Fly, Jellyfish, and trees with tapers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, product

from odonata import _core
from odonata.errors import UserError
from odonata.machine.fabric.fabric import USUAL, Adapter, Cable, Fabric, Switch
from odonata.machine.fabric.galois import Field

__all__ = ["jellyfish", "slim_fly", "tree"]

MOST_SWITCHES = 20_000
"""Most switches of a graph: tables of routes have a row for each."""

MOST_CABLES = 2_000_000
MOST_HOSTS = 1_000_000
MOST_TRIES = 20

KIND = "cable"

_DRAW = int.from_bytes(b"jelly")
"""Number of the draws, apart from others of the same seed."""

Pair = tuple[int, int]


def slim_fly(q: int, hosts: int | None = None) -> Fabric:
    """Return a Slim Fly: a graph of McKay, Miller and Širáň, of diameter 2.

    Parameters
    ----------
    q
        A power of a prime: 3, 4, 5, 7, 8, 9, 11, ..., up to 97.
    hosts
        Hosts of each switch; None: half of the switch's links to others, rounded up.

    Returns
    -------
    Fabric
        2 q^2 switches of degree (3 q - d) / 2, for q = 4 w + d with d in -1, 0, 1; switch
        ``s0-x-y`` is joined to ``s1-m-c`` where y = m x + c.

    Raises
    ------
    UserError
        q is no power of a prime, or out of range.

    Examples
    --------
    >>> hoffman_singleton = slim_fly(5)
    >>> len(hoffman_singleton.switches), len(hoffman_singleton.cables)
    (50, 175)

    References
    ----------
    M. Besta and T. Hoefler, *Slim Fly: a cost effective low-diameter network topology*, SC14; the
    graphs: P. R. Hafner, *Geometric realisation of the graphs of McKay-Miller-Širáň*, J. Comb.
    Theory B 90 (2004).
    """
    if not 3 <= q <= 97 or q % 4 == 2:
        allowed = "powers of primes from 3 to 97"
        raise UserError("q: out of range", value=q, allowed=allowed)
    field = Field(q)
    within = _generators(field)

    def number(part: int, x: int, y: int) -> int:
        return (part * q + x) * q + y

    pairs = [
        (number(part, x, y), number(part, x, other))
        for part, x, y in product(range(2), range(q), range(q))
        for step in within[part]
        if y < (other := field.add(y, step))
    ]
    pairs += [
        (number(0, x, field.add(field.multiply(m, x), c)), number(1, m, c))
        for x, m, c in product(range(q), repeat=3)
    ]
    names = [f"s{part}-{x}-{y}" for part, x, y in product(range(2), range(q), range(q))]
    degree = len(within[0]) + q
    return _fabric(names, sorted(pairs), -(-degree // 2) if hosts is None else hosts)


def _generators(field: Field) -> tuple[Sequence[int], Sequence[int]]:
    """Return the differences of joined switches within both parts (Besta and Hoefler, II-B)."""
    q, powers = field.q, field.powers
    if q % 4 != 3:  # even powers, and odd ones, of which q - 1 is 0 again where q is even
        return powers[::2], [*powers[1::2], *(powers[:1] if q % 2 == 0 else ())]
    half = (q - 1) // 2  # odd: q = 4 w - 1 and half = 2 w - 1
    even = [i for i in range(q - 1) if (i < half) == (i % 2 == 0)]
    return [powers[i] for i in even], [powers[(i + 1) % (q - 1)] for i in even]


def jellyfish(switches: int, degree: int, hosts: int, seed: int = 0) -> Fabric:
    """Return a Jellyfish: a random regular graph.

    Parameters
    ----------
    switches, degree
        Number of switches, and of the links of each to others.
    hosts
        Hosts of each switch.
    seed
        Seed of the draws.

    Raises
    ------
    UserError
        There is no such graph, or no connected one was drawn.

    Notes
    -----
    All ends of links are paired at random. Pairs of one switch, and second pairs of two switches,
    change partners with pairs that are drawn, until none is left.

    References
    ----------
    A. Singla, C.-Y. Hong, L. Popa and P. B. Godfrey, *Jellyfish: networking data centers randomly*,
    NSDI 2012.
    """
    _check("switches", switches, 2, MOST_SWITCHES)
    _check("degree", degree, 1, switches - 1)
    if switches * degree % 2:
        what = "degree: the number of ends of links is odd"
        raise UserError(what, value=switches * degree, allowed="an even one")
    _check("switches and degree: links", switches * degree // 2, 1, MOST_CABLES)
    for number in range(MOST_TRIES):
        pairs = _Pairing(switches, degree, seed, _DRAW + number).run()
        if pairs is not None and _is_connected(switches, pairs):
            digits = len(str(switches - 1))
            names = [f"s{switch:0{digits}d}" for switch in range(switches)]
            return _fabric(names, sorted(pairs), hosts)
    what = "degree: no connected graph was drawn"
    raise UserError(what, value=degree, allowed="3 or more, or another --seed")


class _Pairing:
    """Random pairs of the ends of links."""

    def __init__(self, switches: int, degree: int, seed: int, number: int) -> None:
        ends = _core.shuffled(switches * degree, seed, number)
        owners = [end // degree for end in ends]
        self._pairs = [*zip(owners[::2], owners[1::2], strict=True)]
        self._times = Counter(map(_ordered, self._pairs))
        self._draws = (_core.draw_below(seed, number, i, len(self._pairs)) for i in count())
        self._most = 1000 + 100 * len(self._pairs)

    def run(self) -> list[Pair] | None:
        """Return different pairs of different switches, each the lesser first; None: none found."""
        wrong = [at for at, pair in enumerate(self._pairs) if self._is_wrong(pair)]
        for _ in range(self._most):
            while wrong and not self._is_wrong(self._pairs[wrong[-1]]):
                wrong.pop()
            if not wrong:
                return [_ordered(pair) for pair in self._pairs]
            self._change(wrong[-1], next(self._draws))
        return None

    def _is_wrong(self, pair: Pair) -> bool:
        return pair[0] == pair[1] or self._times[_ordered(pair)] > 1

    def _change(self, at: int, other: int) -> None:
        """Let two pairs change partners, if both are then right."""
        (a, b), (c, d) = self._pairs[at], self._pairs[other]
        new = (a, c), (b, d)
        if a == c or b == d or _ordered(new[0]) == _ordered(new[1]):
            return
        if any(self._times[_ordered(pair)] for pair in new):
            return
        for pair in ((a, b), (c, d)):
            self._times[_ordered(pair)] -= 1
        for pair in new:
            self._times[_ordered(pair)] += 1
        self._pairs[at], self._pairs[other] = new


def _ordered(pair: Pair) -> Pair:
    return min(pair), max(pair)


def _is_connected(switches: int, pairs: Iterable[Pair]) -> bool:
    joined: list[list[int]] = [[] for _ in range(switches)]
    for a, b in pairs:
        joined[a].append(b)
        joined[b].append(a)
    reached, line = {0}, [0]
    for switch in line:
        fresh = [other for other in joined[switch] if other not in reached]
        reached.update(fresh)
        line += dict.fromkeys(fresh)
    return len(reached) == switches


def tree(down: Sequence[int], taper: Sequence[int] = ()) -> Fabric:
    """Return a complete tree of several levels, with fewer links up than down where it is tapered.

    Parameters
    ----------
    down
        Children of a switch, for each level from the leaves on, whose children are hosts.
    taper
        Links down for each link up, for each level but the highest; empty: 1 each.

    Raises
    ------
    UserError
        The numbers don't fit each other.

    Examples
    --------
    >>> tapered = tree([4, 4], [2])
    >>> [switch.name for switch in tapered.switches], len(tapered.cables)
    (['l1-0', 'l1-1', 'l1-2', 'l1-3', 'l2-0', 'l2-1'], 8)
    """
    names = ["injection", "ejection", *(f"uplink{i}" for i in range(1, len(down)))]
    values: dict[str, object] = {"down": list(down)}
    values |= {"taper": list(taper)} if taper else {}
    classes = [_core.LinkClass(name, 10**9, 0, 1, 0) for name in names]  # any, for the graph alone
    made = _core.make_machine("fat-tree", _core.Basics("tree", 1, 0, 0, 1), values, classes)
    _check("tree: switches", made.num_routers, 1, MOST_SWITCHES)
    levels = [position[0] for position in made.positions.tolist()]
    seen: Counter[int] = Counter()
    switches = []
    for level in levels:
        switches.append(f"l{level}-{seen[level]}")
        seen[level] += 1
    between = made.links[2 * made.num_ports :, :2].tolist()
    leaves = [at for at, level in enumerate(levels) if level == 1]
    return _fabric(switches, [(a, b) for a, b in between if a < b], down[0], leaves)


def _fabric(
    names: Sequence[str], pairs: Sequence[Pair], hosts: int, leaves: Sequence[int] = ()
) -> Fabric:
    """Return a fabric of switches with as many hosts on each, or on each of some leaves."""
    leaves = leaves or range(len(names))
    _check("hosts of a switch", hosts, 1, 10_000)
    _check("hosts", len(leaves) * hosts, 1, MOST_HOSTS)
    digits = len(str(len(leaves) * hosts - 1))
    ports = [0] * len(names)

    def port(switch: int) -> int:
        ports[switch] += 1
        return ports[switch]

    numbers: Iterator[int] = count()
    adapters = tuple(
        Adapter(f"node-{next(numbers):0{digits}d}", "HCA-1", leaf, port(leaf), USUAL)
        for leaf in leaves
        for _ in range(hosts)
    )
    cables = tuple(Cable(a, port(a), b, port(b), KIND) for a, b in pairs)
    return Fabric(tuple(map(Switch, names)), adapters, cables)


def _check(what: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise UserError(f"{what}: out of range", value=value, allowed=f"{low} to {high}")
