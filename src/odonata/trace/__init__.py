"""Traces: calls of the ranks of a program, in a file that can be played on any machine.

>>> from odonata.trace import Reader
>>> with Reader("run.trace") as trace:  # doctest: +SKIP
...     calls = sum(len(block) for block in trace.blocks())
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
