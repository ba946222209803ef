"""Formats of traces: readers and writers, by name.

>>> from odonata.profile.formats import convert
>>> convert("run.meta", "run.trace").coverage  # doctest: +SKIP
"""

from odonata.profile.formats.convert import FORMATS, Format, convert, format_of
from odonata.profile.formats.report import Conversion, Coverage

__all__ = ["FORMATS", "Conversion", "Coverage", "Format", "convert", "format_of"]
