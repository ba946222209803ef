"""Words for the categories of time."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from odonata.result import kinds

__all__ = ["CATEGORIES", "words_of"]

CATEGORIES: Mapping[str, str] = MappingProxyType(
    {category.name: category.words for category in kinds.CATEGORIES}
)
"""Words for what a rank, or the message that it waits for, does in each category.

Beside them are ``queueing.CLASS`` and ``credit.CLASS`` for every class of links.
"""

_LINK_CATEGORIES = {category.name: category.words for category in kinds.LINK_CATEGORIES}


def words_of(category: str) -> str:
    """Return the words for a category.

    Parameters
    ----------
    category
        Its name.

    Examples
    --------
    >>> words_of("queueing.global")
    'queueing for global links'
    """
    name, dot, link_class = category.partition(".")
    return _LINK_CATEGORIES[name].format(link_class) if dot else CATEGORIES[category]
