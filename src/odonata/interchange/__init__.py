"""Interchange: readers, writers and repair of traces of other tools.

>>> from odonata.interchange import convert
>>> convert("run.meta", "run.trace").coverage  # doctest: +SKIP
"""

from odonata.interchange.convert import FORMATS, Format, convert, format_of
from odonata.interchange.report import Conversion, Coverage

__all__ = ["FORMATS", "Conversion", "Coverage", "Format", "convert", "format_of"]
