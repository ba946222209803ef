"""Random draws that are pure functions of (seed, purpose, entity, counter)."""

from __future__ import annotations

import math
from collections.abc import MutableSequence
from enum import IntEnum
from typing import Any

_BITS = 2**64 - 1


class Purpose(IntEnum):
    """Purposes of draws; two purposes never share a stream."""

    ROUTE = 3
    TRAFFIC_GAP = 4
    TRAFFIC_TARGET = 5
    SEND_ORDER = 6
    SHUFFLE = 7


def mix(x: int) -> int:
    """Return the finalizer of splitmix64 (Steele, Lea, Flood 2014) of 64 bits."""
    x = (x + 0x9E3779B97F4A7C15) & _BITS
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & _BITS
    x = (x ^ x >> 27) * 0x94D049BB133111EB & _BITS
    return x ^ x >> 31


def pick(bits: int, count: int) -> int:
    """Return the whole number in [0, count) that the upper half of 64 random bits stands for."""
    return (bits >> 32) * count >> 32


class Draws:
    """One stream of draws."""

    def __init__(self, seed: int, purpose: Purpose, entity: int) -> None:
        self._key = mix(mix(mix(seed) ^ purpose) ^ entity)

    def bits(self, i: int) -> int:
        """Return the 64 bits of draw i."""
        return mix(self._key ^ mix(i))

    def below(self, i: int, n: int) -> int:
        """Return draw i as a whole number in [0, n)."""
        return pick(self.bits(i), n)

    def real(self, i: int) -> float:
        """Return draw i as a real number in [0, 1)."""
        return (self.bits(i) >> 11) / 2**53

    def exponential(self, i: int) -> float:
        """Return draw i as an exponential number of mean 1: -log(1 - real(i)).

        The logarithm is 2 artanh((x-1) / (x+1)) in odd powers, the same to the last bit on every
        processor, unlike logarithms of libraries.
        """
        x, exponent = math.frexp(1.0 - self.real(i))
        if x < 0.7071067811865476:
            x, exponent = 2 * x, exponent - 1
        s = (x - 1) / (x + 1)
        series = 1.0 / 21
        for k in range(19, 0, -2):
            series = 1.0 / k + s * s * series
        return -(exponent * 0.6931471805599453 + 2 * s * series)


def shuffle(items: MutableSequence[Any], draws: Draws) -> None:
    """Shuffle in place (Fisher and Yates, from the end)."""
    for i in range(len(items), 1, -1):
        j = draws.below(i, i)
        items[i - 1], items[j] = items[j], items[i - 1]
