"""Interchange: readers, writers and repair of traces of other tools.

>>> from odonata.interchange import convert
>>> convert("run.meta", "run.trace").coverage  # doctest: +SKIP
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
