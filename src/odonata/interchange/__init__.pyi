from .convert import FORMATS, Format, convert, format_of
from .report import Conversion, Coverage

__all__ = [
    "FORMATS",
    "Conversion",
    "Coverage",
    "Format",
    "convert",
    "format_of",
]
