"""Numbers of a machine file from measurements, each with its source and interval."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from odonata.errors import UserError
from odonata.measure.benchmarks import Benchmark, Reported
from odonata.measure.compute import Compute
from odonata.measure.estimate import Estimate, exactly
from odonata.measure.knees import Knee, find_knees, highest_jump
from odonata.measure.network import Curve, Network, Pair, fastest, furthest, nearest
from odonata.measure.overheads import Overheads
from odonata.measure.pingpong import SHORT_BYTES
from odonata.measure.protocols import Protocols, protocols_of
from odonata.measure.small_messages import ENTRIES, Streams

__all__ = ["Finding", "Findings", "Reading", "of_benchmarks", "of_compute", "of_network"]

VALUE_BYTES = 8
"""Bytes of a value, for β."""

HELD_UP = 1.1
"""Least factor by which messages of many ranks are slower than messages of one, for a gap."""

MOST_NOISY = 0.25
"""Largest share of noisy points at which the knees of a curve can be relied upon."""


@dataclass(frozen=True)
class Reading:
    """Choices that the paper leaves open when α, α(D) and γ are derived from latencies.

    Parameters
    ----------
    alpha
        ``best``: the least latency of all pairs, as the paper's, also if it is one of a node;
        ``network``: of pairs on two nodes.
    largest
        Where α(D) is from: ``pairs``, or ``all``, with the rings.
    distances
        ``assumed``: the nearest pair is h_m links apart and the furthest D, as the paper has it;
        ``names``: as many as the machine has between nodes of the names that the ranks see
    diameter
        Links between the furthest nodes, D; None if no machine is given.
    nearest
        Links between the nearest, h_m.

    Raises
    ------
    UserError
        A choice is unknown.
    """

    alpha: str = "best"
    largest: str = "pairs"
    distances: str = "assumed"
    diameter: float | None = None
    nearest: float = 2

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            given = getattr(self, name)
            if given not in choices:
                raise UserError(f"{name}: unknown", value=given, allowed=", ".join(choices))


_CHOICES = {
    "alpha": ("best", "network"),
    "largest": ("pairs", "all"),
    "distances": ("assumed", "names"),
}


@dataclass(frozen=True)
class Finding:
    """A number of a machine file that was measured.

    Parameters
    ----------
    key
        Its dotted key.
    estimates
        One estimate, or one for each number of a list; in s, B, B/s or s/B, as the key has it.
    how
        The measurement, in words.
    listed
        Whether the key has a list, if only of one.
    """

    key: str
    estimates: tuple[Estimate, ...]
    how: str
    listed: bool = False

    @property
    def value(self) -> float:
        """The number, or the first of a list."""
        return self.estimates[0].value


@dataclass
class Findings:
    """Numbers that were found, reasons why others were not, and warnings.

    Parameters
    ----------
    found
        By dotted key.
    unknown
        Why a key was not found, by key.
    warnings
        One line each.
    noisy
        Numbers that are not to be relied upon, by key or by words.
    far
        The largest latency, α(D) [s], and where it was; None if it is unknown.
    """

    found: dict[str, Finding] = field(default_factory=dict)
    unknown: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    noisy: dict[str, Estimate] = field(default_factory=dict)
    far: Finding | None = None

    def add(self, key: str, estimate: Estimate, how: str) -> None:
        """Take note of a number, and of its noise."""
        self._add(Finding(key, (estimate,), how))

    def add_list(self, key: str, estimates: Sequence[Estimate], how: str) -> None:
        """Take note of a list of numbers, and of their noise."""
        self._add(Finding(key, tuple(estimates), how, listed=True))

    def _add(self, finding: Finding) -> None:
        self.found[finding.key] = finding
        noisy = [estimate for estimate in finding.estimates if estimate.noisy]
        if noisy:
            self.noisy[finding.key] = max(noisy, key=lambda estimate: estimate.uncertainty)

    def all_warnings(self) -> list[str]:
        """Return the warnings, noise first."""
        if not self.noisy:
            return list(self.warnings)
        each = (
            f"{what} (±{estimate.uncertainty:.0%}, samples {estimate.spread:.0%} apart)"
            for what, estimate in self.noisy.items()
        )
        advice = "measure again on an idle machine, with more --samples"
        return [f"too noisy: {', '.join(each)}; {advice}", *self.warnings]


def of_network(network: Network, reading: Reading) -> Findings:
    """Return the findings of a measured network.

    Parameters
    ----------
    network
        The measurements.
    reading
        How α, α(D) and γ are read from it.

    Raises
    ------
    UserError
        The reading asks for pairs on two nodes, or for names, and the run has none.

    Notes
    -----
    α is the median latency of 8 bytes of the pair where it is least, α(D) where it is largest, β 8
    bytes by the best bandwidth of 2,000,000, γ = (α(D) - α) / (D - h_m).

    References
    ----------
    Model-guided AMG on a dragonfly, section 4.2.
    """
    findings = Findings()
    near = nearest(network.pairs, same_node=None if reading.alpha == "best" else False)
    far = furthest(network.pairs)
    if near is None or far is None:
        raise UserError("alpha: no two ranks are on different nodes", allowed="best")
    _add_latencies(findings, network, near, far, reading)
    best = fastest(network.pairs)
    assert best is not None
    findings.add(
        "model.beta",
        best.bandwidth.mapped(lambda rate: VALUE_BYTES / rate),
        f"8 B by the best bandwidth of 2,000,000 B of {len(network.pairs)} pairs: {_of(best)}",
    )
    _add_software(findings, network)
    _add_links(findings, network)
    _add_small_messages(findings, network)
    for name, ring in (("natural", network.rings.natural), ("random", network.rings.random)):
        for what, estimate in (("latency", ring.latency), ("bandwidth", ring.bandwidth)):
            if estimate.noisy:
                findings.noisy[f"{what} of the {name} ring"] = estimate
    return findings


def of_compute(compute: Compute, what: str) -> Findings:
    """Return the findings of measured cores.

    Parameters
    ----------
    compute
        The measurements.
    what
        The operators, in words.
    """
    findings = Findings()
    if compute.flop_seconds:
        findings.add_list(
            "model.t", compute.flop_seconds, f"products with {what}; the slowest rank's"
        )
    threads = ", ".join(str(2**k) for k in range(len(compute.thread_bandwidth)))
    findings.add_list(
        "model.memory_bandwidth",
        compute.thread_bandwidth,
        f"STREAM Triad, arrays of {compute.array_bytes / 1e6:.0f} MB; of a thread, with {threads}",
    )
    if compute.in_cache:
        findings.warnings.append(
            "model.memory_bandwidth: the arrays are smaller than four last caches: memory may be "
            "slower"
        )
    return findings


def of_benchmarks(benchmarks: Sequence[Benchmark], reading: Reading) -> Findings:
    """Return the findings of other benchmarks' files; parameters otherwise as `of_network`.

    Parameters
    ----------
    benchmarks
        One file each: of several pairs, of latencies and bandwidths.
    reading
        How γ is read; α is the least latency of all files.
    """
    findings = Findings()
    near = min(_given(b.least_latency for b in benchmarks), key=_value, default=None)
    largest = [b.largest_latency for b in benchmarks]
    if reading.largest == "all":
        largest += [r for b in benchmarks for r in b.rings if "Latency" in r.what]
    far = max(_given(largest), key=_value, default=None)
    if near is not None and far is not None:
        findings.add("model.alpha", exactly(near.value), _read(near))
        findings.far = Finding("model.alpha", (exactly(far.value),), _read(far))
        _add_gamma(findings, exactly(near.value), exactly(far.value), reading)
    best = max(_given(b.best_bandwidth for b in benchmarks), key=_value, default=None)
    if best is not None:
        findings.add("model.beta", exactly(VALUE_BYTES / best.value), f"8 B by {_read(best)}")
    triad = next(iter(_given(b.triad for b in benchmarks)), None)
    if triad is not None:
        findings.add_list("model.memory_bandwidth", [exactly(triad.value)], _read(triad))
    curve = next((b for b in benchmarks if b.sizes), None)
    if curve is not None:
        knees = find_knees(curve.sizes, curve.seconds)
        _add_threshold(findings, knees, f"{curve.program}, {curve.path}")
    return findings


def _add_latencies(
    findings: Findings, network: Network, near: Pair, far: Pair, reading: Reading
) -> None:
    count = len(network.pairs)
    alpha, largest = near.latency, far.latency
    how = f"ping-pong of 8 B, least median of {count} pairs: {_of(near)}"
    how_far = f"ping-pong of 8 B, largest median of {count} pairs: {_of(far)}"
    rings = [network.rings.natural.latency, network.rings.random.latency]
    slowest = max(rings, key=lambda ring: ring.value)
    if reading.largest == "all" and slowest.value > largest.value:
        largest, how_far = slowest, "latency of 8 B on rings, natural or random"
    findings.far = Finding("model.alpha", (largest,), how_far)
    if reading.distances == "names":
        alpha = _add_gamma_by_names(findings, network, alpha, reading)
    else:
        _add_gamma(findings, alpha, largest, reading)
    if largest.noisy:
        findings.noisy["alpha(D)"] = largest
    findings.add("model.alpha", alpha, how)


def _add_gamma(findings: Findings, near: Estimate, far: Estimate, reading: Reading) -> None:
    if reading.diameter is None:
        findings.unknown["model.gamma"] = "the topology is not known: give it with --machine"
        return
    hops = reading.diameter - reading.nearest
    if hops <= 0:
        findings.unknown["model.gamma"] = "all nodes are as near as they can be: D is h_m"
        return
    findings.add(
        "model.gamma",
        _slope(near, far, hops),
        f"(alpha(D) - alpha) / (D - {reading.nearest:g}) with D = {reading.diameter:g}: the "
        "furthest pair is taken to be D links apart, the nearest "
        f"{reading.nearest:g}",
    )


def _add_gamma_by_names(
    findings: Findings, network: Network, alpha: Estimate, reading: Reading
) -> Estimate:
    """Add γ from pairs whose distance is known, and return α at h_m links."""
    known = [(pair.links, pair) for pair in network.pairs if pair.links and not pair.same_node]
    if not known:
        raise UserError(
            "distances: no two ranks are on different nodes whose names the machine knows",
            allowed="assumed",
        )
    least, most = min(links for links, _ in known), max(links for links, _ in known)
    if least == most:
        findings.unknown["model.gamma"] = f"all pairs are {least} links apart"
        return alpha
    near = nearest([pair for links, pair in known if links == least])
    far = furthest([pair for links, pair in known if links == most])
    assert near is not None
    assert far is not None
    gamma = _slope(near.latency, far.latency, most - least)
    findings.add(
        "model.gamma",
        gamma,
        f"ping-pong of 8 B: {_of(near)}, {least} links apart, and {_of(far)}, {most} links apart",
    )
    if reading.alpha == "best":
        return alpha
    return near.latency.mapped(lambda time: time - (least - reading.nearest) * gamma.value)


def _slope(near: Estimate, far: Estimate, hops: float) -> Estimate:
    low = max(0.0, far.low - near.high) / hops
    high = max(0.0, far.high - near.low) / hops
    value = max(0.0, far.value - near.value) / hops
    spread = max(near.spread, far.spread)
    return Estimate(value, low, high, spread, min(near.samples, far.samples))


def _add_software(findings: Findings, network: Network) -> None:
    """Add the costs of messages to their ranks, by protocol."""
    first, costs = network.curves[0], network.overheads
    pair = f"ranks {first.ranks[0]} and {first.ranks[1]}"
    findings.add(
        "mpi.send_overhead", costs.send, f"bursts of starts of 8 B between {pair} (LogP's o_s)"
    )
    findings.add(
        "mpi.recv_overhead",
        costs.receive,
        f"receives of messages that are there, at 0 B, between {pair} (LogP's o_r)",
    )
    if costs.copy is not None:
        findings.add(
            "mpi.copy_per_byte", costs.copy, f"the same receives, of 8 B and longer, between {pair}"
        )
    _add_protocols(findings, network)


def _add_small_messages(findings: Findings, network: Network) -> None:
    """Add the costs that grow with the number of messages."""
    small = network.small_messages
    first, second = network.curves[0].ranks
    between = f"between ranks {first} and {second}"
    findings.add(
        "mpi.search_per_entry",
        small.posted,
        f"ping-pong of 8 B behind {ENTRIES} posted receives, {between}; behind as many unexpected "
        f"messages {small.unexpected.value * 1e9:.3g} ns each",
    )
    findings.add(
        "mpi.wait_per_request",
        small.request,
        f"wait for {ENTRIES} messages that are there, {between}",
    )
    if small.streams is None:
        findings.unknown["nic.message_gap"] = "all ranks are on one node"
    else:
        _add_gap(findings, small.streams)


def _add_gap(findings: Findings, streams: Streams) -> None:
    """Add the gap of a NIC if many ranks of a node wait for it, and one alone does not."""
    alone, most = streams.seconds[0], streams.seconds[-1]
    senders = streams.senders[-1]
    if most.low <= HELD_UP * alone.high:
        findings.unknown["nic.message_gap"] = (
            f"{senders} ranks of a node send a message each {most.value * 1e9:.0f} ns, one alone "
            f"each {alone.value * 1e9:.0f} ns: too few to keep a NIC busy"
        )
        return
    findings.add(
        "nic.message_gap",
        most.mapped(lambda seconds: seconds / senders),
        f"streams of 8 B from {senders} ranks of a node to as many of another: a message of each "
        f"in {most.value * 1e9:.0f} ns, of one alone in {alone.value * 1e9:.0f} ns",
    )


def _add_threshold(findings: Findings, knees: Sequence[Knee], where: str) -> None:
    """Add the size up to which messages are eager: the highest jump of a curve."""
    knee = highest_jump(knees)
    if knee is None:
        findings.unknown["mpi.eager_threshold"] = f"no jump in the {where}"
        return
    findings.found["mpi.eager_threshold"] = Finding(
        "mpi.eager_threshold",
        (Estimate(knee.low, knee.low, knee.high - 1),),
        f"{where}: +{knee.seconds * 1e6:.3g} us from {knee.high} B on",
    )


def _add_protocols(findings: Findings, network: Network) -> None:
    """Add the protocols of the first curve: thresholds, and between nodes their costs."""
    curve, eager = network.curves[0], network.eager_bytes
    pair = f"ranks {curve.ranks[0]} and {curve.ranks[1]}"
    if eager is None:
        findings.unknown["mpi.eager_threshold"] = (
            f"no send of up to {curve.sizes[-1]} B between {pair} waited for its receive"
        )
    else:
        how = f"a send of {eager} B between {pair} ends before its receive begins, of one more not"
        findings.add("mpi.eager_threshold", exactly(eager), how)
    if all(ends.same_node for ends in network.pairs):
        return
    where = f"latency curve of {pair}"
    spent = network.overheads.send.value + network.overheads.receive.value
    found = protocols_of(curve.knees, eager, spent)
    if found.short is not None:
        _add_short(findings, found, found.short, where)
        _judge_threshold(findings, "mpi.short_threshold", curve)
    if found.rendezvous_overhead is not None:
        how = f"{where}: half of the cost of a rendezvous beside its round trip"
        findings.add("mpi.rendezvous_overhead", exactly(found.rendezvous_overhead), how)
    if found.long_bytes is not None:
        findings.add("mpi.long_threshold", exactly(found.long_bytes), f"{where}: where it bends")
        how = f"{where}: half of the additional time of a byte beyond"
        findings.add("mpi.long_overhead_per_byte", exactly(found.long_per_byte), how)


def _add_short(findings: Findings, found: Protocols, knee: Knee, where: str) -> None:
    findings.found["mpi.short_threshold"] = Finding(
        "mpi.short_threshold",
        (Estimate(knee.low, knee.low, knee.high - 1),),
        f"{where}: +{knee.seconds * 1e6:.3g} us from {knee.high} B on",
    )
    how = f"{where}: half of its increase beyond {knee.low} B"
    findings.add("mpi.eager_overhead", exactly(found.eager_overhead), how)
    findings.add("mpi.eager_overhead_per_byte", exactly(found.eager_per_byte), how)


def _judge_threshold(findings: Findings, key: str, curve: Curve) -> None:
    """Call a threshold noisy if it was not narrowed down to a byte, or if its curve is noisy."""
    threshold = findings.found[key].estimates[0]
    noisy = [point for point in curve.seconds if point.noisy]
    if threshold.high > threshold.value:
        findings.noisy[key] = threshold
    elif len(noisy) > MOST_NOISY * len(curve.seconds):
        findings.noisy[key] = max(noisy, key=lambda point: point.uncertainty)


def _add_links(findings: Findings, network: Network) -> None:
    """Add latency and bandwidth between ranks, overheads apart."""
    spent = network.overheads.send.value + network.overheads.receive.value
    inside = nearest(network.pairs, same_node=True)
    if inside is not None:
        rate = fastest(network.pairs, same_node=True)
        assert rate is not None
        findings.add("node.bandwidth", rate.rate, _how_rate(rate))
        _add_inside(findings, network.overheads, inside, SHORT_BYTES / rate.rate.value)
    outside = nearest(network.pairs, same_node=False)
    if outside is not None:
        rate = fastest(network.pairs, same_node=False)
        assert rate is not None
        wire = _without_long_cost(findings, rate.rate)
        spent += SHORT_BYTES / wire.value
        for link in ("injection", "ejection"):
            findings.add(f"links.{link}.bandwidth", wire, _how_rate(rate))
            _add_half(findings, f"links.{link}.latency", outside, spent)


def _add_inside(findings: Findings, overheads: Overheads, pair: Pair, bytes_time: float) -> None:
    """Add latency and overheads of a message inside a node.

    They add up to its time, which may be less than the overheads of a message of the network: its
    parts are taken to be three like ones then, because no ping-pong tells them apart.
    """
    spent = overheads.send.value + overheads.receive.value
    whole = pair.latency.mapped(lambda seconds: max(0.0, seconds - bytes_time))
    said = f"the ping-pong of 8 B of {_of(pair)}"
    if whole.value < spent:
        for key in ("node.latency", "node.send_overhead", "node.recv_overhead"):
            findings.add(key, whole.mapped(lambda seconds: seconds / 3), f"a third of {said}")
        return
    left = whole.mapped(lambda seconds: max(0.0, seconds - spent))
    findings.add("node.latency", left, f"{said} without its overheads")
    findings.add("node.send_overhead", overheads.send, "as of a message between nodes")
    findings.add("node.recv_overhead", overheads.receive, "as of a message between nodes")


def _without_long_cost(findings: Findings, rate: Estimate) -> Estimate:
    """Return the rate of a wire from the rate of messages whose bytes cost both sides time."""
    long = findings.found.get("mpi.long_overhead_per_byte")
    if long is None or 2 * long.value * rate.high >= 1:
        return rate
    return rate.mapped(lambda seen: 1 / (1 / seen - 2 * long.value))


def _add_half(findings: Findings, key: str, pair: Pair, spent: float) -> None:
    left = pair.latency.mapped(lambda seconds: max(0.0, seconds - spent) / 2)
    findings.add(key, left, f"half of the ping-pong of 8 B of {_of(pair)} without its overheads")
    if pair.latency.value < spent:
        findings.warnings.append(
            f"{key}: the overheads of a message, {spent * 1e9:.0f} ns, are more than its latency, "
            f"{pair.latency.value * 1e9:.0f} ns: simulated messages will take that longer"
        )


def _how_rate(pair: Pair) -> str:
    return f"1,000,000 B by the additional time of 2,000,000 B, {_of(pair)}"


def _of(pair: Pair) -> str:
    where = "on one node" if pair.same_node else "on two nodes"
    return f"ranks {pair.ranks[0]} and {pair.ranks[1]}, {where}"


def _read(reported: Reported) -> str:
    return f"{reported.what}, {reported.where}"


def _given(reported: Iterable[Reported | None]) -> list[Reported]:
    return [item for item in reported if item is not None]


def _value(reported: Reported) -> float:
    return reported.value
