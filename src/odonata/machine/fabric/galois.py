"""Finite fields, small enough for tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from odonata.errors import UserError

__all__ = ["Field"]


class Field:
    """The field with q elements, which are the numbers from 0 to q - 1.

    Parameters
    ----------
    q
        A power of a prime.

    Raises
    ------
    UserError
        The number is no power of a prime.

    Examples
    --------
    >>> nine = Field(9)
    >>> nine.add(4, 8), len(set(nine.powers))
    (0, 8)

    Notes
    -----
    An element is a polynomial over the prime field whose coefficients are the digits of its number.
    Products are taken modulo the first polynomial for which the powers of x are all elements but 0.
    """

    def __init__(self, q: int) -> None:
        self.q = q
        self.prime = next((p for p in range(2, q + 1) if q % p == 0), 0)
        self.degree = next((n for n in range(1, 64) if self.prime**n >= q), 0)
        if not self.prime or self.prime**self.degree != q:
            raise UserError("q: not the power of a prime", value=q)
        self.powers = next(filter(None, map(self._powers_of, self._candidates())))
        """Powers of a primitive element, from 1 on."""
        self._log = {element: at for at, element in enumerate(self.powers)}

    def add(self, a: int, b: int) -> int:
        """Return the sum of two elements."""
        p, total, place = self.prime, 0, 1
        while a or b:
            total += (a + b) % p * place
            a, b, place = a // p, b // p, place * p
        return total

    def multiply(self, a: int, b: int) -> int:
        """Return the product of two elements."""
        return self.powers[(self._log[a] + self._log[b]) % (self.q - 1)] if a and b else 0

    def _candidates(self) -> Iterator[Sequence[int]]:
        """Yield values of x^n, one a polynomial of degree n: coefficients, the lowest first."""
        return product(range(self.prime), repeat=self.degree)

    def _powers_of(self, top: Sequence[int]) -> tuple[int, ...]:
        """Return the powers of x where x^n has this value; empty unless they are all elements.

        In a prime field x is the value itself.
        """
        p, x = self.prime, [*top]
        element = [1] + [0] * (self.degree - 1)
        found: dict[int, None] = {}
        while (number := sum(c * p**i for i, c in enumerate(element))) not in found:
            found[number] = None
            carry = element[-1]
            element = [
                (shifted + carry * c) % p for shifted, c in zip([0, *element[:-1]], x, strict=True)
            ]
        complete = len(found) == self.q - 1 and 0 not in found
        return tuple(found) if complete else ()
